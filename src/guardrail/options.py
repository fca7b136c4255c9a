"""Options: declared once as fields of a class, checked where they are given, before anything is asked.

```python
class LengthCheck(Detector):
    longest: int = option(default=200, least=1, help="words that a sentence may have")
```

From the declaration come the constructor and its checks, what a configuration file and the command line take, and the
tables in the documents (`declared` reads it). The annotation says what is admitted: `int`, `float`, `bool`, `str`, `Literal`, a class,
a `Sequence` of one of these, each with `| None` or without. A callable, a protocol or a mapping is for the class to check, in
`__post_init__`.
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
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
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
    "placed",
    "refuse_unknown",
    "seconds",
]


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
        types: the classes that are admitted; `object` among them if some cannot be told.
        choices: admitted texts, where they are listed.
        several: whether it is a sequence of such values, not a single one.
        optional: whether `None` is admitted.
        option: the rest.
    """

    name: str
    default: Any
    types: frozenset[type]
    choices: tuple[str, ...]
    several: bool
    optional: bool
    option: Option

    @property
    def admits(self) -> str:
        """What may be given, for a person, such as "a whole number from 1"."""
        if self.choices:
            *most, last = self.choices
            listed = f"{', '.join(most)} or {last}" if most else last
            return f"a list of {listed}" if self.several else listed
        if self.several:
            items = "texts" if self.types == {str} else "numbers" if self.types <= {int, float} else "objects"
            return f"a list of {items}"
        if self.types == {bool}:
            return "true or false"
        if self.types and self.types <= {int, float}:
            return _limits("a number" if float in self.types else "a whole number", self.option)
        if self.option.path is not None:
            return f"a {self.option.path}"
        return "a text" if self.types == {str} else "an object"

    def admits_item(self, value: Any) -> bool:
        """Whether a value may be one of several."""
        if self.choices:
            return value in self.choices
        return object in self.types or (isinstance(value, tuple(self.types)) and not isinstance(value, bool))

    @property
    def written(self) -> bool:
        """Whether a configuration file and a command line can give it."""
        return not self.admits.endswith(("object", "objects"))


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
    if isinstance(default, list):
        default = tuple(default)
    declaration = Option(help, least, most, above, tuple(choices), path)
    return field(default=default, kw_only=kw_only, metadata={"option": declaration})


@functools.cache
def declared(cls: Any) -> tuple[Declared, ...]:
    """The options of a class: its own first, those that it inherits behind them; of anything else none."""
    if not (isinstance(cls, type) and is_dataclass(cls)) or getattr(cls, "_builds_itself", False):
        return ()
    homes = {
        name: place
        for place, home in reversed(list(enumerate(cls.__mro__)))
        for name in inspect.get_annotations(home)
    }
    found = [
        _declared(
            one.name,
            one.default,
            one.type,
            one.metadata.get("option", Option()),
            cls.__mro__[homes[one.name]],
        )
        for one in sorted(fields(cls), key=lambda one: homes[one.name])
        if one.init
    ]
    return tuple(found)


def placed(cls: Any, given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Options as they were written, with those that are paths read from a folder.

    Which are is declared; a class without declarations lists them as `paths`.
    """
    kinds = {**getattr(cls, "paths", {}), **{one.name: one.option.path for one in declared(cls)}}
    found = dict(given)
    for name, kind in kinds.items():
        if kind is not None and isinstance(given.get(name), str):
            path = folder / Path(given[name]).expanduser()
            if kind == PathOption.FILE or path.exists():
                found[name] = path
    return found


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(option,))
class Options:
    """A class whose annotated fields are its options: its constructor, their checks and its `repr` come from them.

    A class that writes a constructor of its own has none of this.
    """

    _builds_itself: ClassVar[bool] = False

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        cls._builds_itself = cls._builds_itself or "__init__" in vars(cls)
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
            refuse_unknown(cls.__name__, options, [one.name for one in declared(cls)])  # type: ignore[arg-type]  # a class can be hashed
        return super().__new__(cls)

    def __post_init__(self) -> None:
        """Check the options; a class that checks more calls this first.

        Raises:
            ConfigError: a value that the declaration does not admit; the message says what was expected.
        """
        for one in declared(type(self)):  # type: ignore[arg-type]  # a class can be hashed
            _admit(one, getattr(self, one.name))

    def __repr__(self) -> str:
        changed = [
            f"{one.name}={value!r}"
            for one in declared(type(self))  # type: ignore[arg-type]  # as above
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


def _admit(one: Declared, value: Any) -> None:
    if value is None and one.optional:
        return
    if one.several:
        if isinstance(value, str) or not isinstance(value, Sequence) or not all(map(one.admits_item, value)):
            instead = (
                f": write {one.name}={json.dumps(value.split(','), ensure_ascii=False)}"
                if isinstance(value, str)
                else ""
            )
            raise ConfigError(f"expected {one.name} to be {one.admits}, got {value!r}{instead}")
    elif one.types <= {int, float}:
        whole = float not in one.types
        limits = one.option
        number(one.name, value, least=limits.least, most=limits.most, above=limits.above, whole=whole)
    elif one.choices and one.types == {str}:
        one_of(one.name, value, one.choices)
    elif not isinstance(value, tuple(one.types)):
        instead = f": write {one.name}='…'" if str in one.types else ""
        raise ConfigError(f"expected {one.name} to be {one.admits}, got {value!r:.80}{instead}")


def _declared(name: str, default: Any, annotation: Any, given: Option, home: type) -> Declared:
    """What an annotation admits; one that cannot be evaluated here admits everything."""
    if isinstance(annotation, str):
        try:
            annotation = eval(annotation, vars(sys.modules[home.__module__]), dict(vars(home)))  # noqa: S307  # our code
        except NameError:  # imported for type checkers alone
            annotation = object
    members = _members(annotation)
    optional = type(None) in members
    several = next((one for one in members if typing.get_origin(one) in {Sequence, list, tuple}), None)
    if several is not None:
        members = _members(typing.get_args(several)[0])
    choices = given.choices or tuple(
        value for one in members if typing.get_origin(one) is Literal for value in typing.get_args(one)
    )
    kinds = {
        str if typing.get_origin(one) is Literal else one if _is_class(one) else object
        for one in members
        if one is not type(None)
    }
    return Declared(name, default, frozenset(kinds), choices, several is not None, optional, given)


def _is_class(member: Any) -> bool:
    """Whether `isinstance` can tell; of a protocol it cannot."""
    return isinstance(member, type) and not getattr(member, "_is_protocol", False)


def _members(annotation: Any) -> list[Any]:
    """The parts of a union, those of unions in it included."""
    if typing.get_origin(annotation) in {typing.Union, types.UnionType}:
        return [member for part in typing.get_args(annotation) for member in _members(part)]
    return [type(None) if annotation is None else annotation]


_MODELS = {"chat", "judge", "llm", "model", "client"}  # what users look for in a detector


def refuse_unknown(what: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Refuse options that there are not.

    Raises:
        ConfigError: with the nearest one, and all that there are.
    """
    for name in sorted(set(given) - set(known)):
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        if name in _MODELS:
            hint = " Models are given to the guard: write Guard([…], chat=model), or backends={…}."
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
    right = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
    if not right or not math.isfinite(value) or not (least <= value <= most and value > above):
        kind = _limits("a whole number" if whole else "a number", Option("", least, most, above))
        meant = f"{name}={str(value).strip()}" if _is_number(value) else ""
        raise ConfigError(
            f"expected {name} to be {kind}, got {value!r}" + (f": write {meant}" if meant else "")
        )


def _limits(kind: str, limits: Option) -> str:
    lower = f" above {limits.above:g}" if math.isfinite(limits.above) else ""
    lower = f" from {limits.least:g}" if math.isfinite(limits.least) else lower
    return kind + lower + (f" to {limits.most:g}" if math.isfinite(limits.most) else "")


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


def one_of(name: str, value: Any, known: Sequence[str]) -> None:
    """Refuse what is none of the known values.

    Raises:
        ConfigError: with those that are known.
    """
    if value not in known:
        near = difflib.get_close_matches(str(value).lower(), known, n=1, cutoff=0.5)
        meant = f": write {name}={str(near[0])!r}" if near else ""
        raise ConfigError(f"expected {name} to be one of {', '.join(known)}, got {value!r:.80}{meant}")
