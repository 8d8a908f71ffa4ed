"""The commands that read a document in parts."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.helpers import docxchunk

CONTRACT = Path(__file__).parents[2] / "fixtures" / "documents" / "contract.docx"


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (("read", "3(b)"), "[contract.docx, 3. Term > 3(b), about p. 1, ¶ 21]\n- (b) Costs that"),
        (("find", "ICE rink", "--limit", "1"), "8 times:\n[contract.docx, 2. Object of the"),
        (("find", r"\d+ weeks", "--regex"), "35 times:\n"),
        (("define", "Operator"), "There is no definition of 'Operator'."),
        (("references", "3"), "It refers to no place of the document.\nNo place refers to it."),
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
        (("read", CONTRACT.parent, "1"), 2, "is a folder of documents: give one of them."),
    ],
)
def test_an_error_is_one_sentence(arguments, code, sentence):
    result = docxchunk(*arguments)
    assert result.code == code
    assert sentence in result.err
    assert len(result.err.splitlines()) == 1
