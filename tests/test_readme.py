"""What README says is so: its consoles and Python are run, and it names all that there is to name."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import click
import pytest
from make_fixtures import DOCUMENTS
from written import SCHEMAS

import docxchunk as package
from docxchunk.cli import docxchunk
from docxchunk.errors import MissingExtraError
from docxchunk.model.issues import IssueCode
from docxchunk.model.options import Limits
from docxchunk.reader.flow import Dropped

ROOT = DOCUMENTS.parents[1]
PACKAGE = Path(package.__file__).parent
README = ROOT / "README.md"
TEXT = README.read_text("utf-8")
CONSOLE = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)
JQ = shutil.which("jq")
GROUP = click.Context(docxchunk)
COMMANDS = {name: docxchunk.get_command(GROUP, name) for name in docxchunk.list_commands(GROUP)}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the documents."""
    for document in DOCUMENTS.glob("*.docx"):
        shutil.copy(document, tmp_path)
    return tmp_path


def test_consoles(place: Path, matches: Callable[[Path, str], None]):
    sessions = Sessions(place)
    matches(README, CONSOLE.sub(lambda found: "".join(sessions.replayed(found[0])), TEXT))
    if not JQ:
        pytest.skip("jq is not installed: its lines were not run")


class Sessions:
    """README's consoles, one after the other, in one folder: `cd` holds to the end. Lines with jq stay as they are where there is none."""

    def __init__(self, place: Path) -> None:
        self._here = place

    def replayed(self, session: str) -> Iterator[str]:
        for step in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
            command = step.split("\n", 1)[0]
            if command.startswith("cd "):
                self._here /= command.removeprefix("cd ")
            if command.startswith("cd ") or ("jq " in command and not JQ):
                yield f"$ {step}"
            else:
                yield f"$ {command}\n{_said(command, self._here)}"


def _said(command: str, here: Path) -> str:
    """Standard output, then standard error; blanks at the ends of lines do not count."""
    shown = {name: value for name, value in os.environ.items() if name != "COLUMNS" and not name.startswith("CHUNK_")}
    shown |= {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "PYTHONUTF8": "1", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False, cwd=here, encoding="utf-8", env=shown)
    assert done.returncode == 0, (command, done.stderr)
    return "".join(f"{line.rstrip()}\n" for line in (done.stdout + done.stderr).splitlines())


BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.filterwarnings("default")  # of packages that are not ours
@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_python(number: int, place: Path, monkeypatch: pytest.MonkeyPatch):
    """Each example runs by itself. Nothing is fetched: models are in packages."""
    monkeypatch.chdir(place)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    try:
        exec(compile(BLOCKS[number], "README.md", "exec", dont_inherit=True), {})  # noqa: S102 - it is our own
    except (ModuleNotFoundError, MissingExtraError) as error:
        if (error.name or "").startswith("docxchunk"):
            raise
        pytest.skip(f"an example was not run: {error}")


def test_the_first_command(tmp_path: Path):
    first = re.findall(r"```sh\n(.*?)\n```", TEXT, re.DOTALL)[0].split(" && ")
    for command in (step.removeprefix(".venv/bin/") for step in first if step.startswith(".venv/bin/docxchunk")):
        assert "sample-report" in _said(command.replace("--out out", f"--out {tmp_path}").replace("stats out/", f"stats {tmp_path}/"), ROOT)


def test_the_second_command_is_the_one_of_ci():
    second = re.findall(r"```sh\n(.*?)\n```", TEXT, re.DOTALL)[1].split(" && ")[-1]
    assert second.replace(".venv/", '"$environment/').replace("pytest", 'pytest"') in (ROOT / ".ci" / "run").read_text("utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_and_options(name: str):
    rows = _rows("## Commands")
    assert any(f"`docxchunk {name}" in row[0] for row in rows)
    for option in (parameter for parameter in COMMANDS[name].params if isinstance(parameter, click.Option)):
        named = [row for row in rows if all(re.search(rf"(?<![\w-]){re.escape(form)}(?![\w-])", row[0]) for form in option.opts)]
        assert named, f"{name} {option.opts}"
        assert re.search(rf"\b{name}\b|with PATH\.\.\.", named[0][1]), f"{option.opts} is not said to be an option of {name}"


def test_no_option_is_named_that_there_is_not():
    there = {form for command in COMMANDS.values() for parameter in command.params for form in parameter.opts} | {"--help"}
    groups = [command for command in COMMANDS.values() if isinstance(command, click.Group)]
    there |= {form for group in groups for command in group.commands.values() for parameter in command.params for form in parameter.opts}
    there |= {"--no-deps", "--quiet", "--editable", "--numprocesses", "--out", "--slow"}  # of pip and pytest
    assert set(re.findall(r"(?<![\w-])--[a-z][\w-]*", TEXT)) <= there


@pytest.mark.parametrize("code", ["0", "1", "2"])
def test_exit_codes(code: str):
    assert re.search(rf"\*\*{code}\*\*", _section("## Commands"))


def test_issue_codes():
    assert [row[0] for row in _rows("## Issues")][1:] == [f"`{code}`" for code in IssueCode]


def test_limits_and_defaults():
    units = {"MiB": 1 << 20, "Mi": 1 << 20, "GiB": 1 << 30, "": 1}
    said = {}
    for name, default, _ in _rows("## Errors and limits")[1:]:
        number, _, unit = default.partition(" ")
        said[name.strip("`")] = int(number.replace(",", "")) * units[unit]
    assert said == asdict(Limits())


def test_reasons_for_what_is_left_out():
    reasons = {value for name, value in vars(Dropped).items() if name.isupper()}
    assert {reason for reason in reasons if reason in " ".join(_section("## Files").split())} == reasons


@pytest.mark.parametrize(("schema", "start"), [("block", "**A block**"), ("chunk", "**A chunk**")])
def test_fields(schema: str, start: str):
    rule = json.loads((SCHEMAS / f"{schema}.schema.json").read_text("utf-8"))
    said = TEXT[TEXT.index(start) :].split("\n\n")[0]
    assert [name for name in rule["properties"] if not re.search(rf"\b{name}\b", said)] == []


def test_the_words_of_fields():
    text = _section("## Files")
    for schema, *path in (("block", "session_type"), ("block", "heading_source"), ("block", "lines", "items"), ("chunk", "parts", "items")):
        rule = json.loads((SCHEMAS / f"{schema}.schema.json").read_text("utf-8"))
        for step in path:
            rule = rule["properties"][step] if step != "items" else rule["items"]
        words = [*rule.get("enum", ()), *_names(rule)]
        assert [word for word in words if not re.search(rf"\b{word}\b", text)] == []


def _names(rule: dict) -> Iterator[str]:
    yield from rule.get("properties", ())
    for inner in rule.get("anyOf", ()):
        yield from inner["properties"]
        yield from inner["properties"]["role"]["enum"]


def test_names_of_the_library():
    modules = {"adapters", "chunking", "testing"}
    names = re.findall(r"\bdocxchunk\.(\w+)", "".join(re.findall(r"```python\n.*?```|`docxchunk\.[A-Z]\w+`", TEXT, re.DOTALL)))
    assert {"parse", "chunk", "write", "read", "tokenizer", "InputError", "Limits"} <= set(names) <= set(package.__all__) | modules


def test_places_of_the_code():
    said = re.findall(r"`((?:reader|chunking)/[\w/]+(?:\.py)?)/?`", TEXT)
    assert said
    assert all((PACKAGE / path).exists() for path in said)


def test_the_example_of_an_element():
    """Each of its lines stands in the file that it is said to be in."""
    lines: set[str] = set()
    for line in TEXT[TEXT.index("```text\nfixtures/cases/") :].split("```")[1].splitlines()[1:]:
        if line.startswith("    "):
            assert line.strip() in lines
        else:
            path = PACKAGE.parent / line if line.startswith("docxchunk/") else ROOT / line
            lines = {each.strip() for each in path.read_text("utf-8").splitlines()}


def _section(heading: str) -> str:
    return TEXT[TEXT.index(f"\n{heading}\n") :].split("\n## ", 2)[1]


def _rows(heading: str) -> list[list[str]]:
    """The cells of the tables of a section."""
    lines = [line for line in _section(heading).splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
