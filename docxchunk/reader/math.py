r"""Office Math to LaTeX (ECMA-376 Part 1, 22.1): the structures; letters and signs are the business of `latex`.

An equation is folded from its leaves up, without recursion: what is below an element has become a list of items when the element closes.
Runs stay as they are until their sequence is complete, so that a word that Word has cut in pieces is one word again; an argument (m:num, m:e)
stays a list until the structure asks for it. What is not in the tables below is transparent: its content is read in its place.

No input raises. Nothing that is typed gets lost, arguments in the wrong place included; nothing is invented; braces and \left ... \right
are balanced by construction; there is no `<`, no `>` and no line break in the result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum, auto
from itertools import groupby
from typing import NamedTuple

from lxml.etree import _Element as Element

from docxchunk.model.options import TrackChanges
from docxchunk.ooxml.names import MC, XML, M, W
from docxchunk.reader.latex import (
    BLANK,
    DELIMITERS,
    INTEGRALS,
    OPERATORS,
    Atom,
    Style,
    accent,
    atoms,
    braced,
    function_name,
    is_atom,
    join,
    latex_text,
    limit_name,
    trim,
    write,
)

MAX_DEPTH = 120  # elements inside each other below m:oMath: some 60 structures, about what the groups of TeX can hold
_VAL = M + "val"
_ALIGN, _BREAK = "\ufffe", "\uffff"  # put into the text of runs; no XML document can hold them
_MATRIX_COLUMNS = 10  # what amsmath's matrix takes


class Latex(NamedTuple):
    """An equation in LaTeX on one line. Where it is `broken` (nested deeper than MAX_DEPTH), `text` is its plain text in one `\\text{...}`.

    `unknown` has the names of elements that are not of Office Math or cannot stand in an equation; their text is kept, pictures are not.
    """

    text: str
    broken: bool = False
    unknown: tuple[str, ...] = ()


def latex_of(omath: Element, view: TrackChanges = TrackChanges.FINAL) -> Latex:
    r"""The LaTeX of one m:oMath (22.1.2.77), without `$`; several lines become one `aligned` or `gathered`, a number `#(1)` a `\tag{1}`."""
    reading = _Reading(view)
    items = reading.read(omath)
    unknown = tuple(sorted(reading.unknown))
    if items is None:
        text = "".join(element.text or "" for element in omath.iter(M + "t", W + "t"))
        return Latex(latex_text(" ".join(text.split()), Style(normal=True)), broken=True, unknown=unknown)
    return Latex(_equation(items), unknown=unknown)


def latex_of_para(para: Element, view: TrackChanges = TrackChanges.FINAL) -> list[Latex]:
    """The equations of one m:oMathPara (22.1.2.78) in order, one for each m:oMath that shows anything."""
    found = [latex_of(omath, view) for omath in para.iter(M + "oMath") if _is_outermost(omath, para)]
    return [latex for latex in found if latex.text]


def _is_outermost(omath: Element, para: Element) -> bool:
    for ancestor in omath.iterancestors():
        if ancestor is para:
            return True
        if ancestor.tag == M + "oMath":
            return False
    return False


# --- What the fold makes ---


class Shape(Enum):
    """What others need to know about a piece: a matrix in parentheses becomes a pmatrix, a limit goes under an underbrace."""

    PLAIN = auto()
    FENCED = auto()  # in delimiters: takes a script as it is
    STACK = auto()  # a fraction without a bar; parts are its two halves
    MATRIX = auto()  # centred; parts are its rows
    ROWS = auto()  # an equation array, or a matrix that is not centred; parts are its rows
    NUMBERED = auto()  # an equation array with a number; parts[0] is what it is at the top of an equation
    OVER = auto()  # under a sign: a limit may go above it; parts[0] is the same as an arrow with text, if it can be one
    UNDER = auto()  # above a sign


class Piece(NamedTuple):
    """Finished LaTeX. `tall`: delimiters around it have to grow."""

    text: str
    shape: Shape = Shape.PLAIN
    parts: tuple[str, ...] = ()
    columns: int = 1
    tall: bool = False


class Run(NamedTuple):
    text: str
    style: Style


class Slot(NamedTuple):
    """An argument of the structure around it."""

    name: str
    items: list[Item]


Item = Piece | Run | Slot


class Structure(NamedTuple):
    """An element whose arguments have been read."""

    element: Element
    slots: Mapping[str, list[Slot]]

    def arguments(self, name: str) -> list[list[Item]]:
        return [slot.items for slot in self.slots.get(name, ())]

    def argument(self, name: str) -> Piece:
        """The argument, empty where it is missing; where it stands twice, both."""
        return _sequence([item for items in self.arguments(name) for item in items])

    def property(self, name: str, default: str = "") -> str:
        """m:val of a property; "" where the property has no value, the default where it is not there."""
        found = self.element.find(f"{self.element.tag}Pr/{M}{name}")
        return default if found is None else found.get(_VAL, "")

    def on(self, name: str, default: str = "off") -> bool:
        """A property that is on or off (22.9.2.7), on where it has no value."""
        return _is_on(self.property(name, default))


def _is_on(value: str) -> bool:
    return value.lower() not in ("0", "off", "false")


# --- Sequences ---


def _sequence(items: Iterable[Item]) -> Piece:
    """Items one after the other. A single piece keeps its shape."""
    visible = _strip(items)
    if len(visible) == 1 and isinstance(visible[0], Piece):
        return visible[0]
    found: list[Atom] = []
    for style, group in groupby(visible, lambda item: item.style if isinstance(item, Run) else None):
        if style is None:
            found += [Atom((), item.text) for item in group if isinstance(item, Piece)]
        else:
            found += atoms("".join(item.text for item in group if isinstance(item, Run)), style)
    return Piece(write(trim(found)), tall=any(item.tall for item in visible if isinstance(item, Piece)))


def _strip(items: Iterable[Item]) -> list[Piece | Run]:
    """Without empty items, and without blank runs at both ends."""
    out = [item for item in _flat(items) if item.text]
    while out and isinstance(out[-1], Run) and _is_blank(out[-1]):
        out.pop()
    start = next((i for i, item in enumerate(out) if isinstance(item, Piece) or not _is_blank(item)), 0)
    return out[start:]


def _is_blank(run: Run) -> bool:
    return not run.text.strip(f"{_ALIGN}{_BREAK} \t\r\n\u00a0")


def _flat(items: Iterable[Item]) -> Iterable[Piece | Run]:
    """Arguments without a structure to belong to are read in their place; only m:mr holds arguments that hold arguments."""
    for item in items:
        if isinstance(item, Slot):
            yield from _flat(item.items)
        else:
            yield item


def _split(items: Iterable[Item], mark: str) -> list[list[Item]]:
    """Items between marks in the text of runs."""
    out: list[list[Item]] = [[]]
    for item in items:
        if not isinstance(item, Run) or mark not in item.text:
            out[-1].append(item)
            continue
        first, *rest = item.text.split(mark)
        out[-1].append(Run(first, item.style))
        out += [[Run(text, item.style)] for text in rest]
    return out


# --- The whole equation ---


def _equation(items: list[Item]) -> str:
    body, number = _numbered(items, always=False)
    rows = [row for row in _split(body, _BREAK) if _strip(row)]
    piece = _rows([[_sequence(cell) for cell in _split(row, _ALIGN)] for row in rows]) if len(rows) > 1 else _sequence(body)
    text = piece.parts[0] if piece.shape is Shape.NUMBERED else piece.text
    return join([text, rf"\tag{{{number}}}"]) if number and piece.shape is not Shape.NUMBERED else text


def _numbered(items: list[Item], *, always: bool) -> tuple[list[Item], str]:
    """Items before a number, and the number: `E=mc^2#(1)` as Word's linear format has it. Without `always`, only a number in parentheses counts."""
    for i, item in enumerate(items):
        if not isinstance(item, Run) or "#" not in item.text or item.style.literal:
            continue
        before, _, after = item.text.partition("#")
        label = _sequence([Run(after, item.style), *items[i + 1 :]]).text
        inner = re.fullmatch(r"\((.*)\)|\\left\((.*)\\right\)", label)
        if (inner and (inner[1] or inner[2])) or (always and label):
            return [*items[:i], Run(before, item.style)], _tag((inner[1] or inner[2] or "") if inner else label)
    return items, ""


def _tag(label: str) -> str:
    r"""Fit to stand in `\tag{}`, which sets text."""
    plain = re.sub(r"\\(?:mathrm|text)\{([^{}]*)\}", r"\1", label).replace(r"\ ", " ")
    return plain if re.fullmatch(r"[A-Za-z0-9.,:*' -]*", plain) else rf"\({label}\)"


# --- Structures, in the order of 22.1.2 ---


def _accent(x: Structure) -> Piece:
    """m:acc (22.1.2.1); a circumflex where no m:chr says otherwise."""
    body = x.argument("e")
    return Piece(accent(x.property("chr", "\u0302"), body.text), Shape.FENCED, tall=body.tall)


def _bar(x: Structure) -> Piece:
    """m:bar (22.1.2.7); below where no m:pos says otherwise."""
    command = "overline" if x.property("pos") == "top" else "underline"
    body = x.argument("e")
    return Piece(rf"\{command}{{{body.text}}}", Shape.FENCED, tall=body.tall)


def _border_box(x: Structure) -> Piece:
    """m:borderBox (22.1.2.11): borders that are not hidden, and strikes."""
    body = x.argument("e")
    text = body.text
    falling, rising = x.on("strikeTLBR"), x.on("strikeBLTR")
    if falling or rising or x.on("strikeH") or x.on("strikeV"):
        text = rf"\{'xcancel' if falling and rising else 'bcancel' if falling else 'cancel'}{{{text}}}"
    sides = {side for side in ("Top", "Bot", "Left", "Right") if not x.on(f"hide{side}")}
    command = {frozenset(): "", frozenset({"Top"}): "overline", frozenset({"Bot"}): "underline"}.get(frozenset(sides), "boxed")
    return Piece(
        rf"\{command}{{{text}}}" if command else text, Shape.FENCED if text != body.text or command else Shape.PLAIN, tall=body.tall
    )


def _box(x: Structure) -> Piece:
    r"""m:box (22.1.2.13): invisible. An operator emulator with an arrow is a `\xrightarrow`; a differential has a thin space before it."""
    body = x.argument("e")
    if x.on("opEmu") and body.shape in (Shape.OVER, Shape.UNDER) and body.parts:
        return Piece(body.parts[0], tall=body.tall)
    return Piece(join([r"\,", body.text]), tall=body.tall) if x.on("diff") else body


_ENVIRONMENTS = {("(", ")"): "pmatrix", ("[", "]"): "bmatrix", ("{", "}"): "Bmatrix", ("|", "|"): "vmatrix", ("‖", "‖"): "Vmatrix"}
_FLAT_PAIRS = frozenset({("(", ")"), ("[", "]"), ("{", "}"), ("⟨", "⟩"), ("〈", "〉"), ("⌊", "⌋"), ("⌈", "⌉")})


def _delimiters(x: Structure) -> Piece:
    r"""m:d (22.1.2.24): `( | )` where begChr, sepChr, endChr do not say otherwise; one without a value shows nothing. They grow only around what is tall."""
    begin, separator, end = (x.property(name, default) for name, default in (("begChr", "("), ("sepChr", "|"), ("endChr", ")")))
    pieces = [_sequence(items) for items in x.arguments("e")] or [Piece("")]
    return (_special(begin, end, pieces[0]) if len(pieces) == 1 else None) or _fence(begin, separator, end, pieces)


def _special(begin: str, end: str, body: Piece) -> Piece | None:
    """What mathematicians have a name for: binomials, matrices, cases."""
    pair = (begin, end)
    if body.shape is Shape.STACK and pair == ("(", ")"):
        return Piece(rf"\binom{{{body.parts[0]}}}{{{body.parts[1]}}}", Shape.FENCED, tall=True)
    if body.shape is Shape.MATRIX and pair in _ENVIRONMENTS:
        return Piece(_environment(_ENVIRONMENTS[pair], body.parts), Shape.FENCED, tall=True)
    if body.shape in (Shape.MATRIX, Shape.ROWS) and pair == ("{", "") and body.columns <= 2:
        return Piece(_environment("cases", body.parts), Shape.FENCED, tall=True)
    return None


def _fence(begin: str, separator: str, end: str, pieces: list[Piece]) -> Piece:
    tall = any(piece.tall for piece in pieces)
    grows = (begin in DELIMITERS or end in DELIMITERS) and (tall or (begin, end) not in _FLAT_PAIRS)
    between = latex_text(separator)
    if grows and separator in DELIMITERS:
        between = rf"\middle{DELIMITERS[separator]}"
    body = join([text for piece in pieces for text in (between, piece.text)][1:])
    if grows:
        return Piece(join([_side("left", begin), body, _side("right", end)]), Shape.FENCED, tall=tall)
    return Piece(join([latex_text(begin), body, latex_text(end)]), Shape.FENCED if begin or end else Shape.PLAIN, tall=tall)


def _side(command: str, char: str) -> str:
    r"""`\left(`; a sign that TeX cannot stretch stands beside an invisible one."""
    if char in DELIMITERS:
        return rf"\{command}{DELIMITERS[char]}"
    sign = latex_text(char)
    return join([sign, r"\left."] if command == "left" else [r"\right.", sign])


def _equation_array(x: Structure) -> Piece:
    """m:eqArr (22.1.2.34): `&` in a row aligns, `#` starts its number (any number where m:maxDist is on)."""
    always = x.on("maxDist")
    rows: list[list[Piece]] = []
    numbers: list[str] = []
    for items in x.arguments("e"):
        body, number = _numbered(items, always=always)
        rows.append([_sequence(cell) for cell in _split([_aligned(item) for item in body], _ALIGN)])
        numbers.append(number)
    if not any(numbers):
        return _rows(rows)
    inline = _rows([[*row[:-1], _with_number(row[-1], number)] for row, number in zip(rows, numbers, strict=True)])
    tagged = join([_rows(rows).text, rf"\tag{{{max(numbers)}}}"]) if sum(map(bool, numbers)) == 1 else inline.text
    return Piece(inline.text, Shape.NUMBERED, (tagged,), tall=inline.tall)


def _aligned(item: Item) -> Item:
    return Run(item.text.replace("&", _ALIGN), item.style) if isinstance(item, Run) and not item.style.literal else item


def _with_number(cell: Piece, number: str) -> Piece:
    r"""`\tag` works only at the top of an equation, and once."""
    return Piece(join([cell.text, r"\qquad", f"({number})"]), tall=cell.tall) if number else cell


def _rows(rows: list[list[Piece]]) -> Piece:
    """Rows of cells; a single one without alignment is no array."""
    if len(rows) == 1 and len(rows[0]) == 1:
        return rows[0][0]
    columns = max(map(len, rows), default=0)
    parts = tuple(_row(row) for row in rows)
    return Piece(_environment("aligned" if columns > 1 else "gathered", parts), Shape.ROWS, parts, columns, tall=True)


def _row(cells: Iterable[Piece]) -> str:
    text = " & ".join(cell.text for cell in cells).strip(" ")
    return f"{text} " if text.endswith("\\") else text


def _environment(name: str, rows: Iterable[str]) -> str:
    r"""Rows in an environment; what looks like an option of `\\` is kept from being one."""
    name, _, columns = name.partition(" ")
    body = r" \\ ".join(f"{{}}{row}" if row.startswith(("[", "*")) else row for row in rows)
    return rf"\begin{{{name}}}{columns} {body} \end{{{name}}}"


def _fraction(x: Structure) -> Piece:
    """m:f (22.1.2.36), in the four types of 22.9... ST_FType: bar, lin, skw, noBar."""
    above, below = x.argument("num").text, x.argument("den").text
    match x.property("type"):
        case "lin":
            return Piece(join([braced(above), "/", braced(below)]), tall=not (is_atom(above) and is_atom(below)))
        case "skw":
            return Piece(rf"{{}}^{{{above}}}\!/_{{{below}}}", tall=True)
        case "noBar":
            return Piece(rf"{{{above} \atop {below}}}", Shape.STACK, (above, below), tall=True)
        case _:
            return Piece(rf"\frac{{{above}}}{{{below}}}", tall=True)


def _function(x: Structure) -> Piece:
    """m:func (22.1.2.39)."""
    body = x.argument("e")
    return Piece(join([function_name(x.argument("fName").text), body.text]), tall=body.tall)


_STRETCHED = {
    ("⏞", True): "overbrace", ("⏟", False): "underbrace", ("⎴", True): "overbracket", ("⎵", False): "underbracket",
    ("→", True): "overrightarrow", ("←", True): "overleftarrow", ("↔", True): "overleftrightarrow", ("→", False): "underrightarrow",
    ("←", False): "underleftarrow", ("↔", False): "underleftrightarrow", ("^", True): "widehat", ("\u0302", True): "widehat",
    ("~", True): "widetilde", ("\u0303", True): "widetilde", ("¯", True): "overline", ("\u0305", True): "overline", ("_", False): "underline",
}  # fmt: skip
_ARROWS = {"→": "rightarrow", "←": "leftarrow", "↔": "leftrightarrow", "⇒": "Rightarrow", "⇐": "Leftarrow", "⇔": "Leftrightarrow"}


def _group_char(x: Structure) -> Piece:
    """m:groupChr (22.1.2.41): a bottom brace where m:chr and m:pos do not say otherwise. With m:vertJc at the same end it is the sign that
    stands on the line (22.1.2.119), with the text above or below it.
    """
    body, char, place = x.argument("e"), x.property("chr", "⏟"), x.property("pos", "bot")
    over = place == "top"
    command, sign = _STRETCHED.get((char, over)), latex_text(char)
    text = (
        rf"\{command}{{{body.text}}}"
        if command
        else rf"\{'overset' if over else 'underset'}{{{sign}}}{{{body.text}}}"
        if sign
        else body.text
    )
    arrow = _arrow(char, body.text, below=over)
    if arrow and x.property("vertJc") == place:
        return Piece(arrow, tall=body.tall)
    return Piece(text, Shape.OVER if over else Shape.UNDER, (arrow,) if arrow else (), tall=True)


def _arrow(char: str, text: str, *, below: bool) -> str:
    r"""An arrow with text, or "": `\xrightarrow[below]{above}`; those that amsmath has not got by `\overset`."""
    if char in "→←":
        return rf"\x{_ARROWS[char]}[{{{text}}}]{{}}" if below else rf"\x{_ARROWS[char]}{{{text}}}"
    if char in _ARROWS:
        return rf"\{'underset' if below else 'overset'}{{{text}}}{{\long{_ARROWS[char]}}}".replace(r"\longL", r"\Longl").replace(
            r"\longR", r"\Longr"
        )
    return ""


def _lower_limit(x: Structure) -> Piece:
    """m:limLow (22.1.2.54)."""
    body, limit = x.argument("e"), _small(x.argument("lim"))
    name = limit_name(body.text) or (body.text if body.shape is Shape.UNDER else None)
    return Piece(f"{name}_{{{limit}}}" if name else rf"\underset{{{limit}}}{{{body.text}}}", tall=body.tall)


def _upper_limit(x: Structure) -> Piece:
    """m:limUpp (22.1.2.56)."""
    body, limit = x.argument("e"), _small(x.argument("lim"))
    return Piece(f"{body.text}^{{{limit}}}" if body.shape is Shape.OVER else rf"\overset{{{limit}}}{{{body.text}}}", tall=body.tall)


def _matrix(x: Structure) -> Piece:
    """m:m (22.1.2.60), its columns justified by m:mcs."""
    rows = [[_sequence(slot.items if isinstance(slot, Slot) else [slot]) for slot in items] for items in x.arguments("mr")]
    columns = max(map(len, rows), default=0)
    parts = tuple(_row(row) for row in rows)
    kinds = _justification(x.element, columns)
    if columns <= _MATRIX_COLUMNS and set(kinds) <= {"c"}:
        return Piece(_environment("matrix", parts), Shape.MATRIX, parts, columns, tall=True)
    return Piece(_environment(f"array {{{kinds}}}", parts), Shape.ROWS, parts, columns, tall=True)


def _justification(element: Element, columns: int) -> str:
    """A letter for each column: m:mcJc of its m:mc, which stands for m:count columns."""
    kinds = ""
    for properties in element.iterfind(f"{M}mPr/{M}mcs/{M}mc/{M}mcPr"):
        count, place = properties.find(f"{M}count"), properties.find(f"{M}mcJc")
        number = "1" if count is None else count.get(_VAL, "1")
        letter = {"left": "l", "right": "r"}.get("" if place is None else place.get(_VAL, ""), "c")
        kinds += letter * min(columns - len(kinds), int(number) if number.isascii() and number.isdigit() and len(number) < 4 else 1)
    return kinds + "c" * (columns - len(kinds))


def _nary(x: Structure) -> Piece:
    """m:nary (22.1.2.70): an integral where m:chr does not say otherwise; limits where m:limLoc puts them, if LaTeX would put them elsewhere."""
    char = x.property("chr") or "∫"
    sub = "" if x.on("subHide") else _small(x.argument("sub"))
    sup = "" if x.on("supHide") else _small(x.argument("sup"))
    operator = OPERATORS.get(char) or rf"\mathop{{{latex_text(char)}}}"
    if sub or sup:
        operator += {("undOvr", True): r"\limits", ("subSup", False): r"\nolimits"}.get((x.property("limLoc"), char in INTEGRALS), "")
    body = x.argument("e")
    return Piece(join([_scripted(operator, sub, sup), body.text]), tall=True)


def _phantom(x: Structure) -> Piece:
    """m:phant (22.1.2.81): hidden where m:show is off, though it takes its room; a shown one differs only in the room it takes."""
    body = x.argument("e")
    if x.on("show", "on"):
        return body
    flat, narrow = x.on("zeroAsc") and x.on("zeroDesc"), x.on("zeroWid")
    command = "hphantom" if flat else "vphantom" if narrow else "phantom"
    return Piece(rf"\{command}{{{body.text}}}", tall=body.tall)


def _radical(x: Structure) -> Piece:
    """m:rad (22.1.2.88)."""
    body, degree = x.argument("e"), "" if x.on("degHide") else x.argument("deg").text
    root = rf"\sqrt[{{{degree}}}]" if "]" in degree else rf"\sqrt[{degree}]" if degree else r"\sqrt"
    return Piece(f"{root}{{{body.text}}}", tall=True)


def _pre_script(x: Structure) -> Piece:
    """m:sPre (22.1.2.99)."""
    body = x.argument("e")
    return Piece(join([_scripted("{}", _small(x.argument("sub")), _small(x.argument("sup"))), _base(body)]), tall=body.tall)


def _script(x: Structure) -> Piece:
    """m:sSub (22.1.2.101), m:sSubSup (22.1.2.103), m:sSup (22.1.2.105)."""
    body = x.argument("e")
    sub, sup = _small(x.argument("sub")), _small(x.argument("sup"))
    return Piece(_scripted(_base(body), sub, sup), tall=body.tall) if sub or sup else body


def _scripted(base: str, sub: str, sup: str) -> str:
    text = f"{base}_{{{sub}}}" if sub else base
    if sup and not sup.strip("'"):
        return text + sup
    return f"{text}^{{{sup}}}" if sup else text


def _base(body: Piece) -> str:
    named = limit_name(body.text) if body.text.startswith("\\") else None
    return body.text if body.shape is Shape.FENCED or named == body.text else braced(body.text)


def _small(limit: Piece) -> str:
    r"""Several lines under a sign are a `\substack`."""
    if limit.shape is Shape.ROWS and limit.columns == 1:
        lines = r" \\ ".join(limit.parts)
        return rf"\substack{{{lines}}}"
    return limit.text


Writer = Callable[[Structure], Piece]
STRUCTURES: Mapping[str, tuple[Writer, str]] = {  # element -> its writer and the names of its arguments
    "acc": (_accent, "e"),
    "bar": (_bar, "e"),
    "borderBox": (_border_box, "e"),
    "box": (_box, "e"),
    "d": (_delimiters, "e"),
    "eqArr": (_equation_array, "e"),
    "f": (_fraction, "num den"),
    "func": (_function, "fName e"),
    "groupChr": (_group_char, "e"),
    "limLow": (_lower_limit, "e lim"),
    "limUpp": (_upper_limit, "e lim"),
    "m": (_matrix, "mr"),
    "nary": (_nary, "sub sup e"),
    "phant": (_phantom, "e"),
    "rad": (_radical, "deg e"),
    "sPre": (_pre_script, "sub sup e"),
    "sSub": (_script, "e sub"),
    "sSubSup": (_script, "e sub sup"),
    "sSup": (_script, "e sup"),
}
_ARGUMENTS = frozenset(name for _, names in STRUCTURES.values() for name in names.split())


# --- The fold ---


def _run(element: Element, items: list[Item]) -> list[Item]:
    """m:r (22.1.2.87). A line break or an alignment point of its properties (22.1.2.15, 22.1.2.2) comes before its text."""
    text = "".join(item.text for item in items if isinstance(item, Run))
    properties = element.find(M + "rPr")
    if properties is None:
        return [Run(text, Style())]
    given = {child.tag: child.get(_VAL, "") for child in properties}
    normal, literal = (_is_on(given.get(M + name, "off")) for name in ("nor", "lit"))
    before = (_BREAK if M + "brk" in given else "") + (_ALIGN if M + "aln" in given else "")
    return [Run(before + text, Style(given.get(M + "scr", "roman"), given.get(M + "sty", "i"), normal, literal))]


def _text(element: Element) -> str:
    """m:t (22.1.2.116) and w:t: white space at the ends counts only with xml:space="preserve"."""
    text = " ".join(re.split(r"[\t\n\r]+", element.text or ""))
    return text if element.get(XML + "space") == "preserve" else text.strip(" ")


def _symbol(element: Element) -> str:
    """w:sym (17.3.3.30), its character as it is."""
    code = element.get(W + "char", "")
    return chr(int(code, 16)) if re.fullmatch("[0-9A-Fa-f]{2,4}", code) and not "D800" <= code.upper() <= "DFFF" else ""


_LEAVES: Mapping[str, Callable[[Element], str]] = {
    M + "t": _text,
    W + "t": _text,
    W + "delText": _text,
    W + "sym": _symbol,
    W + "br": lambda _: _BREAK,
    W + "cr": lambda _: _BREAK,
    W + "tab": lambda _: " ",
    W + "noBreakHyphen": lambda _: "-",
}
# Transparent, and nothing to wonder about.
_KNOWN = frozenset(
    [M + name for name in ("oMath", "oMathPara", "r", *STRUCTURES, *_ARGUMENTS)]
    + [W + name for name in "r ins del moveFrom moveTo sdt sdtContent smartTag customXml hyperlink fldSimple".split()]
    + [MC + name for name in ("AlternateContent", "Choice")],
)
_PROPERTIES = frozenset(
    [f"{M}{name}Pr" for name in (*STRUCTURES, "arg", "ctrl", "oMathPara", "r")]
    + [
        W + name
        for name in "rPr sdtPr sdtEndPr smartTagPr customXmlPr instrText delInstrText fldChar proofErr permStart permEnd softHyphen".split()
    ]
    + [W + name for name in "bookmarkStart bookmarkEnd commentRangeStart commentRangeEnd commentReference lastRenderedPageBreak".split()]
    + [W + f"{kind}Range{end}" for kind in ("moveFrom", "moveTo", "customXmlIns", "customXmlDel") for end in ("Start", "End")]
    + [MC + "Fallback"],
)
_DROPPED = frozenset(W + name for name in ("drawing", "pict", "object", "ruby", "footnoteReference", "endnoteReference"))
_GONE: Mapping[TrackChanges, frozenset[str]] = {
    TrackChanges.FINAL: frozenset({W + "del", W + "moveFrom"}),
    TrackChanges.ORIGINAL: frozenset({W + "ins", W + "moveTo"}),
    TrackChanges.ALL: frozenset(),
}


class _Reading:
    """One pass over one equation. `unknown` gathers the names of elements that are in no table."""

    def __init__(self, view: TrackChanges) -> None:
        self.gone = _GONE[view]
        self.unknown: set[str] = set()

    def read(self, root: Element) -> list[Item] | None:
        """The items below the root; None where it is nested too deeply."""
        stack: list[tuple[Element, list[Item]]] = [(root, [])]
        children = [iter(root)]
        while True:
            child = next(children[-1], None)
            if child is None:
                element, items = stack.pop()
                children.pop()
                if not stack:
                    return items
                stack[-1][1].extend(self.close(element, items))
            elif self.is_read(child):
                stack.append((child, []))
                children.append(iter(child))
                if len(stack) > MAX_DEPTH:
                    return None

    def is_read(self, child: Element) -> bool:
        """Whether a child and what is below it shows in this view. A tracked change of a whole run is marked inside it (22.1.2.87)."""
        tag = child.tag
        if not isinstance(tag, str) or tag in self.gone or tag in _PROPERTIES:
            return False
        if tag in _DROPPED:
            self.unknown.add(tag.rpartition("}")[2])
            return False
        return tag != M + "r" or not any(grandchild.tag in self.gone for grandchild in child)

    def close(self, element: Element, items: list[Item]) -> list[Item]:
        """What an element gives to the one around it."""
        space, _, name = str(element.tag).rpartition("}")
        if element.tag in _LEAVES:
            return [Run(_LEAVES[element.tag](element), Style(normal=True))]
        if space + "}" != M:
            if element.tag not in _KNOWN:
                self.unknown.add(name)
            return items
        if name == "r":
            return _run(element, items)
        if name in _ARGUMENTS:
            return [Slot(name, items if name == "mr" else list(_flat(items)))]
        if name in STRUCTURES:
            return self.structure(element, name, items)
        if element.tag not in _KNOWN:
            self.unknown.add(name)
        return items

    def structure(self, element: Element, name: str, items: list[Item]) -> list[Item]:
        """The structure, then what stands in it and is no argument of it. Where the structure itself is a tracked change
        that this view does not have (m:ctrlPr, 22.1.2.23), only what it holds.
        """
        control = element.find(f"{element.tag}Pr/{M}ctrlPr")
        if control is not None and any(mark.tag in self.gone for mark in control.iter(*self.gone)):
            return list(_flat(items))
        writer, arguments = STRUCTURES[name]
        slots: dict[str, list[Slot]] = {argument: [] for argument in arguments.split()}
        rest: list[Item] = []
        for item in items:
            (slots[item.name] if isinstance(item, Slot) and item.name in slots else rest).append(item)
        return [writer(Structure(element, slots)), *_flat(rest)]
