"""Names and paths of the files in parsed folders."""

from pathlib import Path

import pytest

from docxchunk.sidecar.names import absolute


@pytest.mark.parametrize("path", [".", "/", "..", "a/../b.docx", "a//./b.docx", "/a/b.docx", "~"])
def test_an_absolute_path_as_a_text(path):
    assert absolute(Path(path)) == str(Path(path).absolute())
