"""Write, find and escape the tags in content.

<table id="tb-HASH-0001" format="json">[["a","b"]]</table>
<equation id="eq-HASH-0001" format="latex">...</equation>      a paragraph of its own
<equation format="latex">...</equation>                         inline
<drawing id="im-HASH-0001" format="png" caption="..." path="..." src="" />
<sup>2</sup>  <sub>i</sub>  <del>repealed</del>
<strong>bold</strong>  <em>italic</em>  <u>underlined</u>  <mark color="yellow">highlighted</mark>
<a href="https://example.org/">link</a>
"""

from __future__ import annotations

import html
import re

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
_FORGED = re.compile(rf"<(?={TAG_NAME})|&(?=(?:amp;)*lt;{TAG_NAME})", re.IGNORECASE)
_ESCAPED = re.compile(rf"&((?:amp;)*)lt;(?={TAG_NAME})", re.IGNORECASE)
# markup or escaped text to keep, or a character to escape
_CELL_MARK = re.compile(rf"({INLINE_TAG}|&(?=(?:amp;)*lt;{TAG_NAME}))|[&<>]", re.IGNORECASE)
_TAGS = re.compile(
    r"<equation\b[^>]*>(.*?)</equation>|<drawing\b[^>]*/>"
    rf"|<table\b[^>]*>.*?</table>|{INLINE_TAG}",
    re.DOTALL,
)


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
    value = (
        value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    )
    return " ".join(value.split())


def plain(content: str) -> str:
    """Return content as plain text, for headings: equations as LaTeX, without drawings and tables,
    unescaped.
    """
    if "<" not in content and "&" not in content:
        return content
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
    head = (
        (f'<equation id="{identifier}" format="latex">')
        if identifier
        else '<equation format="latex">'
    )
    return f"{head}{latex}</equation>"


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
