"""The documentation describes every option, setting, strategy, field, issue, error and limit."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from types import ModuleType

import pytest
import reference
from pages import DOCS, PAGES, ROOT, all_text, fences, rows, section, text
from written import SCHEMAS

import docxchunk as package
from benchmarks import evaluate
from benchmarks.pages import made_parts
from docxchunk import errors
from docxchunk.model.document import Dropped, IssueCode
from docxchunk.model.options import Limits
from docxchunk.registry import ENTRIES

PACKAGE = Path(package.__file__).parent
# options of pip, pytest and the build of Python
OF_OTHERS = set(
    """
    --editable --enable-optimizations --index-url --no-compile --no-deps --numprocesses --out --quiet --slow
    """.split()
)


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if "<!-- made:" in page.read_text("utf-8")],
    ids=lambda page: page.stem,
)
def test_generated_sections_are_current(page: Path, matches: Callable[[Path, str], None]):
    matches(page, reference.rewritten(page.read_text("utf-8")))


def test_every_record_has_a_field_table():
    schemas = {path.name.removesuffix(".schema.json") for path in SCHEMAS.iterdir()}
    assert set(re.findall(r"<!-- made: fields (\w+) -->", text("reference/files.md"))) == schemas


def test_every_field_is_described():
    made = "".join(made_parts(text("reference/files.md")))
    assert [row for row in rows(made) if not row[-1].strip(" |")] == []


def test_every_option_is_described_and_named_options_exist():
    commands = (*reference.commands().values(), evaluate.command)
    options = [option for command in commands for option in reference.options(command)]
    assert all(meaning for _, _, meaning in options)
    long = re.compile(r"(?<![\w-])--[a-z]\w*(?:-\w+)*(?![\w-])")
    there = long.findall(" ".join(name for _, name, _ in options))
    assert {*long.findall(all_text())} <= {*there, "--help", "--help-all", *OF_OTHERS}


def test_exit_codes():
    assert re.findall(r"\*\*(\d+)\*\*", text("reference/cli.md")) == ["0", "1", "2", "130"]


def test_issue_codes():
    assert [row[0] for row in rows(text("reference/issues.md"))][1:] == [
        f"`{code}`" for code in IssueCode
    ]


def test_limits_and_defaults():
    units = {"MiB": 1 << 20, "Mi": 1 << 20, "GiB": 1 << 30, "": 1}
    said = {}
    for name, default, _ in rows(section("reference/errors.md", "## Limits"))[1:]:
        number, _, unit = default.partition(" ")
        said[name.strip("`")] = int(number.replace(",", "")) * units[unit]
    assert said == asdict(Limits())


def test_errors():
    names = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and value.__module__ == errors.__name__
    }
    assert {
        row[0].strip("`") for row in rows(section("reference/errors.md", "## Errors"))[1:]
    } == names


def test_reasons_for_dropped_text():
    said = " ".join(section("reference/files.md", "## Report").split())
    assert [
        reason for name, reason in vars(Dropped).items() if name.isupper() and reason not in said
    ] == []


def test_public_names():
    """Each public name has a directive of mkdocstrings."""
    said = re.findall(
        r"^::: docxchunk\.(?!adapters\.(?!lightrag_signature)"
        r"|testing)(?:[a-z_.]+\.)?(\w+)$",
        text("reference/python.md"),
        re.MULTILINE,
    )
    assert sorted(said) == sorted(set(package.__all__) - {"__version__"})


def test_fields_of_public_classes_are_described():
    values = [getattr(package, name) for name in package.__all__]
    assert [
        (value, name)
        for value in values
        if isinstance(value, type)
        for name in _fields(value)
        if not re.search(rf"\b{name}\b", value.__doc__ or "", re.IGNORECASE)
    ] == []


def _fields(value: type) -> Sequence[str]:
    if is_dataclass(value):
        return [field.name for field in fields(value) if field.init]
    return getattr(value, "_fields", ())


def test_registered_names_are_described():
    names = [name for group in ENTRIES.values() for name in group]
    said = all_text()
    assert [
        name for name in names if not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", said)
    ] == []


def test_environment_variables_are_described():
    code = "".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))
    names = set(re.findall(r"\b(?:DOCX)?CHUNK_[A-Z_]+\b", code)) | set(
        re.findall(r"""environ(?:\.get\(|\[)"(\w+)\"""", code)
    )
    assert {"DOCXCHUNK_CACHE", "OPENAI_API_KEY"} <= names
    assert [
        name
        for name in sorted(names)
        if f"`{name}`" not in section("reference/cli.md", "## Environment")
    ] == []


def test_named_attributes_exist():
    modules = {"adapters", "chunking", "testing"}
    code = "".join(code for page in PAGES for code in fences(page, "python")) + "".join(
        re.findall(r"`docxchunk\.[A-Z]\w+`", all_text())
    )
    names = set(re.findall(r"\bdocxchunk\.(\w+)", code))
    assert (
        set("parse chunk write read tokenizer Limits".split())
        <= names
        <= set(package.__all__) | modules
    )


def test_cited_pages_exist():
    code = "".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))
    assert [
        page
        for page in set(re.findall(r"\bdocs/[\w/-]+\.md\b", code))
        if not (ROOT / page).is_file()
    ] == []


def test_extras():
    """Every extra for users is documented; the others are for development."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]
    said = section("getting-started.md", "## 1. Install")
    ours = r"docs|fuzz|lint|test(-.+)?"
    assert [
        name for name in extras if f"`{name}`" not in said and not re.fullmatch(ours, name)
    ] == []


def test_layers_are_those_of_import_linter():
    layers = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ][0]["layers"]
    assert [code.splitlines() for code in fences(DOCS / "design" / "architecture.md", "text")][
        1
    ] == layers


def test_example_of_a_strategy():
    """The strategy in CONTRIBUTING.md runs, and has chunks of as many sentences as it says."""
    code = next(
        code for code in fences(ROOT / "CONTRIBUTING.md", "python") if "class Every" in code
    )
    # a module, because dataclasses look up the types of fields in it
    module = ModuleType("every")
    sys.modules[module.__name__] = module
    try:
        exec(code, vars(module))  # noqa: S102 - the code is ours
        chunks = package.chunk_text("One. " * 12, strategy=module.Every(count=5))
    finally:
        del sys.modules[module.__name__]
    assert [chunk.content.count("One.") for chunk in chunks] == [5, 5, 2]
