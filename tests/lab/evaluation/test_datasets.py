"""The loaders, with made-up records in the format of each data set."""

from __future__ import annotations

import re
import shutil
from itertools import combinations
from pathlib import Path

import pytest
from docx_builder import docx
from make_fixtures import DOCUMENTS

from benchmarks import datasets
from benchmarks.datasets import LOADERS, articles
from benchmarks.datasets.files import document_of
from docxchunk.errors import InputError, MissingFileError, UsageError
from docxchunk.lab.evaluation.passages import sources
from docxchunk.lab.evaluation.questions import Benchmark
from docxchunk.model.options import ParseOptions

DATASETS = DOCUMENTS.parent / "datasets"
FOLDERS = {"tatqa_stitched": "tatqa"}  # sets that use the files of another set


def load(name: str, path: Path) -> Benchmark:
    return datasets.load(name, path, ParseOptions())


def gold_of(found: Benchmark) -> dict[str, list[str]]:
    texts = {source.offset: source.text for source in found.sources}

    def text(start, end):
        offset = max(offset for offset in texts if offset <= start)
        return texts[offset][start - offset : end - offset]

    return {question.text: [text(*span) for span in question.gold] for question in found.questions}


def documents(found: Benchmark) -> dict[str, list[str]]:
    return {
        question.text: sorted(found.sources[number].name for number in question.documents)
        for question in found.questions
    }


@pytest.mark.parametrize(
    "name", [name for name in LOADERS if name not in ("questions", "tables", "telco", "stard")]
)
def test_every_set_loads_twice_the_same(name):
    folder = DATASETS / FOLDERS.get(name, name)
    assert load(name, folder) == load(name, folder)


def test_gutenqa():
    found = load("gutenqa", DATASETS / "gutenqa")
    assert gold_of(found) == {"For how much was the lamp sold?": ["sold it for two shillings"]}
    assert len(found.left_out) == 1
    assert found.sources[0].text.endswith("the spring.\nOld Martha sold it for two shillings.")


def test_longbench():
    found = load("longbench", DATASETS / "longbench")
    assert gold_of(found) == {"Which ship came first?": ["Heron"]}
    assert (len(found.sources), len(found.left_out)) == (1, 1)


def test_multihop_rag():
    found = load("multihop_rag", DATASETS / "multihop_rag")
    question = "Did the ferry stop after the bridge opened?"
    assert gold_of(found) == {
        question: ["The bridge opened on Monday.", "The ferry made its last trip on Tuesday."]
    }
    assert documents(found) == {question: ["Bridge opens", "Ferry stops"]}


def test_crud():
    found = load("crud", DATASETS / "crud")
    assert [len(gold) for gold in gold_of(found).values()] == [1, 2]
    assert len(found.sources) == 2


def test_qasper():
    found = load("qasper", DATASETS / "qasper")
    assert gold_of(found) == {
        "How many microphones were used?": ["We hung four microphones in an oak."]
    }
    assert found.questions[0].answers == ("four microphones",)
    assert len(found.left_out) == 1
    assert [(block.level, block.heading) for block in found.sources[0].document.blocks] == [
        (1, "Abstract"),
        (1, "Introduction"),
        (1, "Method"),
        (2, "Microphones"),
        (2, "Counting"),
    ]


def test_chunking_evaluation():
    found = load("chunking_evaluation", DATASETS / "chunking_evaluation")
    assert gold_of(found) == {
        "What is mended?": ["the boat is mended"],
        "When did it sink?": ["sank again on Friday"],
    }
    assert [question.cluster for question in found.questions] == ["letters:1", "letters:2"]


def test_wikitexts():
    found = load("wikitexts", DATASETS / "wikitexts")
    assert gold_of(found) == {
        "What is a lighthouse?": ["a tower with a lamp at the top"],
        "Which lamps came first, and whose light is counted?": [
            "Oil lamps came first",
            "L =\nLumens",
        ],
        "What does a windmill not do?": ["of rocks"],
    }
    assert [question.cluster for question in found.questions] == [
        "Lighthouse.docx",
        "Lighthouse.docx",
        "Windmill.docx",
    ]
    # one on a line that reads otherwise in Word, one on two articles
    assert len(found.left_out) == 2
    blocks = [(block.level, block.heading) for block in found.sources[0].document.blocks]
    assert blocks == [(1, "Lighthouse"), (3, "Lamps"), (2, "Keepers")]


def test_a_range_of_an_article_is_the_same_characters_in_word():
    text = (DATASETS / "wikitexts" / "wikitexts.md").read_text("utf-8")
    article = text[: text.index(" = = Keepers")]
    lines = [*articles._lines(article)]
    document = document_of("a.docx", "", [line.item for line in lines], ParseOptions())
    placed = articles._placed(lines, sources([document])[0].text)
    for start, end in combinations(range(0, len(article) + 1, 3), 2):
        place = placed.place((start, end))
        assert "".join(re.findall(r"[^\s=]", article[start:end])) == "".join(
            re.findall(r"[^\s=#]", placed.text[slice(*place)] if place else "")
        )


def test_tatqa():
    """Each context is a document of its own, or one of ten in a stitched document."""
    alone = load("tatqa", DATASETS / "tatqa")
    found = load("tatqa_stitched", DATASETS / "tatqa")
    assert gold_of(alone) == gold_of(found)
    assert [[block.heading for block in source.document.blocks] for source in alone.sources] == [
        ["NOTE 3 - SALES"],
        ["Note 1"],
    ]
    assert (
        len({question.cluster for question in alone.questions}),
        len({question.cluster for question in found.questions}),
    ) == (2, 1)
    assert found.note.startswith("stitched")
    header, hours = '["","2019","2018"]', '["","Hours"]'
    assert gold_of(found) == {
        "What were costs in 2018?": [header, '["Costs","7.5","6.0"]'],
        "When did sales rise?": ["Sales rose in both years."],
        "What was profit in 2019?": [
            header,
            '["Sales \\"net\\"","$ 12.5","$ 11.0"]',
            '["Costs","7.5","6.0"]',
        ],
        "How long did Ben work?": [hours, '["Ben","30"]'],
        "How were hours counted?": ["Hours were counted by hand."],
    }
    assert len(found.left_out) == 1  # a count has no place in the text
    known = {question.text: question.answers for question in found.questions}
    assert known["What were costs in 2018?"] == ("6.0", "6.0 million")
    assert known["What was profit in 2019?"] == ("5", "5 million")
    assert known["When did sales rise?"] == ("in both years",)
    document = found.sources[0].document
    assert [block.heading for block in document.blocks] == ["NOTE 3 - SALES", "Note 2"]
    assert [table.header for table in document.tables.values()] == [f"[{header}]", f"[{hours}]"]


TABLES = docx(
    "<tbl><tr header='1'><tc>Part</tc><tc>Weight</tc></tr><tr><tc>Axle</tc><tc>12 "
    "kg</tc></tr><tr><tc>Wheel</tc><tc>9 kg</tc></tr>"
    "<tr><tc>Spoke</tc><tc></tc></tr></tbl><p>Another.</p>"
    "<tbl><tr><tc>Part</tc><tc>Weight</tc></tr><tr><tc>Axle</tc><tc>13 "
    "kg</tc></tr><tr><tc>Chain</tc><tc>3 kg</tc></tr>"
    "<tr><tc>Chain</tc><tc>4 kg</tc></tr></tbl>"
    "<tbl><tr><tc>1</tc><tc>2</tc></tr><tr><tc>x</tc><tc>y</tc></tr></tbl>"
)


def test_tables(tmp_path):
    """Only questions with a unique answer in all files are asked."""
    (tmp_path / "parts.docx").write_bytes(TABLES)
    (tmp_path / "broken.docx").write_bytes(b"PK")
    assert gold_of(load("tables", tmp_path)) == {
        "What is the Weight of Wheel?": ['["Wheel","9 kg"]', '["Part","Weight"]']
    }


GATES = docx(
    "<p style='Heading1'>4 Codes</p><p>General.</p><p style='Heading2'>4.1 Length of "
    "codes</p><p>Codes are read aloud.</p>"
    "<p><r>The code of a gate has 3</r><r><rPr><vertAlign "
    "val='superscript'/></rPr>th</r><r> digits and is three digits long.</r></p>"
    "<p style='Heading1'>Gardens</p><p>A gate that leads to a garden is never locked and "
    "has none.</p>"
)


def test_telco(tmp_path):
    """The data set names the section; gold is the paragraph with most words of the answer."""
    for file in (DATASETS / "telco").iterdir():
        shutil.copy(file, tmp_path)
    (tmp_path / "99001-i10.docx").write_bytes(GATES)
    found = load("telco", tmp_path)
    assert gold_of(found) == {
        "How long is the code of a gate?": [
            "The code of a gate has 3<sup>th</sup> digits and is three digits long."
        ],
        "Which gates have no code?": [
            "A gate that leads to a garden is never locked and has none."
        ],
    }
    assert [each.question for each in found.left_out] == [
        "How heavy is a gate?",
        "What of the section that is not there?",
    ]
    assert {question.cluster for question in found.questions} == {"99001"}


LAW = docx(
    "<p style='Heading1'>第二条</p><p>桥由村民修建。</p><p>修桥的费用由县承担。</p><p "
    "style='Heading1'>第三条</p><p>桥上不得停车。</p>"
)


def test_stard(tmp_path):
    """A question is kept if a law of that name contains each paragraph of its articles."""
    shutil.copy(DATASETS / "stard" / "queries.json", tmp_path)
    (tmp_path / "中华人民共和国桥法_2020.docx").write_bytes(LAW)
    found = load("stard", tmp_path)
    assert gold_of(found) == {
        "谁来修桥？": ["桥由村民修建。", "修桥的费用由县承担。", "桥上不得停车。"]
    }
    assert [each.question for each in found.left_out] == [
        "谁来修路？",
        "桥上可以停船吗？",
        "大桥由谁管理？",
    ]


@pytest.mark.parametrize("name", LOADERS)
def test_missing_files_are_errors(name, tmp_path):
    with pytest.raises(MissingFileError):
        load(name, tmp_path)


def test_an_unknown_set_is_an_error():
    with pytest.raises(UsageError, match="there are questions"):
        load("nonsense", Path())


@pytest.mark.parametrize(
    "name", ["longbench", "multihop_rag", "qasper", "tatqa", "gutenqa", "crud"]
)
def test_invalid_json_is_an_error(name, tmp_path):
    for file in (DATASETS / name).iterdir():
        shutil.copy(file, tmp_path)
        (tmp_path / file.name).write_text("{]")
    with pytest.raises(InputError):
        load(name, tmp_path)
