"""The quotations of a memo, checked at once."""

from __future__ import annotations

import json

import pytest
from case_files import each_row
from cli.helpers import docxchunk as command
from docx_builder import STYLES, docx

from docxchunk import api
from docxchunk.errors import MissingFileError, UsageError
from docxchunk.model.document import Document
from docxchunk.retrieval.citing.quotations import QuotationChecker
from docxchunk.retrieval.memos.check import Status, check_memo, memo_check
from docxchunk.retrieval.memos.page import html_memo
from docxchunk.retrieval.memos.quotations import paragraphs_of, quotations_in, quoted_in
from docxchunk.retrieval.reading import Reader

CAP = "The Provider will not be liable for more than the General Cap Amount."
FEES = "The Customer pays the fees within {} days of the invoice."
CONTRACT = (
    "<p style='Title'>{}</p><p>(13) The parties act in good faith.</p>"
    "<p style='Heading1'>8. Liability</p><p>8.1 Limits.</p>"
    f"<p>(a) {CAP}</p><p>(b) {FEES}</p>"
)
LEASE = (
    "<p style='Title'>Lease</p><p style='Heading1'>8. Rent</p><p>8.1 The rent is due each month.</p>"
    "<p>8.2 The parties act in good faith.</p>"
    "<p style='Heading1'>Schedule 2</p><p>1. The garden is shared by all tenants.</p>"
    "<p>2. Dogs are welcome in all rooms.</p><p>3. The roof is mended by the Landlord.</p>"
)
FILES = {
    "cloud-service-agreement.docx": CONTRACT.format("Cloud Service Agreement", "thirty"),
    "master-services-agreement.docx": CONTRACT.format("Master Services Agreement", "sixty"),
    "lease.docx": LEASE,
}
THIRTY, ROOF = "The Customer pays the fees within thirty days", "The roof is mended by the Landlord"


def parsed(xml: str, name: str = "memo.docx") -> Document:
    return api.parse(docx(xml), name=name)


def words(text: str) -> int:
    return len(text.split())


@pytest.fixture(scope="module")
def readers():
    return [Reader(parsed(xml, name), words) for name, xml in FILES.items()]


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "contracts"
    place.mkdir()
    for name, xml in FILES.items():
        (place / name).write_bytes(docx(xml))
    return place


@each_row("retrieval", status=Status)
def test_a_quotation_is_checked_with_the_citation_beside_it(readers, paragraph, status):
    checked = memo_check(parsed(f"<p>{paragraph}</p>"), readers)
    assert [each.status for each in checked.quotations] == [status]
    assert checked.is_right is (status is Status.RIGHT)


def test_the_document_that_is_named_comes_first(readers):
    memo = parsed("<p>“The parties act in good faith” (Clause 8.2 of the MSA)</p>")
    (checked,) = memo_check(memo, readers).quotations
    assert [(each.document[:5], each.verdict) for each in checked.results] == [
        ("maste", "moved"),
        ("lease", "found"),
        ("cloud", "moved"),
    ]
    assert checked.status is Status.ELSEWHERE


def test_block_quotations_and_footnotes_of_a_word_file(readers):
    quote = "<style id='Quote' name='Quote' based='Normal'/>"
    checked = memo_check(
        parsed(
            "<footnotes><footnote id='2'><p>Schedule 2, para 2 of the Lease.</p></footnote>"
            f"</footnotes><styles>{STYLES}{quote}</styles>"
            "<p>“Dogs are welcome in all rooms”.<r><footnoteReference id='2'/></r> And:</p>"
            f"<p style='Quote'>{ROOF}.</p><p style='Quote'>— Schedule 2, para 3</p>"
            f"<p>Clause 8.1(b) of the CSA says:</p><p style='Quote'>{THIRTY}</p>"
        ),
        readers,
    )
    assert [(each.labels, each.status, each.place) for each in checked.quotations] == [
        (("Schedule 2, para 2",), Status.RIGHT, "¶ 1"),
        (("Schedule 2, para 3",), Status.RIGHT, "¶ 2"),
        (("Clause 8.1(b)",), Status.RIGHT, "¶ 5"),
    ]


MEMO = """# Memo

Under Clause 8.1(b) of the Cloud Service Agreement (the “CSA”), “The Customer pays
the fees within thirty days”. He has 5" and 6" pipes.

> The roof is mended
> by the Landlord. (Schedule 2, para 3)

- “Dogs are welcome in all rooms” and “cats are, too, in the garden”.[^1]

[^1]: Schedule 2, para 2.
"""


def test_lines_of_a_text_are_one_paragraph(tmp_path, folder):
    memo = tmp_path / "memo.md"
    memo.write_text(MEMO)
    checked = check_memo(memo, folder)
    assert [(each.text.split()[-1], each.labels, each.status) for each in checked.quotations] == [
        ("days", ("Clause 8.1(b)",), "right"),
        ("Landlord", ("Schedule 2, para 3",), "right"),
        ("rooms", (), "right"),
        ("garden", ("Schedule 2, para 2",), "not found"),
    ]
    assert checked.names == ("CSA",)
    assert checked.summary == (
        "4 quotations: 3 right, 1 not found. Not checked, since they are short or names: “CSA”."
    )


def test_the_result_is_a_table_json_or_a_page(tmp_path, folder):
    memo, page = tmp_path / "memo.md", tmp_path / "memo.html"
    memo.write_text(MEMO.replace("thirty", "ninety"))
    table = command("cite", folder, "--memo", memo)
    assert table.code == 1
    assert "altered" in table.out
    assert "within [-ninety-] {+thirty+} days" in " ".join(table.out.split())
    lines = command("cite", folder, "--memo", memo, "--json").out.splitlines()
    assert [json.loads(line)["status"] for line in lines] == [
        "altered",
        "right",
        "right",
        "not found",
    ]
    assert command("cite", folder, "--memo", memo, "--html", page).out == f"{page}\n"
    html = page.read_text()
    assert "<del>ninety</del>" in html
    assert html.count("<mark class=") == html.count("<article") == 4
    assert '<mark class="not-found">' in html


def test_a_memo_whose_quotations_are_right_or_missing(tmp_path, folder):
    memo = tmp_path / "memo.md"
    memo.write_text(f"“{THIRTY}” (CSA, Clause 8.1(b))")
    assert command("cite", folder, "--memo", memo).code == 0
    memo.write_text("There is none, but <b> & “x”.")
    nothing = command("cite", folder, "--memo", memo)
    assert (nothing.code, nothing.out) == (1, "")
    assert "no quotation to check" in nothing.err
    assert "&lt;b&gt; &amp;" in html_memo(check_memo(memo, folder), "a")
    with pytest.raises(MissingFileError):
        check_memo(tmp_path / "missing.md", folder)
    with pytest.raises(UsageError, match="the one memo"):
        check_memo(folder, folder)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a.docx",), "There is no quotation"),
        ((), "There is no quotation"),
        (("--memo", "memo.md"), "There is no document"),
        (("a.docx", "some more words", "--html", "x.html"), "--html is for a memo"),
    ],
)
def test_missing_arguments_of_cite_are_named(arguments, message):
    result = command("cite", *arguments)
    assert result.code == 2
    assert message in result.err


@pytest.mark.parametrize(
    ("text", "quote", "labels"),
    [
        ("“Dogs are welcome” (Clause 3)", "Dogs are welcome", ("Clause 3",)),
        ("clause 3: Dogs are welcome here", "Dogs are welcome here", ("clause 3",)),
        ("“Fee” means the sum of all that is due", "“Fee” means the sum of all that is due", ()),
        ("Dogs are welcome", "Dogs are welcome", ()),
    ],
)
def test_one_quotation_of_a_list(text, quote, labels):
    quoted = quoted_in(text)
    assert (quoted.text, quoted.labels) == (quote, labels)


def test_two_hundred_quotations_are_compared_with_few_documents(monkeypatch, readers):
    """Similar words are looked for in three documents at most, and each document is read once."""
    paragraphs = [
        f"“The Customer pays {number} of the fees within ten days”" for number in range(40)
    ]
    several = [*readers * 4]
    compared = []
    similar = QuotationChecker._similar
    monkeypatch.setattr(
        QuotationChecker,
        "_similar",
        lambda self, text, cited: compared.append(text) or similar(self, text, cited),
    )
    checked = memo_check(parsed("".join(f"<p>{each}</p>" for each in paragraphs)), iter(several))
    assert len(checked.quotations) == 40
    assert len(compared) == 3 * 40


def test_quotation_marks_that_do_not_end():
    found = quotations_in(paragraphs_of(parsed('<p>He said: “one two three four.</p><p>"five</p>')))
    assert [(each.text, each.is_name) for each in found] == [
        ("one two three four.", False),
        ("five", True),
    ]
