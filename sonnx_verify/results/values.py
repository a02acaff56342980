"""Concrete values as people write them, and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from sonnx_verify.language.variables import Variable
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import INT, STRING, FloatSort, Sort
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor
from sonnx_verify.solving.check.record import Shown

EXACT = 1 << 53
"""Integers beyond this are strings in JSON, where many readers hold numbers as doubles."""


def element_text(sort: Sort, value: object) -> str:
    """An element as a person writes it."""
    if isinstance(sort, FloatSort):
        assert isinstance(value, int)
        return floats.show(sort, value)
    if sort == STRING:
        return f'"{value}"'
    return str(value).lower() if isinstance(value, bool) else str(value)


def element_json(sort: Sort, value: object) -> Any:
    """An element in JSON: strings for what a JSON number cannot hold."""
    if isinstance(sort, FloatSort):
        assert isinstance(value, int)
        number = floats.to_float(sort, value)
        special = not math.isfinite(number) or (number == 0 and math.copysign(1, number) < 0)
        return floats.show(sort, value) if special else number
    if isinstance(value, Fraction):
        return str(value)
    return str(value) if isinstance(value, int) and abs(value) > EXACT else value


def nested(items: Sequence[Any], shape: Sequence[int]) -> Any:
    """Row-major items as lists in lists; the item itself for rank 0."""
    if not shape:
        return items[0]
    step = math.prod(shape[1:])
    return [nested(items[n * step : (n + 1) * step], shape[1:]) for n in range(shape[0])]


def shape_text(shape: Sequence[int]) -> str:
    """`()`, `(2)`, `(2, 3)`."""
    return f"({', '.join(map(str, shape))})"


def tensor_text(tensor: ConcreteTensor) -> str:
    """Type, shape and elements, then the facts that do not hold of it."""
    texts = [element_text(tensor.sort, e) for e in tensor.elements]
    body = str(nested(texts, tensor.shape)).replace("'", "")
    lacks = "".join(f", not {fact}" for fact in sorted(tensor.lacks))
    return f"{tensor.sort.name} {shape_text(tensor.shape)} {body}{lacks}"


def tensor_json(tensor: ConcreteTensor) -> dict[str, Any]:
    """`dtype`, `shape`, `data`; `bits` in hexadecimal for floats; `facts` that do not hold, where there are any."""
    made: dict[str, Any] = {
        "dtype": tensor.sort.name,
        "shape": list(tensor.shape),
        "data": nested([element_json(tensor.sort, e) for e in tensor.elements], tensor.shape),
    }
    if isinstance(tensor.sort, FloatSort):
        digits = tensor.sort.width // 4
        bits = [f"0x{e:0{digits}x}" for e in tensor.elements if isinstance(e, int)]
        made["bits"] = nested(bits, tensor.shape)
    if tensor.lacks:
        made["facts"] = {fact: False for fact in sorted(tensor.lacks)}
    return made


def named_values(shown: Shown, outputs: bool) -> Iterator[tuple[str, Sort, str, Concrete]]:
    """(name, sort, kind, value) of each input, or of each output; the members of a family one by one, but the list of
    an attribute as a whole, of the kind `listed`. What is left out is no value."""
    unasked = {name for name, asked in asked_for(shown).items() if not asked}
    for variable in shown.variables:
        value = shown.found.assignment[variable.name]
        if (variable.role == "output") is not outputs or variable.role in ("length", "asked") or value is LEFT_OUT:
            continue
        if outputs and variable.name.rstrip("'") in unasked:
            continue
        if variable.count is None:
            yield variable.name, variable.sort, variable.kind, value
        elif variable.role == "attribute":
            yield variable.name, variable.sort, "listed", value
        else:
            assert isinstance(value, tuple)
            for n, item in enumerate(value):
                yield f"{variable.name}{n + variable.base}", variable.sort, variable.kind, item


def asked_for(shown: Shown) -> dict[str, bool]:
    """Whether each optional output is asked for, by its name."""
    asked = [v.name for v in shown.variables if v.role == "asked"]
    return {name.removesuffix(".given"): bool(shown.found.assignment[name]) for name in asked}


def left_out(shown: Shown) -> list[Variable]:
    """The inputs and attributes that are not given."""
    return [v for v in shown.variables if v.role != "absent" and shown.found.assignment[v.name] is LEFT_OUT]


def value_text(sort: Sort, kind: str, value: Concrete) -> str:
    """A tensor, a shape, a number, an element or a list of such."""
    if isinstance(value, ConcreteTensor):
        return tensor_text(value)
    if isinstance(value, frozenset):
        return "{" + ", ".join(str(k) for k in sorted(value)) + "}"
    if kind == "index":
        assert isinstance(value, tuple)
        return f"index {list(value)}"
    if kind == "shape":
        assert isinstance(value, tuple)
        return f"shape {shape_text(value)}"
    if kind == "element" and sort != STRING:
        return f"{sort.name} {element_text(sort, value)}"
    return _constant_text(sort, value)


def _constant_text(sort: Sort, value: Concrete) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(element_text(sort, item) for item in value)}]"
    return element_text(sort, value)


def shown_lines(shown: Shown) -> list[str]:
    """`X0 = int8 (2) [0, 0]`, inputs first; what is left out last."""
    rows = [*named_values(shown, outputs=False), *named_values(shown, outputs=True)]
    lines = [(name, value_text(sort, kind, value)) for name, sort, kind, value in rows]
    for variable in left_out(shown):
        default = "" if variable.default is None else f", so {_constant_text(variable.sort, variable.default)}"
        lines.append((variable.name, f"not given{default}"))
    lines += [(name, "not asked for") for name, asked in asked_for(shown).items() if not asked]
    width = max((len(name) for name, _ in lines), default=0)
    return [f"{name:<{width}} = {text}" for name, text in lines]


def shown_json(shown: Shown | None) -> dict[str, Any] | None:
    """A witness or counterexample in JSON."""
    if shown is None:
        return None

    def one(sort: Sort, kind: str, value: Concrete) -> dict[str, Any]:
        if isinstance(value, ConcreteTensor):
            return tensor_json(value)
        if isinstance(value, frozenset):
            return {"dtype": "set", "shape": [len(value)], "data": sorted(value)}
        if kind in ("shape", "index"):
            assert isinstance(value, tuple)
            return {"dtype": kind, "shape": [len(value)], "data": [element_json(INT, n) for n in value]}
        return {"dtype": sort.name, "shape": [], "data": element_json(sort, value)}

    missing = [v.name for v in left_out(shown)]
    written = {v.name: v for v in shown.variables if v.role == "attribute" and v.name not in missing}
    unasked = [name for name, asked in asked_for(shown).items() if not asked]
    return {
        "minimal": shown.found.minimal,
        "replayed": True,
        "inputs": {n: one(s, k, v) for n, s, k, v in named_values(shown, outputs=False) if n not in written},
        "outputs": {n: one(s, k, v) for n, s, k, v in named_values(shown, outputs=True)},
        "attributes": {n: attribute_json(v.sort, shown.found.assignment[n]) for n, v in sorted(written.items())},
        "omitted": [*missing, *unasked],
        "broken": shown.broken,
    }


def attribute_json(sort: Sort, value: Concrete) -> Any:
    return [element_json(sort, n) for n in value] if isinstance(value, tuple) else element_json(sort, value)
