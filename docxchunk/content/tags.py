"""Write, find and escape the tags in content.

<table id="tb-HASH-0001" format="json">[["a","b"]]</table>
<equation id="eq-HASH-0001" format="latex">...</equation>      a paragraph of its own
<equation format="latex">...</equation>                         inline
<drawing id="im-HASH-0001" format="png" caption="..." path="..." src="" />
<sup>2</sup>  <sub>i</sub>  <del>repealed</del>
<strong>bold</strong>  <em>italic</em>  <u>underlined</u>  <mark color="yellow">highlighted</mark>
<a href="https://example.org/">link</a>

Equations and pictures are replaced by readable text, LaTeX between dollar signs and a few words.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from docxchunk.language.patterns import pattern

INSIDE: Final = r"[^<]*+(?:<(?!/?{}\b)[^<]*+)*+"
"""What is between two tags of a name. It has no such tag, so that a tag without an end is not read
to the end of the text from each beginning."""

# Text of the author that looks like one of these tags, or like the escaped form of one. Tags of
# emphasis and links are told by their whole form: `<a` and `<u` may be the text of a formula.
TAG_NAME = (
    r"(?:/?(?:table|thead|tbody|tr|td|th|br|equation|drawing|sup|sub|del)\b"
    r"|/?(?:strong|em|u|mark|a)>|mark color=|a href=)"
)
INLINE_TAG = (
    r'(?:</?(?:su[bp]|del|strong|em|u)>|</(?:mark|a)>|<(?:mark color|a href)=\\?"[^"<>\\]*\\?">)'
)
"""Raised, lowered and struck-through text, emphasis and links. In JSON, quotes have a backslash."""
_FORGED = pattern(rf"<(?={TAG_NAME})|&(?=(?:amp;)*lt;{TAG_NAME})", re.IGNORECASE)
_ESCAPED = pattern(rf"&((?:amp;)*)lt;(?={TAG_NAME})", re.IGNORECASE)
# markup or escaped text to keep, or a character to escape
_CELL_MARK = pattern(rf"({INLINE_TAG}|&(?=(?:amp;)*lt;{TAG_NAME}))|[&<>]", re.IGNORECASE)
_TAGS = pattern(
    rf"<equation\b[^<>]*>({INSIDE.format('equation')})</equation>|<drawing\b[^<>]*/>"
    rf"|<table\b[^<>]*>{INSIDE.format('table')}</table>|{INLINE_TAG}"
)
_RAISED: Final = pattern(r"(?<=\d)<sup>(\d{1,9})</sup>", re.ASCII)
_RAISED_DIGITS: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def escape_text(text: str) -> str:
    """Return text of the author with everything that looks like a tag escaped (`&lt;table`)."""
    if "<" not in text and "&" not in text:
        return text
    return _FORGED.sub(lambda m: "&lt;" if m[0] == "<" else "&amp;", text)


def unescape_text(text: str) -> str:
    """Return the text that `escape_text` escaped. The argument must not contain tags."""
    return _ESCAPED.sub(lambda m: f"&{m[1][4:]}lt;" if m[1] else "<", text)


def escape_cell(text: str) -> str:
    """Return text with `&`, `<` and `>` escaped for HTML, except in tags of inline text and in what
    `escape_text` escaped.
    """
    return _CELL_MARK.sub(lambda mark: mark[1] or html.escape(mark[0]), text)


def escape_attribute(value: str) -> str:
    """Return a value escaped for a double-quoted attribute, on one line."""
    return " ".join(html.escape(value, quote=False).replace('"', "&quot;").split())


def plain(content: str) -> str:
    """Return content as plain text, for headings: equations as LaTeX, without drawings and tables,
    unescaped. Digits that are raised behind a digit stay so: 6¹ is not 61.
    """
    if "<" not in content and "&" not in content:
        return content
    content = _RAISED.sub(lambda raised: raised[1].translate(_RAISED_DIGITS), content)
    return " ".join(unescape_text(untagged(content)).split())


def untagged(content: str) -> str:
    """Return content without tags: equations as LaTeX, without drawings and tables."""
    return _TAGS.sub(lambda tag: tag[1] or "", content)


def table_tag(identifier: str, table_format: str, body: str) -> str:
    """Return a table element. `body` is JSON rows or HTML rows."""
    return f'<table id="{identifier}" format="{table_format}">{body}</table>'


def cell_tag(name: str, inside: str, rows: int = 1, columns: int = 1) -> str:
    """Return a cell of an HTML row, <td> or <th>, that spans some rows and columns."""
    spans = (f' rowspan="{rows}"' if rows > 1 else "") + (
        f' colspan="{columns}"' if columns > 1 else ""
    )
    return f"<{name}{spans}>{inside}</{name}>"


def equation_tag(latex: str, identifier: str | None = None) -> str:
    """Return an equation element. Inline equations have no id. In `latex`, a blank follows each
    `<`, so that it begins no tag.
    """
    name = f' id="{identifier}"' if identifier else ""
    return f'<equation{name} format="latex">{latex}</equation>'


def drawing_tag(identifier: str, image_format: str, caption: str, path: str, src: str) -> str:
    """Return a drawing element; values are escaped."""
    values = (
        ("id", identifier),
        ("format", image_format),
        ("caption", caption),
        ("path", path),
        ("src", src),
    )
    return (
        "<drawing "
        + " ".join(f'{name}="{escape_attribute(value)}"' for name, value in values)
        + " />"
    )


# Text of the author that looks like a tag is escaped, so it does not match. `[^<>]*` also accepts
# the escaped quotes of tags inside JSON strings.
EQUATION: Final = rf"<equation\b[^<>]*>{INSIDE.format('equation')}</equation>"
DRAWING: Final = r"<drawing\b[^<>]*/>"
_OBJECT = f"{EQUATION}|{DRAWING}"
_FORMATTED = (
    r"<su([bp])>[^<]*</su\1>|<del>(?:(?!</?del>).)*</del>"
    r"|<(?P<name>strong|em|u|mark|a)(?:>| (?:color|href)=)(?:(?!</?(?P=name)[ >]).)*</(?P=name)>"
)
# CriticMarkup
_CHANGED = r"\{(?P<change>\+\+|--)(?:(?!\{\+\+|\{--|\+\+\}|--\})[^\n])+(?P=change)\}"
_WHOLE = pattern(rf"{_OBJECT}|{_FORMATTED}|{_CHANGED}|\[\^[^\]\s]{{1,12}}\]", re.DOTALL)


def inline_tags(text: str) -> list[tuple[int, int]]:
    """Return the ranges of equations, drawings, superscripts, subscripts, struck text, emphasis,
    links, tracked changes and note marks, in order.
    """
    if "<" not in text and "[" not in text and "{" not in text:
        return []
    return [tag.span() for tag in _WHOLE.finditer(text)]


OBJECT: Final = pattern(
    rf"<equation\b(?P<id> id=)?[^<>]*>(?P<latex>{INSIDE.format('equation')})</equation>|{DRAWING}"
)
_PIPE: Final = pattern(r"(?<!\\)(\\*+)\|")
_OBJECT_OR_DOLLAR: Final = pattern(rf"{OBJECT.pattern}|(?<!\\)\$")

Describe = Callable[[str], str]
"""A function from the tag of a picture to the words that replace it."""


class Replacement(NamedTuple):
    """Characters [start, end) of a text and the text that replaces them."""

    start: int
    end: int
    text: str


def objects(text: str, describe: Describe) -> Iterator[Replacement]:
    """Yield the replacements of the equations and pictures in a text, in order."""
    if "<" not in text:
        return
    for tag in OBJECT.finditer(text):
        yield Replacement(*tag.span(), _words(tag, describe))


def markdown_objects(text: str, describe: Describe) -> Iterator[Replacement]:
    r"""Yield the replacements of the equations and pictures in a text. If it has equations,
    unescaped dollar signs are replaced by `\$`, so that they are not read as the marks of an
    equation.
    """
    if "<equation" not in text:
        yield from objects(text, describe)
        return
    for mark in _OBJECT_OR_DOLLAR.finditer(text):
        words = r"\$" if mark[0] == "$" else _words(mark, describe)
        yield Replacement(*mark.span(), words)


def plain_cell(text: str, describe: Describe) -> str:
    """Return the text of a table cell on one line."""
    return " ".join(replaced(text, objects(text, describe)).split())


def markdown_cell(text: str, describe: Describe) -> str:
    """Return the text of a cell for a pipe table (GitHub Flavored Markdown, section 4.10), with
    pipes escaped.
    """
    return escape_pipes(" ".join(replaced(text, markdown_objects(text, describe)).split()))


def escape_pipes(text: str) -> str:
    """Return the text of a cell with each pipe escaped. Backslashes before a pipe are doubled;
    otherwise they would cancel its escape.
    """
    return _PIPE.sub(lambda pipe: pipe[1] * 2 + r"\|", text)


def html_cell(text: str, describe: Describe) -> str:
    """Return the text of a cell for an HTML table."""
    return escape_cell(plain_cell(text, describe))


def replaced(
    text: str, replacements: Iterable[Replacement], written: Callable[[str], str] = str
) -> str:
    """Return a text in which ranges are replaced. The ranges are in order and do not overlap. The
    text between them is passed through `written`.
    """
    texts: list[str] = []
    at = 0
    for start, end, words in replacements:
        texts += written(text[at:start]), words
        at = end
    return "".join((*texts, written(text[at:])))


def _words(tag: re.Match[str], describe: Describe) -> str:
    latex = tag["latex"]
    if latex is None:
        return describe(tag[0])
    if not latex.strip():
        return "[Equation]"
    marks = "$$" if tag["id"] else "$"
    return f"{marks}{latex.strip()}{marks}"


def picture(kind: str, alternative: str) -> str:
    """Return the words for a picture: its kind and its alternative text or caption, if it has
    one.
    """
    words = " ".join(html.unescape(alternative).split())
    return f"[{kind}: {words}]" if words else f"[{kind}]"
