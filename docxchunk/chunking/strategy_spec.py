"""Create strategies from text such as "V" or "V:threshold=gradient,merge_to=1"."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import StrEnum
from inspect import signature
from typing import Final, cast

from docxchunk import registry
from docxchunk.chunking.pipeline import Strategy
from docxchunk.chunking.settings import Setting
from docxchunk.errors import UsageError
from docxchunk.model.fields import check_fields, either
from docxchunk.model.options import LARGEST

NO_SETTINGS: Final[Mapping[str, Setting]] = {}
_BOOLEANS = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}


def named_strategy(text: str, settings: Mapping[str, Setting] = NO_SETTINGS) -> Strategy:
    """Return the strategy for "NAME" or "NAME:key=value,key=value" with additional settings. Raise
    UsageError or MissingExtraError.
    """
    name, _, written = text.partition(":")
    make = cast("Callable[..., Strategy]", registry.load(registry.PluginKind.STRATEGY, name))
    both = {**parse_settings(name, written.split(",") if written else ()), **settings}
    _check_names(name, make, both)
    made = make(**both)
    if is_dataclass(made):
        check_fields(made)
    return made


def _check_names(name: str, make: Callable[..., Strategy], settings: Mapping[str, Setting]) -> None:
    """Raise UsageError for a setting that the strategy does not have."""
    if is_dataclass(make):
        known = [field.name for field in fields(make)]
        for setting in settings:
            _check_name(name, setting, known)
        return
    try:
        signature(make).bind(**settings)
    except TypeError as error:
        raise UsageError(f"The strategy {name} does not accept these settings: {error}.") from error


def _check_name(strategy: str, setting: str, known: Collection[str]) -> None:
    if setting not in known:
        raise UsageError(
            f"The strategy {strategy} has no setting {setting!r}; it has "
            f"{', '.join(known) or 'none'}."
        )


def parse_settings(strategy: str, texts: Iterable[str]) -> dict[str, Setting]:
    """Parse `key=value` texts into values of the types of the strategy's settings. Raise UsageError
    for an invalid one.
    """
    texts = tuple(texts)
    known = dict(default_settings(strategy)) if texts else {}
    values: dict[str, Setting] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"The setting {text!r} has no value; write it as key=value.")
        _check_name(strategy, name, known)
        if name in values:
            raise UsageError(f"The setting {name!r} is given twice; give it once.")
        values[name] = _converted(name, value, known[name])
    return values


def default_settings(strategy: str) -> list[tuple[str, object]]:
    """Return the settings of a strategy and their defaults, in order. Raise UsageError for an
    unknown strategy, or MissingExtraError.
    """
    made = registry.load(registry.PluginKind.STRATEGY, strategy)
    return (
        [(setting.name, _default(setting)) for setting in fields(made)]
        if is_dataclass(made)
        else []
    )


def choices(default: object) -> list[str]:
    """Return the allowed values of an enumeration setting; [] for any other type."""
    return [member.value for member in type(default)] if isinstance(default, StrEnum) else []


def _default(setting: Field[object]) -> object:
    return setting.default_factory() if setting.default_factory is not MISSING else setting.default


def _converted(name: str, text: str, default: object) -> Setting:
    try:
        match default:
            case bool():
                return _BOOLEANS[text.lower()]
            case StrEnum():
                return type(default)(text)
            case int():
                return _whole_number(text)
            case float():
                return float(text)
            case _:
                return text
    except (KeyError, ValueError):
        allowed = (
            choices(default) or ["true", "false"]
            if isinstance(default, (StrEnum, bool))
            else [f"a number such as {default}"]
        )
        raise UsageError(f"{name} is {text!r}; it must be {either(allowed)}.") from None


def _whole_number(text: str) -> int:
    number = int(text)
    if abs(number) > LARGEST:
        raise ValueError(text)
    return number
