"""Reads a sentence or a formula as a condition of the language: a descent over its words, loosest signs first."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sonnx_verify.pages.formulas.cursor import closing, opens, without_commas
from sonnx_verify.pages.formulas.values import Values
from sonnx_verify.pages.formulas.words import END, Unread, Word

_CONNECTIVES = frozenset({"and", "or", "implies", "iff", "if", "not", "exists"})
_AMBIGUOUS = "how far it reaches is not said"
_RELATIONS = {"=": "=", "neq": "!=", "leq": "<=", "geq": ">=", "<": "<", ">": ">"}


@dataclass(slots=True)
class Reader(Values):
    """Reads conditions too."""

    def condition(self) -> str:
        """All the words as a condition. Raises Unread."""
        quantifier = self._last_quantifier()
        if quantifier is None:
            return self._whole(self._implication)
        # `x < y for all x in S`: the names are bound after they are used.
        tail = self._part(quantifier, len(self.words))
        tail._expect("forall")
        binders = tail._binders()
        tail._skip(",")
        tail._end()
        body = replace(tail, words=without_commas(self.words[:quantifier]), place=0).condition()
        return f"(for all {binders} : {body})"

    def restricted(self) -> str:
        """The condition that follows `with`."""
        return self._comparison()

    def _last_quantifier(self) -> int | None:
        """The place of a quantifier that follows what it speaks of; None where there is none."""
        if self._is("forall", "exists", "if"):
            return None
        depth = 0
        for n, word in enumerate(self.words):
            depth += opens(word)
            if depth == 0 and n and word == Word("sign", "forall"):
                # Of several conditions it may bind all, or the last one.
                return None if any(w.kind == "sign" and w.text in _CONNECTIVES for w in self.words[:n]) else n
        return None

    def _implication(self, top: bool = True) -> str:
        if self._is("if", "forall", "exists"):
            return self._reaching()
        left = self._junction(top)
        for sign, shown in (("implies", "=>"), ("iff", "iff")):
            if self._skip(sign):
                right = self._quantified() if self._is("forall", "exists") else self._junction(False)
                if self._is("implies", "iff"):
                    raise Unread("which of two arrows is meant first is not said")
                return f"({left} {shown} {right})"
        return left

    def _reaching(self) -> str:
        """A condition that reaches as far as its sentence: `if ..., ...`, or a quantifier before its body."""
        if not self._skip("if"):
            return self._quantified()
        condition = self._junction(False)
        self._skip(",")
        self._skip("then")
        return f"({condition} => {self._negation()})"

    def _quantified(self) -> str:
        sign = "for all" if self._skip("forall") else "exists"
        if sign == "exists":
            self._expect("exists")
        outer, binders = self.local, self._binders()
        self._skip(",", ":", ".", "such_that")  # or nothing, after a quantifier in signs
        made = f"({sign} {binders} : {self._implication(False)})"
        self.local = outer
        return made

    def _junction(self, top: bool) -> str:
        """Conditions joined by one word, `and` or `or`: with both of them it is not said which binds tighter. A comma
        stands before it at the `top` alone, where nothing could end there."""
        if self._is("either"):
            raise Unread("whether `either` leaves both out is not said")
        parts: list[str] = []
        joined = ""
        while True:
            reaches = self._is("if", "forall", "exists")
            parts.append(self._negation())
            sign = next((s for s in ("and", "or") if self._is(s) or self._comes_after_comma(s)), "")
            if not sign or (self._is(",") and not top):
                break
            if reaches or (joined and sign != joined):
                raise Unread(f"`{sign}`: {_AMBIGUOUS}")
            joined = sign
            self._skip(",")
            self.place += 1
        return parts[0] if len(parts) == 1 else f"({f' {joined} '.join(parts)})"

    def _negation(self) -> str:
        if self._skip("not"):
            return f"(not {self._negation()})"
        if self._is("forall", "exists", "if"):
            return self._reaching()
        if (every := self._every()) is not None:
            return every
        if (failing := self._failing()) is not None:
            return failing
        return self._comparison()

    def _every(self) -> str | None:
        """`every X with m in S is dense`."""
        if self._next.kind != "text" or self._next.text.lower() != "every":
            return None
        self.place += 1
        start = self.place
        end = next((n for n in range(start, len(self.words)) if self.words[n].text == "with"), None)
        if end is None:
            raise Unread("`every` is read with what its index ranges over")
        self.place = end + 1
        outer, binders = self.local, self._binders()
        about = self._part(start, end)
        subject = about._whole(about._sum)
        made = f"(for all {binders} : {self._fact(subject)})"
        self.local = outer
        return made

    def _failing(self) -> str | None:
        """`[C1] does not hold`, `C2 is the first constraint that does not hold`; nothing where another thing stands."""
        start, bracket = self.place, self._skip("[")
        tag = self._next.text
        if tag in self.notation.constraints:
            self.place += 1
            if not bracket or self._skip("]"):
                alone = tag == self.notation.constraints[0]
                if self._skip("fails first") or (alone and self._skip("fails")):
                    return f"{tag} fails"
        self.place = start
        return None

    def _comparison(self) -> str:
        if self._is("(") and (inner := self._grouped_condition()):
            return inner
        left = self._sum()
        if self._next == Word("text", "is"):
            return self._fact(left)
        if self._is("in", "notin"):
            denied = self._is("notin")
            self.place += 1
            member = self._member(left)
            return f"(not {member})" if denied else member
        made = []
        while self._is(*_RELATIONS):
            sign = _RELATIONS[self._next.text]
            self.place += 1
            right = self._sum()
            made.append(f"{left} {sign} {right}")
            left = right
        if len(made) > 1 and any(" != " in one for one in made):
            raise Unread("`not` in a chain: how far it reaches is not said")
        if not made:
            raise Unread("it says nothing of a value" if self._next is END else f"`{self._next.text}` is not read here")
        return f"({' and '.join(made)})"

    def _fact(self, subject: str) -> str:
        """`is given`, `is dense`, `is 0 or 1`."""
        if self._next != Word("text", "is"):
            raise Unread(f"`is` is missing before `{self._next.text or 'the end'}`")
        self.place += 1
        denied = self._next == Word("text", "neither")
        self.place += denied
        if self._next.kind == "number" or self._is("-"):
            return self._one_of(subject, "nor" if denied else "or", denied)
        word = "neither" if denied else self._next.text
        if word not in ("given", *self.notation.facts):
            raise Unread(f"`is {word}` is not read")
        self.place += 1
        return f"given({subject})" if word == "given" else f"({subject} is {word})"

    def _one_of(self, subject: str, sign: str, denied: bool) -> str:
        """`is 0`, `is 0 or 1`, `is neither 0 nor 1`: numbers alone."""
        values = [self._sum()]
        while self._next.text == sign and self.words[self.place + 1 : self.place + 2]:
            if self.words[self.place + 1].kind != "number":
                break
            self.place += 1
            values.append(self._sum())
        if self._is(*_RELATIONS) or (len(values) > 1 and (self._is("and", "or") or self._is(","))):
            raise Unread(f"`{self._next.text}`: {_AMBIGUOUS}")
        made = f"({' or '.join(f'{subject} = {value}' for value in values)})"
        return f"(not {made})" if denied else made

    def _grouped_condition(self) -> str:
        """A condition in brackets; nothing where they enclose a value."""
        start, end = self.place, closing(self.words, self.place)
        after = self.words[end] if end < len(self.words) else END
        if after.text in (*_RELATIONS, "+", "-", "*", "in", "notin") and after is not END:
            return ""
        inner = self._part(start + 1, end - 1)
        if not any(w.text in (*_RELATIONS, "in", "notin", "is") for w in inner.words):
            return ""
        self.place = end
        return inner.condition()

    def _member(self, left: str) -> str:
        """That a value is in a domain: an interval, some values, or a set."""
        if self._is("[", "]"):
            low, opened, high, shut = self._ends_of_interval()
            return f"({low} {'<' if opened else '<='} {left} and {left} {'<=' if shut else '<'} {high})"
        if self._is("{") and (values := self._listed()):
            return f"({' or '.join(f'{left} = {value}' for value in values)})"
        return f"({left} in {self._as_set()})"
