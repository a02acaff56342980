"""Reads a sentence or a formula as text of the language: a descent over its words, loosest signs first.

In: words (words.py), and what names mean (notation.py). Out: an expression of the language, fully bracketed. What is
proved of it is proved of the page only if a reader takes the page to say the same: so whatever a reader may take in two
ways raises Unread, and never becomes one of them. Bound names get new names, so that a definition of the page can be
put in place of its name without capturing one.
"""

from __future__ import annotations

from dataclasses import dataclass

from sonnx_verify.pages.formulas.cursor import (
    DEEP,
    LONG,
    Cursor,
    closes,
    closing,
    grouped,
    opens,
    split,
    without_comma,
)
from sonnx_verify.pages.formulas.notation import Macro, Named, call_of, read_of, sizes_of
from sonnx_verify.pages.formulas.words import END, Unread, Word, WordKind, sign

_CONNECTIVES = frozenset({"and", "or", "implies", "iff", "if", "not", "exists"})
_JOINING = (sign("and"), sign("or"))
_ARROWS = {"implies": "=>", "iff": "iff"}
_QUANTIFIERS = {"forall": "for all", "exists": "exists"}
_REACHING = ("if", "forall", "exists")
"""The beginnings of conditions that reach as far as their sentence."""
_AMBIGUOUS = "its scope is ambiguous"
_RELATIONS = {"=": "=", "neq": "!=", "leq": "<=", "geq": ">=", "<": "<", ">": ">"}
_AFTER_VALUES = (*_RELATIONS, "+", "-", "*", "in", "notin")
_FROM = frozenset({"0", "1"})
_FOLDS = {"max": "max", "min": "min", "sum": "sum", "prod": "product"}
_IS, _NEITHER = Word(WordKind.TEXT, "is"), Word(WordKind.TEXT, "neither")


@dataclass(frozen=True, slots=True)
class _Interval:
    """`[a, b]`, `[a, b[`, `]a, b]`: its ends, and which of them belong to it."""

    low: str
    high: str
    has_low: bool
    has_high: bool

    @property
    def first(self) -> str:
        """The first of its integers."""
        return self.low if self.has_low else f"{self.low} + 1"

    @property
    def last(self) -> str:
        """The last of its integers."""
        return self.high if self.has_high else f"{self.high} - 1"

    @property
    def integers(self) -> str:
        """All its integers, as a range of the language."""
        return f"{self.first} .. {self.last}"

    def holds(self, value: str) -> str:
        """The condition that a value lies in it. Of reals too: `]0, 1[` is not empty, so it is not that of integers."""
        below = {False: "<", True: "<="}
        return f"({self.low} {below[self.has_low]} {value} and {value} {below[self.has_high]} {self.high})"


@dataclass(slots=True)
class Reader(Cursor):
    """Reads conditions, values and sets."""

    # ----------------------------------------------------------------------------------------------------- conditions

    def condition(self) -> str:
        """All the words as a condition. Raises Unread."""
        quantifier = self._last_quantifier()
        if quantifier is None:
            return self.whole(self._implication)
        # `x < y for all x in S`: the names are bound after they are used, so the end is read first.
        tail = self.part(quantifier + 1, len(self.words))
        binders = tail.whole(tail.binders)
        body = tail.on(without_comma(self.words[:quantifier])).condition()
        return f"(for all {binders} : {body})"

    def _last_quantifier(self) -> int | None:
        """The place of a quantifier that follows what it speaks of; None where there is none."""
        if self.at(*_REACHING):
            return None
        depth = 0
        for n, word in enumerate(self.words):
            depth += opens(word)
            if depth == 0 and word == sign("forall"):
                # `a and b for all x`: it may bind both, or the last one.
                several = any(other.kind is WordKind.SIGN and other.text in _CONNECTIVES for other in self.words[:n])
                if not several:
                    return n
                break
        return None

    def _implication(self, *, top: bool = True) -> str:
        if self.at(*_REACHING):
            return self._reaching()
        left = self._junction(top=top)
        if not self.at(*_ARROWS):
            return left
        arrow = _ARROWS[self.take()]
        right = self._quantified() if self.at(*_QUANTIFIERS) else self._junction(top=False)
        # `a => b => c`: people group it to the right, and `a iff b iff c` as a chain.
        if self.at(*_ARROWS):
            raise Unread("the precedence of the two arrows is ambiguous")
        return f"({left} {arrow} {right})"

    def _reaching(self) -> str:
        """A condition that reaches as far as its sentence: `if ..., ...`, or a quantifier before its body."""
        if not self.skip("if"):
            return self._quantified()
        condition = self._junction(top=False)
        self.skip(",")
        self.skip("then")
        return f"({condition} => {self._negation()})"

    def _quantified(self) -> str:
        quantifier = _QUANTIFIERS[self.take()]
        outer, binders = self.local, self.binders()
        self.skip(",", ":", ".", "such_that")  # or nothing, after a quantifier in signs
        made = f"({quantifier} {binders} : {self._implication(top=False)})"
        self.local = outer
        return made

    def _junction(self, *, top: bool) -> str:
        """Conditions joined by one word, `and` or `or`: with both of them it is not said which binds tighter. A comma
        stands before it at the `top` alone, where nothing could end there."""
        if self.at("either"):
            raise Unread("`either` is ambiguous: both may be excluded")
        joined = ""
        reaches = self.at(*_REACHING)
        parts = [self._negation()]
        while joining := self._joining(top=top):
            # "if a, b and c": `c` may belong to what follows from a, or hold whatever a is.
            if reaches or joined not in ("", joining):
                raise Unread(f"`{joining}`: {_AMBIGUOUS}")
            joined = joining
            self.skip(",")
            self.take()
            reaches = self.at(*_REACHING)
            parts.append(self._negation())
        if len(parts) == 1:
            return parts[0]
        return f"({f' {joined} '.join(parts)})"

    def _joining(self, *, top: bool) -> str:
        """The word that joins the next condition to the one before, empty where none does."""
        after_comma = top and self.at(",")
        word = self.peek(int(after_comma))
        return word.text if word in _JOINING else ""

    def _negation(self) -> str:
        if self.skip("not"):
            return f"(not {self._negation()})"
        if self.at(*_REACHING):
            return self._reaching()
        return self._every() or self._failing() or self._comparison()

    def _every(self) -> str:
        """`every X with m in S is dense`; empty where another thing stands."""
        if self.ahead.kind is not WordKind.TEXT or self.ahead.text.lower() != "every":
            return ""
        start = self.place + 1
        end = self.find("with")
        if end is None:
            raise Unread("`every` is read with what its index ranges over")
        # The index is used before it is bound: `X_m` is read after `m in S`.
        self.place = end + 1
        outer, binders = self.local, self.binders()
        about = self.part(start, end)
        subject = about.whole(about.value)
        made = f"(for all {binders} : {self._fact(subject)})"
        self.local = outer
        return made

    def _failing(self) -> str:
        """`[C1] does not hold`, `C2 is the first constraint that does not hold`; empty where another thing stands."""
        match self.words[self.place : self.place + 4]:
            case [Word(WordKind.SIGN, "["), Word(text=tag), Word(WordKind.SIGN, "]"), verb]:
                length = 4
            case [Word(text=tag), verb, *_]:
                length = 2
            case _:
                return ""
        constraints = self.notation.constraints
        if tag not in constraints:
            return ""
        # In the language `C2 fails` is that C2 fails and no constraint before it does: "C2 does not hold" is that only
        # of the first one.
        verbs = [sign("fails first")]
        if tag == constraints[0]:
            verbs.append(sign("fails"))
        if verb not in verbs:
            return ""
        self.place += length
        return f"{tag} fails"

    def _comparison(self) -> str:
        if self.at("(") and (inner := self._grouped_condition()):
            return inner
        left = self.value()
        if self.ahead == _IS:
            return self._fact(left)
        if self.skip("in"):
            return self._member(left)
        if self.skip("notin"):
            return f"(not {self._member(left)})"
        return self._chain(left)

    def _chain(self, left: str) -> str:
        """`a < b = c`, which says each of it of its neighbours."""
        made = []
        while self.at(*_RELATIONS):
            relation = _RELATIONS[self.take()]
            right = self.value()
            made.append(f"{left} {relation} {right}")
            left = right
        if not made:
            self.end()
            raise Unread("it does not speak of a value")
        # `a != b != c` leaves open whether a may be c.
        if len(made) > 1 and any(" != " in one for one in made):
            raise Unread("`not` in a chain: its scope is ambiguous")
        return f"({' and '.join(made)})"

    def _fact(self, subject: str) -> str:
        """`is given`, `is dense`, `is 0 or 1`."""
        self.expect(_IS)
        denied = self.skip_word(_NEITHER)
        if self.ahead.kind is WordKind.NUMBER or self.at("-"):
            return self._one_of(subject, denied=denied)
        # "is neither dense nor typed" has two facts: only numbers are listed so.
        if denied:
            raise Unread("`is neither` is not read")
        fact = self.take()
        if fact == "given":
            return f"given({subject})"
        if fact not in self.notation.facts:
            raise Unread(f"`is {fact}` is not read")
        return f"({subject} is {fact})"

    def _one_of(self, subject: str, *, denied: bool) -> str:
        """`is 0`, `is 0 or 1`, `is neither 0 nor 1`: numbers alone."""
        joining = {False: "or", True: "nor"}[denied]
        values = [self.value()]
        # "is 0 or n is 1": a name begins another condition.
        while self.ahead.text == joining and self.peek(1).kind is WordKind.NUMBER:
            self.take()
            values.append(self.value())
        if self.at(*_RELATIONS) or (len(values) > 1 and self.at("and", "or", ",")):
            raise Unread(f"`{self.ahead.text}`: {_AMBIGUOUS}")
        made = _equals_one(subject, values)
        return f"(not {made})" if denied else made

    def _grouped_condition(self) -> str:
        """A condition in brackets; empty where they enclose a value."""
        start, end = self.place, closing(self.words, self.place)
        # `(a + b) < c`: what follows the bracket compares or calculates with it.
        self.place = end
        is_value = self.at(*_AFTER_VALUES)
        self.place = start
        inner = self.part(start + 1, end - 1)
        if is_value or inner.find(*_RELATIONS, "in", "notin", "is") is None:
            return ""
        self.place = end
        return inner.condition()

    def _member(self, left: str) -> str:
        """The condition that a value is in a domain: an interval, some values, or a set."""
        if self.at("[", "]"):
            return self._interval().holds(left)
        if self.at("{") and (values := self._listed()):
            return _equals_one(left, values)
        return f"({left} in {self._as_set()})"

    # --------------------------------------------------------------------------------------------------- bound names

    def binders(self) -> str:
        """`m, p in [0, n - 1] and all q in S with ...`. The names are known from here on."""
        made = []
        goes_on = True
        while goes_on:
            names, domain = self._bound()
            fresh = {name: f"{name}_{next(self.fresh)}_" for name in names}
            made += [f"{name} in {domain}" for name in fresh.values()]
            self.local = {**self.local, **fresh}
            goes_on = self._another_binder()
        ranging = ", ".join(made)
        if not self.skip("with", "where"):
            return ranging
        # One comparison and no more: "for all k with k > 0, and b > 3" would leave open where the condition ends.
        return f"{ranging} where {self._comparison()}"

    def _another_binder(self) -> bool:
        """Move behind `and all`, `, for all` or `for all`, and tell whether it was there."""
        if self.at(",") and self.peek(1).text == "forall":
            self.place += 2
            return True
        return self.skip("and_all", "forall")

    def _bound(self) -> tuple[list[str], str]:
        """The names of a binder and what they range over: `m, p in S`, or `0 <= k < n`."""
        start = self.place
        names = self._names()
        if names and self.skip("in"):
            if self.at("[", "]"):
                return names, self._interval().integers
            return names, self._as_set()
        self.place = start
        low, left = self.value(), self._below()
        names, right = self._names(), self._below()
        if not left or not names or not right:
            raise Unread("the range of a name is not read")
        return names, _Interval(low, self.value(), left == "leq", right == "leq").integers

    def _below(self) -> str:
        """The sign `<` or `<=` that comes next, empty where neither does."""
        return self.take() if self.at("leq", "<") else ""

    def _names(self) -> list[str]:
        made = []
        while self.ahead.kind is WordKind.NAME:
            made.append(self.take())
            if not self.skip(","):
                break
        return made

    # ---------------------------------------------------------------------------------------------------------- sets

    def value_or_set(self) -> str:
        """All the words as a value or as a set. Raises Unread."""
        if self.at("emptyset", "[", "]", "{"):
            return self.whole(self._as_set)
        return self.whole(self.value)

    def _interval(self) -> _Interval:
        has_low = self.take() == "["
        low = self.value()
        self.expect(sign(","))
        high = self.value()
        if not self.at("]", "["):
            raise Unread("an interval is not closed")
        return _Interval(low, high, has_low, self.take() == "]")

    def _listed(self) -> list[str]:
        """`{a, b, c}`; none where it is a set of another form."""
        start = self.place
        inner = self.bracketed()
        if not inner.words or inner.find("...", ":", "|", "such_that") is not None:
            self.place = start
            return []
        return inner.values()

    def _as_set(self) -> str:
        if self.skip("emptyset"):
            return self._integers("0", "-1")
        if self.at("[", "]"):
            interval = self._interval()
            return self._integers(interval.first, interval.last)
        if self.at("{"):
            return self._set()
        return self._postfix()

    def _integers(self, low: str, high: str) -> str:
        """The set of the integers between two ends."""
        name = f"k_{next(self.fresh)}_"
        return f"{{ {name} | {name} in {low} .. {high} }}"

    def _set(self) -> str:
        """`{1, ..., n}`, `{k in S : ...}`, or `{f(m) : m in S}`."""
        inner = self.bracketed()
        dots = inner.find("...")
        if dots is not None:
            return inner.dotted(dots)
        bar = inner.find(":", "|", "such_that")
        if bar is None:
            raise Unread("a set of this form is not read")
        left, right = inner.part(0, bar), inner.part(bar + 1, len(inner.words))
        if sign("in") in left.words:
            ranging = left.all_binders()
            condition = left.on(right.words).condition()
            name = ranging.partition(" ")[0]
            return f"{{ {name} | {ranging} where {condition} }}"
        # What is collected uses the names that are bound behind the bar.
        ranging = right.all_binders()
        body = right.on(left.words)
        return f"{{ {body.whole(body.value)} | {ranging} }}"

    def dotted(self, dots: int) -> str:
        """The set `first, ..., last`."""
        low, high = self.part(0, dots), self.part(dots + 1, len(self.words))
        first = low.whole(low.value)
        high.skip(",")
        last = high.whole(high.value)
        # `{3, ..., n}` for n = 1 is empty, or goes down: nobody says.
        if not _ascends(first, last):
            raise Unread(f"it is ambiguous whether `{first}, ..., {last}` ascends")
        return self._integers(first, last)

    def all_binders(self) -> str:
        made = self.binders()
        self.end()
        return made

    # -------------------------------------------------------------------------------------------------------- values

    def value(self) -> str:
        """The longest value that comes next."""
        made = "-" if self.skip("-") else ""
        made += self._product()
        while self.at("+", "-"):
            made += f" {self.take()} {self._product()}"
        return grouped(made)

    def _product(self) -> str:
        made = [self._power()]
        while self.skip("*"):
            made.append(self._power())
        return " * ".join(made)

    def _power(self) -> str:
        base = self._postfix()
        if not self.skip("^"):
            return base
        match self.group().words:
            case [Word(WordKind.NUMBER, exponent)]:
                return f"{base} ^ {exponent}"
            case _:
                raise Unread("a power is read where its exponent is a number")

    def _postfix(self) -> str:
        match self.ahead:
            case Word(WordKind.NUMBER):
                return self.take()
            case Word(WordKind.NAME | WordKind.SAID | WordKind.TEXT):
                return self._named(self.take())
            case Word(WordKind.SIGN, "begin cases"):
                return self._cases()
            case Word(WordKind.SIGN, "("):
                inner = self.bracketed()
                return grouped(inner.whole(inner.value))
            case Word(WordKind.SIGN, "|"):
                self.take()
                inside = self._postfix()
                self.expect(sign("|"))
                return f"count({inside})"
            case Word(WordKind.SIGN, "max" | "min" | "sum" | "prod") if self.peek(1) is not END:
                return self._fold(self.take())
            case word if word is END:
                raise Unread("it ends too early")
            case word:
                raise Unread(f"`{word.text}` is not read")

    def _fold(self, fold: str) -> str:
        if not self.skip("_"):
            raise Unread(f"`{fold}` is read with what it ranges over below it")
        below = self.group()
        ranging = below.all_binders()
        outer, self.local = self.local, below.local
        body = self._product()
        # `sum_k a_k + b`: some take b into the sum.
        if self.at("+", "-"):
            raise Unread(f"the scope of `{fold}` is ambiguous")
        self.local = outer
        return f"({self.notation.fold(_FOLDS[fold])} {{ {body} | {ranging} }})"

    def _cases(self) -> str:
        """The cases of a definition; the last one is for all the rest."""
        start, end = self.place, self.find("end cases")
        # An inner `cases` would end at the first end.
        rows = self.words[start + 1 : end]
        if end is None or any(word.text == "begin cases" for word in rows):
            raise Unread("cases are not closed, or in one another")
        self.place = end + 1
        made, is_last = "", False
        for row in split(rows, sign("\\")):
            parts = split(row, sign("&"))
            if len(parts) != 2 or is_last:
                raise Unread("a case is a value and a condition, and the last is for all the rest")
            value, condition = self.on(without_comma(parts[0])).value_or_set(), parts[1]
            if condition[:1] == [sign("if")]:
                condition = condition[1:]
            is_last = [word.text for word in condition] in (["otherwise"], ["else"])
            if is_last:
                made = f"({made}{value})"
            else:
                made += f"if {self.on(condition).condition()} then {value} else "
        if not is_last:
            raise Unread("the last case must be `otherwise`")
        return made

    # --------------------------------------------------------------------------------------------------------- names

    def _named(self, name: str) -> str:
        """A name with what is written at it: indices below it, in brackets, arguments."""
        below: list[str] = []
        arguments: list[str] | None = None
        reads: list[list[str]] = []
        if self.skip("_"):
            below = self.group().values()
        # `k (a + b)` with a number k is no call.
        if self.at("(") and name not in self.local and self.notation.is_function(name):
            arguments = self.bracketed().values()
        # A bracket that nothing closes is the end of an interval: `[0, n[`.
        while self.at("[") and closes(self.words, self.place) is not None:
            reads.append(self.bracketed().values())
        return self._meant(Named(name, below, arguments, reads))

    def values(self) -> list[str]:
        """All the words as values, with commas between them."""
        made = [self.value()]
        while self.skip(","):
            made.append(self.value())
        self.end()
        return made

    def _meant(self, named: Named) -> str:
        """The meaning of a name: bound here, defined by the page, or a name of the formal text."""
        name = named.name
        # What is bound here hides all else, as in any language.
        if name in self.local:
            if named.arguments is not None:
                raise Unread(f"`{name}` is not a function")
            return read_of(self.local[name], named.indices)
        self.notation.sure(name)
        macro = self.notation.defined(named)
        if macro is not None:
            return read_of(self._expanded(named, macro), named.reads)
        if named.arguments is not None:
            if name not in self.notation.functions:
                raise Unread(f"`{name}` is written with other indices where it is defined")
            return read_of(call_of(name, [*named.below, *named.arguments]), named.reads)
        member = self.notation.member(name, self.local)
        if member is not None:
            return read_of(member[0], [[member[1]], *named.indices])
        sizes = sizes_of(self.notation, name, named.below, self.local)
        if sizes is not None:
            return read_of(sizes, named.reads)
        if not self.notation.knows(name):
            raise Unread(f"undefined symbol `{name}`")
        return read_of(name, named.indices)

    def _expanded(self, named: Named, macro: Macro) -> str:
        """The body of a definition of the page, with what is given for its parameters."""
        self.notation.used.add((named.name, macro.line))
        if named.key in self.within:
            raise Unread(f"`{named.name}` is defined by itself")
        # Ten definitions that each use the one before twice have a thousand names in the last one.
        if next(self.budget, None) is None:
            raise Unread("the definitions of the page expand beyond what is read")
        if self.depth > DEEP:
            raise Unread("it is nested too deeply")
        given = zip(macro.parameters, (*named.below, *(named.arguments or ())), strict=True)
        local = {parameter: grouped(text) for parameter, text in given}
        within = (*self.within, named.key)
        body = Reader(macro.body, self.notation, local, within, self.fresh, 0, self.depth + 1, self.budget)
        made = body.value_or_set()
        if len(made) > LONG:
            raise Unread("the definitions of the page expand beyond what is read")
        return grouped(made)


def _equals_one(value: str, values: list[str]) -> str:
    """The condition that a value is one of some."""
    return f"({' or '.join(f'{value} = {one}' for one in values)})"


def _ascends(first: str, last: str) -> bool:
    """Return whether a reader takes dots between two ends for numbers that go up: from 0 or 1, or between numbers."""
    if first.isdigit() and last.isdigit():
        return int(first) <= int(last)
    return first in _FROM and not last.strip("(").startswith("-")
