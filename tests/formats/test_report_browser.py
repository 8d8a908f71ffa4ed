"""The report in Chromium: accessibility by axe-core, and keyboard use.

Asked only where node and Chromium are installed and DOCXCHUNK_NODE_MODULES (or ./node_modules)
holds the npm packages playwright-core and axe-core.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from make_fixtures import DOCUMENTS

from docxchunk import api
from docxchunk.formats.report import html_report
from docxchunk.formats.report.pieces import ChunkSet

MODULES = Path(os.environ.get("DOCXCHUNK_NODE_MODULES", "node_modules")).absolute()
NODE = shutil.which("node")
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)

pytestmark = pytest.mark.skipif(
    not (
        NODE
        and CHROMIUM
        and all((MODULES / name).is_dir() for name in ("playwright-core", "axe-core"))
    ),
    reason="the report is looked at only where node, Chromium and the npm packages "
    "playwright-core and axe-core (DOCXCHUNK_NODE_MODULES) are installed",
)


def seen(page: Path) -> dict:
    command = [NODE, Path(__file__).with_name("browser.mjs"), MODULES, CHROMIUM, page.as_uri()]
    done = subprocess.run(command, capture_output=True, check=False, encoding="utf-8", timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> dict:
    """The sample, by two strategies, with pictures, equations, table slices, overlap and issues."""
    document = api.parse(DOCUMENTS / "sample-report.docx")
    sets = [
        ChunkSet(
            name,
            200,
            "o200k_base",
            tuple(api.chunk(document, strategy=name, max_tokens=200, overlap=50)),
        )
        for name in ("P", "R")
    ]
    page = tmp_path_factory.mktemp("page") / "report.html"
    page.write_text(html_report(document, sets), "utf-8")
    return seen(page) | {
        "sets": sets,
        "order": re.findall(r'<article [^>]*id="([^"]*)"', page.read_text("utf-8")),
    }


@pytest.mark.parametrize("view", ["light", "dark", "phone"])
def test_axe_finds_no_serious_violation(report, view):
    assert [found for found in report[view] if found.startswith(("serious", "critical"))] == []


def test_the_page_loads_nothing_and_has_no_errors(report):
    assert report["used"]["requests"] == []
    assert report["used"]["messages"] == []


def test_keys(report):
    used = report["used"]
    assert (used["skip"], used["skipped"]) == ("skip", "chunks")
    assert [used[key] for key in "njk"] == [report["order"][at] for at in (0, 1, 0)]
    assert used["inView"]
    assert used["slash"] == "search"


def test_search_and_filters(report):
    used, sets = report["used"], report["sets"]
    chunks = [chunk for chunk_set in sets for chunk in chunk_set.chunks]
    found = [chunk for chunk in chunks if "gravel" in chunk.content.lower()]
    assert 0 < len(found) < len(chunks)
    assert (used["all"], used["found"], used["ended"]) == (len(chunks), len(found), len(chunks))
    assert used["count"] == f"{len(found)} of {len(chunks)} chunks"
    assert used["highlighted"] >= len(found)
    assert used["hit"]
    assert used["small"] == sum(chunk.tokens < 25 for chunk in chunks)
    assert used["one"] == len(sets[0].chunks)


def test_colours_and_widths(report):
    used = report["used"]
    assert used["light"] != used["dark"]
    assert not used["wide"]
    assert not used["overflow"]
