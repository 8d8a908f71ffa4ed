"""An adapter without its framework says how to install it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

EXTRAS = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))[
    "project"
]["optional-dependencies"]
PACKAGES = {
    "langchain": "langchain_core",
    "llamaindex": "llama_index",
    "haystack": "haystack",
    "lightrag": "lightrag",
}


@pytest.mark.parametrize(("adapter", "package"), PACKAGES.items())
def test_a_missing_framework_is_named(adapter, package):
    assert adapter in EXTRAS
    code = f"import sys; sys.modules['{package}'] = None; import docxchunk.adapters.{adapter}"
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=False, encoding="utf-8"
    ).stderr
    assert said.splitlines()[-1].endswith(f'pip install "docxchunk[{adapter}]"')
    assert "MissingExtraError" in said.splitlines()[-1]
