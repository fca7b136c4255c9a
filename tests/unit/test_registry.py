"""Where detectors and chat adapters are found by name."""

import sys
import types

import pytest
from tests.unit.engine.toys import Says

from guardrail import registry
from guardrail.errors import ConfigError, MissingExtra, UnknownName
from guardrail.registry import BACKENDS, CHATS, DETECTORS, Registry


class Point:
    """An entry point of an installed plug-in."""

    def __init__(self, name, load):
        self.name = name
        self.value = f"plugin:{name}"
        self.load = load


class Free:
    """Takes whatever it is given."""

    def __init__(self, **options):
        self.options = options


@pytest.fixture
def plugins(monkeypatch):
    """What the installed packages say they have; changed by the tests."""
    found = []
    monkeypatch.setattr(registry.metadata, "entry_points", lambda *, group: found if group == "toys" else [])
    return found


@pytest.fixture
def toys(monkeypatch, plugins):
    module = types.ModuleType("toy_module")
    module.Says = Says
    monkeypatch.setitem(sys.modules, "toy_module", module)
    return Registry("toy", "toys", {"says": "toy_module:Says", "gone": "no_such_module:Thing"})


def raising(error):
    def load():
        raise error

    return load


class TestLookUp:
    def test_imports_only_what_is_asked_for(self, toys):
        """The broken one beside it is not touched."""
        assert toys["says"] is Says

    def test_lists_names_without_importing(self, toys, plugins):
        """Sorted, plug-ins too; a name that is there twice counts once."""
        plugins += [Point("added", raising(ImportError())), Point("says", raising(ImportError()))]
        assert (list(toys), len(toys)) == (["says", "gone", "added"], 3)  # those built in first, as listed
        assert "added" in toys
        assert "other" not in toys

    def test_a_miss_offers_the_nearest(self, toys):
        """And all there are."""
        with pytest.raises(
            UnknownName, match=r"no toy named 'say'\. Did you mean 'says'\? Available: gone, says"
        ):
            toys["say"]

    def test_what_is_built_in_comes_before_a_plug_in(self, toys, plugins):
        """A package cannot take a name over."""
        plugins.append(Point("says", lambda: Free))
        assert toys["says"] is Says


class TestPlugIns:
    def test_are_found(self, toys, plugins):
        """By their entry point."""
        plugins.append(Point("free", lambda: Free))
        assert toys["free"] is Free

    def test_one_that_does_not_import_raises_when_asked_for(self, toys, plugins):
        """With the package's name and what to do."""
        plugins.append(Point("broken", raising(SyntaxError("bad"))))
        with pytest.raises(
            ConfigError, match=r"'broken' of the plug-in 'plugin:broken' does not import"
        ) as caught:
            toys["broken"]
        assert isinstance(caught.value.__cause__, SyntaxError)

    def test_one_that_does_not_import_warns_when_listed(self, toys, plugins):
        """It never takes the others with it."""
        plugins += [Point("broken", raising(KeyError("x"))), Point("free", lambda: Free)]
        with pytest.warns(RuntimeWarning) as warned:
            assert toys.working() == {"says": Says, "free": Free}
        assert len(warned) == 2  # "gone" as well


class TestWritten:
    """A name with options, as one text."""

    @pytest.mark.parametrize(
        ("text", "options"),
        [
            ("free", {}),
            ("free:samples=3", {"samples": 3}),
            ("free:fit=words, samples=3", {"fit": "words", "samples": 3}),
            ("free:words=one, two,exact=true", {"words": "one, two", "exact": True}),
            ("free:where=a:b", {"where": "a:b"}),
        ],
    )
    def test_values_are_toml_or_text(self, toys, plugins, text, options):
        """A comma ends a value only where another option follows."""
        plugins.append(Point("free", lambda: Free))
        assert toys.written(text).options == options

    @pytest.mark.parametrize(
        ("text", "words"), [("says:name", "no value in 'name'"), ("says:name=1,name=2", "'name' twice")]
    )
    def test_refuses(self, toys, text, words):
        """What has no value, or two."""
        with pytest.raises(ConfigError, match=words):
            toys.written(text)


class TestCreate:
    def test_makes_an_instance(self, toys):
        """With its parameters."""
        assert toys.create("says", {"name": "other"}).name == "other"

    def test_names_a_wrong_parameter_and_those_there_are(self, toys):
        """Not a TypeError from within."""
        with pytest.raises(
            ConfigError,
            match=r"toy 'says' has no option 'nmae'\. Did you mean 'name'\? It takes: findings, name",
        ):
            toys.create("says", {"nmae": "x"})

    def test_leaves_open_ended_ones_alone(self, toys, plugins):
        """They check their options themselves."""
        plugins.append(Point("free", lambda: Free))
        assert toys.create("free", {"anything": 1}).options == {"anything": 1}

    def test_a_class_without_parameters_takes_none(self, toys, plugins):
        """It inherits object's constructor."""
        plugins.append(Point("plain", lambda: type("Plain", (), {})))
        assert toys.create("plain", {}) is not None
        with pytest.raises(ConfigError, match=r"'plain' has no option 'x'\. It takes: none"):
            toys.create("plain", {"x": 1})


class TestTheRealOnes:
    @pytest.mark.parametrize(
        "found", [DETECTORS, CHATS, *BACKENDS.values()], ids=["detectors", "chats", *BACKENDS]
    )
    def test_everything_built_in_imports(self, found):
        """Or says which extra is missing."""
        for name in found:
            try:
                assert isinstance(found.made(name, {}), type)
            except MissingExtra as error:
                assert "pip install" in str(error)  # noqa: PT017

    def test_detectors_are_named_as_they_are_registered(self):
        """The name of a report's finding can be created again."""
        classes = {name: DETECTORS[name] for name in DETECTORS if isinstance(DETECTORS[name], type)}
        assert {name: made.name for name, made in classes.items()} == {name: name for name in classes}
        assert set(DETECTORS) - set(classes) == {"selfcheck"}
        assert DETECTORS.made("selfcheck", {"method": "qa"}).name == "selfcheck-qa"
