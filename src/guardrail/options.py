"""Options: declared once as fields of a class, checked where they are given, before anything is asked.

```python
class LengthCheck(Detector):
    longest: int = option(default=200, least=1, help="words that a sentence may have")
```

From the declaration come the constructor and its checks, what a configuration file and the command line take, and the
tables in the documents (`declared` reads it). The annotation says what is admitted: `int`, `float`, `bool`, `str`, `Literal`, a class,
any union of these, or a `Sequence` of them; `| None` admits `None`. A callable, a protocol or a mapping is for the class to check,
in `__post_init__`.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import json
import math
import sys
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from enum import StrEnum
from numbers import Number
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, dataclass_transform

from guardrail.errors import ConfigError

__all__ = [
    "Declared",
    "Option",
    "Options",
    "PathOption",
    "declared",
    "number",
    "one_of",
    "option",
    "refuse_unknown",
    "resolve_paths",
    "seconds",
]

_NUMBERS = frozenset({int, float})
_WRITTEN = frozenset({bool, int, float, str})  # what a configuration file can hold


class PathOption(StrEnum):
    """How a configuration file reads a text that is given for an option."""

    FILE = "file"
    """A path, relative to the configuration file."""
    FILE_OR_NAME = "file or name"
    """The same if something is there, else a name."""


@dataclass(frozen=True, slots=True)
class Option:
    """What a declaration says beyond the annotation and the default; see `option`."""

    help: str = ""
    least: float = -math.inf
    most: float = math.inf
    above: float = -math.inf
    choices: tuple[str, ...] = ()
    path: PathOption | None = None


@dataclass(frozen=True, slots=True)
class Declared:
    """One option of a class.

    Attributes:
        name: of the field.
        default: `dataclasses.MISSING` if it must be given.
        types: the classes that are admitted; `object` among them if some are not known.
        choices: values that are admitted besides, where they are listed.
        several: whether it is a sequence of such values, not a single one.
        optional: whether `None` is admitted.
        option: the rest.
    """

    name: str
    default: Any
    types: frozenset[type]
    choices: tuple[Any, ...]
    several: bool
    optional: bool
    option: Option

    @property
    def admits(self) -> str:
        """What may be given, for a person, such as "a whole number from 1"."""
        if self.option.path is not None:
            return f"a {self.option.path}"
        if not self.types <= _WRITTEN:
            return "a list of objects" if self.several else "an object"
        kinds = [_listed(self.choices)] if self.choices else []
        if bool in self.types:
            kinds.append("true or false")
        if self.types & _NUMBERS:
            number = "number" if float in self.types else "whole number"
            kinds.append(_limits(f"{number}s" if self.several else f"a {number}", self.option))
        if str in self.types:
            kinds.append("texts" if self.several else "a text")
        return f"a list of {' or '.join(kinds)}" if self.several else " or ".join(kinds)

    @property
    def written(self) -> bool:
        """Whether a configuration file and a command line can give it."""
        return not self.admits.endswith(("object", "objects"))

    def takes(self, value: Any) -> bool:
        """Whether a value may be given."""
        if value is None and self.optional:
            return True
        if self.several:
            return isinstance(value, Sequence) and not isinstance(value, str) and all(map(self._takes, value))
        return self._takes(value)

    def _takes(self, value: Any) -> bool:
        """Whether it is one of such values; `True` is no number."""
        if object in self.types or any(_equal(value, one) for one in self.choices):
            return True
        if isinstance(value, bool):
            return bool in self.types
        if isinstance(value, int | float) and self.types & _NUMBERS:
            return _is_within(value, self.option, whole=float not in self.types)
        return isinstance(value, tuple(self.types))


def option(
    *,
    default: Any = MISSING,
    help: str,  # noqa: A002  # what everybody calls it
    least: float = -math.inf,
    most: float = math.inf,
    above: float = -math.inf,
    choices: Sequence[str] = (),
    path: PathOption | None = None,
    kw_only: bool = True,
) -> Any:
    """Declare an option of a detector, as the value of an annotated field.

    Args:
        default: without one it must be given; a list becomes a tuple.
        help: one clause for a person.
        least: a number's smallest value.
        most: its largest.
        above: a bound that it must exceed.
        choices: admitted texts; those of a `Literal` need not be repeated.
        path: how a configuration file reads a text for it.
        kw_only: whether it must be named in code; the one option that a detector is about need not be.
    """
    return _field(default, Option(help, least, most, above, tuple(choices), path), kw_only=kw_only)


def _field(default: Any, declaration: Option, *, kw_only: bool) -> Any:
    if isinstance(default, list):
        default = tuple(default)
    if type(default).__hash__ is None:
        raise ConfigError(
            f"expected a default that cannot be changed, got {default!r}: write default=None, and what that means in "
            "__post_init__"
        )
    return field(default=default, kw_only=kw_only, metadata={"option": declaration})


def declared(cls: Any) -> tuple[Declared, ...]:
    """The options of a class: its own first, those that it inherits behind them; of anything else none."""
    if not (isinstance(cls, type) and is_dataclass(cls)) or getattr(cls, "_builds_itself", False):
        return ()
    return _fields(cls)


@functools.cache
def _fields(cls: Any) -> tuple[Declared, ...]:
    """The same of a class with a constructor of its own, too."""
    homes = {one.name: _home(cls, one) for one in fields(cls)}
    return tuple(
        _declared(one, homes[one.name])
        for one in sorted(fields(cls), key=lambda one: cls.__mro__.index(homes[one.name]))
        if one.init
    )


def _home(cls: type, one: Field[Any]) -> type:
    """The class that declares a field."""
    return [base for base in cls.__mro__ if vars(base).get("__dataclass_fields__", {}).get(one.name) is one][
        -1
    ]


def resolve_paths(cls: Any, given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Options as they were written, with those that are paths read from a folder.

    Which are is declared; a class without declarations lists them as `paths`.
    """
    kinds = {**getattr(cls, "paths", {}), **{one.name: one.option.path for one in declared(cls)}}
    found = dict(given)
    for name, kind in kinds.items():
        if kind is not None and isinstance(given.get(name), str) and "://" not in given[name]:
            path = folder / Path(given[name]).expanduser()
            if kind == PathOption.FILE or path.exists():
                found[name] = path
    return found


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(option,))
class Options:
    """A class whose annotated fields are its options: its constructor, their checks and its `repr` come from them.

    A value that a class sets for an option that it inherits is its default there. A class that has a constructor of its
    own, written or inherited, declares no options; what it hands to `super().__init__` is checked.
    """

    elsewhere: ClassVar[Mapping[str, str]] = {}
    """By the name of an option that users look for here and that there is not: where it is, in a sentence."""
    _builds_itself: ClassVar[bool] = False

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        maker = next(base for base in cls.__mro__ if "__init__" in vars(base))
        cls._builds_itself = maker is cls or getattr(maker, "_builds_itself", maker is not object)
        _set_defaults(cls)
        words = vars(cls).get("__doc__")
        dataclass(kw_only=True, eq=False, repr=False, init=not cls._builds_itself)(cls)
        cls.__doc__ = _described(cls, words) if words else None

    def __new__(cls, *given: Any, **options: Any) -> Self:
        """An object, if there are such options.

        Raises:
            ConfigError: there are not; the message names the nearest one.
        """
        if not cls._builds_itself:
            _refuse_unnamed(cls, given)
            refuse_unknown(
                cls.__name__, options, [one.name for one in declared(cls)], elsewhere=cls.elsewhere
            )
        return super().__new__(cls)

    def __post_init__(self) -> None:
        """Check the options; a class that checks more calls this first.

        Raises:
            ConfigError: a value that the declaration does not admit; the message says what was expected.
        """
        for one in _fields(type(self)):  # type: ignore[arg-type]  # a class can be hashed
            if hasattr(self, one.name):  # a constructor of one's own may set some of them later
                _admit(one, getattr(self, one.name))

    def __repr__(self) -> str:
        changed = [
            f"{one.name}={value!r}"
            for one in declared(type(self))
            if (value := getattr(self, one.name, one.default)) != one.default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


def _refuse_unnamed(cls: Any, given: Sequence[Any]) -> None:
    """Refuse values that say not for which option they are, beyond those that need not."""
    options = declared(cls)
    for value in given[sum(not one.kw_only for one in fields(cls)) :]:
        paths = [one for one in options if one.option.path is not None and isinstance(value, str | Path)]
        meant = next((f"{one.name}={value!r:.80}" for one in (*paths, *options)), "")
        raise ConfigError(
            f"{cls.__name__} takes its options by name, got {value!r:.80} without one: write {cls.__name__}({meant}). "
            f"It takes: {', '.join(one.name for one in options) or 'none'}."
        )


def _described(cls: type, words: str) -> str:
    """A class's own words, with its options below them."""
    options = [
        f"    {one.name} ({one.admits}"
        + (f"; default {one.default!r}): " if one.default is not MISSING else "): ")
        + one.option.help
        for one in declared(cls)
    ]
    return "\n".join([inspect.cleandoc(words), "", "Options:", *options])


def _set_defaults(cls: type) -> None:
    """Make defaults of the values that a class sets for options that it inherits."""
    inherited = {
        one.name: one for base in reversed(cls.__mro__[1:]) if is_dataclass(base) for one in fields(base)
    }
    values = {
        name: value
        for name, value in vars(cls).items()
        if name in inherited and not isinstance(value, Field) and not hasattr(value, "__get__")
    }
    annotations = inspect.get_annotations(cls) if values else {}
    for name in values.keys() - annotations.keys():
        one = inherited[name]
        annotations[name] = _evaluated(one.type, _home(cls, one))
        setattr(cls, name, _field(values[name], _option_of(one), kw_only=bool(one.kw_only)))
        cls.__annotations__ = annotations


def _admit(one: Declared, value: Any) -> None:
    if one.takes(value):
        return
    if one.choices and not one.several and not one.types:
        one_of(one.name, value, one.choices)
    instead = ""
    if one.several and isinstance(value, str):
        instead = f": write {one.name}={json.dumps(value.split(','), ensure_ascii=False)}"
    elif one.types & _NUMBERS and _is_number(value):
        instead = f": write {one.name}={str(value).strip()}"
    elif str in one.types and not one.several:
        instead = f": write {one.name}='…'"
    raise ConfigError(f"expected {one.name} to be {one.admits}, got {value!r:.80}{instead}")


def _declared(one: Field[Any], home: type) -> Declared:
    """What an annotation admits. What `isinstance` cannot tell is left to the class."""
    given = _option_of(one)
    members = _members(_evaluated(one.type, home))
    items = [member for member in members if member is not type(None)]
    optional, several = len(items) < len(members), False
    if len(items) == 1 and (parts := _items(items[0])) is not None:
        items, several = parts, True
    types = {_class_of(item) for item in items if typing.get_origin(item) is not Literal}
    choices = [
        value for item in items if typing.get_origin(item) is Literal for value in typing.get_args(item)
    ]
    if given.choices:
        types, choices = types - {str}, list(given.choices)
    optional = optional or (not several and None in choices)
    listed = tuple(choice for choice in choices if choice is not None)
    return Declared(one.name, one.default, frozenset(types), listed, several, optional, given)


def _option_of(one: Field[Any]) -> Option:
    """What the declaration says; of a plain field nothing."""
    found: Option = one.metadata.get("option", Option())
    return found


def _evaluated(annotation: Any, home: type) -> Any:
    """An annotation that is written as text; one that cannot be evaluated here admits everything."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, vars(sys.modules[home.__module__]), dict(vars(home)))  # noqa: S307  # our code
    except (NameError, AttributeError, TypeError):  # imported for type checkers alone
        return object


def _items(annotation: Any) -> list[Any] | None:
    """What the items of a sequence may be; `None` where it is none, or has a kind for each place."""
    if typing.get_origin(annotation) not in {Sequence, list, tuple}:
        return None
    kinds = set(typing.get_args(annotation)) - {...}
    return _members(kinds.pop()) if len(kinds) == 1 else None


def _class_of(annotation: Any) -> type:
    """The class, if `isinstance` can tell; of a protocol, or of `Any`, it cannot."""
    told = (
        isinstance(annotation, type)
        and annotation is not Any
        and not getattr(annotation, "_is_protocol", False)
    )
    return annotation if told else object


def _members(annotation: Any) -> list[Any]:
    """The parts of a union, those of unions in it included."""
    if typing.get_origin(annotation) in {typing.Union, types.UnionType}:
        return [member for part in typing.get_args(annotation) for member in _members(part)]
    return [type(None) if annotation is None else annotation]


_MODELS = {"chat", "judge", "llm", "model", "client"}  # what users look for in a detector


def refuse_unknown(
    what: str, given: Iterable[str], known: Sequence[str], *, elsewhere: Mapping[str, str] | None = None
) -> None:
    """Refuse options that there are not.

    Args:
        what: what they were given to.
        given: their names.
        known: those that there are.
        elsewhere: see `Options`.

    Raises:
        ConfigError: with the nearest one, and all that there are.
    """
    for name in sorted(set(given) - set(known)):
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        if name in _MODELS:
            hint = " Models are given to the guard: write Guard([…], chat=model), or backends={…}."
        if elsewhere and name in elsewhere:
            hint = f" {elsewhere[name]}"
        raise ConfigError(f"{what} has no option {name!r}.{hint} It takes: {', '.join(known) or 'none'}.")


def number(
    name: str,
    value: Any,
    *,
    least: float = -math.inf,
    most: float = math.inf,
    above: float = -math.inf,
    whole: bool = False,
) -> None:
    """Refuse what is no finite number within the limits.

    Raises:
        ConfigError: with what was expected.
    """
    kinds = frozenset({int} if whole else {int, float})
    _admit(Declared(name, MISSING, kinds, (), False, False, Option("", least, most, above)), value)


def _is_within(value: float, limits: Option, *, whole: bool) -> bool:
    """Whether a number is finite, within limits, and whole if it must be."""
    right = math.isfinite(value) and limits.least <= value <= limits.most and value > limits.above
    return right and (isinstance(value, int) or not whole)


def _limits(kind: str, limits: Option) -> str:
    lower = f" above {limits.above:g}" if math.isfinite(limits.above) else ""
    lower = f" from {limits.least:g}" if math.isfinite(limits.least) else lower
    return kind + lower + (f" to {limits.most:g}" if math.isfinite(limits.most) else "")


def _equal(value: Any, choice: Any) -> bool:
    return (
        isinstance(value, type(choice))
        and isinstance(value, bool) == isinstance(choice, bool)
        and value == choice
    )


def _listed(choices: Sequence[Any]) -> str:
    *most, last = map(str, choices)
    return f"{', '.join(most)} or {last}" if most else last


def _is_number(value: Any) -> bool:
    """Whether something is a number of another kind: in quotes, or of numpy."""
    try:
        numeric = isinstance(value, str | Number) and not isinstance(value, int | float | complex)
        return numeric and math.isfinite(float(value))
    except ValueError:
        return False


def seconds(name: str, value: Any) -> None:
    """Refuse what is neither `None` nor a finite number of seconds, 0 or more.

    Raises:
        ConfigError: with what was expected.
    """
    if value is not None:
        number(name, value, least=0)


def one_of(name: str, value: Any, known: Sequence[Any]) -> None:
    """Refuse a value that is not among the known ones.

    Raises:
        ConfigError: with those that are known.
    """
    if value not in known:
        names = [str(one) for one in known]
        near = difflib.get_close_matches(str(value).lower(), names, n=1, cutoff=0.5)
        meant = f": write {name}={near[0]!r}" if near else ""
        raise ConfigError(f"expected {name} to be one of {', '.join(names)}, got {value!r:.80}{meant}")
