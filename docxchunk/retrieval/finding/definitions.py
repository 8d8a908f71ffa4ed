"""Look up the definition of a term."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import cached_property, lru_cache
from itertools import chain
from typing import Final, NamedTuple

from docxchunk.errors import UsageError
from docxchunk.language import defining
from docxchunk.language.folding import alike
from docxchunk.language.patterns import pattern as later
from docxchunk.retrieval.finding.names import NamedPlaces
from docxchunk.retrieval.finding.numbers import number_length
from docxchunk.retrieval.finding.phrases import FoldedTexts, pattern_of_phrase, spans_of_phrase
from docxchunk.retrieval.finding.running import Occurrence, Running, unmarked

_OPEN: Final = r"[\"“”„‟«»'‘’‚‹›「『《【]"
_CLOSE: Final = r"[\"“”„‟«»'‘’‚‹›」』》】]"
_AROUND: Final = " \"'“”„‟«»‘’‚‹›「」『』《》【】"  # what may be around the term of a question
_STOP: Final = "[.,;:]?"  # in the United States, before the quotation mark and not after it
_QUOTED: Final = later(rf"[\"“”„«»「『]\s*(\w[^\"“”„«»「」『』]{{0,60}}?){_STOP}\s*[\"”“»«」』]")
_MOST_TERMS: Final = 8  # like one that is not defined
_ALIKE: Final = 0.8  # least likeness of a word and its misspelling
_LONGEST: Final = 1000  # characters of a term
_ROW: Final = (
    4  # of `_ways`: the rank of a row or heading that is the term, among the ways to define one
)
_WORST: Final = 10  # greater than all ranks
_NEAR: Final = 3  # lines below a name, for a signature, or below a term, for its definition
_NOT_RELATIVE: Final = r"(?<!\bthat )(?<!\bwhich )(?<!\bwho )"  # "a word that means harm"
_BEFORE_QUOTED: Final = (
    r"(?:[^()（）]{0,300}\b(?:the|an?|this|each|collectively|individually|der|die|das|den|le|la|les|el|"
    r"los|il|lo|o|os|de|het|den|det)\s+)"
)
_INFLECTING: Final = later(defining.INFLECTING, re.IGNORECASE)
_NOTE_TO_ENTRY: Final = later(defining.NOTE_TO_ENTRY, re.IGNORECASE)
_OF_DEFINITIONS: Final = later(defining.TITLE, re.IGNORECASE)
_SIGNED: Final = later(defining.SIGNED, re.IGNORECASE)
_BLANK: Final = later(r"_{3,}|\.{5,}|…{2,}|\[[\s●•_]*\]")
_TICKED: Final = later(r"[\[(]\s?[xX✓✔]\s?[\])]|[☒☑]")  # one of several boxes
_WORD: Final = later(r"[^\W\d_]{2}|[\u3040-\u9fff]")
_FULL: Final = later(r"(?:\w[^\w\s]*\s+\S*){2}\w|[\u3040-\u9fff]{6}")  # three words
_VOWELS: Final = "aeiouyąęáéíóúýůаеёиоуыэюяіїєйь"


class Definitions:
    """The terms that a document defines. The lines are prepared once, for any number of terms."""

    def __init__(self, places: NamedPlaces) -> None:
        self._places = places

    def of(self, term: str) -> list[Occurrence]:
        """Return where a term is defined (see `Reader.define`), the clearest first. If that is
        nowhere, return where its singular or plural is.
        """
        if len(term) > _LONGEST:
            raise UsageError(f"A term has at most {_LONGEST:,} characters.")
        forms = (self._of_form(form) for form in (term, *_other_forms(term)))
        return next(filter(None, forms), [])

    def terms_like(self, term: str) -> list[str]:
        """Return the defined terms in quotation marks that share a word with a term, which may be
        misspelled in one of them.
        """
        stems = _stems(term)
        terms = (
            quoted
            for quoted in self._quoted
            if any(get_close_matches(stem, stems, 1, _ALIKE) for stem in _stems(quoted))
        )
        return [quoted for quoted in list(terms)[:_MOST_TERMS] if self._of_form(quoted)]

    @cached_property
    def _quoted(self) -> list[str]:
        """What stands in quotation marks, each once."""
        texts = (unmarked(place.text) for place in self._places.all)
        return list(dict.fromkeys(quoted[1] for text in texts for quoted in _QUOTED.finditer(text)))

    @cached_property
    def _lines(self) -> list[_Line]:
        return list(_lines(self._places))

    @cached_property
    def _folded(self) -> FoldedTexts:
        return FoldedTexts(line.text for line in self._lines)

    @cached_property
    def _inflecting(self) -> list[_Line]:
        """The lines with words before a name that may be in another case."""
        return [line for line in self._lines if _INFLECTING.search(line.text)]

    @cached_property
    def _entries(self) -> list[tuple[int, str]]:
        """The lines that may be the term of an entry of a vocabulary, without numbers, each with
        its index.
        """
        places = self._places
        lines = (
            (index, unmarked(place.text))
            for index, place in enumerate(places.all)
            if not place.table and _is_of_definitions(places, place.block)
        )
        return [
            (index, text[number_length(text) :].strip(" .:：\t"))
            for index, text in lines
            if places.all[index].depth or not _OF_DEFINITIONS.search(text)
        ]

    def _of_form(self, term: str) -> list[Occurrence]:
        """Return where one form of a term is defined, the clearest first."""
        if not (term := term.strip(_AROUND)):
            raise UsageError("There is no term: give the words that may be defined.")
        ranked: dict[int, tuple[int, Occurrence]] = {}  # the rank of the clearest way, by place
        for rank, at in chain(self._in_lines(term), _other_cases(self._inflecting, term)):
            if rank < ranked.get(at.place, (_WORST, at))[0]:
                ranked[at.place] = rank, at
        return [at for _, at in sorted(ranked.values())]

    def _in_lines(self, term: str) -> Iterator[tuple[int, Occurrence]]:
        """Yield where the term is defined, each with the rank of the way."""
        places = self._places
        word, having = self._written(term)
        if not word:
            return
        for line in having:
            for rank, way in enumerate(_ways(word)):
                at = line.at(way.search(line.text))
                if at and not _is_of_form(places, line, rank):
                    yield rank, at
                    break
            is_entry = _is_of_definitions(places, places.all[line.place].block)
            if is_entry and (at := line.at(_run_in(word).match(line.text))):
                yield _ROW, at
        yield from _of_rows(places, having, word)
        yield from ((_ROW, at) for at in _of_entries(places, self._entries, word))

    def _written(self, term: str) -> tuple[str, list[_Line]]:
        """Return the pattern of a term with the signs and accents that the lines have, and the
        lines that have it; "" if there are none.
        """
        pattern = pattern_of_phrase(term)
        having: list[_Line] = []
        forms: set[tuple[str, ...]] = set()
        for line in map(self._lines.__getitem__, self._folded.having(pattern)):
            having.append(line)
            spans = spans_of_phrase(pattern, line.text)
            forms |= {tuple(line.text[start:end].lower().split()) for start, end in spans}
        patterns = sorted(r"\s+".join(map(re.escape, words)) for words in forms)
        return (f"(?:{'|'.join(patterns)})" if patterns else ""), having


def _other_forms(term: str) -> list[str]:
    """Return the forms that may be the singular or plural of a term: "Business Day" is one for
    "Business Days".
    """
    term = term.strip(_AROUND)
    endings = (("ies", "y"), ("es", ""), ("s", ""), ("y", "ies"), ("", "s"))
    forms = (term.removesuffix(end) + ending for end, ending in endings if term.endswith(end))
    return [form for form in forms if len(form) > 1]


def _stems(text: str) -> set[str]:
    return {word.rstrip("s") for word in re.findall(r"\w{3,}", alike(text).casefold())}


class _Line(NamedTuple):
    """A line that may define a term.

    - `text`: its text. In a section of definitions and before a quotation mark, its own number is
      left out.
    - `place`: the index of its place.
    - `start`: where `text` begins in the text of the place.
    - `running`: the running text that `text` is the end of; None for the text of a place.
    """

    text: str
    place: int
    start: int = 0
    running: Running | None = None

    def at(self, match: re.Match[str] | None) -> Occurrence | None:
        """Return where a match is. Return None without a match, and for one in running text that
        one line has as it is: the match is found in this line, too.
        """
        if match is None:
            return None
        first, end = match.start() + self.start, match.end() + self.start
        if self.running:
            return self.running.across(first, end)
        return Occurrence(self.place, span=(first, end))


def _other_cases(lines: Iterable[_Line], term: str) -> Iterator[tuple[int, Occurrence]]:
    """Yield where a term has a name in another case: zwana dalej „Umową” for Umowa."""
    stems = (re.sub(rf"(?<=\w\w\w)[{_VOWELS}]$", "", word.lower()) for word in term.split())
    word = r"\s+".join(rf"{re.escape(stem)}\w{{0,3}}" for stem in stems)
    pattern = re.compile(
        rf"{defining.INFLECTING}[^.;()]{{0,40}}?{_OPEN}\s*{word}\s*{_CLOSE}", re.IGNORECASE
    )
    for line in lines:
        if at := line.at(pattern.search(line.text)):
            yield _WORST - 1, at


@lru_cache(64)
def _ways(word: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of the lines that define a term, the clearest first. They are for lines
    without their own numbers. A definition in the row of a table or in the entry of a vocabulary
    has the rank of pattern number `_ROW`.
    """
    quoted = rf"{_OPEN}\s*{word}(?:s|es)?,?\s*{_CLOSE}"
    # also with an article, and at the end of a sentence
    ending = rf"{_OPEN}\s*{defining.OF_TERM}?{word}(?:s|es)?{_STOP}\s*{_CLOSE}"
    label = r"^\W*(?:[(\w]{1,6}[.)]\s+)?"
    several = r"(?:each,?\s+an?|(?:together|collectively),?\s+the)"
    ways = (
        [rf"{quoted}[^.;]{{0,60}}?(?<!\w){_NOT_RELATIVE}{defining.VERB}"],
        [
            rf"{label}(?:the\s+term\s+)?{quoted}\s*(?:[:：–—]|\s-)\s*[\w(（]",
            rf"{label}(?:the\s+term\s+)?{quoted}\s*{defining.IS}",
        ],
        [
            rf"{quoted}[^.;。]{{0,60}}?(?:{defining.CHINESE})",
            rf"{quoted}\s*(?:{defining.JAPANESE}|{defining.KOREAN})",
            rf"{quoted}[^.;]{{0,300}}?{defining.TURKISH}",
            rf"{defining.UNDER}{quoted}[^.]{{0,300}}?{defining.UNDERSTOOD}",
            rf"{defining.ENTENDED}{quoted}",
        ],
        [
            rf"{label}{word}\s*(?:{defining.STRONG}|{defining.CHINESE_STRONG})",
            rf"{label}{word}\s*(?:{defining.JAPANESE}|{defining.KOREAN})",
            rf"{label}{word}[\s:,][^.;]{{0,300}}?{defining.TURKISH}",
        ],
        [rf"{label}{word}(?:\s*[:：–—|]|\s+-\s|\t)[^\w\n]*\w"],
        [
            rf"[(（][^()（）]{{0,40}}{ending}[^()（）]{{0,40}}[)）]",
            rf"[(（]{_BEFORE_QUOTED}{ending}[^()（）]{{0,200}}[)）]",
            rf"[(（]\s*(?:the|{several})\s+{word}\s*[)）]",
            rf"[(（]\s*each,?\s+an?\s+{word}\s+and\s",
        ],
        [
            rf"{defining.ALIAS}[^.;()（）]{{0,60}}?(?:{ending}|\s{word}(?=\s*(?:[),.;]|$)))",
            rf"\b{several}\s+{ending}",
            rf"(?:{defining.ALIAS_JAPANESE}|{defining.ALIAS_KOREAN}){quoted}",
            rf"{defining.ALIAS_CHINESE}(?:{quoted}|{word}(?=\s*(?:[)）。，,；;]|$)))",
        ],
        [rf"(?:^|[\W称]){word}\s*(?:[，,]?\s*(?:是指|系指|係指)|{defining.JAPANESE})"],
        [rf"(?<!\w){word}\s+{defining.STRONG}"],
    )
    return tuple(re.compile("|".join(way), re.IGNORECASE) for way in ways)


@lru_cache(64)
def _run_in(word: str) -> re.Pattern[str]:
    """Return the pattern of a line of a section of definitions: "Widget. A small device."."""
    return re.compile(
        rf"\W*(?:[(\w]{{1,6}}[.)]\s+)?{word}(?:\.\s+\w|\s\s+\w|\s+{defining.ARTICLE})|"
        rf"\W*(?:[(\w]{{1,6}}[.)]\s+)?(?:the\s+|an?\s+)?{word}\s+{defining.IS}\b|"
        rf"[^.;]{{0,60}}?(?<!\w){word}\s+{defining.VERB}",
        re.IGNORECASE,
    )


# -- the lines


def _lines(places: NamedPlaces) -> Iterator[_Line]:
    """Yield the lines that may define a term: not the header rows of tables, and no notes to the
    entries of a vocabulary. Then come the running texts.
    """
    for index, place in enumerate(places.all):
        if not places.is_header(place) and not _NOTE_TO_ENTRY.match(place.text):
            start = _start(places, index, place.text)
            yield _Line(place.text[start:], index, start)
    for text in places.running:
        start = _start(places, text.first, text.text)
        yield _Line(text.text[start:], text.first, start, text)


def _start(places: NamedPlaces, index: int, text: str) -> int:
    """Return where a text begins without its own number: 0 if the number is no mere label."""
    place = places.all[index]
    if not place.depth or not place.label or not text.startswith(place.label):
        return 0
    start = len(text) - len(text.removeprefix(place.label).lstrip())
    is_bare = _QUOTED.match(text, start) or _is_of_definitions(places, place.block)
    return start if is_bare else 0


def _is_of_definitions(places: NamedPlaces, block: int) -> bool:
    """Return whether a block is in a section of definitions."""
    return any(
        _names_definitions(places.blocks[number].heading)
        for number in (block, *places.ancestors(block))
    )


@lru_cache(maxsize=4096)
def _names_definitions(heading: str) -> bool:
    return _OF_DEFINITIONS.search(heading) is not None


def _is_of_form(places: NamedPlaces, line: _Line, rank: int = _ROW) -> bool:
    """Return whether a line is a label of a form, or the name above the lines for a signature. A
    sentence that defines a term is neither.
    """
    if rank < _ROW:
        return False
    if rank > _ROW:
        return _SIGNED.match(line.text) is not None
    first = places.all[line.place]
    beside = [
        place.text
        for place in places.all[line.place : line.place + (2 if first.table else 1 + _NEAR)]
        if (place.block, place.table) == (first.block, first.table)
    ]
    is_blank = _BLANK.search(first.text) is not None and not _TICKED.search(first.text)
    return is_blank or any(map(_SIGNED.match, beside))


# -- rows and entries


def _of_rows(
    places: NamedPlaces, lines: Iterable[_Line], word: str
) -> Iterator[tuple[int, Occurrence]]:
    """Yield the rows that have a term alone in their first cell, or before a sentence: "Order Date
    The date on which …".
    """
    head = re.compile(
        rf"\W*(?:(?:the|each)\s+)?{word}\W*(\s(?-i:[A-Z]\w*\s+[a-z]).*)?", re.IGNORECASE
    )
    for line in lines:
        match = head.fullmatch(unmarked(places.all[line.place].head))
        if match and not _is_of_form(places, line):
            yield _WORST - 1 if match[1] else _ROW, Occurrence(line.place)


def _of_entries(
    places: NamedPlaces, entries: Iterable[tuple[int, str]], word: str
) -> Iterator[Occurrence]:
    """Yield the definitions of a term in a vocabulary: "small device" below "3.1 widget", or below
    "widget" as a line of its own. In Chinese, the English term may stand beside it.
    """
    beside = r"(?:\s*[(（<〈][^()（）]*[)）>〉])*"
    entry = re.compile(
        rf"(?:[^\x00-\x7f]+\s+)?{word}{beside}|{word}(?<![\x00-\x7f])\s+[\x00-\x7f]+|"
        rf"[^()（）]+[(（]{word}[)）]",
        re.IGNORECASE,
    )
    for index, text in entries:
        if entry.fullmatch(text):
            yield from map(Occurrence, _below_entry(places, index))


def _below_entry(places: NamedPlaces, index: int) -> list[int]:
    """Return the definition below the line of a term. Between them may be other names of the term,
    if it is numbered.
    """
    below: list[int] = []
    for at in range(index + 1, min(index + 1 + _NEAR, len(places.all))):
        place = places.all[at]
        is_end = place.block != places.all[index].block or place.table
        if is_end or _NOTE_TO_ENTRY.match(place.text) or not _WORD.search(place.text):
            break
        below.append(at)
    full = [at for at in below if _FULL.search(places.all[at].text)]
    is_numbered = not _WORD.search(places.all[max(index - 1, 0)].text) or places.all[index].number
    if full and (is_numbered or full[0] == index + 1):
        return full[:1]
    return below if len(below) == 1 else []
