"""Settings of a strategy as a person types them, and as they are listed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import StrEnum

from docxchunk import registry
from docxchunk.api import Setting
from docxchunk.errors import UsageError

_TRUTHS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


def settings_of(strategy: str, texts: Iterable[str]) -> dict[str, Setting]:
    """`key=value` texts as values of the types that the strategy's settings have. Raises UsageError."""
    texts = tuple(texts)
    known = dict(defaults(strategy)) if texts else {}
    values: dict[str, Setting] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--set {text}: a setting is given as key=value.")
        if name not in known:
            raise UsageError(f"The strategy {strategy} has no setting {name!r}; it has {', '.join(known) or 'none'}.")
        values[name] = _converted(name, value, known[name])
    return values


def defaults(strategy: str) -> list[tuple[str, object]]:
    """The settings of a strategy and their defaults, in order. Raises UsageError for a name that there is not, MissingExtraError."""
    made = registry.load(registry.Kind.STRATEGY, strategy)
    return [(setting.name, _default(setting)) for setting in fields(made)] if is_dataclass(made) else []


def choices(default: object) -> list[str]:
    """The words that a setting may be; none where it is no choice."""
    return [member.value for member in type(default)] if isinstance(default, StrEnum) else []


def _default(setting: Field[object]) -> object:
    return setting.default_factory() if setting.default_factory is not MISSING else setting.default


def _converted(name: str, text: str, default: object) -> Setting:
    try:
        match default:
            case bool():
                return _TRUTHS[text.lower()]
            case StrEnum():
                return type(default)(text)
            case int() | float():
                return type(default)(text)
            case _:
                return text
    except (KeyError, ValueError):
        allowed = choices(default) or ["true", "false"] if isinstance(default, (StrEnum, bool)) else [f"a number such as {default}"]
        raise UsageError(f"{name} is {text!r}; it must be {' or '.join(allowed)}.") from None
