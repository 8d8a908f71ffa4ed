"""The manual pages say what the commands say."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from make_fixtures import DOCUMENTS
from man_pages import pages

MAN = DOCUMENTS.parents[1] / "man"
PAGES = pages()


def test_there_is_a_page_for_each_command():
    assert sorted(path.name for path in MAN.iterdir()) == sorted(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_pages(name, matches):
    matches(MAN / name, PAGES[name])


@pytest.mark.parametrize("name", PAGES)
def test_groff_has_nothing_to_say(name):
    if not shutil.which("groff"):
        pytest.skip("groff is not installed")
    done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-rLL=100n", MAN / name], capture_output=True, check=True, encoding="utf-8")
    assert done.stderr == ""
    plain = re.sub(".\b", "", done.stdout)  # bold is a letter over itself
    assert [line for line in plain.splitlines() if line.isupper() and line[0] != " "] == re.findall("(?m)^\\.SH (.*)$", PAGES[name])
