"""The exact cuts of documents: the cases of fixtures/chunking/balanced.txt, specification.txt and
recursive.txt.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from case_files import sections
from chunking.makers import WORDS, block, document

from docxchunk.chunking import ChunkLimits, P, PStaged, R, run
from docxchunk.model.blocks import Line, LineKind
from docxchunk.model.objects import Table, TableFormat

_MARKS = {"#": LineKind.HEADING, "<": LineKind.TABLE, "-": LineKind.LIST}
_TABLE = re.compile(r"<table (?:(\d+) )?rows of ([\d ]+) words(, header)?>")
_JSON = re.compile(r"<table[^>]*>(.*?)</table>", re.DOTALL)


def settings_of(case):
    return {
        name: json.loads(value) if value[0].isdecimal() or value in ("true", "false") else value
        for name, value in case.settings.items()
    }


def read(source):
    """Return the document of a case: a block for each heading, and one for the lines before the
    first.
    """
    blocks, tables, path = [], [], []
    for text in re.split(r"^(?=#)", source, flags=re.MULTILINE):
        lines = [repeated(line, tables) for part in text.splitlines() for line in times(part)]
        if not lines:
            continue
        level = len(lines[0]) - len(lines[0].lstrip("#"))
        path = [above for above in path if above[0] < level]
        made = block(
            lines[0].lstrip("# ") if level else "", level=level, parents=[name for _, name in path]
        )
        kinds = tuple(
            Line(_MARKS.get(line[0], LineKind.TEXT), bold=line.startswith("**")) for line in lines
        )
        blocks.append(
            replace(
                made,
                content="\n".join(line.removeprefix("**").removeprefix("- ") for line in lines),
                lines=kinds,
            )
        )
        path.append((level, made.heading))
    return document(*blocks, tables=tables)


def times(line):
    count, cross, rest = line.partition(" x ")
    return (
        [rest.replace("@", str(n)) for n in range(int(count))]
        if cross and count.isdecimal()
        else [line]
    )


def repeated(line, tables):
    """Expand repetitions: `a*3` is `a a a`. Each row of a repeated table begins with its number."""
    found = _TABLE.fullmatch(line)
    if not found:
        return re.sub(r"(\w+)\*(\d+)", lambda m: " ".join([m[1]] * int(m[2])), line)
    widths = [int(width) for width in found[2].split()] * int(found[1] or 1)
    rows = [[f"r{n}", " ".join(["w"] * width)] for n, width in enumerate(widths)]
    body = json.dumps(rows, separators=(",", ":"))
    tables.append(
        Table(
            f"t{len(tables)}",
            "",
            "",
            (),
            len(rows),
            2,
            TableFormat.JSON,
            body,
            json.dumps(rows[:1]) if found[3] else None,
        )
    )
    return f'<table id="t{len(tables) - 1}" format="json">{body}</table>'


def shown(chunk):
    text = _JSON.sub(lambda m: f"<{' '.join(row[0] for row in json.loads(m[1]))}>", chunk.content)
    name = f"{chunk.heading} ({chunk.label})" if chunk.label else chunk.heading
    line = f"{chunk.tokens} {name}: " + " / ".join(filter(None, text.split("\n")))
    return re.sub(r"\b([^\W\d]\w*)(?: \1\b)+", lambda m: f"{m[1]}*{len(m[0].split())}", line)


def outcome(source, settings, strategy):
    limits = ChunkLimits(settings.get("size", 100), settings.get("overlap", 0))
    others = {name: settings[name] for name in settings if name not in ("size", "overlap")}
    return "\n".join(map(shown, run(read(source), strategy(**others), limits, WORDS).chunks))


@pytest.mark.parametrize(
    ("strategy", "case"),
    [
        pytest.param(strategy, case, id=case.title)
        for strategy, name in ((P, "balanced"), (PStaged, "specification"), (R, "recursive"))
        for case in sections(f"chunking/{name}.txt")
    ],
)
def test_chunks(strategy, case):
    assert outcome(case.source, settings_of(case), strategy) == case.expected
