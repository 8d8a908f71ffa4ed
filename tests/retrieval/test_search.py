"""The search: what is found, and that the index follows the documents."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from case_files import each_row, yes
from cli.helpers import Terminal, docxchunk_process
from cli.helpers import docxchunk as command
from damage import damaged, damages
from docx_builder import docx
from examples import some
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from reader.test_document_id import written

pytest.importorskip("numpy", reason="numpy is not installed: no search")

import numpy as np

import docxchunk
from docxchunk import api
from docxchunk.backends.bm25 import words
from docxchunk.errors import MissingFileError, UsageError
from docxchunk.model.chunks import Added, AddedRole, Slice, UnitKind
from docxchunk.retrieval import answers
from docxchunk.retrieval.citing.quotations import Verdict
from docxchunk.retrieval.folders import current
from docxchunk.retrieval.folders.collection import Collection
from docxchunk.retrieval.folders.hits import Hit
from docxchunk.retrieval.folders.indexed import MAX_TOKENS
from docxchunk.retrieval.folders.library import inputs_at
from docxchunk.retrieval.reading import Reader

LEASE = docx(
    "<p style='Heading1'>Rent</p><p>The rent is 1,200 a month.</p>"
    "<p style='Heading2'>Late payment</p><p>A late payment bears interest of 8 percent.</p>"
    "<p style='Heading1'>Term</p><p>The lease ends in May 2031.</p>"
)
SUPPLY = docx("<p style='Heading1'>Delivery</p><p>Pipes of clause 6.13.1 come in June.</p>")


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DOCXCHUNK_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "docs"
    place.mkdir()
    (place / "lease.docx").write_bytes(LEASE)
    (place / "supply.docx").write_bytes(SUPPLY)
    return place


def contents(collection, question):
    return [hit.unit.content for hit in collection.search(question)]


def test_the_best_place_comes_first_with_its_citation(folder):
    hit, *_ = docxchunk.search(folder, "interest of a late payment")
    assert hit.unit.content == "A late payment bears interest of 8 percent."
    assert hit.unit.citation == "lease.docx, Rent > Late payment, about p. 1, ¶ 4"
    assert (hit.document, hit.words) == ("lease.docx", ("interest", "late", "payment"))


def test_an_item_has_its_full_number_and_the_line_that_introduces_it(folder):
    (folder / "sale.docx").write_bytes(
        docx(
            "<p style='Heading1'>2. Duties</p><p>The Supplier shall:</p>"
            f"<p>(a) {'deliver ' * 60}.</p><p>(b) {'insure ' * 60}.</p>"
        )
    )
    hit, *_ = docxchunk.search(folder, "insure")
    assert hit.unit.citation == "sale.docx, 2. Duties > 2(b), about p. 1, ¶ 4"
    assert hit.lead_in == "The Supplier shall:"
    assert hit.text == f"The Supplier shall:\n{hit.unit.content}"
    printed = command("search", folder, "insure", "--limit", "1").out.splitlines()
    assert printed[:2] == [f"1  {hit.unit.citation}", "The Supplier shall:"]


CLAUSES = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=5), min_size=1, max_size=4)


@settings(max_examples=some(60), deadline=None)
@given(CLAUSES, st.booleans())
def test_each_printed_citation_is_read_back_and_true_of_each_sentence(sections, has_annex):
    def lines(word):
        for number, clauses in enumerate(sections, 1):
            yield f"<p style='Heading1'>{number}. {word} {number}</p>"
            for clause, items in enumerate(clauses, 1):
                name = f"{word} {number} {clause}"
                yield f"<p>{number}.{clause} The {name} says the common word.</p>"
                for item in "abc"[:items]:
                    yield f"<p>({item}) The item {item} of {name} is common.</p>"
            yield f"<p>The end of {word} {number} is common.</p>"

    xml = "".join([*lines("Rent"), *(lines("Annex") if has_annex else ())])
    with TemporaryDirectory() as place:
        path = Path(place) / "lease.docx"
        path.write_bytes(docx(xml))
        reader = Reader(api.parse(path))
        hits = docxchunk.search(path, "common", limit=100, cache=False)
    assert hits
    for hit in hits:
        text = reader.read(hit.unit.citation, 10_000).text
        for sentence in hit.unit.content.splitlines():
            assert sentence in text
            quotation = reader.cite(f"[{hit.unit.citation}] {sentence}")
            assert quotation.verdict is Verdict.FOUND


def test_documents_of_one_name_are_cited_by_their_paths(folder):
    (folder / "2024").mkdir()
    (folder / "2024" / "lease.docx").write_bytes(LEASE)
    hit, *_ = docxchunk.search(folder, "lease ends")
    assert {hit.unit.citation, *hit.same} == {
        "lease.docx, Term, about p. 1, ¶ 6",
        "2024/lease.docx, Term, about p. 1, ¶ 6",
    }


@settings(max_examples=some(60), deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from(["rain", "more rain", "rain in May"]), min_size=1, max_size=6),
        min_size=1,
        max_size=3,
    ),
    st.integers(1, 4),
    st.integers(1, 4),
)
@example([["rain", "more rain", "rain in May"]] * 2, 4, 1)
def test_law_each_text_is_shown_once_and_few_of_each_document(documents, limit, per_document):
    with TemporaryDirectory() as place:
        for number, texts in enumerate(documents):
            Path(place, f"{number}.docx").write_bytes(paragraphs(*texts))
        collection = Collection.at(place, cache=False)
        hits = collection.search("rain", limit, per_document=per_document)
        every = collection.search("rain", 100, per_document=100)
        filled = collection.search("rain", limit)
    texts = [hit.text for hit in every]
    assert len(set(texts)) == len(texts)
    cited = [place for hit in every for place in (hit.unit.citation, *hit.same)]
    assert len(set(cited)) == len(cited)
    assert {hit.text for hit in hits} <= set(texts)
    assert len(filled) == min(limit, len(every))
    of_documents = Counter(hit.document for hit in hits)
    if len(documents) == 1:
        assert len(hits) == min(limit, len(every))
    else:
        assert max(of_documents.values()) <= per_document


def test_places_with_the_same_text_are_named(folder):
    for copy in ("a", "b"):
        (folder / f"{copy}.docx").write_bytes(LEASE)
    note = "(the same in: b.docx, Term, about p. 1, ¶ 6; lease.docx, Term, about p. 1, ¶ 6)"
    printed = command("search", folder, "lease ends", "--limit", "1").out
    assert printed == f"1  a.docx, Term, about p. 1, ¶ 6\nThe lease ends in May 2031.\n{note}\n\n"
    hits = docxchunk.search(folder, "lease ends", limit=1)
    assert answers.places(hits, "").text.endswith(f"\nThe lease ends in May 2031.\n{note}")
    record = json.loads(command("search", folder, "lease ends", "--json").out.splitlines()[0])
    assert record["same"] == list(hits[0].same)


@each_row("retrieval", is_shown=yes)
def test_rows_of_a_form_that_nobody_filled_in_are_left_out(tmp_path, row, is_shown):
    cells = "".join(f"<tc>{cell}</tc>" for cell in row.split("|"))
    file = tmp_path / "form.docx"
    file.write_bytes(docx(f"<tbl><tr>{cells}</tr><tr>{'<tc>x</tc>' * len(cells)}</tr></tbl>"))
    assert any(hit.words for hit in docxchunk.search(file, "rent", cache=False)) is is_shown


@pytest.mark.parametrize(("made_from", "edited"), [("docs", False), (".", True)])
def test_parsed_folders_of_searched_documents_are_left_out(folder, made_from, edited):
    work = folder.parent
    (folder / "2024").mkdir()
    (folder / "2024" / "lease.docx").write_bytes(written("The lease is old.", "2024-05-06"))
    command("chunk", made_from, "-r", "-o", "out", cwd=work)
    if edited:
        data = written("The lease is new.", "2024-05-06")
        (folder / "2024" / "lease.docx").write_bytes(data)
    else:
        (folder / "supply.docx").rename(folder / "renamed.docx")
    printed = command("search", ".", "lease old new pipes", cwd=work)
    found = docxchunk.search(work, "lease old new pipes", cache=False)
    assert printed.err.startswith(
        "Left out: 3 parsed folders of documents whose Word files are searched.\n"
    )
    assert all(hit.document.endswith(".docx") for hit in found)
    assert not any(hit.document.startswith("out/") for hit in found)
    assert len({hit.unit.content for hit in found}) == len(found)


def test_threads_that_search_at_once_read_each_document_once(folder, monkeypatch, caplog):
    read = []
    indexed = current.indexed
    monkeypatch.setattr(
        current,
        "indexed",
        lambda item, **how: read.append(item.label) or indexed(item, **how),
    )
    collection = Collection.at(folder)
    with ThreadPoolExecutor(4) as threads:
        hits = list(threads.map(collection.search, ["late payment"] * 4))
    assert hits[0]
    assert hits == [hits[0]] * 4
    assert len(read) == len(set(read)) == len(list(folder.iterdir()))
    assert caplog.text == ""


def test_a_copy_of_a_collection_searches_by_itself(folder):
    collection = Collection.at(folder)
    hits = collection.search("late payment")
    assert hits
    assert deepcopy(collection).search("late payment") == hits


def test_a_question_without_a_known_word_has_no_hit(folder):
    assert docxchunk.search(folder, "zebra") == []
    assert docxchunk.search(folder, "") == []
    told = "No place has a word of the question ('the', 'and' and the like do not count): "
    assert command("search", folder, "zebra") == (1, "", f"{told}try other words.\n")


def test_a_number_with_dots_is_one_word(folder):
    assert contents(Collection.at(folder), "6.13.1") == ["Pipes of clause 6.13.1 come in June."]
    assert words("Clause 6.13.1, 8.2a: 漢字") == ["clause", "6.13.1", "8.2a", "漢", "字", "漢字"]


@each_row("retrieval")
def test_words_are_compared_without_accents_and_marks_of_numbers(one, other):
    assert words(one) == words(other)


def test_words_of_the_question_are_given_as_they_stand_there(folder):
    (hit, *_) = docxchunk.search(folder, "Interests of late Payments?")
    assert hit.words == ("interests", "late", "payments")


def test_a_search_may_be_limited_to_one_document(folder):
    collection = Collection.at(folder)
    assert {hit.document for hit in collection.search("June May", document="supply.docx")} == {
        "supply.docx"
    }
    assert collection.search("June", document="unknown.docx") == []


ROWS = {
    "lease.docx": {"client": "Acmé", "matter": 17, "signed": True},
    "supply.docx": {"client": "Beta", "signed": True},
}


@pytest.mark.parametrize("is_stored", [False, True])
@pytest.mark.parametrize(
    ("where", "names"),
    [
        ({}, {"lease.docx", "supply.docx"}),
        ({"client": "Acmé"}, {"lease.docx"}),
        ({"client": "acme", "matter": "17"}, {"lease.docx"}),
        ({"signed": "true"}, {"lease.docx", "supply.docx"}),
        ({"signed": True, "client": "Beta"}, {"supply.docx"}),
    ],
)
def test_law_a_filter_leaves_out_the_places_of_other_documents(folder, where, names, is_stored):
    for name, row in ROWS.items() if is_stored else ():
        api.write(api.parse(folder / name, metadata=row), folder)
    collection = Collection.at(folder, metadata=None if is_stored else ROWS)
    question = "rent, interest, lease, pipes and June"
    every = collection.search(question, limit=20)
    assert {hit.document for hit in every} == set(ROWS)
    fitting = [hit for hit in every if hit.document in names]
    assert collection.search(question, limit=20, where=where) == fitting


def test_a_filter_that_fits_no_document_is_told_with_what_there_is(folder):
    for where, said in (
        ({"client": "Acmee"}, r"No document has client=Acmee \(values: Acmé, Beta\)."),
        ({"cleint": "x"}, r"a value named cleint \(names: client, matter, signed\)"),
        ({"client": "Beta", "matter": 17}, "no document has all of them"),
    ):
        with pytest.raises(MissingFileError, match=said):
            docxchunk.search(folder, "rent", metadata=ROWS, where=where)


def test_given_metadata_are_no_part_of_the_kept_index(folder):
    assert docxchunk.search(folder, "rent", metadata=ROWS, where={"client": "acme"})
    others = {"supply.docx": {"client": "Acme"}}
    assert not docxchunk.search(folder, "rent", metadata=others, where={"client": "acme"})
    with pytest.raises(MissingFileError):
        docxchunk.search(folder, "rent", where={"client": "acme"})


def test_the_command_takes_metadata_and_a_filter(folder, tmp_path):
    file = tmp_path / "m.csv"
    file.write_text("path,client\nlease.docx,Acme\nold.docx,Acme\n", "utf-8")
    said = command(
        "search", folder, "the rent and the pipes", "--metadata", file, "--where", "client=acme"
    )
    assert "lease.docx, Rent" in said.out
    assert "supply.docx" not in said.out
    assert "1 row without a document here: old.docx." in said.err
    for wrong, why in (("client", "give NAME=VALUE"), ("a=1 --where a=2", "given twice")):
        said = command("search", folder, "rent", *f"--where {wrong}".split())
        assert (said.code, why in said.err) == (2, True)


def test_remarks_are_filtered(folder):
    (folder / "lease.docx").write_bytes(docx("<p>A <del>forbidden pet</del> cat.</p>"))
    collection = Collection.at(folder, metadata=ROWS)
    assert collection.remarks("forbidden pet")
    assert not collection.remarks("forbidden pet", where={"client": "Beta"})


@pytest.mark.parametrize("keep", [True, False])
def test_the_index_follows_the_documents(folder, keep):
    collection = Collection.at(folder, cache=keep)
    assert contents(collection, "June") == ["Pipes of clause 6.13.1 come in June."]
    (folder / "supply.docx").write_bytes(
        docx("<p style='Heading1'>Delivery</p><p>Pipes come in December.</p>")
    )
    (folder / "third.docx").write_bytes(docx("<p>June is in the third.</p>"))
    assert contents(collection, "June") == ["June is in the third."]
    assert contents(Collection.at(folder, cache=keep), "December") == ["Pipes come in December."]
    (folder / "third.docx").unlink()
    assert contents(collection, "June") == []


def test_a_settled_collection_takes_the_documents_as_they_were(folder):
    collection = Collection.at(folder)
    collection.settle()
    (folder / "supply.docx").unlink()
    assert contents(collection, "June") == ["Pipes of clause 6.13.1 come in June."]
    assert contents(Collection.at(folder), "June") == []


@pytest.mark.skipif(sys.platform == "win32", reason="it has no time of the last change of a file")
def test_a_file_of_the_same_size_and_date_is_read_again(folder):
    path, texts = folder / "notes.md", ("Rain in May.", "Snow in May.")
    collection = Collection.at(path)
    for text in texts:
        path.write_text(text)
        os.utime(path, ns=(10**18, 10**18))
        assert contents(collection, "May") == [text]


def paragraphs(*texts):
    return docx("".join(f"<p style='Heading1'>{text[:5]}</p><p>{text}.</p>" for text in texts))


@settings(max_examples=some(30), deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from("abcd"),
            st.lists(st.sampled_from(["", "rain in May", "snow", "May and June"]), max_size=3),
            min_size=1,
        ),
        min_size=2,
        max_size=4,
    )
)
def test_law_an_updated_index_is_one_made_anew(states):
    """Whatever was added, changed or removed: the same places with the same scores."""
    with TemporaryDirectory() as place:
        collection = Collection.at(place, cache=False)
        for number, files in enumerate(states):
            for file in Path(place).iterdir():
                file.unlink()
            for name, texts in files.items():
                Path(place, f"{name}.docx").write_bytes(
                    paragraphs(*texts, *[f"x{number}"][: number % 2])
                )
            for question in ("May", "rain and snow in June", "x1"):
                anew = Collection.at(place, cache=False)
                assert collection.search(question) == anew.search(question)


def test_what_and_which_are_no_words_of_a_question(folder):
    (hit, *_) = docxchunk.search(folder, "Which payment is late, and what interest does it bear?")
    assert hit.words == ("payment", "late", "interest", "bear")
    (folder / "what.docx").write_bytes(docx("<p>Say what?</p>"))
    assert contents(Collection.at(folder), "What") == ["Say what?"]


def test_a_question_in_other_words_is_told_which_are_missing(folder):
    question = "How much cash may the tenant owe a month?"
    collection = Collection.at(folder, cache=False)
    assert collection.search(question)
    assert collection.missing_words(question) == ["cash", "tenant", "owe"]
    assert collection.missing_words("the rents a month, and cash?") == ["cash"]
    assert (
        collection.missing_words("Is the rent of a month late, or due with interest in 2031?") == []
    )
    assert collection.missing_words("本规范") == []
    assert collection.missing_words("Term") == []  # a heading inside a chunk
    assert collection.missing_words("pipes", "lease.docx") == ["pipes"]
    printed = command("search", folder, question)
    assert "Not in these documents: cash, tenant, owe. Say it in other words" in printed.err
    (record, *_) = map(json.loads, command("search", folder, question, "--json").out.splitlines())
    assert record["missing_words"] == ["cash", "tenant", "owe"]


def test_a_kept_index_gives_the_same_hits_without_reading_the_documents(folder, monkeypatch):
    first = Collection.at(folder).search("the lease ends")
    monkeypatch.setattr(current, "indexed", lambda *_, **__: 1 / 0)
    again = Collection.at(folder).search("the lease ends")
    assert first
    assert first == again


def test_an_index_is_written_only_if_it_is_kept(folder, tmp_path):
    for keep in (False, True):
        assert Collection.at(folder, cache=keep).search("lease")
        assert (tmp_path / "cache").exists() is keep


@settings(max_examples=some(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(damages)
def test_law_a_damaged_index_is_made_again(folder, tmp_path, damage):
    first = Collection.at(folder).search("the lease in May")
    with damaged(tmp_path / "cache", damage):
        assert Collection.at(folder).search("the lease in May") == first
        assert Collection.at(folder).search("the lease in May") == first


def impatient(folder):
    inputs = partial(inputs_at, [str(folder)])
    return Collection(inputs, key=current.key_of([str(folder)]), patience=0.2)


def test_a_document_that_is_gone_is_not_found_while_others_are_read(folder, slow):
    searched = impatient(folder)
    assert searched.search("pipes")
    (folder / "supply.docx").unlink()
    assert searched.search("pipes") == []


def test_two_searches_at_once_share_an_index_and_read_each_document_once(folder, slow):
    go_on, read = slow
    first, second = impatient(folder), impatient(folder)
    for each in (first, second):
        assert each.search("pipes")  # the smaller document is read first
        assert each.unread().startswith("Of the 1 of 2 documents read so far")
    go_on.set()
    for each in (first, second):
        each._index._background.thread.join()
        assert each.search("rent")
    assert Collection.at(folder).search("rent")
    assert read == ["supply.docx", "lease.docx"]


def test_a_document_that_cannot_be_read_does_not_stop_the_others(folder):
    (folder / "broken.docx").write_bytes(b"PK\x03\x04 no")
    collection = Collection.at(folder)
    assert contents(collection, "June")
    ((name, sentence),) = collection.failures
    assert name == "broken.docx"
    assert sentence


def test_a_kept_index_knows_the_documents_that_cannot_be_read(folder):
    (folder / "broken.docx").write_bytes(b"PK\x03\x04 no")
    first, again = Collection.at(folder), Collection.at(folder)
    assert contents(first, "June") == contents(again, "June")
    assert [name for name, _ in again.failures] == ["broken.docx"]
    assert again.failures == first.failures
    (folder / "broken.docx").write_bytes(LEASE)
    assert contents(again, "June")
    assert again.failures == []


def test_an_index_that_another_process_replaces_is_still_read_whole(folder):
    first = Collection.at(folder)
    before = first.search("June")
    (folder / "a.docx").write_bytes(docx("<p>Much more text about May and June.</p>" * 9))
    Collection.at(folder).search("June")  # another index in the same place
    (folder / "a.docx").unlink()
    assert first.search("June") == before


def test_a_document_that_is_named_twice_is_found_once(folder):
    hits = docxchunk.search([folder / "supply.docx", folder, folder / "supply.docx"], "June")
    assert len(hits) == 1


class Letters:
    """An embedder of letters that counts the texts."""

    name = "letters"

    def __init__(self, fingerprint="letters"):
        self.fingerprint, self.texts = fingerprint, []

    def embed(self, texts):
        self.texts += texts
        counts = [[1 + text.count(letter) for letter in "abcdefghij"] for text in texts]
        return np.array([np.divide(row, np.linalg.norm(row)) for row in counts], np.float32)


@pytest.mark.parametrize("keep", [True, False])
def test_vectors_are_made_once_for_each_document(folder, keep):
    model = Letters()
    collection = Collection.at(folder, cache=keep, embedder=model)
    collection.search("June")
    assert len(model.texts) == 4 + 1
    (folder / "third.docx").write_bytes(docx("<p>A third one.</p>"))
    collection.search("June")
    assert model.texts[5:] == ["A third one.", "June"]
    other = Letters()
    Collection.at(folder, cache=keep, embedder=other).search("May")
    assert other.texts[-1] == "May"
    assert len(other.texts) == (1 if keep else 6)


@pytest.mark.parametrize("name", ["a.docx", "m.docx", "z.docx", ""])
def test_after_a_change_the_hits_are_those_of_a_new_index(folder, name):
    """Whether a document is added before, between or after the others, or one is gone."""

    def hits(collection):
        return [(hit.document, hit.unit, hit.score) for hit in collection.search("badge")]

    collection = Collection.at(folder, cache=False, embedder=Letters())
    collection.search("June")
    if name:
        (folder / name).write_bytes(docx("<p>A bad one.</p><p>A big cabbage.</p>"))
    else:
        (folder / "lease.docx").unlink()
    assert hits(collection) == hits(Collection.at(folder, cache=False, embedder=Letters()))


def test_vectors_of_another_model_are_not_used(folder):
    docxchunk.search(folder, "June", embedder=Letters())
    other = Letters("other")
    docxchunk.search(folder, "June", embedder=other)
    assert len(other.texts) == 4 + 1


def test_a_model_finds_what_has_other_words(folder):
    (hit, *_) = docxchunk.search(folder, "interests", limit=1, embedder="hashing")
    assert hit.unit.content == "A late payment bears interest of 8 percent."
    assert docxchunk.search(folder, "zebras", embedder="hashing")
    assert docxchunk.search(folder, " ", embedder="hashing") == []


class Meanings(Letters):
    """An embedder that finds the late payment near each question."""

    def embed(self, texts):
        near = ["interest" in text or text.endswith("?") for text in texts]
        return np.array([[each, not each] for each in near], np.float32)


@each_row("retrieval")
def test_the_model_counts_more_if_words_of_the_question_are_not_in_the_text(
    folder, question, first
):
    (hit, *_) = docxchunk.search(folder / "lease.docx", question, embedder=Meanings())
    assert hit.unit.content.startswith(first)


def test_a_scorer_ranks_the_best_places_again(folder):
    class Scorer:
        name = fingerprint = "test:scorer"

        def score(self, questions):
            return [(1.0 if "May" in question.before else 2.0,) for question in questions]

    by_words = docxchunk.search(folder, "late payment term")
    again = docxchunk.search(folder, "late payment term", limit=1, scorer=Scorer())
    assert by_words[0].unit.content.startswith("A late payment")
    assert [(hit.unit.content, hit.score) for hit in again] == [("The lease ends in May 2031.", -1)]


def test_a_model_that_does_not_read_a_question_is_left_out(folder):
    model = Meanings()
    model.reads = str.isascii
    hits = docxchunk.search(folder, "\u042e, June?", embedder=model)
    assert hits == docxchunk.search(folder, "\u042e, June?")
    assert len(docxchunk.search(folder, "June?", embedder=model)) > len(hits)


def test_no_documents_and_a_model(tmp_path):
    (tmp_path / "empty.docx").write_bytes(docx(""))
    for embedder in ("", "hashing"):
        assert docxchunk.search(tmp_path / "empty.docx", "June", embedder=embedder) == []
        assert docxchunk.search(tmp_path / "empty.docx", "June", embedder=embedder) == []


def test_an_up_to_date_parsed_folder_is_used_for_its_word_file(folder):
    command("chunk", "lease.docx", "-n", "64", cwd=folder)
    parsed = folder / "lease.docx.parsed" / "lease.chunks.jsonl"
    ids = {json.loads(text).get("chunk_id") for text in parsed.read_text().splitlines()}
    collection = Collection.at(folder)
    hits = collection.search("late payment")
    assert {hit.document for hit in hits} == {"lease.docx"}
    assert {hit.unit.chunk_id for hit in hits} <= ids
    (folder / "lease.docx").write_bytes(SUPPLY)  # the parsed folder is outdated
    assert collection.search("late payment") == []


def test_chunks_of_another_text_are_not_used(folder):
    command("chunk", "lease.docx", cwd=folder)
    command("chunk", "supply.docx", cwd=folder)
    chunks = folder / "lease.docx.parsed" / "lease.chunks.jsonl"
    shutil.copy(folder / "supply.docx.parsed" / "supply.chunks.jsonl", chunks)
    (hit, *_) = docxchunk.search(folder / "lease.docx.parsed", "late payment")
    assert hit.unit.content == "A late payment bears interest of 8 percent."


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="only Linux has such file names")
def test_a_name_that_is_no_text_is_escaped(folder):
    (folder / "\udcff.docx").write_bytes(LEASE)
    for _ in "kept", "loaded":
        hit, *_ = docxchunk.search(folder, "late payment")
        cited = {each.partition(", ")[0] for each in (hit.unit.citation, *hit.same)}
        assert cited == {"lease.docx", r"\xff.docx"}
    shown = command("find", folder / "\udcff.docx", "late payment", "--json", "--limit", "1").out
    assert json.loads(shown.splitlines()[0])["citation"].startswith(r"\xff.docx, Rent")


def test_a_missing_path_is_an_error():
    with pytest.raises(MissingFileError):
        docxchunk.search("nowhere.docx", "June")


def test_the_command_prints_places_and_json(folder):
    shown = command("search", "lease.docx", "late payment", "--limit", "1", cwd=folder)
    assert shown.out == (
        "1  lease.docx, Rent > Late payment, about p. 1, ¶ 4\n"
        "A late payment bears interest of 8 percent.\n\n"
    )
    (record,) = map(
        json.loads,
        command(
            "search", ".", "late payment", "--limit", "1", "--json", cwd=folder
        ).out.splitlines(),
    )
    assert (record["rank"], record["document"], record["words"]) == (
        1,
        "lease.docx",
        ["late", "payment"],
    )
    assert "question_id" not in record
    assert command("search", ".", "late payment", "--json", cwd=folder).code == 0
    assert command("search", ".", "submarine", "--json", cwd=folder).code == 1
    (hit,) = docxchunk.search(folder, "late payment", limit=1)
    assert record["score"] == round(hit.score, 4)


def test_a_bar_is_shown_on_a_terminal_while_documents_are_read(folder):
    first, again = (command("search", folder, "June", stream=Terminal, TERM="xterm") for _ in "12")
    assert "2/2" in first.err
    assert first.out == again.out
    assert "2/2" not in again.err


def test_many_questions_from_a_file(folder):
    (folder / "q.jsonl").write_text('{"id": "a", "question": "June"}\n\n{"question": "May"}\n')
    command("search", ".", "--questions", "q.jsonl", "--out", "hits.jsonl", cwd=folder)
    hits = [json.loads(text) for text in (folder / "hits.jsonl").read_text().splitlines()]
    assert [(hit["question_id"], hit["rank"]) for hit in hits[:2]] == [("a", 1), ("3", 1)]
    assert hits[1]["content"] == "The lease ends in May 2031."
    (folder / "q.jsonl").write_text('{"question": "submarine"}')
    assert command("search", ".", "--questions", "q.jsonl", cwd=folder) == (0, "", "")


def test_a_collection_of_paths_names_the_function_that_takes_them():
    with pytest.raises(UsageError, match=r"inputs is 'docs'; Collection\.at takes paths\."):
        Collection("docs")


@pytest.mark.parametrize("text", ["no JSON", '{"id": 1}', "[1]"])
def test_a_line_without_a_question_is_refused(folder, text):
    (folder / "q.jsonl").write_text(text)
    result = command("search", ".", "--questions", "q.jsonl", cwd=folder)
    assert result.code == 2
    assert 'q.jsonl, line 1: it must be JSON with a "question".' in result.err


def test_units_are_written_beside_the_chunks_and_checked(folder):
    command("chunk", "lease.docx", "--units", cwd=folder)
    parsed = folder / "lease.docx.parsed"
    meta, *lines = map(json.loads, (parsed / "lease.units.jsonl").read_text().splitlines())
    assert meta["units"] == len(lines) == 3
    for run in (["chunk", "--trace", "t"], ["chunk", "--force"], ["parse", "--force"]):
        assert command(*run, "lease.docx", cwd=folder).code == 0
        assert (parsed / "lease.units.jsonl").exists()  # the chunks are the same
    assert command("validate", "lease.docx.parsed", cwd=folder).code == 0
    command("chunk", "lease.docx", "-n", "64", cwd=folder)  # other chunks: the units are outdated
    assert not (parsed / "lease.units.jsonl").exists()
    command("chunk", "lease.docx", "-n", "64", "--units", cwd=folder)
    shutil.copy(parsed / "lease.units.jsonl", folder / "copy")
    with (parsed / "lease.units.jsonl").open("a") as file:
        file.write(json.dumps({**lines[0], "tokens": -1}) + "\n")
    assert command("validate", "lease.docx.parsed", cwd=folder).code == 1
    command("chunk", "lease.docx", "-n", "64", "--units", cwd=folder)
    assert (parsed / "lease.units.jsonl").read_bytes() == (folder / "copy").read_bytes()


def test_a_missing_extra_is_named(folder):
    (folder / "numpy.py").write_text("raise ModuleNotFoundError('no', name='numpy')")
    result = docxchunk_process("search", "lease.docx", "rent", cwd=folder)
    assert (result.code, result.out) == (1, "")
    assert result.err == (
        'Error: The search by words needs the package numpy: pip install "docxchunk[search]"\n'
    )


def test_an_index_that_cannot_be_kept_is_no_failure(folder, tmp_path, caplog):
    (tmp_path / "cache").write_text("a file in the place of the folder")
    assert contents(Collection.at(folder), "June") == ["Pipes of clause 6.13.1 come in June."]
    assert "The index cannot be kept: " in caplog.text


def test_the_command_names_the_documents_that_cannot_be_read(folder):
    (folder / "broken.docx").write_bytes(b"PK\x03\x04 no")
    result = command("search", ".", "June", "--json", cwd=folder)
    assert (result.code, len(result.out.splitlines())) == (1, 1)
    assert result.err.startswith("failed  broken.docx: ")


CARE = "The goods are packed with care. "
DUE = "The price is due in ten days of May."
FOUND = api.parse(docx("<p>Found.</p>"), name="sale.docx")
(UNIT,) = FOUND.units(FOUND.chunks())


def shown(text, lead_in="", header="", indexed=""):
    """Return what is shown of a unit that is found for "price due 价", without its citation."""
    content = header + text
    parts = (Added(header, AddedRole.HEADER),) if header else (Slice("b", 0, len(content)),)
    unit = replace(UNIT, content=content, parts=parts, index_text=indexed or content)
    hit = Hit("sale.docx", unit, lead_in, 1.0, ("price", "due", "价"))
    citation, _, answer = answers.places([hit], "").text.partition("\n")
    assert citation == "[sale.docx, about p. 1, ¶ 1]"
    return answer


@each_row("retrieval")
def test_of_a_long_place_the_sentences_with_the_words_are_shown(paragraph, excerpt):
    assert shown(paragraph) == excerpt


def test_a_search_without_a_hit_says_why(tmp_path):
    collection = Collection(lambda: inputs_at([str(tmp_path)]) if any(tmp_path.iterdir()) else [])
    assert collection.nothing() == collection.nothing("a.docx") == "There are no documents."
    said = []
    for name, data in (
        ("x", b"PK\x03\x04 no"),
        ("a", docx("")),
        ("b", docx("")),
        ("c", docx("<p>Rain.</p>")),
    ):
        (tmp_path / f"{name}.docx").write_bytes(data)
        assert collection.search("sun") == []
        said.append(collection.nothing())
    assert [sentence.partition(" (")[0] for sentence in said] == [
        "No document could be read.",
        "a.docx has no text.",
        "None of the 2 documents has text.",
        "No place has a word of the question",
    ]
    assert [collection.nothing(f"{name}.docx")[:13] for name in "xacd"] == [
        "No document c",
        "a.docx has no",
        "No place has ",
        "There are no ",
    ]


def test_what_stands_around_a_hit_are_the_units_of_its_chunk_or_section_without_whole_tables(
    folder,
):
    rows = "".join(f"<tr><tc>pipe {number}</tc><tc>{number} euros</tc></tr>" for number in "123")
    (folder / "sale.docx").write_bytes(
        docx(
            "<p style='Heading1'>Rent</p><p>The rent is ten.</p><p style='Heading1'>Prices</p>"
            f"<tbl><tr header='1'><tc>Pipe</tc><tc>Price</tc></tr>{rows}</tbl>"
            f"<p>{'Much is said about pipes. ' * 150}</p><p>It ends.</p>"
        )
    )
    document = api.parse(folder / "sale.docx")
    units = document.units(document.chunks(max_tokens=MAX_TOKENS))
    assert UnitKind.TABLE in {unit.kind for unit in units}
    collection = Collection.at(folder)
    hits = collection.search("rent pipe ends", document="sale.docx")
    assert len({(hit.unit.chunk_id, hit.unit.section_id) for hit in hits}) > 2
    for hit in hits:
        for within, field in (("chunk", "chunk_id"), ("section", "section_id")):
            assert [unit.unit_id for unit in collection.around(hit, within)] == [
                unit.unit_id
                for unit in units
                if unit.kind is not UnitKind.TABLE
                and getattr(unit, field) == getattr(hit.unit, field)
            ]


def test_a_search_needs_a_question(folder):
    result = command("search", "lease.docx", cwd=folder)
    assert (result.code, result.out) == (2, "")
    assert "There is no question" in result.err


def test_places_without_a_word_of_the_question_are_told_apart(folder):
    """Only the text around the unit, or the model, knows the question."""
    for question, sentence in (("zebras", "No place has a word of the question"), ("lease", "1  ")):
        shown = command("search", ".", question, "--embedder", "hashing", cwd=folder)
        assert shown.out.startswith(sentence)
    hits = Collection.at(folder, embedder="hashing").search("zebras")
    assert answers.places(hits, "").text.startswith("No place has a word of the question")
    assert not answers.places(docxchunk.search(folder, "lease"), "").text.startswith("No place")


def test_failures_are_kept_when_another_document_changes(folder):
    (folder / "broken.docx").write_bytes(b"PK\x03\x04 no")
    searched = Collection.at(folder)
    searched.search("June")
    before = searched.failures
    (folder / "third.docx").write_bytes(docx("<p>June is in the third.</p>"))
    assert len(contents(searched, "June")) == 2
    assert searched.failures == before
    assert [name for name, _ in before] == ["broken.docx"]


def test_rules_for_headings_count_in_the_index_and_in_parsed_folders(folder):
    (folder / "house.toml").write_text('"heading 2" = "no"\n', "utf-8")
    said = ("search", "lease.docx", "late payment")
    assert "[Late payment" not in command(*said, "--rules", "house.toml", cwd=folder).out
    before = command(*said, "--json", cwd=folder).out
    after = command(*said, "--json", "--rules", "house.toml", cwd=folder).out
    assert (
        json.loads(before.splitlines()[0])["citation"]
        != json.loads(after.splitlines()[0])["citation"]
    )
    command("chunk", "lease.docx", "--rules", "house.toml", "-n", "64", cwd=folder)
    chunks = folder / "lease.docx.parsed" / "lease.chunks.jsonl"
    ids = {json.loads(text).get("chunk_id") for text in chunks.read_text().splitlines()}
    rules = docxchunk.read_rules(folder / "house.toml")
    hits = docxchunk.search(folder / "lease.docx", "late payment", rules=rules)
    assert {hit.unit.chunk_id for hit in hits} <= ids
    hits = docxchunk.search(folder / "lease.docx", "late payment", rules={"heading 1": "no"})
    assert not {hit.unit.chunk_id for hit in hits} & ids


def test_a_common_word_that_is_rare_in_the_documents_counts_little(tmp_path):
    clauses = "".join(f"<p>{n}. The Supplier delivers item {n} on day {n}.</p>" for n in range(900))
    file = tmp_path / "a.docx"
    file.write_bytes(
        docx(
            f"<p>It is explained here how you can open the door.</p>{clauses}"
            "<p>To terminate it, a party sends a notice to the other one.</p>"
        )
    )
    best = docxchunk.search(file, "how can I terminate", limit=1, cache=False)[0]
    assert best.words == ("terminate",)


def test_common_words_of_a_question_do_not_outweigh_its_others(tmp_path):
    sections = {
        "1. Service": (
            "This Agreement and its Order Form say what the Provider delivers to the Customer.",
            "The Order Form says how Customer can reach support, and how long an answer can take.",
            "Customer can add users, and can remove them.",
        ),
        "2. Payment": (
            "Customer pays the fees under this Agreement within thirty days.",
            "Customer can dispute an invoice, and says how it came to its own figure.",
        ),
        "3. Term": (
            "This Agreement starts on the Effective Date.",
            "Either party may terminate this Agreement for a material breach after notice.",
            "After this Agreement ends, Provider deletes the content of Customer at its request.",
        ),
        "4. General": (
            "This Agreement is governed by the law named on the cover page.",
            "Neither party may assign this Agreement without the consent of the other one.",
        ),
    }
    text = "".join(
        f"<p style='Heading1'>{heading}</p>{''.join(f'<p>{each}</p>' for each in clauses)}"
        for heading, clauses in sections.items()
    )
    file = tmp_path / "a.docx"
    file.write_bytes(docx(text))
    for question in ("terminate agreement", "how can I terminate the agreement"):
        best = docxchunk.search(file, question, limit=1, cache=False)[0]
        assert best.unit.citation.startswith("a.docx, 3. Term"), question
