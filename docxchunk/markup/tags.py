"""Tags inside content: how they are written, found and kept apart from what an author typed.

<table id="tb-HASH-0001" format="json">[["a","b"]]</table>
<equation id="eq-HASH-0001" format="latex">...</equation>      a paragraph of its own
<equation format="latex">...</equation>                         inline
<drawing id="im-HASH-0001" format="png" caption="..." path="..." src="" />
<sup>2</sup>  <sub>i</sub>  <del>repealed</del>
"""

from __future__ import annotations

import html
import re

# What an author typed and would read as one of our tags, or as one of our escapes of it.
_NAME = r"/?(?:table|thead|tbody|tr|td|th|br|equation|drawing|sup|sub|del)\b"
_FORGED = re.compile(rf"<(?={_NAME})|&(?=(?:amp;)*lt;{_NAME})", re.IGNORECASE)
_ESCAPED = re.compile(rf"&((?:amp;)*)lt;(?={_NAME})", re.IGNORECASE)
_CELL_MARK = re.compile(rf"(</?su[bp]>|&(?=(?:amp;)*lt;{_NAME}))|[&<>]", re.IGNORECASE)  # what is markup or escaped already, or has to be escaped
_TAGS = re.compile(r"<equation\b[^>]*>(.*?)</equation>|<drawing\b[^>]*/>|<table\b[^>]*>.*?</table>|</?(?:su[bp]|del)>", re.DOTALL)


def escape_text(text: str) -> str:
    """The author's text, with whatever looks like one of our tags made harmless (`&lt;table`); the same string where nothing does."""
    if "<" not in text and "&" not in text:
        return text
    return _FORGED.sub(lambda m: "&lt;" if m[0] == "<" else "&amp;", text)


def unescape_text(text: str) -> str:
    """The inverse of `escape_text`, for text without tags of ours."""
    return _ESCAPED.sub(lambda m: f"&{m[1][4:]}lt;" if m[1] else "<", text)


def escape_cell(text: str) -> str:
    """Text with `&`, `<` and `>` escaped for HTML, but for superscripts, subscripts and what `escape_text` has escaped."""
    return _CELL_MARK.sub(lambda mark: mark[1] or html.escape(mark[0]), text)


def escape_attribute(value: str) -> str:
    """A value fit to stand between double quotes, on one line."""
    value = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return " ".join(value.split())


def plain(content: str) -> str:
    """Content without our tags, for headings: equations as their LaTeX, drawings and table marks gone, escapes undone."""
    if "<" not in content and "&" not in content:
        return content
    return " ".join(unescape_text(untagged(content)).split())


def untagged(content: str) -> str:
    """Content without our tags: of an equation its LaTeX stays, of drawings and tables nothing."""
    return _TAGS.sub(lambda found: found[1] or "", content)


def table_tag(identifier: str, table_format: str, body: str) -> str:
    return f'<table id="{identifier}" format="{table_format}">{body}</table>'


def equation_tag(latex: str, identifier: str | None = None) -> str:
    """Block equations have an id, inline ones do not. `<` and `>` of LaTeX are written as commands by its maker, so the tag cannot be broken."""
    head = f'<equation id="{identifier}" format="latex">' if identifier else '<equation format="latex">'
    return f"{head}{latex}</equation>"


def drawing_tag(identifier: str, image_format: str, caption: str, path: str, src: str) -> str:
    values = (("id", identifier), ("format", image_format), ("caption", caption), ("path", path), ("src", src))
    return "<drawing " + " ".join(f'{name}="{escape_attribute(value)}"' for name, value in values) + " />"
