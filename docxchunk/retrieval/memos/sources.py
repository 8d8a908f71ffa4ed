"""Which documents a memo names: "the CSA" is cloud-service-agreement.docx."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import dropwhile
from pathlib import PurePath
from typing import Final

from docxchunk.language.folding import alike
from docxchunk.language.labels import LABEL_WORDS
from docxchunk.language.scripts import FIRST_WIDE, UNSPACED
from docxchunk.retrieval.reading import Reader

_GENERIC: Final = frozenset(
    alike(
        """
        agreement agreements contract contracts document terms conditions this the that our your of
        for and to in under between as a an its said same memo note see also but however where while
        dated party parties by
        vertrag vertrags vertrages vereinbarung der die das des dem den dieser dieses und im nach
        contrat accord convention le la les du de des ce cette et
        contrato acuerdo el los las del este y contratto accordo il lo gli dello della questo e
        acordo o os do da dos overeenkomst het deze van en avtal avtalet umowa umowy договор
        договора соглашение соглашения
        """
    ).split()
)
_OF_INITIALS: Final = "agreement agreements contract contracts terms conditions".split()
_NAME: Final = re.compile(
    r"《([^》]{1,60})》|((?:[A-Z0-9]|[^\W\d_a-z])[\w&.'’-]*"
    r"(?:\s+(?:(?:of|and|for|on|the|&|de|du|des|la|le|del|der|und|et|y|e)\s+){0,2}"
    r"(?:[A-Z0-9]|[^\W\d_a-z])[\w&'’-]*){0,7})"
)
_ATTACHED: Final = re.compile(
    r"[\s,]*(?:of|in|to|under|from|des|der|dem|im|vom|du|de|del|della|dello|do|da|van|av|w|в)\s+"
    r"(?:the\s+|that\s+|our\s+|la\s+|le\s+|l['’]|el\s+|il\s+|het\s+|de\s+)?[\"“„«‘]?",
    re.IGNORECASE,
)
_WORD: Final = re.compile(rf"[{UNSPACED}]+|[^\W_{UNSPACED}]+")
_ACRONYM: Final = re.compile(r"[A-Z][A-Z&]{1,6}s?")
_CAPITALS: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_OPENING: Final = 1  # lines of a document that may be its title
_LONGEST_TITLE: Final = 120  # characters
_MOST_WORDS: Final = 4  # after a label
_LEAST_STEM: Final = 5  # letters of words that may have different endings
_LONGEST_MEANING: Final = 120  # characters before an abbreviation in brackets


class SourceNames:
    """The names of some documents in a memo: words of their file names, titles and first lines, the
    initials of these, and what the memo calls them: the Cloud Service Agreement (the “CSA”).
    """

    def __init__(self, documents: Sequence[Reader], memo: str) -> None:
        self._documents = {reader.document.name: reader for reader in documents}
        self._memo = memo

    @cached_property
    def _words(self) -> dict[str, list[str]]:
        """The words of the names of each document."""
        return {
            document: [word for name in _names_of(reader) for word in _words_in(name)]
            for document, reader in self._documents.items()
        }

    @cached_property
    def _initials(self) -> dict[str, str]:
        """The initials of the names of each document, in lower case."""
        return {
            reader.document.name: " ".join(
                "".join(word[0] for word in _words_in(name)) for name in _names_of(reader)
            )
            for reader in self._documents.values()
        }

    def of(self, context: str, labels: Sequence[str]) -> tuple[str, set[str]]:
        """Return the words that name a document in the text of a citation, and the documents that
        they may mean. Without such words, return "" and no documents. For words that seem to name a
        document beside a label, but none that is here, return them and no documents.
        """
        if len(self._documents) < 2:
            return "", set()
        text = context
        for label in labels:
            before, is_there, after = text.partition(label)
            name = _attached(before, after) if is_there else ""
            if _telling(name):
                return self._unless_of_all(name)
            link = _ATTACHED.match(after)
            if link and (plain := self._first_telling_word(after[link.end() :]))[0]:
                return plain
            text = f"{before} , {after}"
        told = (self._unless_of_all(_bare_name(match)) for match in _NAME.finditer(text))
        return next((meant for meant in told if meant[1]), ("", set[str]()))

    def _unless_of_all(self, name: str) -> tuple[str, set[str]]:
        """Return a name and the documents that it may mean, unless it may mean all."""
        documents = self._documents_meant(name)
        return (name, documents) if len(documents) < len(self._documents) else ("", set())

    def _first_telling_word(self, text: str) -> tuple[str, set[str]]:
        """Return the first word after a label that tells some documents apart, in small letters,
        too: "of the lease".
        """
        for word in re.split(r"[,.;:()“”\"]", text)[0].split()[:_MOST_WORDS]:
            if _telling(word) and self._documents_meant(word):
                return self._unless_of_all(word)
        return "", set()

    def _documents_meant(self, name: str) -> set[str]:
        """Return the documents that a name may mean."""
        telling = _telling(name)
        if not telling:
            return set()
        if _ACRONYM.fullmatch(name):
            short = name.rstrip("s").replace("&", "").lower()
            direct = {
                document
                for document, words in self._words.items()
                if short in words or short in self._initials[document]
            }
            return direct or self._by_meaning(name)
        return self._documents_named(telling) or self._by_meaning(name)

    def _documents_named(self, telling: list[str]) -> set[str]:
        """Return the documents whose names have some words; none without words."""
        return {
            document
            for document, words in self._words.items()
            if telling and all(any(_is_same(told, word) for word in words) for told in telling)
        }

    def _by_meaning(self, name: str) -> set[str]:
        """Return the documents that the memo says a name stands for, in brackets after them."""
        meaning = re.search(
            rf"([^.;()]{{3,{_LONGEST_MEANING}}})\([^()]{{0,30}}[\"“„«‘']{re.escape(name)}[\"”“»’']",
            self._memo,
        )
        words = _NAME.findall(meaning[1]) if meaning else []
        meant = (self._documents_named(_telling(match[0] or match[1])) for match in reversed(words))
        return next(filter(None, meant), set())


def _bare_name(match: re.Match[str]) -> str:
    """Return a name without words before it such as "In the"."""
    words = (match[1] or match[2]).strip(" .'’-&").split()
    name_words = list(dropwhile(lambda word: alike(word).lower() in _GENERIC, words))
    return " ".join(name_words or words)


def _attached(before: str, after: str) -> str:
    """Return what seems to be the name of a document right after or right before a label: "of the
    CSA", "the Supply Agreement,"; "" if nothing does. The first word of a sentence is none.
    """
    if link := _ATTACHED.match(after):
        following = _NAME.match(after, link.end())
        return _bare_name(following) if following else ""
    if acronym := _ACRONYM.match(after.lstrip()):
        return acronym[0]
    last = [match for match in _NAME.finditer(before) if not before[match.end() :].strip(" ,(")]
    if not last:
        return ""
    name, start = _bare_name(last[-1]), last[-1].start()
    is_first = not before[:start].strip() and " " not in name
    return name if _ACRONYM.fullmatch(name) or not is_first else ""


def _telling(name: str) -> list[str]:
    """Return the words of a name that tell documents apart."""
    folded = alike(name).lower()
    words = _WORD.findall(folded)
    return [
        word for word in words if word not in _GENERIC and word not in LABEL_WORDS and len(word) > 1
    ]


def _names_of(reader: Reader) -> list[str]:
    """Return the file name, the title and the first line of a document."""
    document = reader.document
    opening = [place.text for place in reader.places.all[:_OPENING]]
    stem = _CAPITALS.sub(" ", PurePath(document.name).stem)
    return [stem, *(text for text in (document.title, *opening) if len(text) <= _LONGEST_TITLE)]


def _words_in(name: str) -> list[str]:
    """Return the words of a name without those that do not tell: "of", "the"."""
    words = _WORD.findall(alike(name).lower())
    return [word for word in words if word in _OF_INITIALS or word not in _GENERIC]


def _is_same(word: str, other: str) -> bool:
    """Return whether two words are the same but for their endings."""
    if word == other or (word >= FIRST_WIDE and (word in other or other in word)):
        return True
    size = min(len(word), len(other))
    return size >= _LEAST_STEM and word[:size] == other[:size] and abs(len(word) - len(other)) <= 3
