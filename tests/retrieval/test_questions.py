"""Questions to several documents, in Python, in the terminal and over MCP."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from case_files import each_row, yes
from cli.helpers import docxchunk as command
from docx_builder import docx
from examples import some
from hypothesis import example, given, settings
from hypothesis import strategies as st

pytest.importorskip("numpy", reason="numpy is not installed: no index")

from docxchunk import api
from docxchunk.errors import UsageError
from docxchunk.records.whole import unpacked
from docxchunk.retrieval import answers
from docxchunk.retrieval.folders import current, library
from docxchunk.retrieval.folders.collection import Collection
from docxchunk.retrieval.folders.library import Library, inputs_below
from docxchunk.retrieval.folders.questions import Questions
from docxchunk.retrieval.reading import Reader

WORDS = ["cure", "procure", "cures", "Curé", "cure\u2011all", "cure's", "re"]


@given(st.lists(st.sampled_from(WORDS), min_size=1), st.sampled_from([" ", ", ", " / ", "\u00a0"]))
def test_law_a_phrase_is_whole_words_unless_it_may_be_a_part_of_them(several, separator):
    reader = Reader(api.parse(docx(f"<p>x{separator}{separator.join(several)}.</p>")))
    whole = {"Curé", "cure", "cure\u2011all", "cure's"}
    assert reader.find("cure")[0] == sum(word in whole for word in several)
    assert reader.find("cure", "parts")[0] == sum(word != "re" for word in several)


@each_row("retrieval", is_there=yes)
def test_text_without_spaces_has_a_phrase_anywhere(phrase, text, is_there):
    reader = Reader(api.parse(docx(f"<p>{text}</p>")))
    assert bool(reader.find(phrase)[0]) is is_there
    assert reader.find(phrase, "parts")[0] == 1


def test_a_phrase_that_is_only_a_part_of_words_is_found_as_such():
    reader = Reader(api.parse(docx("<p>We procure it.</p><p>To procure.</p>"), name="a.docx"))
    answer = answers.find(reader, "cure", limit=1)
    assert answer.is_match
    assert answer.text == (
        "Not in the text of a.docx, but 2 times as a part of other words:\n"
        "[about p. 1, ¶ 1] We procure it.\n(1 more place: start=1)"
    )
    both = Reader(api.parse(docx("<p>We cure, you procure.</p>"), name="a.docx"))
    title = answers.find(both, "cure").text.splitlines()[0]
    assert title == "1 time in a.docx and 1 time as a part of other words:"
    with pytest.raises(UsageError, match=r"^match is 'word'; it must be words, parts or regex"):
        reader.find("cure", "word")


@given(st.integers(1, 9), st.integers(1, 5))
def test_law_find_goes_on_to_its_end(number, limit):
    xml = "<comments><comment id='0'><p>rain</p></comment></comments>" + "".join(
        f"<p>rain {each}</p>" for each in range(number)
    )
    reader = Reader(api.parse(docx(f"{xml}<p>x<comment-mark id='0'/></p>")))
    texts, start, more = [], 0, True
    while more:
        answer = answers.find(reader, "rain", limit=limit, start=start)
        texts += [each.text for each in answer.objects]
        start += limit
        more = f": start={start})" in answer.text
    assert texts == [*(f"rain {each}" for each in range(number)), "rain"]
    with pytest.raises(UsageError, match=f"there are {number + 1} places"):
        answers.find(reader, "rain", start=number + 2)


@pytest.mark.parametrize("style", ["Normal", "Toc1"])
def test_entries_of_a_table_of_contents_come_last(style):
    xml = f"<p style='{style}'>Scope</p><p style='Heading1'>Scope</p><p>The scope is wide.</p>"
    hits = answers.find(Reader(api.parse(docx(xml))), "scope").objects
    assert [(hit.text, hit.place[-3:]) for hit in hits] == [
        ("Scope", "¶ 2"),
        ("The scope is wide.", "¶ 3"),
        ("Scope", "¶ 1"),
    ]


PARAGRAPHS = [
    "We procure it, he’s sure.",
    "Curé\u2011all for 1,200 euros of this and 6.13.1",
    "提交仲裁委员会",
    "first <del author='A'>not</del><ins author='A'>to</ins> cure",
    "x<comment-mark id='0'/>",
    "<b>ﬁne</b> print\u00adable",
]
PHRASES = ["cure", "procure it", "1,200", "200", "13.1", "仲裁", "first not cure", "not", "his"]
PHRASES += ["to cure", "remark", "a remark", "fine", "printable", "he's", "all"]


@settings(max_examples=some(40), deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(PARAGRAPHS), min_size=1, max_size=3), max_size=4),
    st.sampled_from(PHRASES),
    st.sampled_from(["words", "parts", "regex"]),
)
@example([[PARAGRAPHS[1]]], "his", "parts")
@example([[PARAGRAPHS[3]], [PARAGRAPHS[4]]], "first not cure", "words")
def test_law_an_index_leaves_out_no_document_with_an_answer(documents, phrase, match):
    comments = "<comments><comment id='0' author='A'><p>A remark.</p></comment></comments>"
    with TemporaryDirectory() as place:
        for number, paragraphs in enumerate(documents):
            body = "".join(f"<p>{each}</p>" for each in paragraphs)
            Path(place, f"{number}.docx").write_bytes(docx(comments + body))
        several = [
            Collection(lambda: inputs_below(Path(place))),
            Questions(Library(lambda: inputs_below(Path(place)))),
        ]
        quick, slow = (
            [
                each.find(phrase, match),
                each.cite(f"We are told {phrase} here"),
                each.define(phrase),
            ]
            for each in several
        )
    assert quick == slow


def test_the_index_has_the_documents_and_only_those_that_may_have_the_words_are_read(
    folder, monkeypatch
):
    assert command("find", folder, "boat").code == 0
    read = []
    monkeypatch.setattr(library, "opened", None)  # would raise an error
    monkeypatch.setattr(current, "unpacked", lambda data: read.append(unpacked(data)) or read[-1])
    assert [hit.document for hit in Collection.at(folder).find("boat")] == ["note.docx"]
    assert [each.name for each in read] == ["note.docx"]


LEASE = (
    "<p style='Heading1'>1. Rent</p><p>“Rent” means the rent of Section 2.</p>"
    "<p style='Heading1'>2. Force majeure</p><p>No rent is due after a flood or a fire.</p>"
)
CASES = {
    "find": (
        "rent",
        (
            "2 documents with 'rent':\n"
            "a/lease.docx, 4 times: [1. Rent, about p. 1, ¶ 1] 1. Rent\n"
            "loan.docx, 1 time: [about p. 1, ¶ 1] No rent is due after a flood or a storm.\n"
            "Also as a part of other words: note.docx"
        ),
    ),
    "define": (
        "Rent",
        (
            "1 document with a definition of 'Rent':\n"
            "a/lease.docx, 1 time: [1. Rent, about p. 1, ¶ 2] “Rent” means the rent of Section 2."
        ),
    ),
    "references": (
        "2",
        (
            "1 document with references in '2' or to it:\n"
            "a/lease.docx, 1 time: referred to in [1. Rent, about p. 1, ¶ 2] “Rent” means the rent of "
            "Section 2."
        ),
    ),
    "cite": (
        "No rent is due after a flood or a fire",
        (
            "1 document with the quotation word for word:\n"
            "a/lease.docx: found word for word: [2. Force majeure, about p. 1, ¶ 4] "
            "No rent is due after a flood or a fire.\n"
            "loan.docx: altered: [about p. 1, ¶ 1] "
            "No rent is due after a flood or a [-fire-] {+storm+}"
        ),
    ),
}
BAD = "bad.docx cannot be read: This is not a .docx: it is not a ZIP file."


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("DOCXCHUNK_CACHE", str(tmp_path / "cache"))
    place = tmp_path / "docs"
    (place / "a").mkdir(parents=True)
    (place / "a" / "lease.docx").write_bytes(docx(LEASE))
    (place / "bad.docx").write_bytes(b"no")
    (place / "loan.docx").write_bytes(docx("<p>No rent is due after a flood or a storm.</p>"))
    (place / "note.docx").write_bytes(docx("<p>Renting a boat.</p>"))
    return place


@pytest.mark.parametrize(("verb", "question", "text"), [(verb, *CASES[verb]) for verb in CASES])
def test_a_folder_has_a_line_for_each_document_that_answers(folder, verb, question, text):
    result = command(verb, folder, question)
    assert (result.code, result.out) == (0, f"{text}\n{BAD}\n")
    assert (
        getattr(answers, verb)(Questions(Library(lambda: inputs_below(folder))), question).text
        == f"{text}\n{BAD}"
    )
    records = list(map(json.loads, command(verb, folder, question, "--json").out.splitlines()))
    python = Questions(Library(lambda: inputs_below(folder)))
    options = {} if verb == "cite" else {"limit": 20}
    found = getattr(python, verb)(question, **options)
    shown = [each for each in found if not getattr(each, "note", "")]
    assert records == [json.loads(json.dumps(asdict(each))) for each in shown]
    assert python.unreadable == [tuple(BAD.split(" cannot be read: "))]
    places = {"passages"} if verb == "cite" else {"count", "hits"}
    assert {"document", *places} < set(records[0])


@pytest.mark.parametrize(
    ("quote", "code", "verdicts"),
    [
        ("Section 2: No rent is due after a flood", 0, ["found", "moved"]),
        ("Section 1: No rent is due after a flood", 1, ["moved", "moved"]),
        ("No rent is due after a flood", 0, ["found", "found"]),
        ("No rent is due after … flood or a storm", 0, ["abridged", "altered"]),
        ("No rent is due after … or a hail", 1, ["altered", "altered"]),
    ],
)
def test_a_quotation_is_judged_in_each_document_of_a_folder(folder, quote, code, verdicts):
    result = command("cite", folder, quote, "--json")
    records = list(map(json.loads, result.out.splitlines()))
    assert (result.code, [each["verdict"] for each in records]) == (code, verdicts)
    text = command("cite", folder, quote).out
    assert all(f"{each['document']}: " in text for each in records)


def test_several_files_are_asked_and_none_may_have_an_answer(folder):
    loan, note = folder / "loan.docx", folder / "note.docx"
    assert command("find", loan, note, "boat").out.startswith(
        "1 document with 'boat':\nnote.docx, "
    )
    assert command("find", folder, "submarine") == (
        1,
        "",
        f"No document with 'submarine'.\n{BAD}\n",
    )
    altered = command("cite", loan, note, "No rent is due after a flood or a fire")
    assert altered.code == 1
    assert altered.out.startswith(
        "No document with the quotation word for word, but:\nloan.docx: altered: ["
    )
    only_parts = command("find", note, loan, "boa", "--json")
    assert only_parts.code == 0
    assert json.loads(only_parts.out)["note"] == "as a part of other words"
    assert command("find", "rain").code == 2


def test_over_mcp_no_document_means_all(folder):
    pytest.importorskip("mcp", reason="mcp is not installed: no server")
    from test_server import asked

    calls = [
        (
            verb,
            {{"cite": "quote", "find": "phrase", "define": "term"}.get(verb, "section"): question},
        )
        for verb, (question, _) in CASES.items()
    ]
    second = {"phrase": "rent", "document": "a/lease.docx", "limit": 1, "start": 1}
    *several, place = asked(folder, *calls, ("find", second))
    assert several == [f"{text}\n{BAD}" for _, text in CASES.values()]
    assert place == (
        "4 times at 3 places in a/lease.docx:\n"
        "[1. Rent, about p. 1, ¶ 2] “Rent” means the rent of Section 2.\n(1 more place: start=2)"
    )
