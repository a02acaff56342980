"""The words of reference pages: headings, fields, options and kinds, in English and Chinese.

One table for each, from the word of ONNX's table to the words on pages.
"""

from __future__ import annotations

import re
from typing import TypeVar

from sonnx_verify.pages.reading.kinds import EntryOption, Part, VersionField

Key = TypeVar("Key", bound=str)
Words = tuple[str, ...]

SECTIONS: dict[Part, Words] = {
    Part.VERSION: ("version", "版本"),
    Part.SUMMARY: ("summary", "摘要"),
    Part.ATTRIBUTES: ("attributes", "属性"),
    Part.INPUTS: ("inputs", "输入"),
    Part.OUTPUTS: ("outputs", "输出"),
    Part.TYPES: ("type constraints", "类型约束"),
    Part.EXAMPLES: ("examples", "示例"),
    Part.DIFFERENCES: ("differences", "差异"),
    Part.FUNCTION: ("function", "函数"),
}
"""Headings, in small letters."""
FIELDS: dict[VersionField, Words] = {
    VersionField.DOMAIN: ("domain", "域"),
    VersionField.SINCE_VERSION: ("since_version", "起始版本"),
}
"""The entries below a version that are read."""
OPTIONS: dict[EntryOption, Words] = {
    EntryOption.OPTIONAL: ("optional", "可选"),
    EntryOption.VARIADIC: ("variadic", "可变参数"),
    EntryOption.REQUIRED: ("required", "必需"),
    EntryOption.HETEROGENEOUS: ("heterogeneous", "异构"),
}
"""The words between parentheses behind a name."""
KINDS: dict[str, Words] = {
    "int": ("int", "整型"),
    "ints": ("ints", "整型列表"),
    "float": ("float", "浮点型"),
    "floats": ("floats", "浮点型列表"),
    "string": ("string", "字符串"),
    "strings": ("strings", "字符串列表"),
    "tensor": ("tensor", "张量"),
    "tensors": ("tensors", "张量列表"),
    "sparse_tensor": ("sparse_tensor", "稀疏张量"),
    "graph": ("graph", "图"),
    "graphs": ("graphs",),
    "type_proto": ("type_proto",),
}
"""Kinds of attributes, as ONNX's table names them."""
CONSTRUCTORS: dict[str, Words] = {
    "tensor": ("tensor", "张量"),
    "seq": ("seq", "序列"),
    "map": ("map", "映射"),
    "optional": ("optional", "可选"),
    "sparse_tensor": ("sparse_tensor", "稀疏张量"),
}
"""The words that make types."""
DEFAULT = re.compile(r"^(?:default is|默认值是)\s*[:=]?\s*(?P<value>.+)$", re.IGNORECASE | re.DOTALL)
"""A default between parentheses."""
SINCE = re.compile(r"(?:since version|版本)\s*(?P<version>\d+)(?!\s*\.\d)", re.IGNORECASE)
"""A sentence that says since when a version of an operator has been there."""
DEPRECATED = re.compile(r"\bhas been deprecated\b|已弃用", re.IGNORECASE)
_DEPRECATED = r"(?:\s*\((?P<deprecated>deprecated|已弃用)\))?"
OPERATOR = re.compile(rf"^(?:(?P<domain>[a-z]\w*(?:\.\w+)+)\.)?(?P<name>[A-Z]\w*){_DEPRECATED}$")
"""A heading that is the name of an operator."""
VERSION = re.compile(
    r"^(?:(?P<domain>[a-z]\w*(?:\.\w+)+)\.)?(?P<name>[A-Z]\w*)\s*[-–]\s*(?P<version>\d+)"
    rf"{_DEPRECATED}(?:\s*\((?P<in>[\w.]+)\))?$"
)
"""A heading that is the name of an operator and a version."""
_WIDE = str.maketrans("（）：，；、", "():,;,")


def narrow(text: str) -> str:
    """The text with Chinese punctuation written as in English; as long as before."""
    return text.translate(_WIDE)


def named(table: dict[Key, Words], text: str) -> Key | None:
    """The key of the table under which a word stands; None if it stands under none."""
    # `Inputs:`, `INPUTS` and `输入：` are one label.
    word = " ".join(narrow(text).strip().rstrip(":").lower().split())
    return next((key for key, words in table.items() if word in words), None)
