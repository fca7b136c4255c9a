"""Options that are declared once: what a constructor admits, and what help and `repr` say."""

import enum
from collections.abc import Callable, Sequence
from typing import Any, Literal

import pytest
from tests.looping import each

from guardrail.errors import ConfigError
from guardrail.options import Options, PathOption, declared, option, resolve_paths


class Base(Options):
    """Has two."""

    deadline: float | None = option(default=None, least=0, help="seconds")
    words: int = option(default=3, least=1, help="how many")


class Reader(Base):
    """Reads."""

    file: str | None = option(default=None, path=PathOption.FILE, kw_only=False, help="what is read")
    share: float = option(default=0.5, above=0, most=1, help="how much")
    strict: bool = option(default=False, help="whether")
    mode: Literal["fast", "slow"] = option(default="fast", help="how")
    kinds: Sequence[Literal["a", "b"]] = option(default=("a",), help="which")
    names: list[str] = option(default=["x"], help="who")
    shares: tuple[float, ...] | None = option(default=None, help="of each")
    split: Callable[[str], Sequence[str]] | None = option(default=None, help="where")


class Own(Base):
    """Writes its constructor itself."""

    def __init__(self, *words):
        self.words = words


class OfOwn(Own):
    """Inherits it."""


class TestDeclaring:
    def test_options_inherit(self):
        """A class has its own and those of its bases, its own first."""
        names = [one.name for one in declared(Reader)]
        assert names == [
            *("file", "share", "strict", "mode", "kinds", "names", "shares", "split"),
            *("deadline", "words"),
        ]
        reader = Reader("a.txt", words=5)
        assert (reader.file, reader.words, reader.deadline, reader.mode) == ("a.txt", 5, None, "fast")

    def test_what_is_admitted_is_said_in_words(self):
        """From annotation and limits."""
        assert {one.name: one.admits for one in declared(Reader)} == {
            "file": "a file",
            "share": "a number above 0 to 1",
            "strict": "true or false",
            "mode": "fast or slow",
            "kinds": "a list of a or b",
            "names": "a list of texts",
            "shares": "a list of numbers",
            "split": "an object",
            "deadline": "a number from 0",
            "words": "a whole number from 1",
        }
        assert [one.name for one in declared(Reader) if not one.written] == ["split"]

    def test_help_lists_them(self):
        """Below the class's own words."""
        assert Reader.__doc__.startswith(
            "Reads.\n\nOptions:\n    file (a file; default None): what is read\n"
        )

    def test_repr_shows_what_was_changed(self):
        """And no more."""
        assert repr(Reader(words=5, mode="slow")) == "Reader(mode='slow', words=5)"
        assert repr(Reader()) == "Reader()"

    @pytest.mark.parametrize("kind", [Own, OfOwn])
    def test_a_constructor_of_ones_own_stays(self, kind):
        """Such a class declares nothing."""
        assert kind("a", "b").words == ("a", "b")
        assert declared(kind) == ()


class Words(Base):
    """Has a default of its own for an option of its base."""

    words = 7


class TestInheriting:
    def test_a_value_that_a_class_sets_is_its_default(self):
        """As with `name` and `version`; limits and help stay."""
        assert (Words().words, Words(words=2).words, Base().words) == (7, 2, 3)
        words, *_ = declared(Words)
        assert (words.name, words.default, words.admits) == ("words", 7, "a whole number from 1")
        with pytest.raises(ConfigError, match="expected words to be a whole number from 1, got 0"):
            Words(words=0)

    def test_a_wrong_default_is_refused_too(self):
        """When the class is used."""

        class Wrong(Base):
            words = 0

        with pytest.raises(ConfigError, match="expected words to be a whole number from 1, got 0"):
            Wrong()

    def test_a_method_of_that_name_stays_a_method(self):
        """It is no value."""

        class Splits(Reader):
            def split(self, text):
                return [text]

        assert Splits(split=str.split).split is str.split

    def test_what_a_constructor_of_ones_own_hands_on_is_checked(self):
        """Though the class declares nothing."""

        class Few(Base):
            def __init__(self, words):
                super().__init__(words=words)

        assert Few(2).words == 2
        with pytest.raises(ConfigError, match="expected words to be a whole number from 1, got -1"):
            Few(-1)

    def test_an_inherited_constructor_stays(self):
        """Of a class beside the options that comes first."""

        class Logs:
            def __init__(self, log):
                self.log = log

        class Both(Logs, Base):
            """Logs."""

        assert (Both("file").log, Both("file").words, declared(Both)) == ("file", 3, ())


class TestChecks:
    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"words": 0}, "expected words to be a whole number from 1, got 0"),
            ({"words": "3"}, "expected words to be a whole number from 1, got '3': write words=3"),
            ({"words": True}, "expected words to be a whole number from 1, got True"),
            ({"words": 2.5}, "expected words to be a whole number from 1, got 2.5"),
            ({"words": None}, "expected words to be a whole number from 1, got None"),
            ({"share": 0}, "expected share to be a number above 0 to 1, got 0"),
            ({"share": float("nan")}, "expected share to be a number above 0 to 1, got nan"),
            ({"strict": 1}, "expected strict to be true or false, got 1"),
            ({"mode": "quick"}, "expected mode to be one of fast, slow, got 'quick'"),
            (
                {"kinds": "a,b"},
                """expected kinds to be a list of a or b, got 'a,b': write kinds=["a", "b"]""",
            ),
            ({"kinds": ["c"]}, "expected kinds to be a list of a or b, got ['c']"),
            ({"names": ["c", 3]}, "expected names to be a list of texts, got ['c', 3]"),
            ({"names": 3}, "expected names to be a list of texts, got 3"),
            ({"shares": [0.5, True]}, "expected shares to be a list of numbers, got [0.5, True]"),
            ({"shares": [0.5, float("nan")]}, "expected shares to be a list of numbers, got [0.5, nan]"),
            ({"file": 7}, "expected file to be a file, got 7: write file='…'"),
            ({"deadline": -1}, "expected deadline to be a number from 0, got -1"),
        ],
    )
    def test_what_is_not_admitted_is_refused_where_it_is_given(self, given, message):
        """In one line, without any conversion."""
        with pytest.raises(ConfigError) as refused:
            Reader(**given)
        assert str(refused.value) == message

    def test_what_cannot_be_told_is_taken(self):
        """An object of some kind is for the class to check."""
        assert Reader(split=str.split, deadline=None, share=1, kinds=["a", "b"]).split is str.split

    def test_an_annotation_says_what_is_admitted(self):
        """By kind of annotation: values that are taken, and values that are not."""

        def check(annotation, limits, right, wrong):
            fields = {"__annotations__": {"it": annotation}, "it": option(help="it", **limits)}
            kind = type("Kind", (Options,), {**fields, "__doc__": "One.", "__module__": __name__})
            assert [value for value in right if not _taken(kind, value)] == []
            assert [value for value in wrong if _taken(kind, value)] == []

        each(
            {
                "anything": (Any, {}, [1, None, "a"], []),
                "whole numbers count as numbers": ("Sequence[float]", {}, [[1, 0.5], ()], [["1"], [None]]),
                "limits bound the items": ("Sequence[int]", {"least": 0}, [[0, 1]], [[-1], [0.5]]),
                "items may be true or false": ("Sequence[bool]", {}, [[True]], [[1]]),
                "a kind for each place is the class's": (tuple[int, str], {}, [(1, "a")], []),
                "no place": (tuple[()], {}, [()], []),
                "one text or several": (str | Sequence[str], {}, ["a", ["a"]], []),
                "listed numbers": (Literal[1, 2], {}, [1, 2], [3, True, "1"]),
                "listed beside None": (Literal["a"] | None, {}, ["a", None], ["b"]),
                "listed or a number": (
                    Literal["auto"] | float,
                    {"least": 0},
                    ["auto", 0.5, 1],
                    ["b", -1, True],
                ),
                "listed by the option": (str, {"choices": ("a",)}, ["a", enum.StrEnum("E", "a").a], ["b", 1]),
                "a number or a text": (int | str, {}, [1, "a"], [True, 0.5]),
                "what cannot be evaluated": ("int | 'Unknown'", {}, [1, "a"], []),
            },
            check,
        )

    def test_a_default_that_can_be_changed_is_refused(self):
        """All instances would share it."""
        with pytest.raises(ConfigError, match="expected a default that cannot be changed"):
            option(default={}, help="by name")

    def test_the_default_of_a_list_is_a_tuple(self):
        """Nobody can change it for others."""
        assert Reader().names == ("x",)


class TestPaths:
    def test_a_written_path_is_read_from_a_folder(self, tmp_path):
        """Of a configuration file, say; what is an object stays one."""
        assert resolve_paths(Reader, {"file": "a.txt", "words": 2}, tmp_path) == {
            "file": tmp_path / "a.txt",
            "words": 2,
        }
        assert resolve_paths(Reader, {"file": None}, tmp_path) == {"file": None}

    def test_a_name_that_is_no_file_stays_a_name(self, tmp_path):
        """Of a model that has weights elsewhere."""

        class Model(Options):
            weights: str = option(path=PathOption.FILE_OR_NAME, help="a folder, or a name")

        (tmp_path / "here").mkdir()
        assert resolve_paths(Model, {"weights": "here"}, tmp_path) == {"weights": tmp_path / "here"}
        assert resolve_paths(Model, {"weights": "org/name"}, tmp_path) == {"weights": "org/name"}


def _taken(kind, value):
    try:
        kind(it=value)
    except ConfigError:
        return False
    return True
