"""Headings by rules of the user (`model.rules`), which decide before all marks and signals.

`ruled` applies rules to the lines of a document, and `rules_of` lists the rules that describe how
its headings are read now: a line for each class of lines (`signals.line_class`).
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Final, NamedTuple

from docxchunk.content.tags import plain
from docxchunk.language.numbers import Number
from docxchunk.model.blocks import HeadingSource
from docxchunk.model.rules import (
    AUTO,
    DEEPEST,
    NO,
    NUMBER,
    LineName,
    Rules,
    number_trait,
    shown_style,
    style_name,
)
from docxchunk.model.wording import counted, printable, shortened
from docxchunk.ooxml.styles import BODY, OutlineLevel
from docxchunk.reader.headings.lines import (
    TextLine,
    body_of,
    line_of,
    numbered_line_of,
    prominent_lines,
)
from docxchunk.reader.headings.signals import LineClass, line_class
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item
from docxchunk.reader.text import finish_cell

_EXAMPLES: Final = 2
_LONGEST_EXAMPLE: Final = 40
_WIDEST: Final = 60  # the signs "=" stand below each other, if names are not longer
_ABOUT: Final = """\
# Which lines are headings, in {name} and in documents like it.
# A rule is the name of some lines (style, size, look, form of number) and their level: 1 to 9,
# "no" for lines that are no headings, or "auto" to leave it to docxchunk. The levels here are
# those that docxchunk finds: change those that are wrong. Rules that you delete are "auto".
# A shorter name is about more lines: "Normal | bold", or "Heading 1" for a whole style.
# If several rules are about a line, the one with the most parts decides.
# Use: docxchunk chunk DOCUMENTS --rules THIS_FILE
"""


class _NamedLine(NamedTuple):
    item_index: int  # among the items
    item: Paragraph
    line: TextLine | None  # of a short paragraph
    traits: tuple[str, ...]

    @property
    def style(self) -> str:
        """The name of its style, which has none in a file without styles."""
        return shown_style(self.item.style.name) or "Normal"

    @property
    def name(self) -> LineName:
        return LineName(style_name(self.style), frozenset(self.traits))

    @property
    def text(self) -> str:
        """The name as people read it: with an example of the number."""
        return " | ".join((self.style, *map(self._shown, self.traits)))

    def _shown(self, trait: str) -> str:
        line = self.line
        if line is None or line.number is None or not trait.startswith(NUMBER):
            return trait
        return f"{NUMBER}{_example(line, line.number)}"


def ruled(items: Sequence[Item], rules: Rules) -> tuple[list[Item], list[str]]:
    """Return the items with the levels that rules give to their lines, and the names of the rules
    that hold for no line.
    """
    result, unused = list(items), dict.fromkeys(rules)
    deciding = cache(rules.deciding)
    for named in _named_lines(items) if rules else ():
        if (rule := deciding(named.name)) is not None:
            unused.pop(rule, None)
            result[named.item_index] = _with_level(named.item, rules[rule])
    return result, list(unused)


def _with_level(item: Paragraph, level: int | str) -> Paragraph:
    if level in (AUTO, item.outline.level or NO):
        return item
    if not isinstance(level, int):
        return item._replace(outline=BODY, is_headline=False)
    return item._replace(outline=OutlineLevel(level, HeadingSource.RULE), bold=False)


def _named_lines(items: Sequence[Item]) -> Iterator[_NamedLine]:
    """Yield the paragraphs that may be headings, with their names. A long one has no look: only the
    rule of a style, or of a mark, holds for it.
    """
    for index, item in enumerate(items):
        if (
            isinstance(item, Paragraph)
            and (item.raw.strip() or item.label.strip())
            and not item.is_toc
            and (item.look is not None or item.outline.level)
        ):
            line = line_of(index, item)
            if line is None and (item.opens_clause or item.outline.source is HeadingSource.GUESS):
                # a number alone
                line = numbered_line_of(index, item._replace(outline=BODY))
            traits = () if line is None else tuple(_traits(line_class(line)))
            if item.outline.source is HeadingSource.PARAGRAPH and item.outline.level:
                traits += (f"marked {item.outline.level}",)
            yield _NamedLine(index, item, line, traits)


def _traits(shared: LineClass) -> Iterator[str]:
    """Yield the traits of the lines of a class."""
    yield f"{shared.size / 2:g} pt"
    if shared.bold:
        yield "bold"
    if shared.capitals:
        yield "capitals"
    if shared.number:
        yield f"{NUMBER}{shared.number}"
    if shared.opens_clause:
        yield "run-in"


def _example(line: TextLine, number: Number) -> str:
    """Return the number of a line as an example of its form; the name of the form if the number
    alone would be one of another form.
    """
    text = line.item.label if line.is_automatic else line.text[: number.length]
    example = " ".join(text.split())
    return example if number_trait(example) == f"{NUMBER}{number.kind}" else number.kind


# --- The rules that describe a document


class ListedRule(NamedTuple):
    """A rule that describes how lines of a document are read now.

    - `levels`: how many of the lines have each level; 0: they are no headings.
    - `examples`: the text of some of the lines.
    """

    name: str
    levels: Mapping[int, int]
    examples: tuple[str, ...]

    @property
    def level(self) -> int | str:
        return AUTO if len(self.levels) > 1 else next(iter(self.levels)) or NO


def rules_of(items: Sequence[Item]) -> list[ListedRule]:
    """Return the rules that describe how the headings among the items are read: those of headings
    first, by level; then those of lines that could be headings.

    The lines of a class have one rule. All paragraphs of a style have one rule if they are headings
    of one level, or of one class that is not the body text.
    """
    lines = list(_named_lines(items))
    of_style: dict[str, list[_NamedLine]] = defaultdict(list)
    for named in lines:
        of_style[named.name.style].append(named)
    body = max(of_style, key=lambda style: sum(map(_length, of_style[style])), default="")
    could_be = _could_be_headings(items, of_style, body)
    groups: dict[LineName, list[_NamedLine]] = defaultdict(list)
    for style, members in of_style.items():
        is_whole = _is_whole(members, is_body=style == body)
        for named in members:
            groups[LineName(style) if is_whole else named.name].append(named)
    listed = [
        (members[0].item_index, _listed(name, members))
        for name, members in groups.items()
        if any(member.item.outline.level or member.item_index in could_be for member in members)
    ]
    return [rule for _, rule in sorted(listed, key=lambda pair: (_order(pair[1]), pair[0]))]


def _order(rule: ListedRule) -> int:
    """Return the place of a rule: its level, and after all levels for "auto" and "no"."""
    return rule.level if isinstance(rule.level, int) else DEEPEST + 1 + (rule.level == NO)


def _length(line: _NamedLine) -> int:
    """Return the number of characters of text; 0 for a heading."""
    return 0 if line.item.outline.level else len(line.item.raw)


def _is_whole(members: Sequence[_NamedLine], *, is_body: bool) -> bool:
    """Return whether one rule is enough for all paragraphs of a style. They are headings of one
    level. Or none is a heading, all are in one class, and the style is not that of the body text.
    """
    levels = {member.item.outline.level for member in members}
    return len(levels) == 1 and (
        0 not in levels or (not is_body and len({member.name for member in members}) == 1)
    )


def _could_be_headings(
    items: Sequence[Item], of_style: Mapping[str, Sequence[_NamedLine]], body: str
) -> set[int]:
    """Return the indices of lines that stand out from the body text, and of those in a style
    without long paragraphs.
    """
    short = (
        member.item_index
        for style, members in of_style.items()
        if style != body and all(member.line is not None for member in members)
        for member in members
    )
    return {line.item_index for line in prominent_lines(items, body_of(items))} | set(short)


def _listed(name: LineName, members: Sequence[_NamedLine]) -> ListedRule:
    first = members[0]
    text = first.text if first.name == name else first.style
    texts = (" ".join((member.item.label + member.item.raw).split()) for member in members)
    readable = (printable(plain(finish_cell(text, lambda _: ""))) for text in texts)
    examples = (f'"{shortened(text, _LONGEST_EXAMPLE)}"' for text in readable)
    return ListedRule(
        text,
        Counter(member.item.outline.level for member in members),
        tuple(islice(dict.fromkeys(examples), _EXAMPLES)),
    )


# --- The file of rules


def rules_text(rules: Sequence[ListedRule], name: str) -> str:
    """Return the file of rules of a document."""
    keys = [_quoted(rule.name) for rule in rules]
    width = min(max(map(len, keys), default=0), _WIDEST)
    lines = (
        f"{key:{width}} = {json.dumps(rule.level):6}  # {_comment(rule)}"
        for key, rule in zip(keys, rules, strict=True)
    )
    return "\n".join((_ABOUT.format(name=_quoted(name)[1:-1]), *lines, ""))


def _comment(rule: ListedRule) -> str:
    total = counted(sum(rule.levels.values()), "line")
    by_level = ", ".join(
        f"{count:,} {f'of level {level}' if level else 'no headings'}"
        for level, count in sorted(rule.levels.items())
    )
    how = f" ({by_level})" if len(rule.levels) > 1 else ""
    return f"{total}{how}: {', '.join(rule.examples)}"


def _quoted(text: str) -> str:
    """Return a basic string of TOML."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
