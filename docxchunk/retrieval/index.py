"""The index of the units of some documents, which is kept between runs. It ranks the units by the
words of a question.

The score of a unit is its own BM25 score, plus half of the score of its chunk and a quarter of the
score of its section, because the text around a unit says what the unit is about. The unit is scored
by exact words, chunk and section by stems. The heading path belongs to all three texts.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple
from uuid import uuid4
from zlib import crc32

import numpy as np
import orjson
from numpy.typing import NDArray

from docxchunk import api
from docxchunk.backends.bm25 import (
    STOP_WORDS,
    Numbering,
    WordIndex,
    stem,
    words,
    words_of_question,
)
from docxchunk.batch.inputs import Input
from docxchunk.batch.jobs import opened
from docxchunk.chunking.search_units import units_of
from docxchunk.markup.records import Fields, Record, line
from docxchunk.markup.records.chunks import UNIT
from docxchunk.model.chunks import Added, AddedRole, Chunk, Unit, UnitKind
from docxchunk.model.objects import Change, Comment
from docxchunk.model.ports import Tokenizer
from docxchunk.model.wording import shortened
from docxchunk.retrieval.library import DocumentLine, State, about
from docxchunk.retrieval.reading import Reader
from docxchunk.sidecar.chunks import chunks_in, is_made_of, read_chunks
from docxchunk.sidecar.files import new_folder, paths_in
from docxchunk.sidecar.reader import content_hash
from docxchunk.version import __version__

_Numbers = NDArray[np.int32]

_FORMAT: Final = f"docxchunk-search 10 {__version__}"
LEAD_IN: Final = "lead_in"
_LONGEST_LEAD_IN: Final = 120  # characters
_RECORD: Final = "documents.json"
_PIECE: Final = 1 << 20  # bytes that are read at once
_ARRAYS: Final = ("offsets", "lines", "vectors")
_WEIGHTS: Final = (1.0, 0.5, 0.25)  # of the levels: unit, chunk, section
_FIRST_UNSPACED: Final = "\u2e80"  # characters that count as words: Chinese, Japanese, Korean
_FORMS: Final = (0, 1, 1)  # how each level is scored: 0 by words, 1 by stems

MAX_TOKENS: Final = 512
"""The limit of the chunks that are made for a document without chunks."""
UNRANKED: Final = (UnitKind.TABLE, UnitKind.REMARK)

_Part = tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.float32]]


class _LevelTexts:
    """The texts of a level (units, chunks or sections) as the numbers of their words, and for each
    ranked unit the index of its text.
    """

    def __init__(self) -> None:
        self.texts: list[list[int]] = []
        self.of_units: list[int] = []
        self._index_of: dict[Hashable, int] = {}

    def add(self, key: Hashable, of_path: Sequence[int], of_unit: Sequence[int]) -> None:
        """Add a unit to the text with this key, which begins with the words of a path."""
        text = self._index_of.setdefault(key, len(self.texts))
        if text == len(self.texts):
            self.texts.append([*of_path])
        self.texts[text] += of_unit
        self.of_units.append(text)


@dataclass(frozen=True, slots=True, eq=False)
class UnitIndex:
    """The scores of units for a question. Whole small tables are not ranked: their rows are. Nor
    are remarks, which are not in the text; they are the last units of a document.

    - `vocabulary`: the numbers of the words.
    - `levels`: the index of the words of each level (unit, chunk, section).
    - `texts_of_units`: for each level and ranked unit, the index of its text.
    - `units`: the indices of the ranked units, in the order of `build`.
    - `starts`: the index of the first unit of each document, then the number of all units.
    """

    vocabulary: Numbering[str]
    levels: Sequence[WordIndex]
    texts_of_units: _Numbers
    units: _Numbers
    starts: _Numbers

    @classmethod
    def build(cls, units: Sequence[Unit]) -> UnitIndex:
        """Return the index of the units of a document."""
        vocabulary = Numbering[str]()
        levels = tuple(_LevelTexts() for _ in _WEIGHTS)
        ranked: list[int] = []

        def numbers(text: str) -> tuple[list[int], list[int]]:
            """Return the numbers of the words of a text, and of their stems."""
            text_words = words(text)
            return [vocabulary[w] for w in text_words], [vocabulary[stem(w)] for w in text_words]

        path, of_path = "", numbers("")
        for number, unit in enumerate(units):
            if unit.kind in UNRANKED:
                continue
            ranked.append(number)
            if unit.context != path:
                path, of_path = unit.context, numbers(unit.context)
            of_unit = numbers(unit.index_text.removeprefix(path))
            keys = number, unit.chunk_id, unit.section_id
            for level, key, form in zip(levels, keys, _FORMS, strict=True):
                level.add(key, of_path[form], of_unit[form])
        return cls(
            vocabulary,
            [WordIndex.build(level.texts) for level in levels],
            np.array([level.of_units for level in levels], dtype=np.int32),
            np.array(ranked, dtype=np.int32),
            np.array([0, len(units)], dtype=np.int32),
        )

    def updated(self, documents: Iterable[int | UnitIndex]) -> UnitIndex:
        """Return the index of some documents. Each is the number of a document of this index, or
        the index of a new document.
        """
        copies: list[_Copy] = []
        units, starts = [self.units[:0]], [0]
        for document in documents:
            source, number = (self, document) if isinstance(document, int) else (document, 0)
            first, last = map(int, source.starts[number : number + 2])
            ranked = slice(*np.searchsorted(source.units, (first, last)))
            copies.append((source, ranked))
            units.append(source.units[ranked] - first + starts[-1])
            starts.append(starts[-1] + last - first)
        vocabulary = Numbering(self.vocabulary)  # others may read this one
        words_of = {
            source: np.array([vocabulary[word] for word in source.vocabulary], dtype=np.int32)
            for source in (self, *(source for source, _ in copies if source is not self))
        }
        levels, texts_of_units = zip(
            *(_merged_level(level, words_of, copies) for level in range(len(_WEIGHTS))), strict=True
        )
        return UnitIndex(
            vocabulary,
            levels,
            np.stack(texts_of_units),
            np.concatenate(units),
            np.array(starts, dtype=np.int32),
        )

    def scores(self, question_words: Sequence[str]) -> NDArray[np.float32]:
        """Return a score for each ranked unit. The score is 0 if neither the unit nor the text
        around it contains a word of the question.
        """
        forms = question_words, list(map(stem, question_words))
        scores = np.zeros(len(self.units), dtype=np.float32)
        vocabulary = self.vocabulary
        for weight, form, index, texts in zip(
            _WEIGHTS, _FORMS, self.levels, self.texts_of_units, strict=True
        ):
            numbers = [vocabulary[word] for word in forms[form] if word in vocabulary]
            scores += weight * index.scores(numbers)[texts]
        return scores

    def words_of(self, question: str) -> list[str]:
        """Return the words of a question to rank by: see `words_of_question`."""
        return words_of_question(question, self.vocabulary.__contains__)

    def documents_with(self, word: str) -> set[int]:
        """Return the indices of the documents whose text or headings have a word, in any form."""
        of_sections, sections = self.levels[-1], self.texts_of_units[-1]
        number = self.vocabulary.get(stem(word))
        texts = of_sections.texts_with([] if number is None else [number])
        units = self.units[np.isin(sections, texts)]
        return set((np.searchsorted(self.starts, units, "right") - 1).tolist())

    def shares(self, telling: AbstractSet[str]) -> NDArray[np.float64]:
        """Return for each document the share of some words that are in it, be it as a part of a
        word; 1 if there are none.
        """
        has = np.zeros(len(self.starts) - 1)
        for each in telling:
            numbers = [number for word, number in self.vocabulary.items() if each in word]
            units = self.units[self.levels[0].texts_with(numbers)]
            has[np.unique(np.searchsorted(self.starts, units, "right") - 1)] += 1
        return has / len(telling) if telling else has + 1

    def largest_share(self, question_words: Iterable[str], texts: Iterable[str]) -> float:
        """Return the share of the words of a question that one of some texts has, in any form, 0 to
        1: the largest one. Rare words weigh more. A question without words has 0.
        """
        _, of_chunks, _ = self.levels
        rarities = {
            each: of_chunks.rarity(self.vocabulary.get(each)) for each in map(stem, question_words)
        }
        stems_of_texts = (set(map(stem, words(text))) for text in texts)
        shared = (sum(rarities[each] for each in rarities if each in own) for own in stems_of_texts)
        return max(shared, default=0.0) / (sum(rarities.values()) or 1)

    def save(self, folder: Path) -> None:
        """Write the index into an empty folder."""
        np.save(folder / "texts_of_units.npy", self.texts_of_units)
        np.save(folder / "units.npy", self.units)
        np.save(folder / "starts.npy", self.starts)
        (folder / "vocabulary.json").write_bytes(orjson.dumps(self.vocabulary))
        for number, level in enumerate(self.levels):
            level.save(folder / str(number))

    @classmethod
    def load(cls, folder: Path) -> UnitIndex:
        """Return the index that `save` wrote. Raise OSError or ValueError if it is not whole."""
        return cls(
            Numbering(orjson.loads((folder / "vocabulary.json").read_bytes())),
            [WordIndex.load(folder / str(number)) for number in range(len(_WEIGHTS))],
            np.load(folder / "texts_of_units.npy", mmap_mode="r"),
            np.load(folder / "units.npy", mmap_mode="r"),
            np.load(folder / "starts.npy"),
        )


_Copy = tuple[UnitIndex, slice]
"""An index, and the ranked units of one of its documents."""


def _merged_level(
    level: int, words_of: Mapping[UnitIndex, _Numbers], copies: Iterable[_Copy]
) -> tuple[WordIndex, _Numbers]:
    """Return the words of a level of some documents, and the text of each unit. `words_of` has the
    new numbers of the words of each index.
    """
    # the index that each text gets; -1 for a text that is left out
    renumbered = {
        source: np.full(len(source.levels[level].lengths), -1, dtype=np.int32)
        for source in words_of
    }
    size, texts_of_units = 0, [np.zeros(0, dtype=np.int32)]
    for source, ranked in copies:
        texts = source.texts_of_units[level, ranked]
        if not texts.size:
            continue
        # the texts of a document follow one another
        begin, end = int(texts[0]), int(texts.max()) + 1
        renumbered[source][begin:end] = np.arange(size, size + end - begin)
        texts_of_units.append(texts + (size - begin))
        size += end - begin
    parts = ((each.levels[level], renumbered[each], words_of[each]) for each in words_of)
    return WordIndex.merged(parts), np.concatenate(texts_of_units)


class Indexed(NamedTuple):
    """A document that was read: what a listing says of it, its units as lines of JSON, and their
    words. One that could not be read has no units.
    """

    about: DocumentLine
    lines: Sequence[bytes] = ()
    ranking: UnitIndex = UnitIndex.build(())


@dataclass(frozen=True, slots=True)
class StoredIndex:
    """The stored index.

    - `documents`: what a listing says of each document, by its state when it was read. If it could
      not be read, the `note` says why.
    - `lines`, `offsets`: the units as lines of JSON (UTF-8), and where each line begins.
    - `ranking`: the scores of the units.
    - `model`, `vectors`: the fingerprint of an embedder, and its vectors of the units; zeros where
      a vector is missing.
    """

    documents: Mapping[State, DocumentLine]
    offsets: NDArray[np.int64]
    lines: NDArray[np.uint8]
    ranking: UnitIndex
    model: str
    vectors: NDArray[np.float32]

    @classmethod
    def empty(cls) -> StoredIndex:
        """Return the index of no documents."""
        return cls(
            {},
            np.zeros(1, dtype=np.int64),
            np.zeros(0, dtype=np.uint8),
            UnitIndex.build(()),
            "",
            np.zeros((0, 0), dtype=np.float32),
        )

    def labelled(self, label: str) -> list[int]:
        """Return the indices of the documents with a label; "" selects all."""
        return [n for n, state in enumerate(self.documents) if label in ("", state.label)]

    def units_of(self, document: int) -> range:
        """Return the indices of the units of a document."""
        return range(*map(int, self.ranking.starts[document : document + 2]))

    def line(self, number: int) -> bytes:
        """Return the line of a unit."""
        return self.lines[self.offsets[number] : self.offsets[number + 1]].tobytes()

    def remarks_of(self, document: int) -> Iterator[tuple[int, Unit]]:
        """Yield the comments and deleted texts of a document with their indices, the last first."""
        for number in reversed(self.units_of(document)):
            data = self.line(number)
            if b'"kind":"remark"' not in data:
                break
            yield number, unit_of(data)

    def likely(self, text: str, share: float) -> list[State]:
        """Return the documents that may have a share of the words of a text, be it as parts of
        words; or, in a comment or deleted text, one of them.
        """
        wanted = telling(text)
        shares = self.ranking.shares(wanted).tolist()
        return [
            state
            for number, state in enumerate(self.documents)
            if shares[number] >= share
            or any(
                each in " ".join(words(unit.content))
                for _, unit in self.remarks_of(number)
                for each in wanted
            )
        ]

    def updated(self, states: Iterable[State], new: Mapping[State, Indexed]) -> StoredIndex:
        """Return the index of the documents with these states, in this order. `new` has those that
        this index does not have; a document that neither has is left out.
        """
        numbers = {state: number for number, state in enumerate(self.documents)}
        documents: dict[State, DocumentLine] = {}
        rankings: list[int | UnitIndex] = []
        parts = [self._new_part(())]
        for state in states:
            if indexed := new.get(state):
                documents[state] = indexed.about
                rankings.append(indexed.ranking)
                parts.append(self._new_part(indexed.lines))
            elif state in numbers:
                documents[state] = self.documents[state]
                rankings.append(numbers[state])
                parts.append(self._part_of(numbers[state]))
        lines, lengths, vectors = map(np.concatenate, zip(*parts, strict=True))
        ranking = self.ranking.updated(rankings)
        offsets = np.cumsum(np.concatenate([[0], lengths]))
        return StoredIndex(documents, offsets, lines, ranking, self.model, vectors)

    def _part_of(self, document: int) -> _Part:
        """Return the lines of the units of a document, their lengths, and the vectors."""
        units = self.units_of(document)
        offsets = self.offsets[units.start : units.stop + 1]
        lines = self.lines[offsets[0] : offsets[-1]]
        return lines, np.diff(offsets), self.vectors[units.start : units.stop]

    def _new_part(self, unit_lines: Sequence[bytes]) -> _Part:
        """Return what `_part_of` returns, for a new document. Its vectors are zeros."""
        return (
            np.frombuffer(b"".join(unit_lines), dtype=np.uint8),
            np.array(list(map(len, unit_lines)), dtype=np.int64),
            np.zeros((len(unit_lines), self.vectors.shape[1]), dtype=np.float32),
        )

    def save(self, folder: Path) -> None:
        """Replace the index in a folder. Raise OSError or OutputError if that is not possible."""
        with new_folder(folder) as fresh:
            self.ranking.save(fresh)
            for name in _ARRAYS:
                np.save(fresh / f"{name}.npy", getattr(self, name))
            record = {
                "format": _FORMAT,
                "made": uuid4().hex,
                "documents": [[list(state), about] for state, about in self.documents.items()],
                "model": self.model,
                "files": _sums_of(fresh),
            }
            data = orjson.dumps(record)
            (fresh / _RECORD).write_bytes(b"%08x\n%b" % (crc32(data), data))

    @staticmethod
    def mark(folder: Path) -> bytes:
        """Return what tells the kept index from earlier and later ones; b"" if there is none."""
        try:
            with (folder / _RECORD).open("rb") as file:
                return file.readline()
        except OSError:
            return b""

    @classmethod
    def load(cls, folder: Path) -> StoredIndex | None:
        """Return the kept index; None if there is none, it is not as it was written, or another
        process replaced it meanwhile. Its arrays stay on disk until they are needed.
        """
        try:
            data = (folder / _RECORD).read_bytes()
            checksum, _, rest = data.partition(b"\n")
            record = orjson.loads(rest) if checksum == b"%08x" % crc32(rest) else {}
            if record.get("format") != _FORMAT or record["files"] != _sums_of(folder):
                return None
            offsets, lines, vectors = (
                np.load(folder / f"{name}.npy", mmap_mode="r") for name in _ARRAYS
            )
            documents = {
                State(*state): DocumentLine(**about) for state, about in record["documents"]
            }
            ranking, model = UnitIndex.load(folder), record["model"]
            stored = cls(documents, offsets, lines, ranking, model, vectors)
            return stored if (folder / _RECORD).read_bytes() == data else None
        except (OSError, ValueError, KeyError, TypeError):
            return None


def _sums_of(folder: Path) -> dict[str, list[int]]:
    """Return the size and the checksum of each file of an index except its record, by path."""
    sums: dict[str, list[int]] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != _RECORD:
            size = checksum = 0
            with path.open("rb") as file:
                while piece := file.read(_PIECE):
                    size, checksum = size + len(piece), crc32(piece, checksum)
            sums[path.relative_to(folder).as_posix()] = [size, checksum]
    return sums


def telling(text: str) -> set[str]:
    """Return the words of a text that tell documents apart: no short words and pairs of characters,
    and no parts of words that do not count. A text with a formula has none.
    """
    return {
        word
        for word in (words(text) if "\\" not in text else ())
        if (len(word) > 2 or word >= _FIRST_UNSPACED > word[1:])
        and not any(word in each for each in STOP_WORDS)
    }


def unit_of(line: bytes) -> Unit:
    """Return the unit of a line of JSON."""
    return UNIT.value(Fields(orjson.loads(line), "the search index"))


def indexed(item: Input) -> Indexed:
    """Return what the index keeps of a document. Its units are made from the chunks in its parsed
    folder, if there are any.
    """
    source = opened(item)
    document, tokenizer = source.read(), api.tokenizer()
    files = _chunk_files(item.target, document.name) if source.current else []
    chunks: Sequence[Chunk] = (
        read_chunks(files[0]).chunks
        if files
        else api.chunk(document, max_tokens=MAX_TOKENS, tokenizer=tokenizer)
    )
    reader = Reader(replace(document, name=item.label), tokenizer.count)
    units, remarks = units_of(document, chunks, tokenizer), list(_remarks(reader, tokenizer))
    lines = [line(_record(unit, reader)) for unit in units]
    lines += (line({**UNIT.record(remark), LEAD_IN: ""}) for remark in remarks)
    return Indexed(about(reader), lines, UnitIndex.build([*units, *remarks]))


def _remarks(reader: Reader, tokenizer: Tokenizer) -> Iterator[Unit]:
    """Yield the comments and the texts that are not in the view as units. `content` has the words
    beside a deleted text, and `index_text` has not.
    """
    revisions = reader.revisions
    items: list[Change | Comment] = [*revisions.unread(), *reader.document.comments]
    for item in items:
        mention = revisions.mention(item)
        page = revisions.page_of(item)
        yield Unit(
            f"remark-{item.spot.block_id}",
            "",
            reader.document.doc_id,
            item.spot.block_id,
            UnitKind.REMARK,
            mention.text,
            (Added(mention.text, AddedRole.CONTEXT),),
            item.text,
            tokenizer.count(mention.text),
            "",
            (),
            () if page is None else (page,),
            False,
            mention.citation,
        )


def _record(unit: Unit, reader: Reader) -> Record:
    """Return the stored record of a unit: the unit with its citation by clause, and the line that
    introduces it.
    """
    cited = replace(unit, citation=reader.cited(unit).citation)
    return {**UNIT.record(cited), LEAD_IN: shortened(reader.lead_in(unit), _LONGEST_LEAD_IN)}


def _chunk_files(folder: Path, name: str) -> list[Path]:
    """Return the chunk files in a parsed folder that fit its present text, P first."""
    first, digest = paths_in(folder, name).chunks("P"), content_hash(folder)
    files = [file for file in chunks_in(folder) if is_made_of(file, digest)]
    return sorted(files, key=lambda file: (file.name != first.name, file.name))
