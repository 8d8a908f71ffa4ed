r"""Write the structures of Office Math as LaTeX, in the order of ECMA-376 Part 1, 22.1.2: one
function each, and a dispatch table at the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from docxchunk.reader.math.characters import (
    DELIMITERS,
    INTEGRALS,
    OPERATORS,
    accent,
    braced,
    function_name,
    is_atom,
    join,
    latex_text,
    limit_name,
    pairs,
)
from docxchunk.reader.math.formula import (
    ALIGN,
    FormulaItem,
    FragmentKind,
    MathFragment,
    Structure,
    TextRun,
    environment,
    lines_of,
    numbered,
    rows,
    sequence,
    split,
    tag,
)

_MATRIX_COLUMNS = 10  # the limit of the matrix environments of amsmath


def _accent(x: Structure) -> MathFragment:
    """m:acc (22.1.2.1): by default a circumflex."""
    body = x.argument("e")
    return MathFragment(
        accent(x.value("chr", "\u0302"), body.text), FragmentKind.CLOSED, tall=body.tall
    )


def _bar(x: Structure) -> MathFragment:
    """m:bar (22.1.2.7): by default below."""
    body = x.argument("e")
    return MathFragment(
        rf"\{'overline' if x.value('pos') == 'top' else 'underline'}{{{body.text}}}",
        FragmentKind.CLOSED,
        tall=body.tall,
    )


def _border_box(x: Structure) -> MathFragment:
    """m:borderBox (22.1.2.11): the borders that are not hidden, and one strike for any."""
    body = x.argument("e")
    sides = [side for side in ("Top", "Bot", "Left", "Right") if not x.on(f"hide{side}")]
    frame = {"": "", "Top": "overline", "Bot": "underline"}.get("".join(sides), "boxed")
    is_struck = any(x.on(f"strike{line}") for line in ("H", "V", "BLTR", "TLBR"))
    text = rf"\cancel{{{body.text}}}" if is_struck else body.text
    text = rf"\{frame}{{{text}}}" if frame else text
    return body if text == body.text else MathFragment(text, FragmentKind.CLOSED, tall=body.tall)


def _box(x: Structure) -> MathFragment:
    r"""m:box (22.1.2.13), which is invisible. As an operator emulator, an arrow with text is a
    `\xrightarrow`; a differential gets a thin space before it.
    """
    body = x.argument("e")
    if x.on("opEmu") and body.kind in (FragmentKind.OVER, FragmentKind.UNDER) and body.parts:
        return MathFragment(body.parts[0], tall=body.tall)
    return MathFragment(join([r"\,", body.text]), tall=body.tall) if x.on("diff") else body


_ENVIRONMENTS = dict(
    zip(
        zip("([{|‖", ")]}|‖", strict=True),
        "pmatrix bmatrix Bmatrix vmatrix Vmatrix".split(),
        strict=True,
    )
)
_PAIRS = frozenset(zip("([{⟨\u2329\u3008⌊⌈", ")]}⟩\u232a\u3009⌋⌉", strict=True))


def _delimiters(x: Structure) -> MathFragment:
    """m:d (22.1.2.24): by default `( | )`. If m:begChr, m:sepChr or m:endChr has no value, there is
    no such delimiter.
    """
    begin, separator, end = x.value("begChr", "("), x.value("sepChr", "|"), x.value("endChr", ")")
    pieces = [sequence(items) for items in x.arguments("e")] or [MathFragment("")]
    return (_special((begin, end), pieces[0]) if len(pieces) == 1 else None) or _fence(
        begin, separator, end, pieces
    )


def _special(pair: tuple[str, str], body: MathFragment) -> MathFragment | None:
    """Return a binomial, matrix or cases; None for anything else."""
    if body.kind is FragmentKind.STACK and pair == ("(", ")"):
        return MathFragment(
            rf"\binom{{{body.parts[0]}}}{{{body.parts[1]}}}", FragmentKind.CLOSED, tall=True
        )
    if body.kind is FragmentKind.MATRIX and pair in _ENVIRONMENTS:
        return MathFragment(
            environment(_ENVIRONMENTS[pair], body.parts), FragmentKind.CLOSED, tall=True
        )
    if (
        body.kind in (FragmentKind.MATRIX, FragmentKind.ROWS)
        and pair == ("{", "")
        and body.columns <= 2
    ):
        return MathFragment(environment("cases", body.parts), FragmentKind.CLOSED, tall=True)
    return None


def _fence(begin: str, separator: str, end: str, pieces: Sequence[MathFragment]) -> MathFragment:
    r"""Put delimiters around the pieces. They stretch (`\left` and `\right`) if a piece is tall, or
    if they are not a pair. This needs at least one delimiter that TeX can stretch.
    """
    tall, paired = any(piece.tall for piece in pieces), (begin, end) in _PAIRS
    grows = (begin in DELIMITERS or end in DELIMITERS) and (tall or not paired)
    between = (
        rf"\middle{DELIMITERS[separator]}"
        if grows and separator in DELIMITERS
        else latex_text(separator)
    )
    body = join([text for piece in pieces for text in (between, piece.text)][1:])
    left, right = (
        (_side(r"\left", begin), _side(r"\right", end))
        if grows
        else (latex_text(begin), latex_text(end))
    )
    closed = paired or (grows and (not end or end in DELIMITERS))
    return MathFragment(
        join([left, body, right]), FragmentKind.CLOSED if closed else FragmentKind.PLAIN, tall=tall
    )


def _side(command: str, char: str) -> str:
    r"""Write one delimiter with `\left` or `\right`. A sign that TeX cannot stretch is written
    outside an invisible delimiter.
    """
    if char in DELIMITERS:
        return f"{command}{DELIMITERS[char]}"
    texts = [latex_text(char), f"{command}."]
    return join(texts if command == r"\left" else reversed(texts))


def _equation_array(x: Structure) -> MathFragment:
    """m:eqArr (22.1.2.34): `&` in a row aligns, `#` starts its number; with m:maxDist, the number
    needs no parentheses.
    """
    lines = [numbered(items, always=x.on("maxDist")) for items in x.arguments("e")]
    labels = [label for _, label in lines if label]
    table = [[sequence(cell) for cell in split(map(_aligned, items), ALIGN)] for items, _ in lines]
    if not labels:
        return rows(table)
    inline = rows(
        [
            [*cells[:-1], _with_number(cells[-1], label)]
            for cells, (_, label) in zip(table, lines, strict=True)
        ]
    )
    top = join([rows(table).text, tag(labels[0])]) if len(labels) == 1 else inline.text
    return MathFragment(inline.text, FragmentKind.NUMBERED, (top,), tall=inline.tall)


def _aligned(item: FormulaItem) -> FormulaItem:
    return (
        TextRun(item.text.replace("&", ALIGN), item.style)
        if isinstance(item, TextRun) and not item.style.literal
        else item
    )


def _with_number(cell: MathFragment, label: str) -> MathFragment:
    r"""Append a number to the last cell of a row: `\tag` is allowed only once, and not inside an
    environment.
    """
    return (
        MathFragment(join([cell.text, r"\qquad", f"({label})"]), tall=cell.tall) if label else cell
    )


def _fraction(x: Structure) -> MathFragment:
    """m:f (22.1.2.36), of the types bar, lin, skw and noBar (22.1.2.118)."""
    num, den = x.argument("num"), x.argument("den")
    above, below = num.text, den.text
    match x.value("type"):
        case "lin":
            return MathFragment(
                join([_factor(above), "/", _factor(below)]), tall=num.tall or den.tall
            )
        case "skw":
            return MathFragment(rf"{{}}^{{{above}}}\!/_{{{below}}}", tall=True)
        case "noBar":
            return MathFragment(
                rf"{{{above} \atop {below}}}", FragmentKind.STACK, (above, below), tall=True
            )
    return MathFragment(rf"\frac{{{above}}}{{{below}}}", tall=True)


def _factor(text: str) -> str:
    return f"{{{text}}}" if not text or re.search("[-+=,;:/']", text) else text


def _function(x: Structure) -> MathFragment:
    """m:func (22.1.2.39)."""
    body = x.argument("e")
    return MathFragment(join([function_name(x.argument("fName").text), body.text]), tall=body.tall)


_OVER = dict(
    pairs(
        "⏞ overbrace ⎴ overbracket → overrightarrow ← overleftarrow ↔ overleftrightarrow ^ widehat "
        "\u0302 widehat ~ widetilde \u0303 widetilde ¯ overline \u0305 overline"
    )
)
_UNDER = dict(
    pairs(
        "⏟ underbrace ⎵ underbracket → underrightarrow ← underleftarrow ↔ underleftrightarrow "
        "_ underline \u0332 underline"
    )
)
_LONG_ARROWS = dict(
    pairs(
        "→ longrightarrow ← longleftarrow ↔ longleftrightarrow ⇒ Longrightarrow ⇐ Longleftarrow "
        "⇔ Longleftrightarrow"
    )
)


def _group_character(x: Structure) -> MathFragment:
    """m:groupChr (22.1.2.41): by default a brace below.

    If m:vertJc (22.1.2.119) is at the same end as m:pos, the sign is on the base line, and the text
    above or below it.
    """
    body, char, side = x.argument("e"), x.value("chr", "⏟"), x.value("pos", "bot")
    over = side == "top"
    arrow = _arrow(char, body.text, below=over)
    if arrow and x.value("vertJc") == side:
        return MathFragment(arrow, tall=body.tall)
    command = (_OVER if over else _UNDER).get(char)
    text = (
        rf"\{command}{{{body.text}}}"
        if command
        else _stacked("overset" if over else "underset", latex_text(char), body.text)
    )
    return MathFragment(
        text,
        FragmentKind.OVER if over else FragmentKind.UNDER,
        (arrow,) if arrow else (),
        tall=True,
    )


def _arrow(char: str, text: str, *, below: bool) -> str:
    r"""Return an arrow with text: `\xrightarrow[below]{above}`, or `\overset` for arrows that
    amsmath lacks; "" for other signs.
    """
    if char in ("→", "←") and text:
        command = "xrightarrow" if char == "→" else "xleftarrow"
        return rf"\{command}{_option(text)}{{}}" if below else rf"\{command}{{{text}}}"
    return (
        _stacked("underset" if below else "overset", text, rf"\{_LONG_ARROWS[char]}")
        if char in _LONG_ARROWS
        else ""
    )


def _stacked(command: str, text: str, base: str) -> str:
    return rf"\{command}{{{text}}}{{{base}}}" if text else base


def _option(text: str) -> str:
    return f"[{{{text}}}]" if "]" in text or "[" in text or text.startswith("{") else f"[{text}]"


def _lower_limit(x: Structure) -> MathFragment:
    """m:limLow (22.1.2.54)."""
    body, limit = x.argument("e"), _small(x.argument("lim"))
    name = body.text if body.kind is FragmentKind.UNDER else limit_name(body.text)
    if not limit:
        return body
    return MathFragment(
        f"{name}_{{{limit}}}" if name else _stacked("underset", limit, body.text), tall=body.tall
    )


def _upper_limit(x: Structure) -> MathFragment:
    """m:limUpp (22.1.2.56)."""
    body, limit = x.argument("e"), _small(x.argument("lim"))
    if not limit:
        return body
    return MathFragment(
        f"{body.text}^{{{limit}}}"
        if body.kind is FragmentKind.OVER
        else _stacked("overset", limit, body.text),
        tall=body.tall,
    )


def _matrix(x: Structure) -> MathFragment:
    """m:m (22.1.2.60)."""
    table = [[sequence([item]) for item in items] for items in x.arguments("mr")]
    columns = max(map(len, table), default=0)
    parts = lines_of(table)
    if columns <= _MATRIX_COLUMNS:
        text, kind = environment("matrix", parts), FragmentKind.MATRIX
    else:
        text, kind = environment("array", parts, f"{{{'c' * columns}}}"), FragmentKind.ROWS
    return MathFragment(text, kind, parts, columns, tall=True)


def _nary(x: Structure) -> MathFragment:
    r"""m:nary (22.1.2.70): by default an integral; `\limits` or `\nolimits` where m:limLoc
    (22.1.2.53) differs from the default of LaTeX.
    """
    char = x.value("chr") or "∫"
    sub = "" if x.on("subHide") else _small(x.argument("sub"))
    sup = "" if x.on("supHide") else _small(x.argument("sup"))
    operator = OPERATORS.get(char) or rf"\mathop{{{latex_text(char)}}}"
    if sub or sup:
        operator += {("undOvr", True): r"\limits", ("subSup", False): r"\nolimits"}.get(
            (x.value("limLoc"), char in INTEGRALS), ""
        )
    return MathFragment(join([_scripted(operator, sub, sup), x.argument("e").text]), tall=True)


def _phantom(x: Structure) -> MathFragment:
    """m:phant (22.1.2.81): with m:show off, invisible content that takes up space; a visible one is
    written like plain content.
    """
    body = x.argument("e")
    if x.on("show", "on"):
        return body
    return MathFragment(rf"\phantom{{{body.text}}}", tall=body.tall)


def _radical(x: Structure) -> MathFragment:
    """m:rad (22.1.2.88)."""
    degree = "" if x.on("degHide") else x.argument("deg").text
    return MathFragment(
        rf"\sqrt{_option(degree) if degree else ''}{{{x.argument('e').text}}}", tall=True
    )


def _pre_script(x: Structure) -> MathFragment:
    """m:sPre (22.1.2.99)."""
    return _with_scripts(x, lambda base, sub, sup: join([_scripted("{}", sub, sup), base]))


def _script(x: Structure) -> MathFragment:
    """m:sSub (22.1.2.101), m:sSubSup (22.1.2.103), m:sSup (22.1.2.105)."""
    return _with_scripts(x, _scripted)


def _with_scripts(x: Structure, write: Callable[[str, str, str], str]) -> MathFragment:
    """Return the base with its scripts, as `write` joins the three."""
    body, sub, sup = x.argument("e"), _small(x.argument("sub")), _small(x.argument("sup"))
    return MathFragment(write(_base(body), sub, sup), tall=body.tall) if sub or sup else body


def _scripted(base: str, sub: str, sup: str) -> str:
    r"""Return the base with its scripts; primes as superscript are written without `^`: `x'`."""
    lowered = f"{base}_{{{sub}}}" if sub else base
    return f"{lowered}^{{{sup}}}" if sup.strip("'") else lowered + sup


def _base(body: MathFragment) -> str:
    """Return the base of a superscript or subscript, in braces if needed. An opening parenthesis at
    its start, which Word has put into the base, gets no brace.
    """
    text = body.text
    if body.kind is FragmentKind.CLOSED or re.fullmatch(r"\([^()]*\)|\[[^\[\]]*\]", text):
        return text
    return text if text[:1] in ("(", "[") and is_atom(text[1:]) else braced(text)


def _small(limit: MathFragment) -> str:
    r"""Return the text of a limit; several lines become a `\substack`."""
    if limit.kind is FragmentKind.ROWS and limit.columns == 1:
        lines = r" \\ ".join(limit.parts)
        return rf"\substack{{{lines}}}"
    return limit.text


Writer = Callable[[Structure], MathFragment]
# element -> its writer, and the names of its arguments
STRUCTURES: Mapping[str, tuple[Writer, tuple[str, ...]]] = {
    "acc": (_accent, ("e",)),
    "bar": (_bar, ("e",)),
    "borderBox": (_border_box, ("e",)),
    "box": (_box, ("e",)),
    "d": (_delimiters, ("e",)),
    "eqArr": (_equation_array, ("e",)),
    "f": (_fraction, ("num", "den")),
    "func": (_function, ("fName", "e")),
    "groupChr": (_group_character, ("e",)),
    "limLow": (_lower_limit, ("e", "lim")),
    "limUpp": (_upper_limit, ("e", "lim")),
    "m": (_matrix, ("mr",)),
    "nary": (_nary, ("sub", "sup", "e")),
    "phant": (_phantom, ("e",)),
    "rad": (_radical, ("deg", "e")),
    "sPre": (_pre_script, ("sub", "sup", "e")),
    "sSub": (_script, ("e", "sub")),
    "sSubSup": (_script, ("e", "sub", "sup")),
    "sSup": (_script, ("e", "sup")),
}
ARGUMENTS = frozenset(name for _, names in STRUCTURES.values() for name in names)
