"""A separate package adds a strategy, a tokenizer and a format; it is built, installed, found and
used.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from cli.helpers import REPORT, docxchunk, docxchunk_process
from examples import some

from docxchunk.testing import check_format, check_strategy, check_tokenizer, sample_documents

EXAMPLE = Path(__file__).parents[1] / "plugin_example"


@pytest.fixture
def plugin(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLE)
    return import_module("docxchunk_example")


def test_plugin_passes_the_checks(plugin):
    check_strategy(plugin.Sections(), sample_documents(some(20)))
    check_strategy(plugin.Sections(least=200), sample_documents(some(20)))
    check_tokenizer(plugin.Letters())
    check_format(plugin.write_tsv)


@pytest.fixture
def installed(tmp_path):
    for package in ("pip", "hatchling"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed: the plug-in cannot be built")
    folder = tmp_path / "plugin"
    shutil.copytree(EXAMPLE, folder / "source", ignore=shutil.ignore_patterns("__pycache__"))
    install = "-m pip install --quiet --no-deps --no-build-isolation --no-index --target"
    command = [sys.executable, *install.split(), folder / "site", folder / "source"]
    subprocess.run(command, check=True)
    paths = [str(folder / "site"), os.environ.get("PYTHONPATH", "")]
    return {"PYTHONPATH": os.pathsep.join(filter(None, paths))}


def test_an_installed_plugin_is_found_and_used(installed, tmp_path):
    def said(command):
        return docxchunk_process(command, cwd=tmp_path, **installed)

    (tmp_path / "report.docx").write_bytes(REPORT)
    lines = [line.rstrip() for line in said("strategies").out.splitlines()]
    assert "sections\n  From the package docxchunk_example." in "\n".join(lines)
    assert "--set least=" in "\n".join(lines)
    assert "letters" in said("tokenizers").out
    assert "no strategy named 'sections'" in docxchunk("chunk x.docx --strategy sections").err
    chunk = "chunk report.docx --strategy sections --tokenizer letters --set"
    code, out, err = said(f"{chunk} least=1")
    assert (code, out) == (0, "report.docx.parsed/report.sections.chunks.jsonl\n")
    assert err.startswith("1 document: 3 chunks, ")
    assert said("export report.docx -o report.tsv")[::2] == (0, "")
    lines = (tmp_path / "report.tsv").read_text("utf-8-sig").splitlines()
    assert lines[0] == "chunk_id\tcontext\tcontent"
    assert lines[1].endswith("\t\tBefore.")
    assert said(f"{chunk} most=1").code == 2
    assert said("validate report.docx").code == 0
