"""The quotations of a memo: texts in quotation marks of any language and block quotations, each
with the citation beside it.

A citation is taken from brackets right after the quotation, from the footnote right after it, from
the words of the sentence before it, or from those right after it, in this order. That of a block
quotation may also be in the paragraph before it, or in a line of its own after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from docxchunk.content.citations import THROUGH
from docxchunk.language.folding import without_accents
from docxchunk.language.labels import LABEL
from docxchunk.language.patterns import pattern
from docxchunk.model.document import Document
from docxchunk.retrieval.citing.quoted_words import PRINTED, folded, is_short, labels_of, words_of
from docxchunk.retrieval.finding.places import Place, Places

_CLOSING: Final = {
    "“": "”",
    "„": "“”",
    "«": "»",
    "»": "«",
    "‹": "›",
    "›": "‹",
    "‘": "’",
    "‚": "‘’",
    "「": "」",
    "『": "』",
    '"': '"',
    "＂": "＂",
    "”": "”",
    "'": "'",
}
"""The marks that end a quotation, by the mark that begins it."""
_AMBIGUOUS: Final = "\"”»›‘'"  # may also end a quotation, or be an apostrophe or inches
_APOSTROPHES: Final = "’'"
_QUOTE_STYLE: Final = re.compile(
    r"quot|zitat|citat|citação|citazione|cita\b|cytat|цитат|alıntı|引用|引文|인용|block ?text",
    re.IGNORECASE,
)
_MARKED: Final = re.compile(r"^\s*(?:>\s?)+")
_NOTE: Final = re.compile(r"\[\^([^\[\]\s]+)\](?:\(note\))?")
_NOTE_LINE: Final = re.compile(rf"{_NOTE.pattern}:\s")
_IN_BRACKETS: Final = re.compile(
    r"\s*(?:[.,;:]\s*)?[(\[（［【](?!\^)((?:[^()\[\]（）]|[(（][^()（）]*[)）])*)[)\]）］】]"
)
_LAST_BRACKETS: Final = re.compile(rf"{_IN_BRACKETS.pattern}[\s.。]*$")
_START: Final = r"(?:(?<!\w)|(?=[第제附]))"
_LABEL: Final = pattern(rf"{_START}{LABEL}", re.IGNORECASE)
_LABEL_OR_NUMBER: Final = pattern(rf"{_START}(?:{LABEL}|{PRINTED})", re.IGNORECASE)
_MORE: Final = re.compile(
    r"\s*+(?P<to>to|through|bis|à|al|tot|t/m|do|по|[-–])?(?:,|and|und|et|y|e|or|oder|ou|o|en|i|и|&)*"
    rf"\s*+(?P<number>{PRINTED}|\d{{1,3}}\b|\((?:[a-z]{{1,4}}|\d{{1,3}})\))",
    re.IGNORECASE,
)
_LAST_ITEM: Final = re.compile(r"\([^()]*\)$")
_WORD_OF_LABEL: Final = re.compile(r"[^\d(]*")
_ABBREVIATIONS: Final = (
    "art arts sec secs cl cls para paras no nos nr abs lit vgl cf ziff ltd inc v"
)
_END: Final = re.compile(
    "".join(rf"(?<!\b{abbreviation})" for abbreviation in _ABBREVIATIONS.split())
    + r"[.!?]['\"’”»)]?\s+(?=[^\W\d_])|[。！？]",
    re.IGNORECASE,
)
_AND: Final = re.compile(
    r"[\s,;]*+(?:and|or|und|oder|sowie|et|ou|y|o|e|och|og|en|i|и|和|及)?[\s,;]*"
)
_LEADING: Final = (":", "：", ",", "—", "–")  # at the end of a paragraph before a block quotation
_LINK: Final = re.compile(r"[\s,–—-]*(?:[^\W\d_]+[\s,]+){0,4}$")
_ATTRIBUTION: Final = pattern(
    rf"\s*(?:[–—-]+\s*(?:[^.]{{0,40}}\s)?(?:{LABEL}|{PRINTED})(?!\w).{{0,60}}"
    rf"|[(\[（](?:[^()]|\([^()]*\))*(?:{LABEL}|{PRINTED})(?:[^()]|\([^()]*\))*[)\]）]\.?"
    rf"|(?:{LABEL})(?:[\s,]+(?:(?-i:[A-Z])[\w-]*|of|the|in|to|des|der|du|de|del)){{0,6}}\.?)\s*",
    re.IGNORECASE,
)
_NAME_ONLY: Final = re.compile(r"[(（\[][^()]{0,30}$")
_BESIDE: Final = 240  # characters
_LONGEST: Final = 20_000  # characters of a quotation
_LONGEST_CONTEXT: Final = 1000  # characters of a note that are read for labels
_MOST_LABELS: Final = 6  # of a quotation
_MOST_OF: Final = 2  # a quotation in marks is half of a text
_MOST_CITING: Final = 12  # words beside it


class Paragraph(NamedTuple):
    """A paragraph of a memo. A block quotation has no marks of Markdown.

    - `place`: the number of the paragraph, "¶ 4"; "" if unknown.
    """

    text: str
    is_heading: bool
    is_block: bool
    place: str


@dataclass(frozen=True, slots=True)
class Quoted:
    """A quotation of a memo.

    - `text`: its words, without quotation marks.
    - `labels`: the clauses that the citation beside it names: "Clause 8.1(a)"; () without one.
    - `context`, `sentence`: the text in which the citation is, and the words of the sentence before
      the quotation. They may name its document.
    - `paragraph`, `start`, `end`: the index of its paragraph, and the range of characters there.
    - `place`: the number of the paragraph as a reader counts: "¶ 4"; "" if unknown.
    - `is_name`: whether it is too short for a quotation, or a name in brackets: (the “Lease”).
    """

    text: str
    labels: tuple[str, ...]
    context: str
    sentence: str
    paragraph: int
    start: int
    end: int
    place: str = ""
    is_name: bool = False


def paragraphs_of(document: Document) -> list[Paragraph]:
    """Return the paragraphs of a memo, with the notes. Lines of a text file without a blank line
    between them are one paragraph.
    """
    places = Places(document)
    lines = {
        (number, start): line
        for number, block in enumerate(document.blocks)
        for start, line in zip(places.lines[number].starts, block.lines, strict=False)
    }
    groups: list[list[Place]] = []
    for place in places.all:
        line = lines.get((place.block, place.start))
        last = groups[-1][-1] if groups else None
        above = lines.get((last.block, last.start)) if last else None
        is_same = line is not None and above is not None and line.paragraph == above.paragraph
        if last and is_same and _is_next(place, last) and not _begins(place, last):
            groups[-1].append(place)
        else:
            groups.append([place])
    return [_paragraph(group, lines.get((group[0].block, group[0].start))) for group in groups]


def _is_next(place: Place, last: Place) -> bool:
    """Return whether a line of text follows another one, without a blank line between them."""
    is_text = last.depth > 0 and not place.table
    return is_text and last.block == place.block and place.start == last.end + 1


def _begins(place: Place, last: Place) -> bool:
    """Return whether a line of text begins a paragraph: an item, a note, or a quotation with >."""
    is_marked = _MARKED.match(place.text) is not None
    is_item = re.match(r"\s*(?:[-*+•]|\d{1,3}[.)])\s", place.text) is not None
    was_marked = _MARKED.match(last.text)
    is_blank = was_marked is not None and was_marked.end() == len(last.text)
    is_note = _NOTE_LINE.match(place.text) is not None
    return is_item or is_note or is_blank or is_marked is not (was_marked is not None)


def _paragraph(places: list[Place], line: object) -> Paragraph:
    style, number = getattr(line, "style", None), getattr(line, "paragraph", None)
    is_marked = _MARKED.match(places[0].text) is not None
    text = "\n".join(
        _MARKED.sub("", place.text, count=1) if is_marked else place.text for place in places
    )
    is_block = is_marked or bool(style and _QUOTE_STYLE.search(style))
    return Paragraph(text, places[0].depth == 0, is_block, f"¶ {number}" if number else "")


def quotations_in(paragraphs: list[Paragraph]) -> list[Quoted]:
    """Return the quotations of a memo, in order."""
    notes = {
        match[1]: paragraph.text[match.end() :]
        for paragraph in paragraphs
        if (match := _NOTE_LINE.match(paragraph.text))
    }
    return [
        quoted
        for number, paragraph in enumerate(paragraphs)
        for quoted in (
            _block(paragraphs, number, notes)
            if paragraph.is_block
            else _marked(paragraph, number, notes)
        )
    ]


def quoted_in(text: str) -> Quoted:
    """Return the quotation that a text gives. In the text, it is in quotation marks, with a
    citation beside it, as in a memo; or it is the whole text, with or without a label such as
    "clause 4.2:".
    """
    marked = (
        quoted for quoted in _marked(Paragraph(text, False, False, ""), 0, {}) if not quoted.is_name
    )
    first = next(marked, None)
    if first and _MOST_OF * len(words_of(first.text)) >= len(words_of(text)) - _MOST_CITING:
        return first
    label = next((label for label in labels_of(text) if label.is_apart), None)
    if label and not label.may_be_source and words_of(label.text):
        return Quoted(label.text.strip(), (label.name,), "", "", 0, 0, len(text))
    return Quoted(text, (), "", "", 0, 0, len(text))


# -- in quotation marks


def _marked(paragraph: Paragraph, number: int, notes: dict[str, str]) -> Iterator[Quoted]:
    """Yield the texts in quotation marks of a paragraph."""
    text = paragraph.text
    spans = list(_spans(text))
    last, begin = None, 0
    for at, (start, end) in enumerate(spans):
        before = text[begin : start - 1]
        after = text[end + 1 : spans[at + 1][0] - 1 if at + 1 < len(spans) else None]
        inner = text[start:end].strip()
        sentence = _last_sentence(before)
        labels, context = _citation(sentence, after, notes, is_last=at + 1 == len(spans))
        is_alias = bool(_NAME_ONLY.search(before)) and bool(re.match(r"\s*[)）\]]", after))
        is_cited = bool(labels) and context not in before
        is_name = is_alias or (is_short(folded(words_of(inner))) and not is_cited)
        if last and not labels and _AND.fullmatch(before):
            labels, context, sentence = last.labels, last.context, last.sentence
        quoted = Quoted(
            inner, labels, context, sentence, number, start, end, paragraph.place, is_name
        )
        if not is_name:
            last, begin = quoted, end + 1
        if words_of(inner):
            yield quoted


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the texts in quotation marks. One that does not end lasts to the end of
    the paragraph.
    """
    at = 0
    while at < len(text):
        if text[at] not in _CLOSING or not _may_begin(text, at):
            at += 1
            continue
        end = _end_of(text, at)
        if end < 0 and text[at] in _AMBIGUOUS.replace('"', ""):
            at += 1
            continue
        end = len(text) if end < 0 else end
        yield at + 1, end
        at = end + 1


def _may_begin(text: str, at: int) -> bool:
    """Return whether the mark at a character may begin a quotation."""
    if text[at] not in _AMBIGUOUS:
        return True
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    return not (before.isalnum() or after.isspace() or not after)


def _end_of(text: str, at: int) -> int:
    """Return where a quotation that begins at a character ends; -1 if it has no end. It may contain
    other quotations with the same marks.
    """
    opening, closing, depth = text[at], _CLOSING[text[at]], 0
    for number in range(at + 1, min(at + _LONGEST, len(text))):
        character = text[number]
        if character in closing:
            if character in _APOSTROPHES and text[number + 1 : number + 2].isalnum():
                continue
            if not depth:
                return number
            depth -= 1
        elif character == opening:
            depth += 1
    return -1


# -- block quotations


def _block(paragraphs: list[Paragraph], number: int, notes: dict[str, str]) -> Iterator[Quoted]:
    """Yield the quotation that a paragraph is, unless it is the attribution of the one before."""
    paragraph = paragraphs[number]
    text = paragraph.text
    if number and paragraphs[number - 1].is_block and _is_attribution(text):
        return
    first = number
    while first and paragraphs[first - 1].is_block:
        first -= 1
    lead = paragraphs[first - 1].text if first else ""
    after = paragraphs[number + 1].text if number + 1 < len(paragraphs) else ""
    tail = after if _is_attribution(after) else ""
    marks = "".join(match[0] for match in _NOTE.finditer(text))
    lead = _last_sentence(lead) if lead.rstrip().endswith(_LEADING) else ""
    labels, context = (_labels(tail), tail) if tail else _citation(lead, marks, notes, is_last=True)
    end = len(text)
    brackets = _LAST_BRACKETS.search(text, max(len(text) - _BESIDE, 0))
    if brackets and (inside := _labels(brackets[1])):
        labels, context, end = inside, brackets[1], brackets.start()
    inner = text[:end].strip().strip('“”„«»"「」『』')
    start = max(text.find(inner), 0)
    if words_of(inner):
        end, is_name = start + len(inner), is_short(folded(words_of(inner))) and not labels
        yield Quoted(inner, labels, context, lead, number, start, end, paragraph.place, is_name)


def _is_attribution(text: str) -> bool:
    """Return whether a paragraph is only the citation of a block quotation: "— Clause 8.1"."""
    return len(text) < _BESIDE and _ATTRIBUTION.fullmatch(without_accents(text)) is not None


# -- citations


def _last_sentence(text: str) -> str:
    return _END.split(text[-_BESIDE:])[-1]


def _citation(
    sentence: str, after: str, notes: dict[str, str], *, is_last: bool
) -> tuple[tuple[str, ...], str]:
    """Return the labels of the citation of a quotation, and the text in which they are, given the
    sentence before it and the text after it, up to other quotations.
    """
    note = re.match(rf"[\s.,;:]*{_NOTE.pattern}", after)
    bracketed = _IN_BRACKETS.match(after, 0, _BESIDE)
    following = _END.split(after[:_BESIDE])[0]
    label = _LABEL.search(without_accents(following))
    ends = is_last or len(following) < len(after)
    is_linked = label is not None and ends and _LINK.fullmatch(following[: label.start()])
    for context in (
        bracketed[1] if bracketed else "",
        notes.get(note[1], "") if note else "",
        sentence,
        following if is_linked else "",
    ):
        is_sentence = context is sentence or context is following
        if labels := _labels(context, in_sentence=is_sentence):
            return labels, context
    return (), bracketed[1] if bracketed and len(bracketed[1]) < 80 else sentence


def _labels(text: str, *, in_sentence: bool = False) -> tuple[str, ...]:
    """Return the labels in a citation: "Clauses 8.1 and 8.3" has two. Of a sentence, return only
    the last ones; there, a number without a word is no label.
    """
    folded_text = without_accents(text[:_LONGEST_CONTEXT])
    groups: list[list[str]] = []
    end = 0
    for match in (_LABEL if in_sentence else _LABEL_OR_NUMBER).finditer(folded_text):
        if match.start() < end:
            continue
        labels, end = [text[match.start() : match.end()].strip()], match.end()
        word = _WORD_OF_LABEL.match(labels[0])
        while more := _MORE.match(folded_text, end):
            above = _LAST_ITEM.sub("", labels[-1]) if more["number"][0] == "(" else ""
            joined = f"{above or (word[0] if word else '')}{more['number']}"
            if more["to"]:
                labels[-1] = f"{labels[-1]}{THROUGH}{joined}"
            elif more.start("number") > end + 1:
                labels.append(joined)
            else:
                break
            end = more.end()
        groups.append(labels)
    chosen = groups[-1:] if in_sentence else groups
    return tuple(label for labels in chosen for label in labels)[:_MOST_LABELS]
