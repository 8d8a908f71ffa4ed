"""Each command with each pair of options, generated from what the commands declare: none ends with
an error of Python.
"""

from __future__ import annotations

from itertools import chain, combinations

import click
import pytest
from cli.helpers import REPORT, docxchunk
from docx_builder import docx

from docxchunk.cli import docxchunk as commands
from docxchunk.registry import ENTRIES, PluginKind

Pair = tuple[tuple[str, ...], ...]
VALUES = {
    "--strategy": list(ENTRIES[PluginKind.STRATEGY]),
    "--format": list(ENTRIES[PluginKind.FORMAT]),
    "--max-tokens": [40],
    "--overlap": [5],
    "--limit": [1],
    "--start": [0],
    "--depth": [1],
    "--why": [1],
    "--doc-id": ["d"],
    "--jobs": [1],
    "--trace": ["t.jsonl"],
    "--html": ["page.html"],
    "--metadata": ["m.csv"],
    "--where": ["client=Acme"],
}
"""Values of options that declare none. Options of models, and those without a value here, are left
out."""
CALLS = [
    "show a.docx",
    "show a.docx --chunks --embedder hashing",
    "outline a.docx",
    "read a.docx One",
    "define . text",
    "references . One",
    "find . text",
    "search . 'more text' --metadata m.csv",
    "cite . 'more text and more of it'",
    "diff a.docx b.docx",
    "report a.docx -o page.html --embedder hashing",
    "parse a.docx b.docx -o out",
    "chunk a.docx b.docx -o out --embedder hashing",
    "export out -o exported",
    "validate out",
    "stats out",
]
NOT_HERE = ("--engine", "--device", "--convert", "--out")


def choices(command: click.Command) -> dict[str, list[list[str]]]:
    """The words for each value of each option of a command."""
    found = {}
    for option in command.params:
        name = option.opts[0]
        if not isinstance(option, click.Option) or name in NOT_HERE:
            continue
        if option.is_flag:
            found[name] = [[name]]
        else:
            values = getattr(option.type, "choices", None) or VALUES.get(name, [])
            found[name] = [[name, str(value)] for value in values]
    return found


def groups(options: dict[str, list[list[str]]]) -> list[list[Pair]]:
    """The pairs of values of different options, in groups that fit together."""
    values = [(name, *words) for name, each in options.items() for words in each]
    left = dict.fromkeys(pair for pair in combinations(values, 2) if pair[0][0] != pair[1][0])
    together = []
    while left:
        chosen, group = {}, []
        for pair in left:
            if all(chosen.get(value[0], value) == value for value in pair):
                chosen |= {value[0]: value for value in pair}
                group.append(pair)
        together.append(group)
        left = dict.fromkeys(pair for pair in left if pair not in set(group))
    return together


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_law_no_pair_of_options_ends_with_an_error_of_python(call, tmp_path):
    (tmp_path / "a.docx").write_bytes(REPORT)
    (tmp_path / "b.docx").write_bytes(docx("<p style='Heading1'>One</p><p>Some other text.</p>"))
    (tmp_path / "m.csv").write_text("path,client\na.docx,Acme\n", "utf-8")
    docxchunk("chunk", tmp_path, "-o", tmp_path / "out", "--jobs", "1")

    def is_accepted(*pairs: Pair) -> bool:
        words = [word for value in dict.fromkeys(chain(*pairs)) for word in value[1:]]
        said = docxchunk(call, *words, cwd=tmp_path, DOCXCHUNK_CACHE="cache")
        assert said.code in (0, 1, 2), (words, said)
        assert "This is a fault" not in said.err, (words, said)
        return said.code == 0

    options = choices(commands.get_command(click.Context(commands), call.split()[0]))
    for name, values in options.items():
        options[name] = [words for words in values if is_accepted(((name, *words),))]
    for pairs in groups(options):
        if not is_accepted(*pairs):  # some do not go together
            for pair in pairs:
                is_accepted(pair)
