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
from cli.helpers import REPORT, docxchunk_process
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


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    for package in ("pip", "hatchling"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed: the plug-in cannot be built")
    folder = tmp_path_factory.mktemp("plugin")
    shutil.copytree(EXAMPLE, folder / "source", ignore=shutil.ignore_patterns("__pycache__"))
    options = [
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "--disable-pip-version-check",
    ]
    wheel = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        *options,
        "--wheel-dir",
        folder,
        folder / "source",
    ]
    subprocess.run(wheel, check=True)
    (built,) = folder.glob("*.whl")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, "--target", folder / "site", built],
        check=True,
    )
    paths = [str(folder / "site"), os.environ.get("PYTHONPATH", "")]
    return {"PYTHONPATH": os.pathsep.join(filter(None, paths))}


def test_installed_plugin_is_found(installed):
    said = docxchunk_process("strategies", **installed).out
    assert ("sections\n  From the package docxchunk_example.") in "\n".join(
        line.rstrip() for line in said.splitlines()
    )
    assert "--set least=" in said
    assert "letters" in docxchunk_process("tokenizers", **installed).out
    assert (
        "no strategy named 'sections'"
        in docxchunk_process("chunk", "x.docx", "--strategy", "sections").err
    )


def test_installed_plugin_is_used(installed, tmp_path):
    (tmp_path / "report.docx").write_bytes(REPORT)
    said = docxchunk_process(
        "chunk",
        "report.docx",
        "--strategy",
        "sections",
        "--tokenizer",
        "letters",
        "--set",
        "least=1",
        cwd=tmp_path,
        **installed,
    )
    assert (said.code, said.out) == (0, "report.docx.parsed/report.sections.chunks.jsonl\n")
    assert said.err.startswith("1 document: 3 chunks, ")
    said = docxchunk_process("export", "report.docx", "-o", "report.tsv", cwd=tmp_path, **installed)
    assert (said.code, said.err) == (0, "")
    lines = (tmp_path / "report.tsv").read_text("utf-8-sig").splitlines()
    assert lines[0] == "chunk_id\tcontext\tcontent"
    assert lines[1].endswith("\t\tBefore.")
    assert (
        docxchunk_process(
            "chunk",
            "report.docx",
            "--strategy",
            "sections",
            "--set",
            "most=1",
            cwd=tmp_path,
            **installed,
        ).code
        == 2
    )
    assert docxchunk_process("validate", "report.docx", cwd=tmp_path, **installed).code == 0
