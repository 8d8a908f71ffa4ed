"""Packages that an install requires and modules that an import loads. Both affect every user, so
additions must be deliberate.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import PackageNotFoundError, requires

import pytest
from make_fixtures import DOCUMENTS
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import docxchunk

ROOT = DOCUMENTS.parents[1]
DIRECT = {"click", "lxml", "markdown-it-py", "orjson", "rich", "tiktoken"}
# of markdown-it-py, rich and tiktoken
THEIRS = set(
    """
    certifi charset-normalizer idna mdurl pygments regex requests urllib3
""".split()
)
PUBLISHED = set(
    """
    .ci .gitignore .pre-commit-config.yaml CHANGELOG.md CITATION.cff CONTRIBUTING.md LICENSE
    PKG-INFO README.md SECURITY.md benchmarks docs docxchunk fixtures hatch_build.py mkdocs.yml
    pyproject.toml
    schemas tests
""".split()
)
WINDOWS = {"colorama"} if sys.platform == "win32" else set()

LOADED = """
import json, sys
before = set(sys.modules)
try:
    {statement}
except SystemExit:
    pass
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def needed(package: str) -> set[str]:
    """Return the direct dependencies of a package without extras."""
    try:
        found = map(Requirement, requires(package) or ())
    except PackageNotFoundError:
        pytest.skip(f"{package} is not installed")
    return {
        canonicalize_name(each.name)
        for each in found
        if each.marker is None or each.marker.evaluate({"extra": ""})
    }


def loaded(statement: str, *arguments: object) -> set[str]:
    code = LOADED.format(statement=statement)
    said = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        check=True,
        encoding="utf-8",
    ).stdout
    return set(json.loads(said.splitlines()[-1]))


def others(modules: set[str]) -> set[str]:
    """Return the third-party packages among the modules."""
    packages = (
        {module.partition(".")[0] for module in modules}
        - set(sys.stdlib_module_names)
        - {"docxchunk", "cython_runtime"}
    )
    return {package for package in packages if not package.startswith("_")}


def test_packages():
    assert needed("docxchunk") == DIRECT
    found, waiting = set[str](), set(DIRECT)
    while waiting:
        found |= waiting
        waiting = set[str]().union(*map(needed, waiting)) - found
    assert found <= DIRECT | THEIRS | WINDOWS


def test_import_loads_nothing_else():
    modules = loaded("import docxchunk")
    assert {module for module in modules if module.startswith("docxchunk")} == {
        "docxchunk",
        "docxchunk.errors",
        "docxchunk.version",
    }
    assert others(modules) == set()
    assert len(modules) < 40


def test_help_loads_no_command():
    modules = loaded("from docxchunk.cli import run; run()", "--help")
    assert {module for module in modules if module.startswith("docxchunk")} == set(
        """
    docxchunk docxchunk.cli docxchunk.cli.console docxchunk.errors
        docxchunk.language docxchunk.language.patterns docxchunk.language.scripts
    docxchunk.model docxchunk.model.wording docxchunk.version
""".split()
    )
    assert others(modules) == {"click", "orjson"}
    assert len(modules) < 120


def test_a_document_is_read_and_chunked_without_lab_network_or_model(tmp_path):
    """P and R, from Python and from the command line, load no module of the lab."""
    command, out = "from docxchunk.cli import run; run()", ("-q", "-o", tmp_path)
    document = DOCUMENTS / "sample-report.docx"
    parsing = loaded(command, "parse", document, *out)
    assert not parsing & {"rich", "tiktoken", "docxchunk.chunking", "multiprocessing"}
    modules = parsing.union(
        *(loaded(command, "chunk", document, "-s", name, *out) for name in "PR"),
        loaded(
            "import docxchunk; document = docxchunk.parse(sys.argv[1]); "
            "docxchunk.chunk(document); docxchunk.chunk(document, strategy='R')",
            document,
        ),
    )
    assert "docxchunk.chunking.run" in modules
    assert not [module for module in modules if module.startswith("docxchunk.lab")]
    assert others(modules) <= set("click lxml orjson regex tiktoken tiktoken_ext".split())
    assert not modules & {"asyncio", "http.client", "multiprocessing.pool", "urllib.request"}


def test_the_version_is_the_same_everywhere():
    version = docxchunk.__version__
    citation, changes, notes = (
        (ROOT / name).read_text("utf-8")
        for name in ("CITATION.cff", "CHANGELOG.md", "docs/release-notes.md")
    )
    released = re.search(rf"^## \[{re.escape(version)}\] - (\S+)$", changes, re.MULTILINE)
    assert released
    assert f"\nversion: {version}\ndate-released: {released[1]}\n" in citation
    assert f"\n## {version} ({released[1]})\n" in notes


@pytest.mark.slow
def test_what_is_published(tmp_path):
    if not (ROOT / "docxchunk").is_dir():
        pytest.skip("the tests run without the tree that a wheel is built of")
    build = [sys.executable, "-m", "hatchling", "build", "--directory", tmp_path]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,), (sdist,) = tmp_path.glob("*.whl"), tmp_path.glob("*.tar.gz")
    said = re.search(r"wheel has a size of ([\d.]+) MB", (ROOT / "README.md").read_text("utf-8"))
    assert said
    assert wheel.stat().st_size < (float(said[1]) + 0.05) * 1e6
    with tarfile.open(sdist) as archive:
        sources = {name.partition("/")[2] for name in archive.getnames()}
    assert {name.partition("/")[0] for name in sources} == PUBLISHED
    files = zipfile.ZipFile(wheel)
    (metadata,) = (name for name in files.namelist() if name.endswith("/METADATA"))
    relative = r'\]\((?!https:)|src(?:set)?="(?!https:)'
    assert not re.search(relative, files.read(metadata).decode()), "PyPI has no such files"
    assert {name for name in files.namelist() if ".dist-info/" not in name} == {
        re.sub("^schemas/", "docxchunk/schemas/", name)
        for name in sources
        if name.startswith(("docxchunk/", "schemas/"))
    }
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True)
        strangers = sources - set(listed.stdout.decode().splitlines()) - {"PKG-INFO"}
        assert not strangers, "files that are not committed would be published"
