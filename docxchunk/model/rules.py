"""Rules that say which lines of documents are headings, for all documents of one template.

A rule is a name of lines and their level: `"Normal | 14 pt | bold" = 2`. `Rules` checks them, and
`read_rules` reads them from a TOML file. `reader.headings.rules` applies them, and lists those that
fit a document.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from unicodedata import normalize

from docxchunk.errors import UsageError
from docxchunk.language.numbers import number_of
from docxchunk.language.patterns import pattern
from docxchunk.model.fields import brief

DEEPEST: Final = 9
ANY_STYLE: Final = "*"
NO: Final = "no"  # the lines are no headings
AUTO: Final = "auto"  # the lines are read as without rules
_SIZE: Final = pattern(r"(\d{1,4}(?:\.5)?) pt")
_MARK: Final = pattern(r"marked [1-9]")
_PLAIN: Final = frozenset(("bold", "capitals", "run-in"))
NUMBER: Final = "number "
_LONGEST: Final = 1_000  # characters of a name


class LineName(NamedTuple):
    """What lines have in common: their paragraph style, `ANY_STYLE` for any, and traits of their
    look, their number and their mark. A name holds for all lines that have at least its traits.
    """

    style: str
    traits: frozenset[str] = frozenset()

    def holds(self, line: LineName) -> bool:
        """Return whether a line with this name, which has all traits of the line, is meant."""
        return self.style in (ANY_STYLE, line.style) and self.traits <= line.traits


def style_name(name: str) -> str:
    """Return the name of a style for comparison, whatever its case, blanks and composition."""
    return normalize("NFC", shown_style(name).casefold())


def shown_style(name: str) -> str:
    """Return the name of a style as rules have it: on one line, without the sign between parts."""
    return " ".join(name.replace("|", "/").split())


def line_name(text: str) -> LineName:
    """Return the name of lines that a text gives: "Normal | 14 pt | bold | number 1.1". Raise
    ValueError, with the trait that is unknown.
    """
    style, *traits = (" ".join(part.split()) for part in text.split("|"))
    return LineName(style_name(style), frozenset(map(_trait, traits)))


def number_trait(example: str) -> str:
    """Return the trait of lines with a number like this example: "1.1", "Article 1", "(a)". If it
    is no number, it is the name of a form of numbers.
    """
    number = number_of(f"{example} x") or number_of(f"{example}. x")
    return f"{NUMBER}{number.kind if number else example.lower()}"


def _trait(text: str) -> str:
    lower = text.lower()
    if lower.startswith(NUMBER):
        return number_trait(text[len(NUMBER) :])
    if lower in _PLAIN or _SIZE.fullmatch(lower) or _MARK.fullmatch(lower):
        return lower
    raise ValueError(text)


class Rules(Mapping[str, "int | str"]):
    """The levels of lines by their names: 1 to 9, "no" for lines that are no headings, or "auto"
    for lines that are read as without rules. It does not change, and has a hash.

    If several rules hold for a line, the one with most traits decides; of equals, the first one.
    Raise UsageError for a name or a level that is not valid.
    """

    __slots__ = ("_levels", "_names")

    def __init__(self, levels: Mapping[str, int | str] = {}) -> None:
        if not isinstance(levels, Mapping):
            raise UsageError(
                f"rules is {brief(levels)}; it must be a mapping of names of lines to levels."
            )
        self._levels = dict(levels)
        named = {name: _checked(name, level) for name, level in self._levels.items()}
        # the rule that decides is the first one that holds
        self._names = sorted(
            named.items(), key=lambda rule: (-len(rule[1].traits), rule[1].style == ANY_STYLE)
        )

    def deciding(self, line: LineName) -> str | None:
        """Return the name of the rule that decides about a line; None if none does."""
        return next((name for name, lines in self._names if lines.holds(line)), None)

    def __getitem__(self, name: str) -> int | str:
        return self._levels[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._levels)

    def __len__(self) -> int:
        return len(self._levels)

    def __hash__(self) -> int:
        return hash(frozenset(self._levels.items()))

    def __str__(self) -> str:
        return f"({len(self)})"

    def __repr__(self) -> str:
        return f"Rules({self._levels!r})"


NO_RULES: Final = Rules()

if TYPE_CHECKING:

    class GivenRules:
        """The annotation of a field that accepts any mapping, and stores `Rules`."""

        def __get__(self, settings: object, owner: type | None = None) -> Rules: ...
        def __set__(self, settings: object, value: Mapping[str, int | str]) -> None: ...

else:
    GivenRules = Rules


def given_rules(rules: Mapping[str, int | str]) -> Rules:
    """Return the rules of an argument."""
    return rules if isinstance(rules, Rules) else Rules(rules)


def _checked(name: object, level: object) -> LineName:
    """Return the lines that a rule is about. Raise UsageError for a rule that is not valid."""
    if not isinstance(name, str) or not name.strip() or len(name) > _LONGEST:
        raise UsageError(f"A rule has the name {brief(name)}; it must be that of a style.")
    is_level = isinstance(level, int) and not isinstance(level, bool) and 1 <= level <= DEEPEST
    if not is_level and level not in (NO, AUTO):
        raise UsageError(
            f'The rule "{name}" has the level {brief(level)}; it must be 1 to {DEEPEST}, '
            f'"{NO}" or "{AUTO}".'
        )
    try:
        lines = line_name(name)
    except ValueError as error:
        raise UsageError(
            f'The rule "{name}" has the unknown part "{error}"; after the style come parts like '
            "14 pt, bold, capitals, number 1.1, run-in or marked 2."
        ) from None
    if not lines.style or lines == LineName(ANY_STYLE):
        raise UsageError(
            f'The rule "{name}" names no style: "Heading 1", or "* | bold" for any style.'
        )
    return lines


def read_rules(path: str | Path) -> Rules:
    """Return the rules in a TOML file. Raise UsageError if it cannot be read, or has a rule that is
    not valid.
    """
    import tomllib  # slow to import

    try:
        levels = tomllib.loads(Path(path).read_text("utf-8-sig"))
    except OSError as error:
        raise UsageError(f"The rules {path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError:
        raise UsageError(f"The rules {path} are not text in UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            f'The rules {path} are no TOML ({error}): a rule is a line like "Heading 1" = 1.'
        ) from None
    try:
        return Rules(levels)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None
