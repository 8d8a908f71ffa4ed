"""Options and fixtures shared by all tests."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from docxchunk.batch.inputs import Input
    from docxchunk.batch.jobs import Reading
    from docxchunk.retrieval.folders.indexed import Indexed

# failures show the values
pytest.register_assert_rewrite("docxchunk.testing", "case_files", "omml", "compact_xml", "views")

os.environ["XDG_CONFIG_HOME"] = os.devnull  # no test has the user's embedder of searches
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"  # no test uses the network

gc.set_threshold(20_000, 20, 20)  # thousands of tests would be looked through again and again

# Tests start hundreds of processes. Without bytecode on disk, each compiles the whole package
# again.
if sys.dont_write_bytecode:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = os.path.join(  # noqa: PTH118 - an environment variable
        tempfile.gettempdir(), "docxchunk-bytecode"
    )
    sys.dont_write_bytecode = False


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-goldens",
        action="store_true",
        help="write the golden files anew; read the difference before you commit it",
    )
    parser.addoption(
        "--slow",
        action="store_true",
        help="run the slow tests, too, and ten times as many random examples",
    )


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Load the settings of Hypothesis before the first module that uses it. The import takes as
    long as many tests.
    """
    if isinstance(collector, pytest.Module) and "hypothesis" in collector.path.read_text("utf-8"):
        _set_examples(collector.config)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "hypothesis" in sys.modules:  # by a module of helpers
        _set_examples(config)
    if not config.getoption("--slow"):
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason="slow; run with --slow"))


def pytest_collection_finish() -> None:
    gc.freeze()


def _set_examples(config: pytest.Config) -> None:
    """Try 100 random examples with --slow, else 10, in tests that give no number; `examples.some`
    scales the numbers of the others.

    The examples are the same in every run, so that a failure is due to the change;
    DOCXCHUNK_EXPLORE=1 looks for new ones.
    """
    from hypothesis import settings

    examples = 100 if config.getoption("--slow") else 10
    settings.register_profile(
        "docxchunk",
        derandomize=not os.environ.get("DOCXCHUNK_EXPLORE"),
        max_examples=examples,
        deadline=None,
    )
    settings.load_profile("docxchunk")


@pytest.fixture(autouse=True)
def schemas_kept(request: pytest.FixtureRequest) -> Iterator[None]:
    """Check that every file that a test writes to a parsed folder matches its schema, unless the
    test is marked `foreign_files`.
    """
    place = request.getfixturevalue("tmp_path") if "tmp_path" in request.fixturenames else None
    yield
    if place is not None and request.node.get_closest_marker("foreign_files") is None:
        folders = [folder for folder in place.glob("**/*.parsed") if folder.is_dir()]
        if folders:
            from written import schema_faults

            assert [fault for folder in folders for fault in schema_faults(folder)] == []


@pytest.fixture
def matches(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compare text with a golden file, or write it with --update-goldens."""

    def check(path: Path, text: str) -> None:
        if request.config.getoption("--update-goldens"):
            path.write_text(text, encoding="utf-8", newline="\n")
        assert text == path.read_text(encoding="utf-8"), (
            f"{path.name} differs; if the new text is right, run pytest with --update-goldens"
        )

    return check


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[threading.Event, list[str]]]:
    """Hold back the second document that is read for an index, until the event is set. The list
    gets the names of the documents that are read.
    """
    from docxchunk.retrieval.folders import current

    go_on, read, original = threading.Event(), [], current.indexed

    def indexed(item: Input, reading: Reading) -> Indexed:
        read.append(item.label)
        if len(read) == 2:
            assert go_on.wait(20)
        return original(item, reading)

    monkeypatch.setattr(current, "indexed", indexed)
    monkeypatch.setattr(current, "_BETWEEN", 0)
    yield go_on, read
    go_on.set()
