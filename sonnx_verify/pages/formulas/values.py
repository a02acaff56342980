"""Sets and values of formulas as text of the language: intervals, sets, sums, folds, cases."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

from sonnx_verify.pages.formulas.cursor import closing, grouped, split, without_commas
from sonnx_verify.pages.formulas.names import Names
from sonnx_verify.pages.formulas.words import END, Unread, Word

_FROM = frozenset({"0", "1"})
_FOLDS = {"max": "max", "min": "min", "sum": "sum", "prod": "product"}


@dataclass(slots=True)
class Values(Names, ABC):
    """Reads values. Every name that is bound gets a new name, so that what a page defines by a formula can be put in
    its place."""

    @abstractmethod
    def condition(self) -> str:
        """All the words as a condition."""

    def value_or_set(self) -> str:
        """All the words as a value or as a set. Raises Unread."""
        return self._whole(self._as_set_or_sum)

    @abstractmethod
    def restricted(self) -> str:
        """The condition that follows `with`: one, so that it is known where it ends."""

    def _binders(self) -> str:
        """`m, p in [0, n - 1] and all q in S with ...`. The names are known from here on."""
        made = []
        while True:
            names, domain = self._bound()
            fresh = {name: f"{name}_{next(self.fresh)}_" for name in names}
            made += [f"{name} in {domain}" for name in fresh.values()]
            self.local = {**self.local, **fresh}
            if self._skip("and_all"):
                continue
            if self._is(",") and self.place + 1 < len(self.words) and self.words[self.place + 1].text == "forall":
                self.place += 2
                continue
            if self._skip("forall"):
                continue
            break
        where = self.restricted() if self._skip("with", "where") else ""
        return ", ".join(made) + (f" where {where}" if where else "")

    def _bound(self) -> tuple[list[str], str]:
        """The names of a binder and what they range over: `m, p in S`, or `0 <= k < n`."""
        start = self.place
        names = self._names()
        if names and self._skip("in"):
            return names, self._range()
        self.place = start
        low = self._sum()
        if not self._skip("leq"):
            low = f"{low} + 1" if self._skip("<") else ""
        names = self._names()
        if not low or not names or not self._is("leq", "<"):
            raise Unread("what a name ranges over is not read")
        strict = self._is("<")
        self.place += 1
        high = self._sum()
        return names, f"{low} .. {high} - 1" if strict else f"{low} .. {high}"

    def _names(self) -> list[str]:
        made = []
        while self._next.kind == "name":
            made.append(self._next.text)
            self.place += 1
            if not self._skip(","):
                break
        return made

    def _range(self) -> str:
        if self._is("[", "]"):
            return " .. ".join(self._interval())
        return self._as_set()

    def _interval(self) -> tuple[str, str]:
        """The first and the last integer of an interval."""
        low, opened, high, shut = self._ends_of_interval()
        return f"{low} + 1" if opened else low, high if shut else f"{high} - 1"

    def _ends_of_interval(self) -> tuple[str, bool, str, bool]:
        """`[a, b]`, `[a, b[`, `]a, b]`: an end, whether it is left out, an end, whether it belongs to it."""
        opened = self._is("]")
        self.place += 1
        low = self._sum()
        self._expect(",")
        high = self._sum()
        if not self._is("]", "["):
            raise Unread("an interval is not closed")
        shut = self._is("]")
        self.place += 1
        return low, opened, high, shut

    def _listed(self) -> list[str]:
        """`{a, b, c}`; none where it is a set of another form."""
        start = self.place
        end = closing(self.words, start)
        inner = self._part(start + 1, end - 1)
        if any(w.text in ("...", ":", "|", "such_that") for w in inner.words) or not inner.words:
            return []
        values = [inner._sum()]
        while inner._skip(","):
            values.append(inner._sum())
        inner._end()
        self.place = end
        return values

    def _as_set(self) -> str:
        if self._skip("emptyset"):
            name = f"k_{next(self.fresh)}_"
            return f"{{ {name} | {name} in 0 .. -1 }}"
        if self._is("[", "]"):
            low, high = self._interval()
            name = f"k_{next(self.fresh)}_"
            return f"{{ {name} | {name} in {low} .. {high} }}"
        if self._is("{"):
            return self._set()
        return self._postfix()

    def _set(self) -> str:
        """`{1, ..., n}`, or `{f(m) : m in S}`."""
        start = self.place
        self.place = closing(self.words, start)
        inner = self._part(start + 1, self.place - 1)
        dots = next((n for n, w in enumerate(inner.words) if w.text == "..."), None)
        if dots is not None:
            low = inner._part(0, dots)
            first = low._sum()
            low._skip(",")
            low._end()
            high = inner._part(dots + 1, len(inner.words))
            high._skip(",")
            last = high._whole(high._sum)
            if not _ascends(first, last):
                raise Unread(f"whether `{first}, ..., {last}` goes up is not said")
            name = f"k_{next(self.fresh)}_"
            return f"{{ {name} | {name} in {first} .. {last} }}"
        bar = next((n for n, w in enumerate(inner.words) if w.text in (":", "|", "such_that")), None)
        if bar is None:
            raise Unread("a set of this form is not read")
        bound = inner._part(0, bar)
        if any(w == Word("sign", "in") for w in bound.words):
            ranging = bound._binders()  # {k in S : ...}
            bound._end()
            condition = replace(bound, words=inner.words[bar + 1 :], place=0).condition()
            name = ranging.partition(" ")[0]
            return f"{{ {name} | {ranging} where {condition} }}"
        binders = inner._part(bar + 1, len(inner.words))
        ranging = binders._binders()
        binders._end()
        body = replace(binders, words=inner.words[:bar], place=0)
        return f"{{ {body._whole(body._sum)} | {ranging} }}"

    def _sum(self) -> str:
        made = f"-{self._product()}" if self._skip("-") else self._product()
        while self._is("+", "-"):
            sign = self._next.text
            self.place += 1
            made += f" {sign} {self._product()}"
        return grouped(made) if " " in made or made.startswith("-") else made

    def _product(self) -> str:
        made = [self._power()]
        while True:
            if self._skip("*"):
                made.append(self._power())
            else:
                return " * ".join(made)

    def _power(self) -> str:
        base = self._postfix()
        if self._skip("^"):
            exponent = self._group()
            if exponent._next.kind != "number" or len(exponent.words) != 1:
                raise Unread("a power is read where its exponent is a number")
            return f"{base} ^ {exponent._next.text}"
        return base

    def _postfix(self) -> str:
        word = self._next
        if word.kind == "number":
            self.place += 1
            return word.text
        if self._is("begin cases"):
            return self._cases()
        if self._is("("):
            start, self.place = self.place, closing(self.words, self.place)
            inner = self._part(start + 1, self.place - 1)
            return grouped(inner._whole(inner._sum))
        if self._is("|"):
            self.place += 1
            inside = self._postfix()
            self._expect("|")
            return f"count({inside})"
        if word.kind == "sign" and word.text in _FOLDS and self.words[self.place + 1 : self.place + 2]:
            return self._fold(word.text)
        if word.kind in ("name", "said", "text"):
            self.place += 1
            return self._named(word)
        raise Unread(f"`{word.text}` is not read" if word is not END else "it ends too early")

    def _fold(self, sign: str) -> str:
        self.place += 1
        if self._next.text != "_":
            raise Unread(f"`{sign}` is read with what it ranges over below it")
        self.place += 1
        below = self._group()
        ranging = below._binders()
        below._end()
        outer, self.local = self.local, below.local
        body = self._product()
        if self._is("+", "-"):
            raise Unread(f"how far `{sign}` reaches is not said")
        self.local = outer
        return f"({self.notation.fold(_FOLDS[sign])} {{ {body} | {ranging} }})"

    def _cases(self) -> str:
        """The cases of a definition; the last one is for all the rest."""
        start = self.place
        end = next((n for n in range(start, len(self.words)) if self.words[n].text == "end cases"), None)
        if end is None or any(w.text == "begin cases" for w in self.words[start + 1 : end]):
            raise Unread("cases are not closed, or in one another")
        self.place = end + 1
        rows = split([*self.words[start + 1 : end]], "\\")
        made, closing = "", ""
        for row in rows:
            parts = split(row, "&")
            if len(parts) != 2 or closing == "done":
                raise Unread("a case is a value and a condition, and the last is for all the rest")
            value = replace(self, words=without_commas(parts[0]), place=0)
            shown = value.value_or_set()
            condition = parts[1][1:] if parts[1][:1] == [Word("sign", "if")] else parts[1]
            if [w.text for w in condition] in (["otherwise"], ["else"]):
                made, closing = f"({made}{shown})", "done"
                continue
            made += f"if {replace(self, words=condition, place=0).condition()} then {shown} else "
        if closing != "done":
            raise Unread("the last case has to be `otherwise`")
        return made

    def _as_set_or_sum(self) -> str:
        return self._as_set() if self._is("emptyset", "[", "]", "{") else self._sum()


def _ascends(first: str, last: str) -> bool:
    """Whether a reader takes dots between two ends for numbers that go up: from 0 or 1 on, or between numbers."""
    if first.isdigit() and last.isdigit():
        return int(first) <= int(last)
    return first in _FROM and not last.strip("(").startswith("-")
