"""The commands that read a document in parts."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.helpers import docxchunk
from docx_builder import docx

CONTRACT = Path(__file__).parents[2] / "fixtures" / "documents" / "contract.docx"


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (("outline",), "1. Definitions ~1 256t\n2. Object of the agreement 274t\n"),
        (("outline", "3", "--max-depth", "1"), "3. Term ~1 277t\n"),
        (("read", "3(b)"), "[contract.docx, 3. Term > 3(b), about p. 1, ¶ 21]\n- (b) Costs that"),
        (("find", "ICE rink", "--limit", "1"), "8 times in contract.docx:\n[2. Object of the"),
        (("find", r"\d+ weeks", "--regex"), "35 times in contract.docx:\n"),
        (
            ("read", "3(b)", "--view", "section"),
            "[contract.docx, 3. Term, about p. 1, ¶ 19-27]\n# 3.",
        ),
        (("read", "4. Extension", "--view", "tables"), "There are no tables."),
        (("read", "[contract.docx, 3. Term > 3(b), about p. 1, ¶ 21]"), "[contract.docx, 3. Term"),
        (("define", "Operator"), "There is no definition of 'Operator'."),
        (
            ("references", "3"),
            "No reference to another place was recognized in it.\nNo reference to it was recognized.",
        ),
        (("cite", "may ask once for an extension"), "Found word for word.\n[contract.docx, 4. Ext"),
    ],
)
def test_an_answer_is_printed(arguments, shown):
    command, *others = arguments
    result = docxchunk(command, CONTRACT, *others)
    assert result.code == 0
    assert result.out.startswith(shown)


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("read", CONTRACT, "99"), 2, "has no section or clause '99': see its outline."),
        (("read", "nowhere.docx", "1"), 1, "nowhere.docx"),
        (("cite", CONTRACT, "the"), 2, "too short to be a quotation"),
        (("find", CONTRACT, "(", "--regex"), 2, "is not a regular expression"),
        (("outline", CONTRACT, "99"), 2, "has no section or clause '99'"),
        (("outline", CONTRACT.parent, "3"), 2, "is a folder of documents: give one of them."),
        (("read", CONTRACT.parent, "1"), 2, "is a folder of documents: give one of them."),
    ],
)
def test_an_error_is_one_sentence(arguments, code, sentence):
    result = docxchunk(*arguments)
    assert result.code == code
    assert sentence in result.err
    assert len(result.err.splitlines()) == 1


def test_a_quotation_is_looked_for_elsewhere(tmp_path):
    other = tmp_path / "documents"
    other.mkdir()
    (other / "sale.docx").write_bytes(docx("<p>The buyer waives every right to a refund.</p>"))
    (other / "bad.docx").write_bytes(b"no")
    quote = "the buyer waives every right"
    result = docxchunk("cite", CONTRACT, quote, "--elsewhere", other / "sale.docx")
    assert result.out.startswith(
        "Not in this document, but found word for word in another one.\n[sale.docx, about p. 1, ¶ 1, "
    )
    assert docxchunk("cite", CONTRACT, quote).out == "Not found in this document.\n"


def test_one_bad_document_does_not_stop_the_search_for_a_quotation(tmp_path):
    (tmp_path / "bad.docx").write_bytes(b"no")
    (tmp_path / "sale.docx").write_bytes(docx("<p>The buyer waives every right to a refund.</p>"))
    result = docxchunk("cite", CONTRACT, "the buyer waives every right", "--elsewhere", tmp_path)
    assert result.code == 0
    assert "[sale.docx, about p. 1" in result.out
    assert "bad.docx" in result.err


def test_a_printed_citation_can_be_checked():
    quote = "The Operator may ask once for an extension of five years"
    printed = docxchunk("cite", CONTRACT, quote).out.splitlines()[1]
    again = docxchunk("cite", CONTRACT, f'{printed} "{quote}"')
    assert again.out == f"Found word for word at the place cited.\n{printed}\n"


def test_the_outline_of_a_folder_has_a_line_for_each_document(tmp_path):
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "sale.docx").write_bytes(docx("<p style='Heading1'>Price</p><p>Ten.</p>"))
    (tmp_path / "bad.docx").write_bytes(b"no")
    result = docxchunk("outline", tmp_path)
    assert (result.code, result.out) == (
        0,
        "below/sale.docx: sale (1 section, about 1 page, 5 tokens)\n",
    )
    assert "bad.docx" in result.err
