"""The words of reference pages: what headings, fields, options and kinds are called, in the languages that pages of
ONNX are translated to. One table: who reads another language adds its words here."""

from __future__ import annotations

import re

SECTIONS: dict[str, tuple[str, ...]] = {
    "version": ("version", "版本", "バージョン"),
    "summary": ("summary", "摘要", "概要", "résumé", "zusammenfassung"),
    "attributes": ("attributes", "属性", "attributs", "attribute"),
    "inputs": ("inputs", "输入", "輸入", "入力", "entrées", "eingaben"),
    "outputs": ("outputs", "输出", "輸出", "出力", "sorties", "ausgaben"),
    "types": ("type constraints", "类型约束", "類型約束", "型制約", "contraintes de type", "typbeschränkungen"),
    "examples": ("examples", "example", "示例", "例子", "範例", "例", "exemples", "beispiele"),
    "differences": ("differences", "差异", "差異", "différences", "unterschiede"),
    "function": ("function", "function body", "函数体", "函数"),
}
"""What headings say, in small letters."""
FIELDS: dict[str, tuple[str, ...]] = {
    "name": ("name", "名称", "名前", "nom"),
    "domain": ("domain", "域", "ドメイン", "domaine", "domäne"),
    "since_version": ("since_version", "since version", "起始版本", "depuis la version", "seit version"),
    "function": ("function", "函数", "fonction"),
    "support_level": ("support_level", "support level", "支持级别", "niveau de support"),
    "shape_inference": ("shape inference", "形状推断", "inférence de forme"),
}
"""What the entries below a version are called."""
OPTIONS: dict[str, tuple[str, ...]] = {
    "optional": ("optional", "可选", "可選", "オプション", "optionnel", "facultatif"),
    "variadic": ("variadic", "可变参数", "可变", "可變參數", "可変長", "variadique", "variadisch"),
    "required": ("required", "必需", "必须", "必填", "必要", "必須", "requis", "erforderlich"),
    "heterogeneous": ("heterogeneous", "异构", "異構", "hétérogène", "heterogen"),
}
"""What stands between parentheses behind a name."""
KINDS: dict[str, tuple[str, ...]] = {
    "int": ("int", "整型", "整数", "整數", "entier"),
    "ints": ("ints", "list of ints", "整型列表", "整数列表", "整型数组", "liste d'entiers"),
    "float": ("float", "浮点型", "浮点数", "浮点", "flottant"),
    "floats": ("floats", "list of floats", "浮点型列表", "浮点数列表", "浮点列表"),
    "string": ("string", "字符串", "文字列", "chaîne"),
    "strings": ("strings", "list of strings", "字符串列表"),
    "tensor": ("tensor", "张量", "張量", "テンソル"),
    "tensors": ("tensors", "list of tensors", "张量列表"),
    "sparse_tensor": ("sparse_tensor", "sparse tensor", "稀疏张量"),
    "graph": ("graph", "图", "图形", "graphe"),
    "graphs": ("graphs", "list of graphs"),
    "type_proto": ("type_proto", "type proto"),
}
"""Kinds of attributes, as ONNX's table names them."""
CONSTRUCTORS: dict[str, tuple[str, ...]] = {
    "tensor": ("tensor", "张量", "張量", "テンソル"),
    "seq": ("seq", "sequence", "序列"),
    "map": ("map", "映射"),
    "optional": ("optional", "可选"),
    "sparse_tensor": ("sparse_tensor", "稀疏张量"),
}
"""What types are made with."""
_DEFAULT = "default value is|default is|defaults to|default|默认值是|默认值为|默认为|默认值|デフォルト|par défaut"
DEFAULT = re.compile(rf"^(?:{_DEFAULT})\s*[:=]?\s*(?P<value>.+)$", re.IGNORECASE | re.DOTALL)
"""What an entry between parentheses says of a default."""
CLAIM = re.compile(
    r"(?:\bdefaults?(?: values?)?(?:\s+(?:is|to|are|means?))?\s*[:=]?|默认(?:值)?(?:是|为)?:?)\s+"
    r"(?P<quote>``|['\"`])?(?P<value>[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?|true|false)f?(?P=quote)?"
    r"(?![\w-]|\.\d|[^\S\n]*[-/*,]|\s+(?:for|if|when|along|in each|per)\b)",
    re.IGNORECASE,
)
"""Where a sentence says what a default is, as a number or a truth value, and on no condition."""
OTHERS = re.compile(r"\b(?:numpy|pytorch|tensorflow|caffe2?|keras|python)\b", re.IGNORECASE)
"""Whose defaults a sentence may speak of that is not about ONNX's."""
INSTEAD = re.compile(
    r"defaults?\s+(?P<name>\w+)\s+to\s+(?P<theirs>\w+)\s+instead\s+of\s+(?P<ours>\w+)"
    r"|(?P<name_zh>\w+)\s*默认为\s*(?P<theirs_zh>[A-Za-z0-9]+)\s*而非\s*(?P<ours_zh>[A-Za-z0-9]+)",
    re.IGNORECASE,
)
"""Where a sentence says that the default of another library is not that of ONNX."""
BETWEEN = re.compile(
    r"^\W*(?:between\s+)?(?P<least>\d+)\s*(?:and|到|至|-|–|to|à|bis)\s*(?P<most>\d+|∞|inf\w*)\s*"
    r"(?:个|個)?\s*(?:inputs?|outputs?|输入|输出|輸入|輸出|entrées|sorties)?\W*$",
    re.IGNORECASE,
)
"""How many inputs or outputs there are: in a sentence, or in a heading between parentheses."""
SINCE = re.compile(r"(?:since version|版本)\s*(?P<version>\d+)(?!\s*\.\d)", re.IGNORECASE)
"""Where a sentence says since when a version of an operator has been there."""
DEPRECATED = re.compile(r"\bhas been deprecated\b|已(?:被)?(?:弃用|废弃)", re.IGNORECASE)
EXPERIMENTAL = re.compile(r"\bexperimental ops?\b|supporttype\.experimental|实验性", re.IGNORECASE)
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
    """The text with punctuation that is a character of its own in some languages written as in English; as long."""
    return text.translate(_WIDE)


def named(table: dict[str, tuple[str, ...]], text: str) -> str:
    """The key of the table under which a word stands, or nothing."""
    word = " ".join(narrow(text).strip().rstrip(":").lower().split())
    return _INDEX[id(table)].get(word, "")


def section_of(title: str) -> tuple[str, str]:
    """The section that a heading opens, and what stands in it between parentheses; two empty texts for none."""
    made = re.fullmatch(r"(?P<title>[^()]+?)\s*(?:\((?P<arity>[^()]*)\))?\s*:?\s*", narrow(title))
    return (named(SECTIONS, made["title"]), made["arity"] or "") if made else ("", "")


_INDEX = {
    id(table): {word: key for key, words in table.items() for word in words}
    for table in (SECTIONS, FIELDS, OPTIONS, KINDS, CONSTRUCTORS)
}
