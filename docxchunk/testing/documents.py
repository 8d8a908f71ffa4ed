"""Generate unusual documents from recipes, and provide tokenizers without a vocabulary, for tests
of chunking.
"""

from __future__ import annotations

import html
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from docxchunk.content.tags import cell_tag, drawing_tag, equation_tag, escape_text, table_tag
from docxchunk.model.blocks import Block, Line, LineKind, Position
from docxchunk.model.document import Document, Items
from docxchunk.model.objects import Table, TableFormat

WORDS = """
the of system shall be tested before delivery valve supply contract clause data chunk boundary
don't re-use Größe e.g. U.S. x² 3.14 2024 a/b 100% “quoted” (see) naïve
""".split()
CJK = [
    "本节说明系统的总体结构",
    "供应商应当按照合同约定的时间提交技术文件",
    "数据块按照标题层级切分",
    "并保留表头",
    "第三条",
    "当温度超过阈值时",
    "あいうえお",
    "한국어 문장",
]
FORGED = [
    "<table>",
    "</table>",
    '<table id="tb-1">',
    "&lt;table",
    "<equation>",
    "a < b > c",
    "</td>",
    "<tr>",
    "[^9]",
    '[["x"]]',
]
ODD = [
    "/usr/bin",
    "  indented",
    "\ttab",
    "👩‍👩‍👧‍👦",
    "e\u0301te\u0301",
    "🇩🇪🇫🇷",
    "…",
    "***",
    "---",
    "\u00a0nbsp",
    "a" * 90,
    "1234567890" * 12,
    "。" * 30,
]


class Additive:
    """Imitates a byte pair encoding without a vocabulary: words, groups of three digits,
    punctuation with newlines, white space.
    """

    name = "additive"
    fingerprint = "test:additive"
    additive_over_newlines = True
    _TOKENS = re.compile(
        r"[^\r\n\w]?[^\W\d_]+|\d{1,3}| ?[^\s\w]+[\r\n/]*|_|\s*[\r\n]+"
        r"|\s+(?!\S)|\s+"
    )

    def count(self, text: str) -> int:
        return sum(
            1 + (len(token) - 1) // (5 if token.isascii() else 2)
            for token in self._TOKENS.findall(text)
        )


class Whole:
    """Has counts that are not additive: one token per three bytes, rounded up for the whole
    text.
    """

    name = "whole"
    fingerprint = "test:whole"
    additive_over_newlines = False

    def count(self, text: str) -> int:
        return -(-len(text.encode("utf-8", "surrogatepass")) // 3)


ADDITIVE, WHOLE = Additive(), Whole()


@dataclass(frozen=True, slots=True)
class LineRecipe:
    """A line of one of `KINDS`; everything else is derived from the seed."""

    kind: str
    size: int
    seed: int


@dataclass(frozen=True, slots=True)
class BlockRecipe:
    """A block; heading and number are derived from the seed."""

    level: int
    known: bool  # whether `Block.lines` is filled
    lines: tuple[LineRecipe, ...]
    seed: int
    brief: bool = False  # whether the heading is one word, without a number


KINDS: Final = (
    *("text", "text", "text", "long", "short", "cjk", "list", "json", "html", "giant"),
    *("equation", "drawing", "inline", "odd", "forged", "blank", "bridge"),
)


def sample_documents(count: int = 30) -> Iterator[Document]:
    """Yield `count` documents, the same in every run."""
    for seed in range(count):
        rnd = random.Random(seed)  # noqa: S311 - not for cryptography
        if seed % 5 == 4:
            yield build([_tiny_recipe(rnd) for _ in range(rnd.randint(40, 160))])
        else:
            yield build([_recipe(rnd) for _ in range(rnd.randint(1, 12))])


def _recipe(rnd: random.Random) -> BlockRecipe:
    lines = tuple(
        LineRecipe(rnd.choice(KINDS), rnd.randint(1, 40), rnd.randrange(1 << 16))
        for _ in range(rnd.randint(0, 6))
    )
    return BlockRecipe(rnd.randint(0, 9), rnd.random() < 0.5, lines, rnd.randrange(1 << 16))


def _tiny_recipe(rnd: random.Random) -> BlockRecipe:
    """Return a section of a few tokens."""
    lines = tuple(LineRecipe("short", 6, rnd.randrange(1 << 16)) for _ in range(rnd.randint(0, 1)))
    return BlockRecipe(
        rnd.choice((1, 2, 2, 2, 2, 3, 5)),
        rnd.random() < 0.5,
        lines,
        rnd.randrange(1 << 16),
        brief=True,
    )


def build(recipes: Sequence[BlockRecipe], doc_id: str = "doc-0") -> Document:
    """Return the document that the recipes describe."""
    maker = _Maker()
    for recipe in recipes:
        maker.add(recipe)
    return Document(
        "random.docx", "docx", doc_id, "", tuple(maker.blocks), tables=Items(maker.tables)
    )


class _Maker:
    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.tables: dict[str, Table] = {}
        self.path: list[tuple[int, str]] = []

    def add(self, recipe: BlockRecipe) -> None:
        rnd = random.Random(recipe.seed)  # noqa: S311 - not for cryptography
        level = recipe.level if self.blocks else rnd.choice((0, recipe.level))
        if level == 0 and self.blocks:
            level = 1 + recipe.seed % 3
        heading, number = "", None
        texts: list[tuple[LineKind, str, str | None]] = []
        if level:
            number = None if recipe.brief else _number(rnd, level, len(self.blocks))
            name = _words(rnd, 1 if recipe.brief else rnd.choice((1, 3, 9, 30)))
            heading = f"{number} {name}" if number else name
            while self.path and self.path[-1][0] >= level:
                self.path.pop()
            texts.append((LineKind.HEADING, f"{'#' * min(level, 6)} {heading}", number))
        block_id = f"block-{recipe.seed}-{len(self.blocks)}"
        for line in recipe.lines:
            texts += self._line(line, block_id)
        if not any(text.strip() for _, text, _ in texts):
            texts = [(LineKind.TEXT, "Something.", None)]
        lines = tuple(
            Line(
                kind,
                f"{len(self.blocks)}-{i}",
                number=line_number,
                bold=i % 7 == 3,
                page=len(self.blocks) + i // 5,
            )
            for i, (kind, text, line_number) in enumerate(texts)
            for _ in range(text.count("\n") + 1)
        )
        elements = (len(self.blocks), len(self.blocks))
        self.blocks.append(
            Block(
                block_id,
                content="\n".join(text for _, text, _ in texts),
                heading=heading,
                parent_headings=tuple(name for _, name in self.path),
                level=level,
                number=number,
                lines=lines if recipe.known else (),
                position=Position(lines[0].para_id, lines[-1].para_id, elements),
            )
        )
        if level:
            self.path.append((level, heading))

    def _line(self, line: LineRecipe, block_id: str) -> list[tuple[LineKind, str, str | None]]:
        rnd = random.Random(line.seed)  # noqa: S311 - not for cryptography
        if line.kind == "list":
            return [
                (LineKind.LIST, f"({n}) {_words(rnd, 8)}", f"({n})")
                for n in range(1, 2 + line.size % 5)
            ]
        if line.kind == "bridge":
            before, after = (
                self._table(rnd, 40, block_id, json_rows=json_rows) for json_rows in (True, False)
            )
            return [
                (LineKind.TABLE, before, None),
                (LineKind.TEXT, _sentences(rnd, line.size), None),
                (LineKind.TABLE, after, None),
            ]
        if line.kind in ("json", "html", "giant"):
            return [
                (
                    LineKind.TABLE,
                    self._table(
                        rnd,
                        line.size,
                        block_id,
                        json_rows=line.kind != "html",
                        giant=line.kind == "giant",
                    ),
                    None,
                )
            ]
        kind = LineKind(line.kind) if line.kind in ("equation", "drawing") else LineKind.TEXT
        return [(kind, _TEXTS[line.kind](rnd, line), None)]

    def _table(
        self, rnd: random.Random, size: int, block_id: str, *, json_rows: bool, giant: bool = False
    ) -> str:
        width = rnd.randint(1, 5)
        rows = [[_cell(rnd) for _ in range(width)] for _ in range(size)]
        if giant:
            rows[rnd.randrange(size)][rnd.randrange(width)] = (
                _sentences(rnd, 300) + rnd.choice(('"quoted" \\ back', "\n\n", "")) + "".join(CJK)
            )
        identifier = f"tb-0-{len(self.tables) + 1:04d}"
        header_rows = rnd.choice((0, 0, 1, 2)) if size > 3 else 0
        if json_rows:
            header = json.dumps(rows[:header_rows], ensure_ascii=False)
            body = json.dumps(
                rows,
                ensure_ascii=rnd.random() < 0.2,
                separators=(",", ":") if rnd.random() < 0.7 else (", ", ": "),
            )
        else:
            written = _html_rows(rnd, rows)
            header = f"<thead>{''.join(written[:header_rows])}</thead>"
            body = "".join(written)
        fmt = TableFormat.JSON if json_rows else TableFormat.HTML
        self.tables[identifier] = Table(
            identifier,
            block_id,
            "",
            (),
            len(rows),
            width,
            fmt,
            body,
            header if header_rows else None,
        )
        return table_tag(identifier, fmt, body)


def _number(rnd: random.Random, level: int, count: int) -> str | None:
    """Return the number of a heading, in one of the forms that a document may mix."""
    return rnd.choice(
        (
            None,
            None,
            f"{level}.{count}",
            f"{level}.{count}",
            f"({count})",
            f"Article {count}",
            f"第{count}条",
        )
    )


def _html_rows(rnd: random.Random, rows: list[list[str]]) -> list[str]:
    """Return rows as HTML. Some cells span several rows, also from the header into the rows below
    it, and a few all rows; some span two columns.
    """
    spanned: set[tuple[int, int]] = set()  # positions that cells above or to the left span
    out: list[str] = []
    for number, row in enumerate(rows):
        cells: list[str] = []
        for column, cell in enumerate(row):
            if (number, column) in spanned:
                continue
            rows_left = len(rows) - number
            high = rnd.choice((1, 1, 1, 1, 1, 2, 3, rows_left if rnd.random() < 0.1 else 4))
            is_wide = column + 1 < len(row) and (number, column + 1) not in spanned
            spans = (min(high, rows_left), 2 if is_wide and rnd.random() < 0.1 else 1)
            spanned |= {(number + i, column + j) for i in range(spans[0]) for j in range(spans[1])}
            text = html.escape(cell, quote=False).replace("\n", "<br>")
            cells.append(cell_tag("td", text, *spans))
        if cells and rnd.random() < 0.1:
            cells[-1] = cells[-1].replace(">", ">inner | cell ", 1)
        out.append(f"<tr>{''.join(cells)}</tr>")
    return out


def _cell(rnd: random.Random) -> str:
    kind = rnd.random()
    if kind < 0.15:
        return ""
    if kind < 0.25:
        return rnd.choice(CJK)
    if kind < 0.3:
        return escape_text(rnd.choice(FORGED))
    if kind < 0.35:
        return 'say "hi" \\ there'
    return _words(rnd, rnd.randint(1, 9))


def _words(rnd: random.Random, count: int) -> str:
    return " ".join(rnd.choice(WORDS) for _ in range(count)).strip()


def _sentences(rnd: random.Random, count: int) -> str:
    return " ".join(
        f"{_words(rnd, rnd.randint(2, 12)).capitalize()}{rnd.choice('..?!;,')}"
        for _ in range(max(count, 1))
    )


def _inline(rnd: random.Random, line: LineRecipe) -> str:
    return " ".join(
        f"{_words(rnd, 3)} {equation_tag('a_{1} + ' + chr(97 + n % 26))} "
        f"x<sup>{n}</sup>, note[^{n}]."
        for n in range(line.size)
    )


def _drawing(rnd: random.Random, line: LineRecipe) -> str:
    return drawing_tag(
        f"im-0-{line.seed:04d}",
        "png",
        _words(rnd, line.size % 9),
        f"random.blocks.assets/image{line.seed}.png",
        "",
    )


_TEXTS: dict[str, Callable[[random.Random, LineRecipe], str]] = {
    "text": lambda rnd, line: _sentences(rnd, line.size),
    "long": lambda rnd, line: _sentences(rnd, line.size * 12),
    "short": lambda rnd, line: _words(rnd, 1 + line.size % 6).capitalize(),
    "cjk": lambda rnd, line: "".join(
        rnd.choice(CJK) + rnd.choice("，。；！") for _ in range(line.size)
    ),
    "equation": lambda _, line: equation_tag(
        "x^{2} + " * (1 + line.size % 8) + "y", f"eq-0-{line.seed:04d}"
    ),
    "drawing": _drawing,
    "inline": _inline,
    "odd": lambda rnd, line: " ".join(rnd.choice(ODD) for _ in range(1 + line.size % 12)),
    "forged": lambda rnd, line: escape_text(
        " ".join(f"{rnd.choice(FORGED)} {_words(rnd, 2)}" for _ in range(1 + line.size % 9))
    ),
    "blank": lambda rnd, _: rnd.choice(("", " ", "\n")),
}
