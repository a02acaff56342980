"""Reference pages written from ONNX's table, in the forms that such pages have: what is read of them is the table."""

from __future__ import annotations

from sonnx_verify.language.signatures import Parameter, Schema

LABELS = {
    "en": ("Version", "Summary", "Attributes", "Inputs", "Outputs", "Type Constraints"),
    "zh": ("版本", "摘要", "属性", "输入", "输出", "类型约束"),
}
KINDS = {
    "int": "整型", "ints": "整型列表", "float": "浮点型", "floats": "浮点型列表", "string": "字符串", "tensor": "张量",
}  # fmt: skip  # a table
_MOST = 2**31 - 1


def rst(versions: list[Schema]) -> str:
    """As pages that a generator of reStructuredText made: kinds are not told, defaults stand in a sentence."""
    name = versions[0].operator
    made = f"{'=' * len(name)}\n{name}\n{'=' * len(name)}\n\n.. contents::\n    :local:\n\n"
    for one in versions:
        title = f"{name} - {one.version}"
        made += f".. _op-{name.lower()}-{one.version}:\n\n{title}\n{'=' * len(title)}\n\n**Version**\n\n"
        made += f"* **domain**: **main**\n* **since_version**: **{one.version}**\n\n"
        made += f"This version is {_there(one)}\n**since version {one.version}**.\n\n**Summary**\n\nSome words.\n\n"
        if one.attributes:
            made += "**Attributes**\n\n"
        for a in one.attributes:
            said = "" if a.default is None else f"\n  Default value is ``{a.default!r}``."
            made += f"* **{a.name}**{' (required)' * a.required}:\n  What it is for.{said}\n"
        for what, least, most, parameters in _sides(one):
            made += f"\n**{what}**\n\n" if parameters else ""
            made += f"Between {least} and {most} {what.lower()}.\n\n" if parameters and least != most else ""
            made += "".join(f"* **{p.name}**{_option(p)} - **{_type(p.type)}**:\n  What it is.\n" for p in parameters)
        if one.types:
            made += "\n**Type Constraints**\n\n"
        for variable, types in one.types.items():
            listed = ",\n  ".join(map(_type, types))
            made += f"* **{variable}** in (\n  {listed}\n  ):\n  Some numbers.\n"
        made += "\n"
    return made


def plain(versions: list[Schema], language: str) -> str:
    """As text that was copied out of a page, in a language."""
    version, summary, attributes, inputs, outputs, constraints = LABELS[language]
    chinese = language == "zh"
    made = f"{versions[0].operator}\n\n"
    for one in versions:
        made += f"{one.operator} - {one.version}\n\n{version}\n\n  • **{'域' if chinese else 'domain'}**: main\n\n"
        made += f"  • **{'起始版本' if chinese else 'since_version'}**: {one.version}\n\n"
        made += f"{'已弃用' if chinese else 'It has been deprecated'}.\n\n" if one.deprecated else ""
        made += f"{summary}\n\nSome words.\n\n{attributes}\n\n"
        for a in one.attributes:
            kind = KINDS.get(a.kind, a.kind) if chinese else a.kind.upper()
            said = "" if a.default is None else f" ({'默认值是' if chinese else 'default is'} {_bare(a.default)!r})"
            required = f" ({'必需' if chinese else 'required'})" * a.required
            made += f"  • **{a.name} - {kind}**{required}{said} :\n\n    What it is for.\n\n"
        for what, (_, least, most, parameters) in zip((inputs, outputs), _sides(one), strict=True):
            made += f"{what}\n\n"
            if parameters and least != most:
                english = f"Between {least} and {most} {what.lower()}."
                made += f"{least} 到 {most} 个{what}。\n\n" if chinese else f"{english}\n\n"
            for p in parameters:
                option = {"optional": " (可选，异构)", "variadic": " (可变参数)", "": " (异构)"}[p.option]
                shown = _type(p.type).replace("tensor", "张量") if chinese else _type(p.type)
                made += f"  • **{p.name}**{option if chinese else _option(p)} - **{shown}**\n\n    What it is.\n\n"
        made += f"{constraints}\n\n"
        for variable, types in one.types.items():
            listed = ", ".join(map(_type, types))
            made += f"  • {variable} {'属于' if chinese else 'in'} ( {listed} )\n\n    Numbers.\n\n"
    return made


def _sides(one: Schema) -> list[tuple[str, int, int, tuple[Parameter, ...]]]:
    least_in, most_in, least_out, most_out = (_MOST if n is None else n for n in one.arity)
    return [("Inputs", least_in, most_in, one.inputs), ("Outputs", least_out, most_out, one.outputs)]


def _there(one: Schema) -> str:
    return "what has been deprecated" if one.deprecated else "there"


def _option(p: Parameter) -> str:
    return f" ({p.option}, heterogeneous)" if p.option else " (heterogeneous)"


def _type(name: str) -> str:
    """A type as pages write it: of elements, that of a tensor."""
    variable = name[:1].isupper()
    return name if variable or "(" in name else f"tensor({name})"


def _bare(default: object) -> str:
    return default if isinstance(default, str) else repr(default)
