"""Files of questions, and the place of their gold in documents: verbatim, by letters alone, or by
ROUGE-L.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import pytest
from case_files import each_row
from hypothesis import given
from hypothesis import strategies as st
from lab.evaluation.makers import ANIMALS, source_of
from make_fixtures import DOCUMENTS

import docxchunk
from docxchunk.errors import InputError, MissingFileError, UsageError
from docxchunk.lab.evaluation import questions
from docxchunk.lab.evaluation.passages import SourceText
from docxchunk.lab.evaluation.questions import (
    Benchmark,
    UnplacedQuestion,
    benchmark,
    nearest,
    place,
)
from docxchunk.model.options import ParseOptions


def read_questions(path) -> Benchmark:
    return questions.read_questions(path, ParseOptions())


@pytest.fixture
def folder(tmp_path):
    for name, text in ANIMALS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    shutil.copy(DOCUMENTS / "sample-report.docx", tmp_path)
    return tmp_path


def write(folder, *records):
    path = folder / "questions.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    return path


def gold_of(found):
    """Return the texts at the gold spans of each question."""
    return [
        [
            next(
                s.text[a - s.offset : b - s.offset]
                for s in found.sources
                if s.offset <= a <= s.offset + len(s.text)
            )
            for a, b in q.gold
        ]
        for q in found.questions
    ]


def test_places_by_text_and_by_range(folder):
    block = docxchunk.parse(folder / "sample-report.docx").blocks[2]
    path = write(
        folder,
        {
            "question": "When?",
            "document": "cats.txt",
            "gold": [{"text": "hunt at\n dusk"}, {"start": 4, "end": 10}],
            "answers": ["dusk"],
            "id": "1",
        },
        {
            "question": "What?",
            "document": "sample-report.docx",
            "gold": [{"block": block.id, "start": 0, "end": 7}],
            "cluster": "x",
        },
    )
    found = read_questions(path)
    assert gold_of(found) == [["hunt at dusk", " sleep"[1:]], [block.content[:7].strip()]]
    assert [question.cluster for question in found.questions] == ["cats.txt", "x"]
    assert found.questions[0].answers == ("dusk",)
    assert [question.id for question in found.questions] == ["1", ""]


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ({"question": "Q?", "document": "cats.txt"}, "line 1: 'gold' is missing"),
        (
            {"question": "Q?", "document": "cats.txt", "gold": []},
            "line 1: gold is [], against the rule minItems 1",
        ),
        (
            {"question": "Q?", "document": "cats.txt", "gold": [{"start": 3}]},
            "gold[0] matches none of the alternatives",
        ),
        ([], "is not of type object"),
    ],
)
def test_invalid_lines_are_reported_with_their_number(folder, record, sentence):
    with pytest.raises(UsageError) as caught:
        read_questions(write(folder, record))
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("gold", "why"),
    [
        ({"text": "zebra"}, "'zebra' is not in cats.txt"),
        ({"start": 3, "end": 9999}, "3 to 9999 is not in cats.txt"),
        ({"block": "b", "start": 0, "end": 1}, "the block that is named is not in cats.txt"),
    ],
)
def test_a_question_without_a_place_is_left_out_and_listed(folder, gold, why):
    others = [
        {"question": f"{i}?", "document": "cats.txt", "gold": [{"text": "Cats"}]} for i in range(2)
    ]
    found = read_questions(
        write(
            folder, others[0], {"question": "Q?", "document": "cats.txt", "gold": [gold]}, others[1]
        )
    )
    assert [question.text for question in found.questions] == ["0?", "1?"]
    assert found.left_out == (("Q?", "cats.txt", why),)


def test_unreadable_files_are_errors(folder):
    with pytest.raises(MissingFileError):
        read_questions(folder / "none.jsonl")
    with pytest.raises(MissingFileError):
        read_questions(
            write(folder, {"question": "Q?", "document": "none.docx", "gold": [{"text": "x"}]})
        )
    (folder / "empty.txt").write_text(" \n")
    with pytest.raises(InputError, match="holds no text"):
        read_questions(
            write(folder, {"question": "Q?", "document": "empty.txt", "gold": [{"text": "x"}]})
        )
    path = folder / "broken.jsonl"
    path.write_text('\n \n{"question": \n')
    with pytest.raises(UsageError, match="line 3: this is not JSON"):
        read_questions(path)


def written(text: str) -> SourceText:
    """Return a source with this text, including tags."""
    return replace(source_of("-"), text=text)


@each_row("lab")
def test_marks_and_white_space_are_ignored(text, gold, found):
    start, end = place(written(text), gold)
    assert text[start:end] == found


@pytest.mark.parametrize("gold", ["zebra", "...", " ", "Book", "(-) ="])
def test_missing_text_is_not_located(gold):
    assert place(source_of("A book. Two books."), gold) is None


@given(st.text(alphabet="ab 1.,中\n", min_size=1, max_size=60), st.data())
def test_every_part_of_a_text_is_found_with_its_own_letters(text, data):
    """A part that begins and ends between words is found at its place, even with marks inserted."""
    marked = "".join(f"{c}<sup></sup>" if c.isalnum() else c for c in text)
    words = [match for match in text.split() if any(map(str.isalnum, match))]
    if not words:
        return
    first = data.draw(st.integers(0, len(words) - 1))
    gold = " ".join(words[first : data.draw(st.integers(first + 1, len(words)))])
    source = written(marked)
    found = place(source, gold)
    assert found is not None
    letters = "".join(
        filter(str.isalnum, source.text[slice(*found)].replace("<sup>", "").replace("</sup>", ""))
    )
    assert letters == "".join(filter(str.isalnum, gold))


TEXT = (
    "The bridge was opened in May. It is painted red, and cars may cross it by day. Boats "
    "pass below at night. Nobody sleeps there."
)


def test_paraphrased_evidence_is_located_at_the_most_similar_sentences():
    source = source_of(TEXT)
    start, end = nearest(source, "It was painted red and cars may cross by day")
    assert source.text[start:end] == "It is painted red, and cars may cross it by day."
    start, end = nearest(
        source, "The bridge opened in May. It is painted red and cars cross it by day."
    )
    assert source.text[start:end] == TEXT[: TEXT.index(" Boats")]


def test_questions_located_by_rouge_keep_their_evidence():
    source = source_of(TEXT)
    gold = ("It was painted red and cars may cross by day", "Nobody sleeps there.")
    question = benchmark("b", [source.document], [UnplacedQuestion("?", "a.txt", gold)]).questions[
        0
    ]
    assert question.evidence == gold[:1]
    assert [TEXT[start:end] for start, end in question.gold] == [
        "It is painted red, and cars may cross it by day.",
        "Nobody sleeps there.",
    ]
