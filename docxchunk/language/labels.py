"""The labels of clauses, as they are cited: "§ 2 Abs. 1 lit. a", "paragraph 2.1 of Schedule 2",
"第三条第二款". A label has steps, from a section to an item in it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from enum import Enum
from string import ascii_lowercase
from typing import Final, NamedTuple

from docxchunk.language import clause_words as words
from docxchunk.language.folding import alike, composed, without_accents
from docxchunk.language.numbers import (
    CHINESE,
    GREEK,
    ROMAN,
    TO_TEN,
    in_digits,
    name_first,
    number_of,
    roman_value,
    with_inserted,
)
from docxchunk.language.patterns import pattern

_ANNEX_NAMES: Final = (*without_accents(words.ANNEX_NAMES).split(), "attachment")


def _with_forms(names: Iterable[str]) -> set[str]:
    """Return names of divisions without accents, and their forms."""
    forms = {without_accents(name): spelled for name, spelled in words.FORMS.items()}
    return {
        form for name in names for form in (name, *without_accents(forms.get(name, "")).split())
    }


def _of_rank(*ranks: int) -> list[str]:
    """Return the names of divisions of some ranks, without accents and without annexes."""
    names = without_accents(" ".join(words.DIVISIONS[rank] for rank in ranks)).split()
    return [name for name in names if name not in _ANNEX_NAMES]


_ANNEX_WORDS: Final = _with_forms(_ANNEX_NAMES)
_PART_WORDS: Final = _with_forms(_of_rank(words.PART))
_BODY_RANKS: Final = (words.CHAPTER, words.SECTION, words.SUBSECTION, words.ARTICLE)
_BODY_NAMES: Final = _of_rank(*_BODY_RANKS)
_CLAUSE_WORDS: Final = {
    *_PART_WORDS,
    *_with_forms(_BODY_NAMES),
    *("paragraph", "para", "point", "sec", "art", "cl", "absatz", "ziffer"),
}
LABEL_WORDS: Final = _CLAUSE_WORDS | _ANNEX_WORDS
"""The words before the number of a clause or an annex, in lower case and without accents."""


class Kind(Enum):
    """What a word such as "Sections" names."""

    ANNEX = "annex"
    PART = "part"
    CLAUSE = "clause"
    PARAGRAPH = "paragraph"
    ITEM = "item"


_PARAGRAPH_HEADS: Final = (
    "paragraph paragraphs para paras para. paras. paragraphe paragraphes absatz absatze abs."
)
_ITEM_HEADS: Final = "item items limb limbs point points"
_BELOW_CLAUSES: Final = "clause clauses paragraph paragraphs section sections"
_KINDS: Final = {
    **dict.fromkeys((name.replace("_", " ") for name in _ANNEX_WORDS), Kind.ANNEX),
    **dict.fromkeys(_PART_WORDS, Kind.PART),
    **dict.fromkeys((*_with_forms((*_BODY_NAMES, "ziffer", "пункт")), "ziff."), Kind.CLAUSE),
    **dict.fromkeys(_PARAGRAPH_HEADS.split(), Kind.PARAGRAPH),
    **dict.fromkeys(_ITEM_HEADS.split(), Kind.ITEM),
    **dict.fromkeys((f"sub-{name}" for name in _BELOW_CLAUSES.split()), Kind.ITEM),
    **dict.fromkeys((f"sub{name}" for name in _BELOW_CLAUSES.split()), Kind.ITEM),
}
_SINGULAR: Final = {
    form: name
    for name, forms in words.FORMS.items()
    for form in without_accents(forms).split()
    if without_accents(name) in {*_ANNEX_NAMES, *_of_rank(words.PART)} and form not in _ANNEX_NAMES
}


def kind_of(word: str) -> Kind | None:
    """Return what a word names, as it stands in a sentence: "Sections", "Artículo", "главы"."""
    return _KINDS.get(without_accents(word).lower())


def singular(word: str) -> str:
    """Return the name of a part or annex, "Anhang" for "Anhängen"; other words as they are."""
    name = _SINGULAR.get(without_accents(word).lower())
    return (name.capitalize() if word[:1].isupper() else name) if name else word


_AFTER_NUMBERS: Final = {
    form.rstrip("."): name
    for name in without_accents(words.NUMBERED_BEFORE).split()
    for form in _with_forms([name])
}


def name_after_number(word: str) -> str | None:
    """Return the name of the divisions whose numbers stand before a word: "straipsnis" for "3
    straipsnio", "§" for "3 §"; None for a word that is no such name.
    """
    return _AFTER_NUMBERS.get(without_accents(word).lower().replace("§§", "§"))


_ANNEX_RANK: Final = -1
_ANY_CLAUSE: Final = -2
_RANKS: Final = {
    **{name: rank for rank in (words.PART, *_BODY_RANKS) for name in _with_forms(_of_rank(rank))},
    **dict.fromkeys(_with_forms("clause clausula clausola klauzula".split()), _ANY_CLAUSE),
    **dict.fromkeys(("cl", "§", "§§"), _ANY_CLAUSE),
    **dict.fromkeys(("sec",), words.SECTION),
    **dict.fromkeys(("art",), words.ARTICLE),
    **dict.fromkeys(_ANNEX_WORDS, _ANNEX_RANK),
}
"""What kind of division a word names. A "clause" or "§" may be a section or an article."""
_LARGE_RANKS: Final = (_ANNEX_RANK, words.PART, words.CHAPTER)
_CLAUSE_RANKS: Final = {words.SECTION, words.ARTICLE, _ANY_CLAUSE}


def _alternatives(names: Iterable[str]) -> str:
    longest_first = sorted(set(names), key=lambda name: (-len(name), name))
    return "|".join(map(re.escape, longest_first)).replace("_", r"\s")


_BEGINNING: Final = re.compile(r"[^\w§]*(?P<word>phu\sluc|§§?|[^\W\d_][^\s\d§.:,()（）_-]*)\.?")
_BEFORE_NUMBER: Final = re.compile(r"\s+(?=\W*\w)|(?=\d)")
_RANKED_ARTICLE: Final = re.compile(r"[第제]\w{1,10}?[条條조]")
_ANNEX: Final = re.compile(r"(annex|appendi|schedule|exhibit)(?:es|ces|x|s|e)?(?=\w)")
_CHINESE_WORDS: Final = {"article": "条", "chapter": "章", "section": "节", "part": "编"}
_DIVISION_WORD: Final = re.compile(rf"\s*({'|'.join(_CHINESE_WORDS)})s?\b", re.IGNORECASE)
_NORMAL_ARTICLE: Final = re.compile(r"^第(\d+)[条조](?=$|\.)")
_ORDINAL_SIGN: Final = re.compile(
    r"(?:(?<=\d)|(?<=\bi))(?:er|re|ère)(?!\w)|(?<=\d)[ºª°]", re.IGNORECASE
)

# -- the steps of a label

_BODY_WORDS: Final = " ".join((words.DIVISIONS[words.SECTION], words.DIVISIONS[words.ARTICLE]))
_RECITALS: Final = "recital erwägungsgrund considérant considerando"
_PARAGRAPHS: Final = (
    "paragraph para absatz abs paragraphe alinéa apartado párrafo parágrafo comma subparagraph "
    "sub-paragraph"
)
_SENTENCES: Final = "sentence satz s phrase"
_ITEMS: Final = (
    "point punkt punto item indent letter lit litera buchstabe buchst lettre letra lettera nummer "
    "nr ziff numéro número subsection sub-section subclause sub-clause"
)


def _any_of(*names: str) -> str:
    """Return a pattern of some words, without accents, also in the plural and with a full stop."""
    return rf"(?:{_alternatives(without_accents(' '.join(names)).split())})s?\.?"


_FIRST_WORD: Final = _any_of(*LABEL_WORDS, _RECITALS)
# without the forms that names have in sentences
_NAMES: Final = {*_ANNEX_NAMES, *_of_rank(words.PART), *_BODY_NAMES}
_WORD: Final = _any_of(*_NAMES, _RECITALS, _PARAGRAPHS, _SENTENCES, _ITEMS)
_GAP: Final = r"(?:\s+|(?=[\d(])|(?<=[.§]))"  # between a word and its number
_LETTER: Final = rf"(?:[a-z]|{'|'.join(2 * letter for letter in ascii_lowercase)}|[ivx]{{2,5}})"
_ENCLOSED: Final = rf"\((?:\d{{1,3}}[a-z]?|{_LETTER})\)"
_NUMBER: Final = (
    rf"(?:(?:\d+(?:er|re|[a-z])?|(?-i:[A-Z{words.CYRILLIC_LETTERS.upper()}]|[IVXLC]+)\b|{GREEK})"
    rf"(?:\.\w{{1,4}}\b)*"
    rf"(?:\s(?:{'|'.join(words.INSERTED.split())})\b)?"
    rf"|{_ENCLOSED})"
)
_BELOW: Final = rf"(?:\s?{_ENCLOSED}|\s?{_LETTER}\))*"
_DIGITS: Final = f"[{CHINESE}两0-9]{{1,6}}"
_ARTICLE: Final = (
    r"[第제]\w{1,10}?(?:\.\d{1,3})*[条條조章节節编編篇편장절관]"
    rf"(?:之[{TO_TEN}]+)?"
)
_ASIAN_ANNEX: Final = rf"附[件录錄]{_DIGITS}|{words.KOREAN_ANNEX}"
_NUMBER_FIRST: Final = (
    r"(?<![\w.])(?:\d{1,4}(?:\s?[a-z](?!\w))?|(?-i:[IVXLC]{1,7}))\.?\s?"
    rf"(?:§§?|(?:{_alternatives(_AFTER_NUMBERS.keys() - {'§', '§§'})})(?!\w)\.?)"
)
_FIRST: Final = (
    rf"(?:{_FIRST_WORD}{_GAP}{_NUMBER}{_BELOW}|{_ASIAN_ANNEX}|{_ARTICLE}|{_NUMBER_FIRST})"
)
_OTHER: Final = (
    rf"(?:{_WORD}{_GAP}(?:{_NUMBER}|{_LETTER}(?:\)|\b)){_BELOW}"
    rf"|{_ARTICLE}|[第제]?[(（]?{_DIGITS}[)）]?[款项項目항호목]|（{_DIGITS}）)"
)
_OF: Final = (
    r"\s(?:of(?:\sthe|\sthis)?|to|in|des|der|von|zu|du|de(?:\sl['’]|\sla)?|del(?:la|l['’])?)\s?"
)
_AFTER: Final = rf"(?:[\s,]{{0,3}}{_OTHER})*"
LABEL: Final = rf"(?:(?:{_OTHER}{_AFTER}{_OF})*{_FIRST}{_AFTER})"
"""The pattern of a label in a text without accents, without regard to case."""
TITLE: Final = r"\s?[(（][^()（）\d][^()（）]{2,79}[)）]"
"""The pattern of the title of a clause after its label: "Clause 4.1 (Termination)"."""
_WHOLE: Final = pattern(rf"({LABEL})(?:{TITLE})?\.?", re.IGNORECASE)
_BETWEEN: Final = pattern(_OF, re.IGNORECASE)
_UNIT: Final = pattern(
    rf"(?P<first>{_NUMBER_FIRST})|"
    rf"(?P<word>{_WORD}){_GAP}(?P<number>{_NUMBER}|{_LETTER})|{_ENCLOSED}|{_LETTER}\)|{_ASIAN_ANNEX}"
    rf"|(?P<article>{_ARTICLE})|[第제]?[(（]?(?P<digits>{_DIGITS})[)）]?(?P<unit>[款项項目항호목])"
    rf"|（{_DIGITS}）",
    re.IGNORECASE,
)
_OF_BODY: Final = pattern(
    rf"[^\w§]*(?:{_any_of(_BODY_WORDS)}(?![^\W\d_])|{_ARTICLE})", re.IGNORECASE
)


_OF_ANNEX: Final = pattern(
    rf"(?:{_alternatives(_ANNEX_WORDS)})(?![^\W\d_])|附[件录錄表]|{words.KOREAN_ANNEX}",
    re.IGNORECASE,
)


class Step(NamedTuple):
    """A step of a label.

    - `text`: "Article 2".
    - `keys`: the numbers that it may mean, in normal form, the most likely first.
    - `is_paragraph`: whether it is a paragraph, "Abs. 1", which may have no number in the document.
    - `is_recital`: whether it is a recital.
    """

    text: str
    keys: tuple[str, ...]
    is_paragraph: bool = False
    is_recital: bool = False


def steps_of(label: str) -> list[Step]:
    """Return the steps of a label, the outermost first; [] if the text is not a label. The number
    of a sentence is left out, because sentences have no numbers in documents.
    """
    match = _WHOLE.fullmatch(without_accents(with_inserted(label)))
    if match is None:
        return []
    parts = reversed(_BETWEEN.split(match[1]))
    units = (unit for part in parts for unit in _UNIT.finditer(part))
    return [_step(unit) for unit in units if not _is_one_of(_SENTENCES, unit["word"])]


def is_of_body(label: str) -> bool:
    """Return whether a label has a word for the clauses of a contract or law, such as "clause" or
    "article", and not one for those of its annexes.
    """
    return _OF_BODY.match(without_accents(label)) is not None


def _step(unit: re.Match[str]) -> Step:
    if unit["first"]:
        return Step(unit[0], (normal(unit[0]),))
    if unit["article"]:
        number = re.search(r"(?<!\d)\d++(?:\.\d+)+", unit["article"])
        text = number[0] if number else unit["article"]
        return Step(text, (normal(text),))
    if unit["digits"]:
        value = number_of(f"第{unit['digits']}条 ")
        keys = (unit["digits"], str(value.path[0]) if value else unit["digits"])
        is_paragraph = unit["unit"] in "款항"
        return Step(unit[0], keys[1:] if is_paragraph else keys, is_paragraph)
    keys = normal(unit[0]), normal(unit["number"] or unit[0])
    word = unit["word"]
    has_word = word and kind_of(word.lower().rstrip(".")) in (Kind.ANNEX, Kind.PART)
    return Step(
        unit[0],
        keys[:1] if has_word else keys,  # "Part 2" is no "2."
        _is_one_of(_PARAGRAPHS, word),
        _is_one_of(_RECITALS, word),
    )


def _is_one_of(names: str, word: str | None) -> bool:
    """Return whether a word is one of some names, also in the plural or with a full stop."""
    return word is not None and re.fullmatch(_any_of(names), word, re.IGNORECASE) is not None


# -- normal forms


def without_word(number: str) -> str:
    """Return a number without the word for a clause: "8.2" for "Section 8.2". The word for an
    annex stays.
    """
    number = name_first(number)
    word = _BEGINNING.match(without_accents(number))
    if word is None or _known(word, _CLAUSE_WORDS) is None:
        return number
    gap = _BEFORE_NUMBER.match(number, word.end())
    return number[gap.end() :] if gap else number


def _known(word: re.Match[str], names: Container[str]) -> str | None:
    """Return the name of a division that a label begins with, if it is one of these."""
    name = re.sub(r"\s", "_", word["word"].lower())
    forms = name, f"{name}.", name.removesuffix("s")
    return next((form for form in forms if form in names), None)


_MOST_DIVISIONS: Final = 16  # in a number, each of the next: 第二章第三条


def normal(number: str) -> str:
    """Return the normal form of a number: "8.2 (a)", "8.2.(a)" and "8.2.a" have the same one, and
    so have "第二十二条" and "第22条", "Article 1er" and "Article 1", "Artículo 2" and "Articulo 2".
    """
    number = in_digits(with_inserted(number.strip()))
    divisions: list[str] = []
    while len(divisions) < _MOST_DIVISIONS and number[:1] in ("第", "제"):
        division = number_of(f"{number} ")
        if division is None:
            break
        inserted = f"之{division.inserted}" if division.inserted else ""
        divisions.append(f"第{division.path[0]}{division.kind}{inserted}")
        number = number[division.length :].strip()
    together = re.sub(r"\s+", "", alike(_ORDINAL_SIGN.sub("", number))).lower()
    together = re.sub(r"\d", lambda digit: str(int(digit[0])), together)  # Persian, Thai
    return ".".join(divisions + re.findall(r"[\w§]+", _ANNEX.sub(r"\1", together, count=1)))


def normal_without_word(number: str) -> str:
    """Return the normal form of a number without the word for a clause: "8.2" for "Section 8.2",
    "22" for "第二十二条".
    """
    return _NORMAL_ARTICLE.sub(r"\1", normal(without_word(in_digits(composed(number)))))


def meanings(name: str) -> list[str]:
    """Return the normal forms of the numbers that a name may mean, the most likely first: "Article
    22" may be "第二十二条" or "22", and "4.2 b)" is "4.2(b)".
    """
    name = in_digits(name)
    bare = without_word(name)
    word = _DIVISION_WORD.match(name)
    chinese = f"第{normal(bare)}{_CHINESE_WORDS[word[1].lower()]}" if word else ""
    apart = ".".join(re.findall(r"\d+|[^\W\d_]+", bare.lower()))
    return list(filter(None, dict.fromkeys([normal(name), chinese, normal(bare), apart])))


def _rank_of(label: str) -> int | None:
    """Return what the word of a label names; None for a number alone and for "paragraph"."""
    label = without_accents(in_digits(label))
    if _RANKED_ARTICLE.match(label):
        return words.ARTICLE
    word = _BEGINNING.match(label)
    return _RANKS.get(_known(word, _RANKS) or "") if word else None


def has_division(label: str) -> bool:
    """Return whether a label begins with a word for a division, as "Section 2" does."""
    return _rank_of(label) is not None


def arabic_number(label: str) -> str:
    """Return the number of a label in Arabic digits: "4" for "Article IV". Return "" for a label
    without a word, such as "IV", and for an annex: "Annex I" may be the ninth.
    """
    if _rank_of(label) in (None, _ANNEX_RANK):
        return ""
    number = normal_without_word(label)
    return str(roman_value(number)) if ROMAN.fullmatch(number) else number


def fits(name: str, label: str) -> bool:
    """Return whether the word of a name fits the label that a document prints: "Section 2" fits
    "2." and "§ 2", but not "Article 2" and "Part 2". A part always has its word. A number alone
    fits any label.
    """
    named, printed = _rank_of(name), _rank_of(label)
    if named is None or named == printed:
        return True
    if printed is None:
        return named != words.PART
    return _ANY_CLAUSE in (named, printed) and {named, printed} <= _CLAUSE_RANKS


def may_contain(label: str, name: str) -> bool:
    """Return whether a division may have others of the kind that a name says, which count anew:
    "Annex B" and "Article II" may have a "Section 2".
    """
    above, named = _rank_of(label), _rank_of(name)
    return above in _LARGE_RANKS or {above, named} == {words.SECTION, words.ARTICLE}


def is_of_part(label: str) -> bool:
    """Return whether a label is that of a part, as "Part 2" is."""
    return kind_of(label.partition(" ")[0]) is Kind.PART


def is_of_annex(label: str) -> bool:
    """Return whether a label begins with a word for an annex: "Schedule 2", "附件一"."""
    return _OF_ANNEX.match(without_accents(label)) is not None
