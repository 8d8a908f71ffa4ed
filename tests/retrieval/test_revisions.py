from case_files import each_row, each_text
from docx_builder import docx
from hypothesis import given
from hypothesis import strategies as st

from docxchunk import api
from docxchunk.model.options import ParseOptions
from docxchunk.retrieval import answers
from docxchunk.retrieval.folders.collection import Collection
from docxchunk.retrieval.reading import Reader

DATES = 'date="2024-05-01T10:00:00Z"'
SOURCE = (
    f'<comments><comment id="0" author="A. Lee" {DATES}><p id="00000001">Is it enough?</p></comment>'
    f'<comment id="1" author="B. Kim" {DATES}><p id="00000002">Yes, it is.</p></comment>'
    "<comment id='2' author='A. Lee'><p>Not about any text.</p></comment></comments>"
    '<commentsExtended><w15:commentEx w15:paraId="00000001" w15:done="1"/>'
    '<w15:commentEx w15:paraId="00000002" w15:paraIdParent="00000001"/></commentsExtended>'
    f'<header><p>Draft <ins author="A. Lee" {DATES}>two</ins></p></header>'
    '<p style="Heading1">3. Term</p>'
    f'<p>3.1 The lease ends after <del author="A. Lee" {DATES}>thirty</del>'
    f'<ins author="A. Lee" {DATES}>sixty</ins> days of notice.</p>'
    '<p>3.2 The rent is <commentRangeStart id="0"/>ninety pounds<commentRangeEnd id="0"/>'
    '<comment-mark id="0"/><commentRangeStart id="1"/><commentRangeEnd id="1"/>'
    '<comment-mark id="1"/> a month.</p>'
    '<p style="Heading1">4. Rows</p><tbl><tr><tc>Fee</tc><tc>Sum</tc></tr>'
    f'<tr><trPr><ins author="B. Kim" {DATES}/></trPr><tc>late</tc><tc>ten</tc></tr></tbl>'
    f'<p>Moved <moveFrom author="B. Kim" {DATES}>from here to there</moveFrom></p>'
    f'<p>And <moveTo author="B. Kim" {DATES}>from here to there</moveTo></p>'
)


def readers(tmp_path, source=SOURCE, **options):
    """Return the reader of the document, and that of its parsed folder."""
    document = api.parse(docx(source), options=ParseOptions(**options), name="lease.docx")
    return Reader(document), Reader(api.read(api.write(document, tmp_path)))


def test_a_list_of_changes(tmp_path):
    for reader in readers(tmp_path):
        assert answers.revisions(reader, "changes").text == (
            "6 tracked changes (3 inserted, 1 deleted, 1 moved away, 1 moved here), "
            "by A. Lee, B. Kim:\n"
            "[3. Term > 3.1, about p. 1, ¶ 2]\n"
            "  deleted by A. Lee, 2024-05-01: 3.1 The lease ends after [-thirty-] days of notice.\n"
            "  inserted by A. Lee, 2024-05-01: 3.1 The lease ends after {+sixty+} days of notice.\n"
            "[4. Rows, about p. 1, ¶ 5, row 2]\n"
            "  row inserted by B. Kim, 2024-05-01: {+late | ten+}\n"
            "[4. Rows, about p. 1, ¶ 6]\n"
            "  moved away by B. Kim, 2024-05-01 (to 4. Rows, about p. 1, ¶ 7): "
            "Moved [-from here to there-]\n"
            "[4. Rows, about p. 1, ¶ 7]\n"
            "  moved here by B. Kim, 2024-05-01 (from 4. Rows, about p. 1, ¶ 6): "
            "And {+from here to there+}\n"
            "[header]\n"
            "  inserted by A. Lee, 2024-05-01: Draft {+two+}"
        )


def test_a_deleted_paragraph_is_in_the_section_that_it_was_in(tmp_path):
    deleted = f'<del author="A. Lee" {DATES}/>'
    source = (
        '<p style="Heading1">1. Rent</p><p>1.1 Pay at once.</p>'
        f"<p><pPr><rPr>{deleted}</rPr></pPr>{deleted[:-2]}>1.2 Late fees.</del></p>"
        '<p style="Heading1">2. Pets</p>'
    )
    for reader in readers(tmp_path, source):
        (change,) = reader.changes()
        assert change.place == "1. Rent > 1.1, about p. 1, ¶ 2"


def test_a_list_of_comments(tmp_path):
    for reader in readers(tmp_path):
        assert answers.revisions(reader, "comments").text == (
            "2 comments (1 resolved, 1 reply), by A. Lee:\n"
            "[3. Term > 3.2, about p. 1, ¶ 3]\n"
            "  A. Lee, 2024-05-01 on “ninety pounds” (resolved): Is it enough?\n"
            "    reply by B. Kim, 2024-05-01: Yes, it is.\n"
            "[no text refers to it]\n"
            "  A. Lee: Not about any text."
        )


@each_row("retrieval", lines=each_text)
def test_words_in_comments_and_deleted_text_are_found(tmp_path, phrase, lines):
    for reader in readers(tmp_path):
        answer = answers.find(reader, phrase)
        assert answer.is_match
        title, *others = answer.text.splitlines()
        assert [line.partition("]")[0] + "]" for line in others] == lines
        mentioned = [line.startswith("[in ") for line in lines]
        assert title == (
            "Not in the text of lease.docx, but 1 time in comments or tracked changes:"
            if mentioned[0]
            else f"1 time in lease.docx{' and 1 time in comments or tracked changes' * mentioned[-1]}:"
        )
        assert len(answer.objects) == len(lines)


def test_a_reply_without_a_mark_is_where_its_comment_is(tmp_path):
    ends = '<commentRangeStart id="1"/><commentRangeEnd id="1"/>', '<comment-mark id="1"/>'
    source = SOURCE.replace(ends[0], "").replace(ends[1], "")
    for reader in readers(tmp_path, source):
        place = "[in a comment on 3. Term > 3.2, about p. 1, ¶ 3, by B. Kim, 2024-05-01] Yes"
        assert place in answers.find(reader, "it is").text


def test_words_in_the_view_before_the_changes(tmp_path):
    reader, _ = readers(tmp_path, track_changes="original")
    assert "[in text inserted by A. Lee, " in answers.find(reader, "sixty days").text
    assert answers.find(reader, "thirty days").text.startswith("1 time")


@each_row("retrieval")
def test_a_quotation_of_a_comment_or_of_deleted_text(tmp_path, quote, hint):
    for reader in readers(tmp_path):
        quotation = reader.cite(quote)
        assert not quotation.is_found
        assert hint in quotation.hint


def test_a_section_says_what_was_changed_in_it(tmp_path):
    for reader in readers(tmp_path):
        assert answers.read(reader, "3.2").text.endswith(
            "(here: 2 comments (1 resolved, 1 reply), by A. Lee, B. Kim)"
        )
        assert "(here: 2 tracked changes (1 deleted, 1 inserted), by A. Lee; " in (
            answers.read(reader, "3.1").text
        )


def test_long_lists_are_given_in_parts(tmp_path):
    source = "".join(f"<p>a <ins author='A'>word{number}</ins></p>" for number in range(60))
    reader, _ = readers(tmp_path, source)
    seen, start = [], 0
    while True:
        text = answers.revisions(reader, "changes", start, 400).text
        assert reader.count(text) <= 420
        seen += [line for line in text.splitlines() if line.startswith("  ")]
        if ": start=" not in text:
            break
        start = int(text.rpartition("start=")[2].rstrip(")"))
    assert [line[-8:].strip("+{}d ") for line in seen] == [
        f"word{n}"[-8:].strip("d") for n in range(60)
    ]


def test_lists_of_a_folder_and_records(tmp_path):
    with_changes, _ = readers(tmp_path)
    without = Reader(api.parse(docx("<p>a</p>"), name="a.docx"))
    assert answers.documents_with([without, with_changes], "comments").text == (
        "lease.docx: 3 comments (1 resolved, 1 reply), by A. Lee, B. Kim\n"
        "1 of 2 documents have comments."
    )
    assert answers.revisions(without, "changes").text == "There are no tracked changes."


def test_a_search_shows_comments_and_deleted_text_after_the_places(tmp_path):
    (tmp_path / "lease.docx").write_bytes(docx(SOURCE))
    collection = Collection.at(tmp_path, cache=False)
    for question, citation, words in (
        ("thirty", "lease.docx, in text deleted by A. Lee, 2024-05-01, 3. Term > 3.1", "thirty"),
        ("enough", "lease.docx, in a comment on 3. Term > 3.2", "enough"),
        ("moved from here to there", "lease.docx, in text moved away by B. Kim", "from here to"),
    ):
        assert all(hit.unit.kind != "remark" for hit in collection.search(question))
        (remark,) = collection.remarks(question)
        assert remark.unit.citation.startswith(citation)
        assert words in remark.text
        answer = answers.places(collection.search(question), "nothing", [remark])
        assert answer.text.rpartition("\n\n")[2].startswith(f"[{citation}")
    assert collection.remarks("days of notice") == []  # beside deleted words only
    assert collection.remarks("a moon of cheese") == []
    assert [hit.document for hit in collection.remarks("enough", document="lease.docx")] == [
        "lease.docx"
    ]


# -- laws

AUTHORS = st.sampled_from(["A", "B"])
RUNS = st.lists(
    st.tuples(st.sampled_from(["r", "ins", "del"]), AUTHORS, st.sampled_from(["x", "yy", "z w"])),
    max_size=6,
)


@given(st.lists(RUNS, min_size=1, max_size=4))
def test_every_change_is_listed_once_with_all_its_words(paragraphs):
    body = "".join(
        "<p>"
        + "".join(
            f"<{kind} author='{author}' date='1'>{text}</{kind}>"
            if kind != "r"
            else f"<r>{text}</r>"
            for kind, author, text in runs
        )
        + "</p>"
        for runs in paragraphs
    )
    listed = {}
    for view in ("final", "original", "all"):
        document = api.parse(docx(body), options=ParseOptions(track_changes=view), name="a.docx")
        listed[view] = [
            (change.kind, change.author, change.text, change.before, change.after)
            for change in document.changes
        ]
        for change in Reader(document).changes():
            assert change.place or not document.blocks
    assert listed["final"] == listed["original"] == listed["all"]
    for kind, name in (("inserted", "ins"), ("deleted", "del")):
        for author in "AB":
            words = "".join(
                text for k, a, text, _, _ in listed["final"] if (k, a) == (kind, author)
            )
            assert words == "".join(
                text for runs in paragraphs for k, a, text in runs if (k, a) == (name, author)
            )
    for kind, _, text, before, after in listed["final"]:
        hidden = "ins" if kind == "deleted" else "del"
        texts = ["".join(text for k, _, text in runs if k != hidden) for runs in paragraphs]
        assert f"{before}{text}{after}" in texts
