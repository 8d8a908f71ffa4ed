"""Find the references in a text: "clause 8.2(a)", "paragraph 1 of Part 2 of Schedule 1", "第三条".

References to other laws and contracts are left out: "section 3 of the Companies Act 2006", "§ 823
BGB", "article 3 du Code civil", "《民法典》第三条".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from docxchunk.language.clause_words import CYRILLIC_LETTERS, DIVISIONS
from docxchunk.language.labels import Kind, kind_of, may_contain, name_after_number, singular
from docxchunk.language.numbers import CHINESE, TO_TEN, end_in_words
from docxchunk.language.patterns import pattern

# -- numbers

# capital letters, but not "the clause I wrote"
_NO_PRONOUN: Final = r"(?!I\s+(?!of|to|and|or|hereof|above|below)[a-z])"
_LETTERS: Final = rf"(?-i:{_NO_PRONOUN}[A-Z]\b|[IVXLC]{{2,}}\b)"
# after another one: "Articles II, III and V", but not "Article II and V Corp."
_ROMAN: Final = rf"(?-i:[IVXLC]{{2,}}(?![\w-])|{_NO_PRONOUN}[IVX](?![\w’'-]|\.\w|\s+[A-Z]))"
_DOTTED: Final = r"(?:\d{1,3}|(?-i:[A-Z]))(?:\.\d{1,3})+(?![A-Za-z0-9]|\.\d)"
# "bis" is Latin, but in German it is "to": "§§ 3 bis 5", "§ 3 bis § 5", "bis zum 1. Mai"
_TO_GERMAN: Final = (
    r"bis(?=\s+(?:zu[mr]?\b|einschließlich|(?:(?:§§?|art(?:ikel|\.)|ziff(?:er|\.))\s*)?\d))"
)
_INSERTED: Final = rf"(?!{_TO_GERMAN})(?:bis|ter|quater)\b"
_PLAIN: Final = rf"\d+(?:\.\d+)*(?:er|[a-z])?(?![A-Za-z0-9]|\.\d)(?:\s{_INSERTED})?"
_IN_CODE: Final = r"(?-i:[LRD])\.\s?\d+(?:-\d+)*"  # "article L. 1331-1"
_OF_CODE: Final = pattern(_IN_CODE)
_NUMBER: Final = pattern(rf"{_IN_CODE}|{_DOTTED}|{_PLAIN}|{_LETTERS}", re.IGNORECASE)
_OF_ANNEX: Final = pattern(
    rf"{_DOTTED}|{_PLAIN}|(?-i:[A-Z{CYRILLIC_LETTERS.upper()}]|[IVXLC]{{2,}})\b", re.IGNORECASE
)
_DIGITS_FIRST: Final = pattern(rf"{_DOTTED}|{_PLAIN}", re.IGNORECASE)
_AFTER_ROMAN: Final = pattern(rf"{_DIGITS_FIRST.pattern}|{_ROMAN}", re.IGNORECASE)
_UNITS: Final = (
    r"[%‰°€$£×±]|(?:per\s*cent|percent|prozent|times|million|billion|hours?|days?|months?|weeks?|"
    r"years?|business\s+days?|tagen?|monaten?|jahren?|jours?|mois|eur|gbp|usd|euros?|pounds?|"
    r"[mck]?m|[mk]?g|[mk]?[vwa]|k?hz|[mk]?pa|[kmg]b|ml|bar)\b"
)
_AMOUNT: Final = pattern(rf"\d|[.,:/]\d|\s*(?:{_UNITS})", re.IGNORECASE)

# the title of a section in brackets after its number: "Section 3 (Term)"
_TITLE: Final = pattern(r"\s*\((?:(?-i:[A-Z][a-z]\w{0,2})|[^()]{5,80})\)")
_AND: Final = r"and|or|und|oder|et|ou|y|e|o|i|и|или"
_JOINED: Final = (
    rf"\s*,(?:\s*(?:{_AND})\s)?\s*|\s*[–-]\s*|\s+(?:(?:{_AND})(?:\s?/\s?(?:{_AND}))?|"
    r"to|through|bis(?:\s+einschließlich)?|à)\s+"
)
_JOINT: Final = pattern(_JOINED, re.IGNORECASE)
# after a word of a language in which these do not mean "has", "in" and the like
_OTHER_JOINTS: Final = (
    (pattern(r"(?!par)\w+[oai]s?|art[st]\.", re.IGNORECASE), pattern(r"\s+al?\s+")),
    (
        pattern("artikel(?:en)?|hoofdstuk(?:ken)?|bijlagen?", re.IGNORECASE),
        pattern(r"\s+(?:en|of|tot(?:\s+en\s+met)?|t/m)\s+"),
    ),
)
_FROM: Final = pattern(r"da\s+(?=[\d.]+\s+a\s+\d)")  # "articoli da 3 a 5"
_BELOW: Final = pattern(rf"(?:{_TITLE.pattern})?,?\s+")
_RANGE: Final = pattern(r"\s*(?:[–-]|\b(?:to|through|bis|[àa]|al|tot|t/m)\b)", re.IGNORECASE)
_ITEM: Final = pattern(r"\s?\((\w{1,4})\)")
_ITEM_ALONE: Final = pattern(r"\((?:[a-z]{1,2}|[ivxl]{1,5}|[A-Z]|\d{1,2})\)")

_BARE: Final = pattern(r"\d{1,2}[a-z]?(?![\w.])", re.IGNORECASE)

# -- words

# Thai, and names with vowels that are signs on letters
_SIGNED: Final = "|".join(
    name
    for names in DIVISIONS.values()
    for name in names.split()
    if name > "\u0900" and not name.isalpha()
)
_THAI: Final = "มาตรา|หมวด|(?<!หัว)ข้อ"  # there are no blanks before words
_HEAD: Final = pattern(
    rf"(?<!\w)(?P<signed>{_SIGNED})(?:[^\S\t]+|(?=\d))|(?=[มหข])(?P<thai>{_THAI})(?:[^\S\t]+|(?=\d))|"
    r"(?<!\w)(?P<word>§{1,2}|ph[uụ]\sl[uụ]c|(?<!\bт\.)(?<!\bт\.\s)п\.|"
    r"(?<!\bстал[иь]\s)(?:sub-)?[^\W\d_ก-๛]{2,20}\.?)(?:[^\S\t]+|(?<=[.§])|(?=\d))",
    re.IGNORECASE,
)
# without a word for a clause, as in standards: "see 4.1", "the values in 4.1.2"
_LEAD: Final = pattern(
    r"(?<!\w)(?:(?:see|siehe|vgl\.|voir|véase|vedi|point|punkt|follow|subclause|"
    rf"accordance\s+with|according\s+to|(?:defined|specified|given|described)\s+in)\s+(?={_DOTTED})|"
    r"(?:of|in|with|to)\s+(?=(?:\d{1,3}\.|(?-i:[A-Z]))\d{0,3}\.\d))",
    re.IGNORECASE,
)
_SENTENCE: Final = pattern(r",?\s*(?:Unterabs(?:atz|\.)|Satz|S\.)\s*\d+(?!\w)")
_WORDED_ITEM: Final = pattern(
    r",?\s*(?:abs(?:atz|\.)|nr\.|nummer|lit\.|buchst(?:abe|\.)|(?:sub-?)?paragraphe?|points?|"
    r"alinéa|letter[ae]?|items?)\s*\(?(?P<item>\d+[a-z]?|[a-z])(?!\w)\)?"
    r"(?!\s+(?:of|to)\s+(?:this\s+|the\s+)?(?:part|annex|schedule|appendix|exhibit|anhang|anlage)\b)",
    re.IGNORECASE,
)
_CLOSED_ITEM: Final = pattern(r"\s?([a-z]|[ivx]{2,4}|(?<=\)\s)\d{1,2})\)")

_THIS: Final = (
    r"this|these|the\s+present|dies(?:e[smr]?)|(?:der|des|dem)\s+vorliegenden|"
    r"(?:le|la|du|de\s+la|des)\s+présente?s?|(?:el|la|del|de\s+la|della)\s+presente"
)
_OF: Final = (
    r"\s*+(?:,\s*+)?(?:of|in|under|to|der|des|du|del|della|dell[’']|do|da|"
    r"de\s+l[’']|de\s+la|de|van|(?<=[^,\s]\s)(?=ст\.|стать|раздел|глав|приложени))\b"
)
_CONTAINER: Final = pattern(
    rf"(?:{_TITLE.pattern})?{_OF}\s*(?P<which>(?:{_THIS}|the|that|such)\s+)?"
    rf"(?P<word>§§?|[^\W\d_]{{2,20}})(?:(?<=§)\s*|\b\.?\s*)(?P<number>(?:{_NUMBER.pattern}))?",
    re.IGNORECASE,
)

# -- other texts

_LAWS: Final = (
    "Act|Acts|Law|Code|Regulations?|Directive|Treaty|Convention|Statute|Ordinance|Constitution|"
    "Protocol|Order|Rules|Bylaws"
)
_CONTRACTS: Final = (
    "Agreement|Contract|Deed|Lease|Licen[cs]e|Indenture|Guarantee|Policy|Plan|Terms|Conditions"
)
_NAME_WORD: Final = r"(?:(?-i:[A-ZÀ-Þ])[\w’'&.-]*+|of|and|on|for|the|to|in|\([^()]{1,40}\))\s++"
_OTHER: Final = pattern(
    rf"(?:{_TITLE.pattern})?{_OF}\s*(?P<which>(?:the|that|such|said)\s+)?"
    rf"(?P<name>(?:{_NAME_WORD}){{0,8}}?"
    rf"(?-i:{_LAWS}|{_CONTRACTS})\b)"
    r"(?P<identifier>\s*\(?(?:EU|EC|EG|UE|CE)\b|\s+(?:No\.?\s*|Nr\.\s*|n[°º]\s*)?\d)?",
    re.IGNORECASE,
)
# parts beside the clauses, and names in capital letters: "section 6 of the Front Sheet"
_PART_NAMES: Final = (
    r"(?:(?:front|cover|data)\s+(?:sheet|page)|order\s+form|purchase\s+order|"
    r"statement\s+of\s+work|(?:special|general)\s+conditions|contract\s+(?:data|particulars))\b"
)
_OTHER_PART: Final = pattern(
    rf"(?:{_TITLE.pattern})?\s+of\s+(?:the|that|its|their|such|said)\s+(?P<name>{_PART_NAMES}|"
    r"(?-i:(?:[A-Z][\w’'&-]*\s+){0,4}[A-Z][a-z][\w’'&-]*))",
    re.IGNORECASE,
)
# in other languages, each name: "§ 5 der Gewerbeordnung", "article 3 du Code civil"
_NAMED: Final = r"(?-i:[A-ZÀ-Þ])[\w-]{2,60}+"
_OTHER_FOREIGN: Final = pattern(
    r"\s*+(?:der|des|del|della|dell[’']|du|de\s+la|de\s+l[’']|do|da|van)\b\s*+"
    rf"(?P<name>{_NAMED})",
    re.IGNORECASE,
)
_OTHER_RUSSIAN: Final = pattern(  # "ст. 3 ГК РФ", "статьи 3 Трудового кодекса"
    r"\s+(?:[А-ЯЁ]{2,8}\b|(?!данного)(?:[А-ЯЁа-яё-]+(?:ого|ой|их|ых)\s+){0,3}"
    r"(?P<stem>(?i:закон|кодекс|конституци|указ|постановлени|устав))[аия]\b)"
)
_STANDARD: Final = pattern(r"(?:\s*,)?\s+(?:of|in|to)\s+(?:ISO|IEC|EN|DIN|BS|ASTM|IEEE|GB)\b")
_DATED_ACT: Final = pattern(r",?\s+(?:[A-Z]\w+\s+){1,6}Act\s+\d{4}\b")  # without "of the"
# before a number: "28 U.S.C. § 586", "the Companies Act 2006, section 3", "ISO 9000:2015, clause 3"
_NAME_BEFORE: Final = pattern(
    r"(?:\b(?:U\.?\s?S\.?\s?C|C\.?\s?F\.?\s?R)\.?|\bAct\s+\d{4},?|"
    r"\b(?:ISO|IEC|EN|DIN|BS)\b[\w/ :-]{0,40}\d,)\s*\(?$"
)
_PART_BEFORE: Final = pattern(  # "Front Sheet, section 6"
    rf"\b(?P<name>{_PART_NAMES})(?:\s*[,:]|\s+at)?\s*\(?$", re.IGNORECASE
)
# "BGB", "UStG", "DS-GVO", with the number of a paragraph before it: "§ 437 II BGB"
_ABBREVIATION: Final = pattern(
    r"(?:\s+[IVX]+)?\s+(?=(?:[\w-]*[A-ZÄÖÜ]){2})(?![IVXLC]+\b)[A-ZÄÖÜ][\w-]{1,12}\b"
)
_ABBREVIATED_AFTER: Final = pattern(r"§|art", re.IGNORECASE)
_CONTRACT: Final = pattern(f"{_CONTRACTS}|vertrag|contrat|accord|contrato|contratto", re.IGNORECASE)
_OWN_NAME: Final = pattern(
    rf"\b(?:{_THIS})\s+"
    rf"(?P<name>(?:[\w’'-]++\s++){{0,4}}?(?:{_LAWS}|{_CONTRACTS})\b|{_NAMED})",
    re.IGNORECASE,
)

# -- numbers before their names

_ONE: Final = r"(?:\d{1,4}(?:\s?[a-z](?!\w))?+|[IVXLC]{1,7}(?!\w))\.?+"
_NUMBER_ENDS: Final = pattern(r"(?<![\w.,])\d{1,4}\.?\s*$")
_NUMBERS_FIRST: Final = pattern(
    rf"(?<![\w.,§])(?<!§\s)(?P<numbers>{_ONE}(?:\s*+(?:[–,-]|(?:och|ja|tai|és|ir|un|in)\b)\s*+{_ONE}){{0,4}}+)"
    r"\s*+(?P<name>§§?(?!\s*\d)|[^\W\d_]{3,14}+)"
)
_EACH_FIRST: Final = pattern(r"(?<!\w)(?:\d++(?:\s?[a-z](?!\w))?|[IVXLC]++)")
_OF_OTHER_LAW: Final = pattern(
    r"\s+(?:i\s+)?(?:\w*(?:lagen|balken|lain|kaaren)\b|zakona\b|likuma\b)"
)
_OTHER_LAW: Final = pattern(
    r"(?:(?<!šio\s)(?<!tämän\s)(?<!šī\s)\b\w*(?:lain|lagens|kodekso|įstatymo|likuma|törvény|tv\.|Ptk\.))\s*$"
)

# -- Chinese

_NUMERALS: Final = rf"[{CHINESE}\d]{{1,8}}"
_UNIT: Final = "[编編章节節条條]"
_CJK: Final = (
    rf"(?:第{_NUMERALS}{_UNIT}(?:之[{TO_TEN}]+)?|"
    r"제\d{1,4}[편장절관조](?:의\d{1,2})?|"
    rf"附[件录錄表]\s?(?:[{TO_TEN}]{{1,3}}|\d{{1,2}}|[A-Z]\b))"
)
_CJK_TO: Final = "[至到～〜]|から"
_CJK_JOINT: Final = rf"\s*(?:[、，和与與及或]|{_CJK_TO})\s*"
# "第三、五条" is 第三条 and 第五条
_CJK_SHORT: Final = rf"第{_NUMERALS}(?:{_CJK_JOINT}{_NUMERALS})+(?={_UNIT})"
_CJK_LIST: Final = pattern(rf"(?:{_CJK_SHORT}{_UNIT}|{_CJK})(?:{_CJK_JOINT}{_CJK})*")
_CJK_NUMBER: Final = pattern(
    rf"{_CJK}|第?(?P<short>{_NUMERALS})(?=(?:{_CJK_JOINT}{_NUMERALS})*(?P<unit>{_UNIT}))"
)
_CJK_RANGE: Final = pattern(rf"\s*(?:{_CJK_TO})\s*")
_CJK_OTHER: Final = pattern(
    r"(?:》(?:（[^（）]*）)?|(?<![本该該])(?:法典|(?<![本该該宪憲方办辦])法|(?<!本)[条條]例))$"
)
_DEEPEST: Final = 12  # items in items, and parts of parts
_LONGEST_TITLE: Final = 60  # characters
_FIRST_LINES: Final = 3  # of a document, among which its title is
_SELF: Final = "this "
_BEFORE: Final = 40  # characters before a number that may name another law


class Container(NamedTuple):
    """The part of a document that a reference names after "of": "Schedule 2", "this Part".

    - `word`: "Schedule", "Part".
    - `number`: "2"; "" if it has none.
    - `which`: "this", "the", "that"; "" if none of these precedes.
    """

    word: str
    number: str
    which: str


class Reference(NamedTuple):
    """A reference in a text.

    - `numbers`: one number or, for a range, the first and the last one. Each is a tuple of the ways
      to read it, the most precise first: "2(1)(b)", "2(1)", "2". A number may have only items, such
      as "(b)", which are near the reference.
    - `span`: the characters of the reference.
    - `containers`: what has the number, the innermost first.
    - `is_paragraph`: whether it may be a number in the section of the reference.
    - `is_certain`: whether it is a reference even if the document does not have the number.
    - `word`: the word before the number, "Sections"; "" if it has none, or a name in place of it.
    - `above`: the reference before it to what may have the number: that to Article II in "Article
      II, Section 2".
    """

    numbers: tuple[tuple[str, ...], ...]
    span: tuple[int, int]
    containers: tuple[Container, ...] = ()
    is_paragraph: bool = False
    is_certain: bool = True
    word: str = ""
    above: Reference | None = None

    def as_containers(self) -> tuple[Container, ...]:
        """Return what has the number of another reference after this one."""
        number = self.numbers[0][0].removeprefix(f"{singular(self.word)} ")
        return (Container(singular(self.word), number, ""),)

    @property
    def of(self) -> str:
        """What has the number, as words after it: " of Part 2 of Schedule 1"."""
        parts = (filter(None, (each.which, each.word, each.number)) for each in self.containers)
        return "".join(f" of {' '.join(part)}" for part in parts)


class _ListedNumber(NamedTuple):
    """A number of a list: its first part, its items, and the end of its text."""

    main: str
    items: tuple[str, ...]
    end: int
    readings: tuple[str, ...]
    is_worded: bool = False  # its last item is one such as "Abs. 2"


def own_names(texts: Iterable[str]) -> set[str]:
    """Return the names that a document uses for itself, in lower case.

    - "services agreement": the document says "this Services Agreement", or a short line has only
      these words.
    - "this services agreement": the document says so, or one of its first lines ends with "Services
      Agreement". After "this", only these names are sure to mean the document, and not a part.
    """
    names: set[str] = set()
    for number, text in enumerate(texts):
        names.update(f"{this}{m['name']}" for m in _OWN_NAME.finditer(text) for this in ("", _SELF))
        if len(text) <= _LONGEST_TITLE:
            names.add(text)
            if number < _FIRST_LINES:
                names.update(f"{_SELF}{name}" for name in (text, *text.split()[-1:]))
    return {_plain_name(name) for name in names}


def _plain_name(name: str) -> str:
    return " ".join(re.sub(r"(?<=[gz])(?:e?s)\b", "", name.casefold()).split())


class _Head(NamedTuple):
    """What a reference begins with: the word for its numbers, such as "Sections", or another word,
    such as "see".
    """

    start: int
    end: int
    word: str  # "" for another
    kind: Kind | None

    @property
    def is_named(self) -> bool:
        """Whether the word is a part of the number: "Annex B"."""
        return self.kind in (Kind.ANNEX, Kind.PART)


def _heads(text: str, start: int) -> list[_Head]:
    """Return what the references in a text may begin with, in order."""
    heads = [_Head(*match.span(), "", None) for match in _LEAD.finditer(text, start)]
    for match in _HEAD.finditer(text, start):
        word = match["word"] or match["signed"] or match["thai"]
        kind = kind_of(word)
        if kind and _has_number_before(text, match.start(), word):
            continue  # "3 straipsnio 2 dalis"
        if kind is Kind.ITEM and not text.startswith("(", match.end()):
            continue
        if kind or (word[0].isupper() and end_in_words(text, match.start())):
            heads.append(_Head(*match.span(), word, kind))
    return sorted(heads)


def _has_number_before(text: str, start: int, word: str) -> bool:
    """Return whether the number of a name that begins at `start` is before it: "3 straipsnio"."""
    if word[0] == "§" or name_after_number(word.rstrip(".")) is None:
        return False
    return _NUMBER_ENDS.search(text, max(start - _BEFORE, 0), start) is not None


def references_in(text: str, own: AbstractSet[str], start: int = 0) -> Iterator[Reference]:
    """Yield the references in a text from character `start` on: those in Latin script, then the
    Chinese ones. `own` are the names of the document (see `own_names`).
    """
    before: Reference | None = None
    for head in _heads(text, start):
        if head.start < start or not (listed := _listed(text, head)):
            continue
        above = before if before and _is_below(text, before, head) else None
        if before and not above:
            yield before
        before = None
        containers, end = _containers(text, listed[-1][-1].end)
        first = above.span[0] if above else head.start
        start, word = end, text[head.start : end]
        if _follows_name(text, first, own) or _is_of_other(text, end, own, word):
            continue
        references = [
            Reference(
                tuple(listing.readings for listing in group),
                (first, end),
                containers,
                head.kind is Kind.PARAGRAPH,
                head.kind not in (None, Kind.PART)
                and bool(main := group[0].main)
                and not _OF_CODE.match(main)
                and not (head.kind is Kind.ANNEX and main[0].isdigit()),
                head.word,
                above,
            )
            for group in listed
        ]
        if above is None and len(references) == 1 and _may_be_above(references[0]):
            before = references[0]
        else:
            yield from references
    if before:
        yield before
    yield from _numbers_first(text)
    yield from _chinese(text)


def _may_be_above(reference: Reference) -> bool:
    """Return whether a reference is to one division, which the next one may be below."""
    is_one = len(reference.numbers) == len(reference.numbers[0]) == 1
    return is_one and reference.is_certain and not reference.containers


def _is_below(text: str, above: Reference, head: _Head) -> bool:
    """Return whether the reference that begins with a head may be to a part of the one before it:
    "Article II, Section 2".
    """
    return (
        head.kind in (Kind.CLAUSE, Kind.PARAGRAPH)
        and _BELOW.fullmatch(text, above.span[1], head.start) is not None
        and may_contain(f"{above.word} ", f"{head.word} ")
    )


def _listed(text: str, head: _Head) -> list[list[_ListedNumber]]:
    """Return the numbers after a word such as "Sections", in groups: one number, or the first and
    the last one of a range.
    """
    if end := end_in_words(text, head.start):
        name = text[head.start : end]
        return [[_ListedNumber(name, (), end, (name,))]]
    word = head.word
    kind = f"{singular(word)} " if head.is_named else ""
    # "Annex I", but not "the annex I wrote"; "приложение А"
    takes_letters = kind[:1].isupper() or not kind.isascii()
    start = origin.end() if (origin := _FROM.match(text, head.end)) else head.end
    first = _numbered(text, start, kind, _OF_ANNEX if takes_letters else _NUMBER)
    if first is None or (not word and _AMOUNT.match(text, first.end)):
        return []
    groups = [[first]]
    while True:
        last = groups[-1][-1]
        title = _TITLE.match(text, last.end)
        joint = _joint(text, title.end() if title else last.end, word)
        if joint is None:
            return groups
        is_range, start = _RANGE.match(joint[0]) is not None, joint.end()
        if is_range and (again := _HEAD.match(text, start)) and kind_of(again["word"]) is head.kind:
            start = again.end()  # "§ 3 bis § 5", "Clause 3.1 to Clause 3.2"
        following = _continued(text, start, kind, last, is_plural=word == "§§")
        if following is None:
            return groups
        if is_range and len(groups[-1]) == 1:
            groups[-1].append(following)
        else:
            groups.append([following])


def _joint(text: str, start: int, word: str) -> re.Match[str] | None:
    """Return the match of ", ", " and " or the like at a character between two numbers; None
    without one. `word` is the word before the first number, such as "Sections".
    """
    others = (joint for words, joint in _OTHER_JOINTS if words.fullmatch(word))
    matches = (joint.match(text, start) for joint in others)
    return _JOINT.match(text, start) or next(filter(None, matches), None)


def _continued(
    text: str, start: int, kind: str, last: _ListedNumber, *, is_plural: bool
) -> _ListedNumber | None:
    """Return the number that follows another one in a list: "3" in "2 and 3", "(b)" in "4.1(a) or
    (b)", "2" in "§ 3 Abs. 1 und 2".
    """
    items, optional, end, is_worded = _items(text, start)
    if not items and last.is_worded and not is_plural and (bare := _BARE.match(text, start)):
        items, optional, end, is_worded = (bare[0],), 1, bare.end(), True
    if not items:
        is_roman = re.fullmatch(r"[IVXLC]+", last.main)
        after = _NUMBER if kind else _AFTER_ROMAN if is_roman else _DIGITS_FIRST
        following = _numbered(text, start, kind, after)
        return None if following and _AMOUNT.match(text, following.end) else following
    if not last.items:
        return None
    readings = [
        _joined(last.main, (*last.items[:count], *items))
        for count in range(len(last.items) - 1, -1, -1)
    ]
    if optional == len(items):
        readings.append(last.main)
    return _ListedNumber(last.main, (*last.items[:-1], *items), end, tuple(readings), is_worded)


def _numbered(text: str, start: int, kind: str, pattern: re.Pattern[str]) -> _ListedNumber | None:
    """Return the number at a character with its items. The word for an annex belongs to it. Without
    a number, the items may stand alone: "clauses (i) and (ii) above".
    """
    if (match := pattern.match(text, start)) is None:
        if kind or not _ITEM_ALONE.match(text, start):
            return None
        items, _, end, is_worded = _items(text, start)
        return _ListedNumber("", items, end, (_joined("", items),), is_worded)
    is_clause = "." in match[0] and kind  # "Annex A, 4.1.2"
    main = match[0] if is_clause else f"{kind}{match[0]}"
    items, optional, end, is_worded = _items(text, match.end())
    counts = range(len(items), len(items) - optional - 1, -1)
    readings = tuple(_joined(main, items[:count]) for count in counts)
    return _ListedNumber(main, items, end, readings, is_worded)


def _items(text: str, start: int) -> tuple[tuple[str, ...], int, int, bool]:
    """Return the items at a character, "(a)(i)", "b) 1)" or "Abs. 1 lit. b"; how many of the last
    ones the document need not number; the end of their text; and whether the last one is in words.
    """
    items: list[str] = []
    optional, is_worded = 0, False
    while len(items) < _DEEPEST:
        if sentence := _SENTENCE.match(text, start):
            start = sentence.end()
        if not _TITLE.match(text, start) and (item := _ITEM.match(text, start)):
            items.append(item[1])
            is_worded = False
        elif (item := _WORDED_ITEM.match(text, start)) or (item := _CLOSED_ITEM.match(text, start)):
            items.append(item[1])
            optional, is_worded = optional + 1, item.re is _WORDED_ITEM
        else:
            break
        start = item.end()
    return tuple(items), optional, start, is_worded


def _joined(main: str, items: Iterable[str]) -> str:
    return main + "".join(f"({item})" for item in items)


def _containers(text: str, start: int) -> tuple[tuple[Container, ...], int]:
    """Return what has the numbers before a character, "of Part 2 of Schedule 1", and its end."""
    containers: list[Container] = []
    while (
        len(containers) < _DEEPEST
        and (match := _CONTAINER.match(text, start))
        and (match["number"] or match["which"])
        and (kind_of(match["word"]) or kind_of(f"{match['word']}.")) not in (None, Kind.ITEM)
    ):
        which = " ".join((match["which"] or "").lower().split())
        containers.append(Container(match["word"], match["number"] or "", which))
        start = match.end()
    return tuple(containers), start


def _follows_name(text: str, end: int, own: AbstractSet[str]) -> bool:
    """Return whether the name of another law or standard ends at a character, or that of a part
    beside the clauses.
    """
    start = max(end - _BEFORE, 0)
    part = _PART_BEFORE.search(text, start, end)
    return _is_other_part(part, own) or _NAME_BEFORE.search(text, start, end) is not None


def _is_other_part(part: re.Match[str] | None, own: AbstractSet[str]) -> bool:
    """Return whether a part is named beside the clauses, and is not the document itself."""
    return part is not None and f"{_SELF}{_plain_name(part['name'])}" not in own


def _is_of_other(text: str, end: int, own: AbstractSet[str], word: str) -> bool:
    """Return whether a reference that ends at `end` is to another law, standard or contract, whose
    name follows. "The Agreement" is the document itself, and so is each of its `own` names. `word`
    is the word before the number.
    """
    if _STANDARD.match(text, end) or _DATED_ACT.match(text, end) or _is_russian(text, end, own):
        return True
    if _ABBREVIATED_AFTER.match(word) and _ABBREVIATION.match(text, end):
        return word[0] == "§" or not text.isupper()
    if foreign := _OTHER_FOREIGN.match(text, end):
        return not kind_of(foreign["name"]) and not _is_own(foreign["name"], own)
    if (other := _OTHER.match(text, end)) is None:
        return _is_other_part(_OTHER_PART.match(text, end), own)
    if other["identifier"] or (other["which"] or "").lower().strip() in ("that", "such", "said"):
        return True
    return not _is_own(other["name"], own)


def _is_russian(text: str, end: int, own: AbstractSet[str]) -> bool:
    """Return whether the name of another Russian law follows: none with a word of the title."""
    if (law := _OTHER_RUSSIAN.match(text, end)) is None:
        return False
    stem = (law["stem"] or "").casefold()
    return not stem or not any(name.startswith(_SELF) and stem in name for name in own)


def _is_own(name: str, own: AbstractSet[str]) -> bool:
    """Return whether a name may be that of the document itself."""
    plain = _plain_name(name)
    return plain in own or _CONTRACT.fullmatch(plain) is not None


def _numbers_first(text: str) -> Iterator[Reference]:
    """Yield the references in a text whose numbers are before the name, "3 §", "3 ir 4
    straipsniai", except those to other laws: "3 § bokföringslagen".
    """
    for match in _NUMBERS_FIRST.finditer(text):
        name = name_after_number(match["name"])
        before = max(match.start() - _BEFORE, 0)
        if (
            name is None
            or _OF_OTHER_LAW.match(text, match.end())
            or _OTHER_LAW.search(text, before, match.start())
        ):
            continue
        numbers = _EACH_FIRST.findall(match["numbers"])
        names = [(f"{name} {number.replace(' ', '')}",) for number in numbers]
        is_range = len(names) == 2 and re.search("[–-]", match["numbers"]) is not None
        for group in [tuple(names)] if is_range else [(each,) for each in names]:
            yield Reference(group, match.span(), is_certain=False, word=match["name"])


def _chinese(text: str) -> Iterator[Reference]:
    """Yield the Chinese references in a text, except those after the name of another law."""
    for match in _CJK_LIST.finditer(text):
        if _CJK_OTHER.search(text, max(match.start() - _BEFORE, 0), match.start()):
            continue
        groups: list[list[tuple[str, ...]]] = []
        end = match.start()
        for number in _CJK_NUMBER.finditer(text, match.start(), match.end()):
            name = f"第{number['short']}{number['unit']}" if number["short"] else number[0]
            if groups and len(groups[-1]) == 1 and _CJK_RANGE.fullmatch(text, end, number.start()):
                groups[-1].append((name,))
            else:
                groups.append([(name,)])
            end = number.end()
        for group in groups:
            yield Reference(tuple(group), match.span())
