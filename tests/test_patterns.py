"""No regular expression of the package takes the square of the time for twice the text."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from docx_builder import docx
from pattern_growth import TooLargeError, growths

import docxchunk
from docxchunk.language.patterns import Later, pattern

ROOT = Path(docxchunk.__file__).parent
MATCHING = {"match", "fullmatch"}  # at one place; the other methods search
# these are passed to a function that matches them
PASSED = {
    "language.numbers": {"_DECIMAL"},
    "language.references": {
        "_NUMBER",
        "_OF_ANNEX",
        "_DIGITS_FIRST",
        "_AFTER_ROMAN",
        "_OTHER_JOINTS",
        "_WORDED_ITEM",
    },
}
LINEAR = {
    "backends.bm25.SEARCHED": "what an alternative gives back is a word of the next one",
    "language.sentences._END": "two characters before the place refuse the inside of a run",
    "ooxml.field_codes._TOKEN": "each quotation mark that begins a text is a match",
    "reader.alt_chunk._TAG": "each tag or comment that begins is a match",
    "content.table_texts._LAST_WORD": "its text is cut to the length of a name",
    "retrieval.memos.quotations._LAST_BRACKETS": "its text is cut to 240 characters",
    "formats.markdown._PARAGRAPHS": "a run without its last line break matches",
}
# their texts are cut to 40, 500 or 1000 characters
CUT = {
    "language.labels._WHOLE",
    "language.labels._UNIT",
    "retrieval.citing.quoted_words._AFTER",
    "retrieval.citing.quoted_words._BEFORE",
    "retrieval.citing.quoted_words._FIRST_LABEL",
    "retrieval.citing.quoted_words._LAST_LABEL",
    "retrieval.memos.quotations._LABEL",
    "retrieval.memos.quotations._LABEL_OR_NUMBER",
    "retrieval.memos.quotations._ATTRIBUTION",
}


class Used(NamedTuple):
    pattern: re.Pattern[Any]
    is_searched: bool


def modules() -> Iterator[ModuleType]:
    for each in pkgutil.walk_packages(docxchunk.__path__, "docxchunk."):
        if ".testing" in each.name:  # it reads what docxchunk writes
            continue
        with suppress(ImportError):  # of a package that is not installed
            yield importlib.import_module(each.name)


@cache
def methods() -> dict[str, set[str]]:
    """Return the methods that are called on each name; "?" for another use. A private name is
    written with its file.
    """
    used: defaultdict[str, set[str]] = defaultdict(set)
    for path in ROOT.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        above = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                parent = above[node]
                method = parent.attr if isinstance(parent, ast.Attribute) else "?"
                used[key(str(path), node.id)].add(method)
    return used


def key(path: str, name: str) -> str:
    return f"{path} {name}" if name.startswith("_") else name


def within(value: object) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, Later):
        yield value.compiled
    elif isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from within(tuple(value.values()))
    elif isinstance(value, tuple | list | frozenset):
        for each in value:
            yield from within(each)


def patterns() -> Iterator[tuple[str, Used]]:
    """Yield the patterns of the modules, and those that functions give as text."""
    for module in modules():
        name = module.__name__.removeprefix("docxchunk.")
        for variable, value in vars(module).items():
            used = methods().get(key(str(module.__file__), variable), {"?"}) - {"pattern"}
            is_searched = not used <= MATCHING and variable not in PASSED.get(name, ())
            for each in within(value):
                yield f"{name}.{variable}", Used(each, is_searched)
        for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text("utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="re"), attr=method),
                    args=[ast.Constant(value=str() | bytes() as source), *_],
                ) if method != "compile":
                    found = Used(re.compile(source), method not in MATCHING)
                    yield f"{name}:{node.lineno}", found


@pytest.mark.slow
def test_no_pattern_reads_a_text_again_and_again():
    seen: set[Used] = set()
    slow: dict[str, object] = {}
    for name, used in patterns():
        if used in seen:
            continue
        seen.add(used)
        try:
            words = growths(used.pattern, is_searched=used.is_searched)
        except TooLargeError:
            words = [] if name in CUT else ["too large"]
        if words and name not in LINEAR:
            slow[name] = words
    assert not slow
    assert len(seen) > 300


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        (r"\s*,?\s*x", "two repeats"),
        (r"x(.*?)\s*y", "two repeats"),
        (r"[ :|-]*\|[ :|-]*$", "two repeats"),
        (r"(?:\d+,?)+x", "two ways through a repeat"),
        (r"(\w+)+x", "two ways through a repeat"),
        (r"\s+x", "searched again"),
        (r"\[\^[^\]]+\]", "searched again"),
        (r"<!--.*?-->", "searched again"),
        (r"\t\s*\d+$", "searched again"),
        (r"A(?:[\sA]*b)?", "searched again"),
    ],
)
def test_patterns_that_are_slow(source, kind):
    assert kind in {each.kind for each in growths(re.compile(source), is_searched=True)}


@pytest.mark.parametrize(
    "source",
    [
        r"(?<!\s)\s+x",
        r"\[\^[^\[\]]+\]",
        r"\s++(?:,\s++)?(?<=a)x",
        r"\b\w+x",
        r"^\s+x",
        r"[^\W\d]\w*(?:'\w+)*",
        r"<a>[^<]*+(?:<(?!/?a)[^<]*+)*+</a>",
        r"\{(?:(?!\{|\}).)*\}",
        r"a{1,9}a{1,9}b",
    ],
)
def test_patterns_that_are_not_slow(source):
    assert not growths(re.compile(source), is_searched=not source.startswith(r"\s"))


COUNTED = """
import re._compiler, sys
from docxchunk.__main__ import main
sizes, compiled = [], re._compiler.compile
re._compiler.compile = lambda source, flags=0: sizes.append(len(source)) or compiled(source, flags)
try:
    main()
except SystemExit:
    print(len(sizes), sum(sizes), file=sys.stderr)
"""


@pytest.mark.parametrize("question", ["find", "read"])
def test_a_question_compiles_no_long_patterns_that_it_does_not_use(tmp_path, question):
    """They took half of the time of a question to a small file."""
    path = tmp_path / "a.docx"
    path.write_bytes(docx("<p style='Heading1'>1. Rent</p><p>It is due.</p>"))
    arguments = [sys.executable, "-c", COUNTED, question, path, "1"]
    said = subprocess.run(arguments, capture_output=True, text=True, check=True)
    number, characters = map(int, said.stderr.splitlines()[-1].split())
    assert number <= 115
    assert characters <= 21_000


def test_a_pattern_is_compiled_when_it_is_first_used():
    later = pattern("a+", re.IGNORECASE)
    assert "compiled" not in vars(later)
    assert later.pattern == "a+"
    assert later.fullmatch("aA")
    assert later.flags & re.IGNORECASE
    assert deepcopy(later).sub("b", "cAa") == "cb"
