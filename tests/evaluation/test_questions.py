from __future__ import annotations

import json
import shutil

import pytest
from evaluation.makers import ANIMALS, ASKED, animals, source_of
from make_fixtures import DOCUMENTS

import docxchunk
from docxchunk.errors import InputError, MissingFileError, UsageError
from docxchunk.evaluation import questions
from docxchunk.evaluation.questions import Benchmark, UnplacedQuestion, benchmark, place
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
        [next(s.text[a - s.offset : b - s.offset] for s in found.sources if s.offset <= a <= s.offset + len(s.text)) for a, b in q.gold]
        for q in found.questions
    ]


def test_places_by_text_and_by_range(folder):
    block = docxchunk.parse(folder / "sample-report.docx").blocks[2]
    path = write(
        folder,
        {"question": "When?", "document": "cats.txt", "gold": [{"text": "hunt at\n dusk"}, {"start": 4, "end": 10}], "answers": ["dusk"], "id": "1"},
        {"question": "What?", "document": "sample-report.docx", "gold": [{"block": block.id, "start": 0, "end": 7}], "cluster": "x"},
    )
    found = read_questions(path)
    assert gold_of(found) == [["hunt at dusk", " sleep"[1:]], [block.content[:7].strip()]]
    assert [question.cluster for question in found.questions] == ["cats.txt", "x"]
    assert found.questions[0].answers == ("dusk",)


def test_parsed_folders_are_documents(folder):
    docxchunk.write(docxchunk.parse(folder / "sample-report.docx"), folder)
    found = read_questions(write(folder, {"question": "Q?", "document": "sample-report.docx.parsed", "gold": [{"text": "rainwater"}]}))
    assert gold_of(found) == [["rainwater"]]


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ({"question": "Q?", "document": "cats.txt"}, "line 1: 'gold' is missing"),
        ({"question": "Q?", "document": "cats.txt", "gold": []}, "line 1: gold has 0 items"),
        ({"question": "Q?", "document": "cats.txt", "gold": [{"start": 3}]}, "gold[0] matches none of the alternatives"),
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
    others = [{"question": f"{i}?", "document": "cats.txt", "gold": [{"text": "Cats"}]} for i in range(2)]
    found = read_questions(write(folder, others[0], {"question": "Q?", "document": "cats.txt", "gold": [gold]}, others[1]))
    assert [question.text for question in found.questions] == ["0?", "1?"]
    assert found.left_out == (("Q?", "cats.txt", why),)


def test_unknown_keys_are_ignored(folder):
    record = {"question": "Q?", "document": "cats.txt", "gold": [{"text": "Cats", "page": 3}], "difficulty": "high"}
    assert len(read_questions(write(folder, record)).questions) == 1


def test_unreadable_files_are_errors(folder):
    with pytest.raises(MissingFileError):
        read_questions(folder / "none.jsonl")
    with pytest.raises(MissingFileError):
        read_questions(write(folder, {"question": "Q?", "document": "none.docx", "gold": [{"text": "x"}]}))
    (folder / "empty.txt").write_text(" \n")
    with pytest.raises(InputError, match="holds no text"):
        read_questions(write(folder, {"question": "Q?", "document": "empty.txt", "gold": [{"text": "x"}]}))
    path = folder / "broken.jsonl"
    path.write_text('{"question": \n')
    with pytest.raises(UsageError, match="line 1: this is not JSON"):
        read_questions(path)


def test_a_question_without_a_place_is_dropped_and_counted():
    found = animals(
        (*ASKED, UnplacedQuestion("?", "cats.txt", ("zebra",)), UnplacedQuestion("?", "cats.txt", ()), UnplacedQuestion("?", "cats.txt", ("Cats", "zebra")))
    )
    assert (len(found.questions), len(found.left_out)) == (len(ASKED), 3)
    assert gold_of(found) == [[*asked.gold] for asked in ASKED]


def test_gold_in_several_documents():
    found = animals(
        (UnplacedQuestion("?", "cats.txt", (("cats.txt", "hunt"), ("owls.txt", "mice"))), UnplacedQuestion("?", "cats.txt", (("none.txt", "mice"),)))
    )
    assert len(found.left_out) == 1
    assert found.questions[0].documents == {0, 2}
    assert gold_of(found) == [["hunt", "mice"]]


def test_blanks_around_a_place_do_not_count():
    source = source_of("a  word  here")
    assert place(source, (1, 9)) == (3, 7)
    assert place(source, (1, 3)) is place(source, (5, 5)) is place(source, (0, 99)) is None
    assert benchmark("x", [source.document], [UnplacedQuestion("?", "a.txt", ((1, 3),))]).left_out
