r"""Join the parts of a formula: typed text and finished LaTeX to sequences, rows and equations.

Typed text is converted when its sequence is complete, so that a word that Word split into several
runs is one word again. An argument of a structure (m:num, m:e) stays a list of items until the
structure is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from itertools import groupby
from typing import NamedTuple

from lxml import etree

from docxchunk.ooxml.xml import ON, M
from docxchunk.reader.math.characters import LatexAtom, MathStyle, atoms, join, write

VAL = M + "val"
_ANGLE = re.compile(" ?([<>]) ?")
ALIGN, BREAK = "\ufffe", "\uffff"  # marks in the text of runs: characters that XML cannot contain
_SPACE = f" \t\r\n\u00a0\u2002\u2003\u2009\u3000{ALIGN}{BREAK}"


class FragmentKind(Enum):
    """The kind of finished LaTeX, which the structure around it needs: parentheses around a matrix
    make a pmatrix, and a limit goes below an underbrace.
    """

    PLAIN = auto()
    CLOSED = auto()  # takes a script without braces: in delimiters, under an accent
    STACK = auto()  # a fraction without a bar; `parts` are numerator and denominator
    MATRIX = auto()  # a matrix with centered columns; `parts` are its rows
    ROWS = auto()  # an equation array, or a matrix with other columns; `parts` are its rows
    NUMBERED = auto()  # an equation array with a number; `parts` is its LaTeX as a whole equation
    # has a sign above it; `parts` is its LaTeX as an arrow with text, if it can be one
    OVER = auto()
    UNDER = auto()  # has a sign below it; `parts` as for OVER


class MathFragment(NamedTuple):
    """Finished LaTeX."""

    text: str
    kind: FragmentKind = FragmentKind.PLAIN
    parts: tuple[str, ...] = ()
    columns: int = 1
    tall: bool = False  # delimiters around it need \left and \right


class TextRun(NamedTuple):
    """Text of one style, as typed."""

    text: str
    style: MathStyle


class Slot(NamedTuple):
    """An argument of the structure around it."""

    name: str
    items: list[FormulaItem]


FormulaItem = MathFragment | TextRun | Slot


class Structure(NamedTuple):
    """An element whose arguments have been read."""

    element: etree._Element
    slots: Mapping[str, Sequence[Slot]]

    def arguments(self, name: str) -> list[list[FormulaItem]]:
        return [slot.items for slot in self.slots.get(name, ())]

    def argument(self, name: str) -> MathFragment:
        """Return the argument; empty if it is missing, all of them joined if there are several."""
        return sequence([item for items in self.arguments(name) for item in items])

    def value(self, name: str, default: str = "") -> str:
        """Return m:val of a property: "" if it has no value, `default` if there is no such
        property.
        """
        prop = self.element.find(f"{self.element.tag}Pr/{M}{name}")
        return default if prop is None else prop.get(VAL, "")

    def on(self, name: str, default: str = "off") -> bool:
        """Return whether a property is on (22.9.2.7); it is on if it has no value."""
        return is_on(self.value(name, default))


def is_on(value: str) -> bool:
    return not value or value.lower() in ON


# --- Sequences


def sequence(items: Iterable[FormulaItem]) -> MathFragment:
    """Join items, without the spaces at both ends. A single fragment is returned as it is."""
    parts = _trimmed(items)
    if len(parts) == 1 and isinstance(parts[0], MathFragment):
        return parts[0]
    out: list[LatexAtom] = []
    for style, group in groupby(
        parts, lambda item: item.style if isinstance(item, TextRun) else None
    ):
        texts = [item.text for item in group]
        out += (
            atoms("".join(texts).replace(BREAK, " "), style)
            if style
            else [LatexAtom((), text) for text in texts]
        )
    return MathFragment(
        write(out), tall=any(item.tall for item in parts if isinstance(item, MathFragment))
    )


def flat(items: Iterable[FormulaItem]) -> Iterator[MathFragment | TextRun]:
    """Yield the items, with the content of arguments in their place."""
    for item in items:
        if isinstance(item, Slot):
            yield from flat(item.items)
        else:
            yield item


def split(items: Iterable[FormulaItem], mark: str) -> list[list[FormulaItem]]:
    """Split items at the marks in the text of runs."""
    out: list[list[FormulaItem]] = [[]]
    for item in items:
        if not isinstance(item, TextRun) or mark not in item.text:
            out[-1].append(item)
            continue
        first, *later = item.text.split(mark)
        out[-1].append(TextRun(first, item.style))
        out += [[TextRun(text, item.style)] for text in later]
    return out


def is_blank(items: Iterable[FormulaItem]) -> bool:
    return not any(item.text.strip(_SPACE) for item in flat(items))


def _trimmed(items: Iterable[FormulaItem]) -> list[MathFragment | TextRun]:
    parts = list(flat(items))
    solid = [i for i, item in enumerate(parts) if item.text.strip(_SPACE)]
    parts = [item for item in parts[solid[0] : solid[-1] + 1] if item.text] if solid else []
    if parts and isinstance(parts[0], TextRun):
        parts[0] = TextRun(parts[0].text.lstrip(_SPACE), parts[0].style)
    if parts and isinstance(parts[-1], TextRun):
        parts[-1] = TextRun(parts[-1].text.rstrip(_SPACE), parts[-1].style)
    return parts


# --- Equations, rows and numbers


def equation(items: Iterable[FormulaItem]) -> str:
    r"""Return a whole equation (22.1.2.77): several lines aligned, its number as a `\tag`."""
    body, label = numbered(list(items), always=False)
    lines = [line for line in split(body, BREAK) if not is_blank(line)]
    piece = (
        rows([[sequence(cell) for cell in split(line, ALIGN)] for line in lines])
        if len(lines) > 1
        else sequence(body)
    )
    if label:
        return spaced(join([piece.text, tag(label)]))
    return spaced(piece.parts[0] if piece.kind is FragmentKind.NUMBERED else piece.text)


def spaced(latex: str) -> str:
    """Return the LaTeX with blanks around `<` and `>`, which have no effect in mathematics."""
    return _ANGLE.sub(r" \1 ", latex).strip(" ") if "<" in latex or ">" in latex else latex


def rows(table: Sequence[Sequence[MathFragment]]) -> MathFragment:
    """Return rows of cells as `aligned` or `gathered`; a single cell as it is."""
    if len(table) == 1 and len(table[0]) == 1:
        return table[0][0]
    columns = max(map(len, table), default=0)
    parts = lines_of(table)
    return MathFragment(
        environment("aligned" if columns > 1 else "gathered", parts),
        FragmentKind.ROWS,
        parts,
        columns,
        tall=True,
    )


def numbered(items: list[FormulaItem], *, always: bool) -> tuple[list[FormulaItem], str]:
    """Return the items before the number of an equation, and the number; "" if there is none. The
    number follows `#`, as in the linear format: `E=mc^2#(1)`. Unless `always` is set, it must be in
    parentheses.
    """
    for i in reversed(range(len(items))):
        match items[i]:
            case TextRun(text, style) if "#" in text and not style.literal:
                before, _, after = text.rpartition("#")
                label = sequence([TextRun(after, style), *items[i + 1 :]]).text
                inner = re.fullmatch(r"\(([^()]+)\)", label)
                if inner or (always and label):
                    return [*items[:i], TextRun(before, style)], inner[1] if inner else label
                break
    return items, ""


def tag(label: str) -> str:
    r"""Return a `\tag`, whose argument LaTeX sets as text."""
    plain = re.sub(r"\\(?:mathrm|text)\{([^{}]*)\}", r"\1", label).replace(r"\ ", " ")
    return (
        rf"\tag{{{plain}}}"
        if re.fullmatch(r"(?:[^\W_]|[.,:*' -])+", plain)
        else rf"\tag{{\({label}\)}}"
    )


def lines_of(table: Iterable[Sequence[MathFragment]]) -> tuple[str, ...]:
    r"""Return the rows of an environment. Rows that begin with `[` or `*` get `{}`, as they would
    be read as an argument of `\\`.
    """
    texts = (
        re.sub("&  (?=&)", "& ", " & ".join(cell.text for cell in cells)).strip(" ")
        for cells in table
    )
    return tuple(f"{{}}{text}" if text.startswith(("[", "*")) else text for text in texts)


def environment(name: str, lines: Iterable[str], columns: str = "") -> str:
    body = r" \\ ".join(lines)
    return rf"\begin{{{name}}}{columns} {body} \end{{{name}}}"
