"""Look up the definition of a term."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Final

from docxchunk.errors import UsageError
from docxchunk.language.folding import alike
from docxchunk.markup.table_texts import header_row_count
from docxchunk.retrieval.names import NamedPlaces
from docxchunk.retrieval.numbers import is_number_alone, number_length
from docxchunk.retrieval.phrases import pattern_of_phrase, spans_of_phrase
from docxchunk.retrieval.places import Place

_QUOTED: Final = re.compile(r"[\"“„«]\s*(\w[^\"“”„«»]{1,60}?)\s*[\"”“»]")
_MOST_TERMS: Final = 8  # like one that is not defined
_ALIKE: Final = 0.8  # least likeness of a word and its misspelling
_LONGEST: Final = 1000  # characters of a term
_ROW: Final = 3  # the rank of a row or heading that is the term, among the ways to define one
_VERB: Final = (
    r"(?:shall\s+)?(?:means?|has\s+the\s+meaning|have\s+the\s+meaning|refers?\s+to|"
    r"is\s+defined|are\s+defined|includes?|bedeutet|bezeichnet|meint|désigne|signifie|"
    r"significa|означает)\b"
)
_CHINESE_VERB: Final = "是指|指"
_NOT_RELATIVE: Final = r"(?<!\bthat )(?<!\bwhich )(?<!\bwho )"  # "a word that means harm"
_IS: Final = (
    r"(?:(?:is|are)\s+(?:the|an?|any|each|every|all|that|those)|"
    r"(?:ist|sind)\s+(?:jede[rs]?|der|die|das|eine?|alle)|"
    r"(?:est|sont)\s+(?:une?|le|la|les|l[’']|tou\w+|chaque)|"
    r"(?:es|son)\s+(?:una?|el|la|los|las|tod\w+|cualquier))(?!\w)"
)
_BEFORE_QUOTED: Final = (
    r"(?:[^()（）]{0,40}|"
    r"[^()（）]{0,200}\b(?:the|an?|this|each|collectively|individually|der|die|das|den|le|la|les)\s+)"
)
_NOTE_TO_ENTRY: Final = re.compile(
    r"\W*+(?:note\s+\d+\s+to\s+entry|anmerkung\s+\d+\s+zum\s+begriff|note\s+\d+\s+à\s+l[’']article|"
    r"注\s*+(?:\d++\s*+)?[:：])",
    re.IGNORECASE,
)
_OF_DEFINITIONS: Final = re.compile(
    r"\b(?:definitions|defined\s+terms|glossary|begriffe|begriffsbestimmungen|définitions|"
    r"definiciones|definizioni)\b|术语|定义",
    re.IGNORECASE,
)


def definitions(places: NamedPlaces, term: str) -> list[int]:
    """Return the places that define a term (see `Reader.define`), the clearest first. If there are
    none, return the places for its singular or plural.
    """
    if len(term) > _LONGEST:
        raise UsageError(f"A term has at most {_LONGEST:,} characters.")
    texts = _texts(places)
    forms = (_definitions(places, texts, form) for form in (term, *_other_forms(term)))
    return next(filter(None, forms), [])


def _other_forms(term: str) -> list[str]:
    """Return the forms that may be the singular or plural of a term: "Business Day" is one for
    "Business Days".
    """
    term = term.strip(" \"'“”„«»")
    endings = (("ies", "y"), ("es", ""), ("s", ""), ("y", "ies"), ("", "s"))
    forms = (term.removesuffix(end) + ending for end, ending in endings if term.endswith(end))
    return [form for form in forms if len(form) > 1]


def terms_like(places: NamedPlaces, term: str) -> list[str]:
    """Return the defined terms in quotation marks that share a word with a term, which may be
    misspelled in one of them.
    """
    wanted = _stems(term)
    terms = {
        quoted[1]: None
        for place in places.all
        for quoted in _QUOTED.finditer(place.text)
        if any(get_close_matches(stem, wanted, 1, _ALIKE) for stem in _stems(quoted[1]))
    }
    texts = _texts(places)
    return [each for each in list(terms)[:_MOST_TERMS] if _definitions(places, texts, each)]


def _stems(text: str) -> set[str]:
    return {word.rstrip("s") for word in re.findall(r"\w{3,}", alike(text).casefold())}


def _definitions(places: NamedPlaces, texts: Mapping[int, str], term: str) -> list[int]:
    word = _written(texts.values(), term.strip(" \"'“”„«»"))
    if not word:
        return []
    ranked: dict[int, int] = {}  # the rank of the first way that fits
    ways = _ways(word)
    for rank, way in enumerate(ways):
        pattern = re.compile(way, re.IGNORECASE)
        for index, text in texts.items():
            if index not in ranked and pattern.search(text):
                ranked[index] = rank
    # the term alone in its cell, or before a sentence: "Order Date The date on which …"
    head = re.compile(
        rf"\W*(?:(?:the|each)\s+)?{word}\W*(\s(?-i:[A-Z]\w*\s+[a-z]).*)?", re.IGNORECASE
    )
    for index in texts:
        if match := head.fullmatch(places.all[index].head):
            ranked[index] = min(ranked.get(index, len(ways)), len(ways) if match[1] else _ROW)
    for index in _of_entries(places, word):
        ranked[index] = min(ranked.get(index, _ROW), _ROW)
    return sorted(ranked, key=lambda index: (ranked[index], index))


def _written(texts: Iterable[str], term: str) -> str:
    """Return the pattern of a term with the signs and accents that the texts have; "" if they do
    not have it.
    """
    if not term:
        raise UsageError("There is no term: give the words that may be defined.")
    pattern = pattern_of_phrase(term)
    forms = {
        tuple(text[start:end].lower().split())
        for text in texts
        for start, end in spans_of_phrase(pattern, text)
    }
    patterns = sorted(r"\s+".join(map(re.escape, words)) for words in forms)
    return f"(?:{'|'.join(patterns)})" if patterns else ""


def _ways(word: str) -> list[str]:
    """Return the patterns of the lines that define a term, the clearest first. A line has no number
    of its own.
    """
    quoted = rf"[\"“„«'‘]\s*{word}(?:s|es)?\s*[\"”“»'’]"
    label = r"^\W*(?:[(\w]{1,6}[.)]\s+)?"
    return [
        rf"{quoted}[^.;]{{0,60}}?\b{_NOT_RELATIVE}{_VERB}",
        rf"{label}(?:the\s+term\s+)?{quoted}\s*(?:[:：–—]\s*[\w(（]|{_IS})",
        rf"{quoted}[^.;]{{0,60}}?(?:{_CHINESE_VERB})",
        rf"{label}{word}\s*(?:{_VERB}|{_CHINESE_VERB}|[:–—|]|\t)",
        rf"[(（]{_BEFORE_QUOTED}{quoted}[^()（）]{{0,40}}[)）]",
        rf"(?:^|[\W称]){word}\s*[，,]?\s*(?:是指|系指)",
        rf"{word}\s+(?:{_VERB}|{_CHINESE_VERB})",
        rf"以下简称[^)）]{{0,6}}{word}",
    ]


def _texts(places: NamedPlaces) -> dict[int, str]:
    """Return the texts of the places that may define a term: not the header rows of tables, and no
    notes to the entries of a vocabulary. In a section of definitions, the number of a line is left
    out, and before a term in quotation marks, too.
    """
    headers = {table.id: header_row_count(table) for table in places.document.tables.values()}
    return {
        index: _without_label(places, place)
        for index, place in enumerate(places.all)
        if not _NOTE_TO_ENTRY.match(place.text)
        and not (place.table and place.row < headers.get(place.table, 0))
    }


def _without_label(places: NamedPlaces, place: Place) -> str:
    text = place.text
    if not place.depth or not place.label or not text.startswith(place.label):
        return text
    bare = text[len(place.label) :].lstrip()
    return bare if _QUOTED.match(bare) or _is_of_definitions(places, place.block) else text


def _is_of_definitions(places: NamedPlaces, block: int) -> bool:
    """Return whether a block is in a section of definitions."""
    return any(
        _OF_DEFINITIONS.search(places.blocks[each].heading)
        for each in (block, *places.ancestors(block))
    )


def _of_entries(places: NamedPlaces, word: str) -> Iterator[int]:
    """Yield the definitions of a term in a vocabulary: "small device" below "3.1 widget". In
    Chinese, the English term may stand beside it.
    """
    entry = re.compile(
        rf"(?:[^\x00-\x7f]+\s+)?{word}|{word}(?<![\x00-\x7f])\s+[\x00-\x7f]+", re.IGNORECASE
    )
    for block, head in places.heads.items():
        parent = places.parents[block]
        if places.all[head].depth or parent < 0 or not _is_of_definitions(places, parent):
            continue
        if _OF_DEFINITIONS.search(places.blocks[block].heading):
            continue
        lines = [
            index
            for index in places.of_blocks(block, block + 1)
            if not _NOTE_TO_ENTRY.match(places.all[index].text)
        ]
        if is_number_alone(places.blocks[block]):
            del lines[:1]
        texts = [places.all[index].text for index in lines[:1]]
        if len(lines) > 1 and entry.fullmatch(texts[0][number_length(texts[0]) :].strip()):
            yield lines[1]
