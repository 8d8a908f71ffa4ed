"""Arguments of Python as options of the command line."""

from __future__ import annotations

import pytest
from cli.helpers import REPORT, docxchunk

from docxchunk.cli.messages import with_options


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("max_tokens is 3; it is too small.", "--max-tokens is 3; it is too small."),
        ("max_tokens is 9 and overlap 10; no.", "--max-tokens is 9 and --overlap 10; no."),
        ("overlap is -1; it must be 0 or more.", "--overlap is -1; it must be 0 or more."),
        # given by --set small_tail=2
        ("small_tail is 2; it is a share.", "small_tail is 2; it is a share."),
        ("The overlap is large.", "The overlap is large."),
        (
            'Take models=docxchunk.models(embedder="minilm") (pip), or device="cpu".',
            "Take --embedder minilm (pip), or --device cpu.",
        ),
    ],
)
def test_sentences(sentence, shown):
    assert with_options(sentence) == shown


def test_the_command_line_names_options(tmp_path):
    (tmp_path / "a.docx").write_bytes(REPORT)
    said = docxchunk("chunk", "a.docx", "-n", "3", cwd=tmp_path)
    assert (said.code, said.err) == (
        2,
        (
            "Error: --max-tokens is 3; chunks of fewer than 32 "
            "tokens cannot hold a heading and its text.\n"
        ),
    )
