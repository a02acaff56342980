"""What is shown of the thing under the cursor: its type, what the page says of it, what came of its obligations."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol.types import Hover, MarkupContent, MarkupKind, Range

from sonnx_verify.language import syntax as s
from sonnx_verify.language.words import CONTEXTUAL, KEYWORDS
from sonnx_verify.lsp.documents import Desk, Document
from sonnx_verify.lsp.names import Formal, Word, is_said, word_at
from sonnx_verify.lsp.pairs import clauses_of, family_at, formal_beside, page_beside, tag_at, tags_of
from sonnx_verify.lsp.positions import Place
from sonnx_verify.lsp.symbols import Symbol
from sonnx_verify.lsp.verdicts import Row, Verdicts
from sonnx_verify.pages.reading.read import page_from
from sonnx_verify.pages.reading.sentences import stated


def hover(desk: Desk, document: Document, place: Place, verdicts: Verdicts | None) -> Hover | None:
    """What is to be shown at a place; `verdicts` are those of the formal text, or of the one beside the page."""
    if not document.is_formal:
        return _of_page(desk, document, place, verdicts)
    line = document.lines.line(place[0])
    formal = None if is_said(line, place[1]) else Formal.of(desk, document)
    word = word_at(line, place[1])
    if formal is None:
        return None
    before = formal.before(place)
    if word is not None and word.text not in KEYWORDS and (symbol := formal.symbol(word.text, before)) is not None:
        return _shown(_of_symbol(desk, formal, symbol, verdicts), document, place, word)
    expression = formal.expression(before)
    if expression is None:
        return None
    node, kind = expression
    if isinstance(node, s.Name) and word is not None and word.text in KEYWORDS | CONTEXTUAL:
        return None
    said = " ".join(node.span.source.text[node.span.start : node.span.start + node.span.length].split())
    return _shown([_code(f"{said if len(said) <= 80 else said[:77] + '...'} : {kind}")], document, place, word)


def _of_symbol(desk: Desk, formal: Formal, symbol: Symbol, verdicts: Verdicts | None) -> list[str]:
    parts = [_code(symbol.line)]
    if symbol.title:
        parts.append(symbol.title)
    own = symbol.path == formal.document.path
    if own and clauses_of(formal.tree, symbol.name):
        page = page_beside(desk, formal)
        parts += [] if page is None else _sentences(stated(tag) for tag, _ in tags_of(page, symbol.name))
    if own and verdicts is not None:
        parts += _verdicts(rows_of(verdicts, formal.document, symbol.name))
    return parts


def _of_page(desk: Desk, document: Document, place: Place, verdicts: Verdicts | None) -> Hover | None:
    line = document.lines.line(place[0])
    beside = formal_beside(desk, document)
    if beside is None:
        return None
    if tag := tag_at(line, place[1]):
        family = family_at(page_from(document.shown, document.data, document.file), place[0])
        clauses = clauses_of(beside.formal.tree, tag, family)
        if not clauses:
            return None
        parts = [_code(clause_text(clause)) for clause in clauses]
        if verdicts is not None:
            parts += _verdicts(rows_of(verdicts, beside.formal.document, tag))
        return _shown(parts, document, place, None)
    word = word_at(line, place[1])
    symbol = beside.formal.known.get(word.text) if word is not None else None
    if word is None or symbol is None:
        return None
    return _shown(_of_symbol(desk, beside.formal, symbol, verdicts), document, place, word)


def clause_text(clause: s.Clause) -> str:
    """A clause as its text has it, from its tag on."""
    text = clause.span.source.text
    end = clause.span.start + clause.span.length
    if clause.body is not None:
        end = max(clause.body.span.start + clause.body.span.length, end)
    else:
        end = text.find("\n", end) if "\n" in text[end:] else len(text)
    return " ".join(text[clause.span.start : end].split())


def rows_of(verdicts: Verdicts, document: Document, tag: str) -> list[tuple[Row, bool]]:
    """What came of the obligations of a tag or name, each with whether it is of the text that is open."""
    shown = verdicts.shown(document.lines.plain)
    return [(row, now) for row, _, now in shown if tag in (row["tag"], row["tag"].partition(".")[0])]


def _verdicts(rows: list[tuple[Row, bool]]) -> list[str]:
    """A line for each kind of obligation with one verdict."""
    lines: dict[str, list[str]] = {}
    for row, now in rows:
        line = f"**{row['verdict']}** {row['tag']}/{row['kind']}" + ("" if now else ", of an earlier text")
        lines.setdefault(line, []).append(row["section"] or "")
    listed = [
        f"- {line}" + (f" ({', '.join(names)})" if (names := list(filter(None, dict.fromkeys(sections)))) else "")
        for line, sections in lines.items()
    ]
    return ["\n".join(listed)] if listed else []


def _sentences(said: Iterable[str]) -> list[str]:
    """What the page says, each sentence once."""
    return [f"> {sentence}" for sentence in dict.fromkeys(said) if sentence]


def _code(text: str) -> str:
    return f"```sonnx\n{text}\n```"


def _shown(parts: list[str], document: Document, place: Place, word: Word | None) -> Hover:
    lines = document.lines
    where = None if word is None else Range(lines.position(place[0], word.start), lines.position(place[0], word.end))
    return Hover(MarkupContent(MarkupKind.Markdown, "\n\n".join(parts)), where)
