"""Rules by client and model, and what a client may ask for itself."""

import pytest
from tests.unit.server.conftest import KEY, SECRET, Spotter

from guardrail import Guard, annotate, flag, remove
from guardrail.errors import ConfigError, UnknownName
from guardrail.server import Application, Settings
from guardrail.server.keys import hashed

SAID = f"Rivers flow. See {SECRET} for more."
OTHER = "client-key-9876543210"
KEYS = {"keys": (hashed(KEY), hashed(OTHER)), "upstream_key": "sk-operator-0123456789"}
MINE, YOURS = {"authorization": f"Bearer {KEY}"}, {"authorization": f"Bearer {OTHER}"}
UP = "http://up.example/v1"


class Second(Spotter):
    name = "second"


def action(found):
    """What the policy did; `None` where nobody waited for it."""
    return found.json().get("guardrail", {}).get("action")


class TestRules:
    def test_by_key(self, guarded):
        """Each client has its policy; the first rule that fits counts."""
        rules = ({"keys": [hashed(KEY)], "policy": "block"}, {"policy": "annotate"})
        served = guarded(lambda _: SAID, policy=flag(), rules=rules, **KEYS)
        assert action(served.chat(headers=MINE)) == "block"
        assert action(served.chat(headers=YOURS)) == "annotate"

    def test_by_model(self, guarded):
        """Of the name in the request, with stars; another model is treated as without rules."""
        rules = ({"models": ["small-*"], "mode": "monitor"},)
        served = guarded(lambda _: SAID, policy=remove(), rules=rules)
        assert action(served.chat(model="small-1")) is None
        assert SECRET in served.chat(model="small-1").text
        assert action(served.chat(model="Small-1")) == "remove"
        assert action(served.chat(model=None)) == "remove"

    def test_texts_are_the_guards(self, guarded):
        """Whatever policy a rule has, and where a client asks for a stricter one."""
        policy = annotate(texts={"withheld": "Sorry.", "not_supported": "?"})
        served = guarded(lambda _: SAID, policy=policy, rules=({"models": ["m2"], "policy": "block"},))
        said = [served.chat(model="m2"), served.chat(headers={"x-guardrail-policy": "block"})]
        assert [one.json()["choices"][0]["message"]["content"] for one in said] == ["Sorry.", "Sorry."]

    def test_by_detector(self, guarded):
        """Only those named look."""
        first, second = Spotter(), Second()
        rules = ({"models": ["m2"], "detectors": ["second"]},)
        served = guarded(lambda _: SAID, guard=Guard([first, second], policy=flag()), rules=rules)
        served.chat(model="m2")
        assert (len(first.seen), len(second.seen)) == (0, 1)
        served.chat(model="m1")
        assert (len(first.seen), len(second.seen)) == (1, 2)

    def test_streams_and_checks_follow_them_too(self, guarded):
        """The same rules everywhere."""
        rules = ({"keys": [hashed(KEY)], "policy": "block"},)
        served = guarded(lambda _: SAID, policy=flag(), rules=rules, **KEYS)
        assert SECRET not in served.chat(headers=MINE, stream=True).text
        assert SECRET in served.chat(headers=YOURS, stream=True).text
        report = served.client.post("/v1/guardrail/check", json={"answer": SAID}, headers=MINE).json()
        assert report["decision"]["action"] == "block"
        asked = {"input_type": "response", "texts": [SAID]}
        said = served.client.post("/beta/litellm_basic_guardrail_api", json=asked, headers=MINE).json()
        assert said["action"] == "BLOCKED"

    @pytest.mark.parametrize(
        ("rule", "error"),
        [
            ({"model": ["a"]}, UnknownName),
            ({"models": "a"}, ConfigError),
            ({"models": []}, ConfigError),
            ({"mode": "watch"}, ConfigError),
            ({"policy": "blok"}, UnknownName),
            ({"keys": ["my-key"]}, ConfigError),
            ({"keys": [hashed("nobody")]}, ConfigError),
            ("block", ConfigError),
        ],
    )
    def test_a_wrong_rule_does_not_start(self, rule, error):
        """Also one for a key that no client has."""
        with pytest.raises(error):
            Settings(UP, keys=(hashed(KEY),), rules=(rule,))

    def test_a_rule_names_detectors_that_are_there(self):
        """Or it would check nothing."""
        with pytest.raises(UnknownName, match="spoter"):
            Application(Settings(UP, rules=({"detectors": ["spoter"]},)), Guard([Spotter()]))

    def test_they_are_in_the_configuration(self, tmp_path):
        """Beside the guard, which takes no notice of them."""
        file = tmp_path / "guardrail.toml"
        file.write_text('[[detectors]]\nname = "references"\n[[rule]]\nmodels = ["m"]\npolicy = "remove"\n')
        assert Settings.from_file(file, upstream=UP).rules[0].models == ("m",)
        with Guard.from_config(file) as guard:
            assert [detector.name for detector in guard.detectors] == ["references"]


class TestClientsMayTighten:
    def test_block(self, guarded):
        """What would be marked is withheld."""
        served = guarded(lambda _: SAID, policy=annotate())
        assert action(served.chat(headers={"x-guardrail-policy": "block"})) == "block"
        assert action(served.chat()) == "annotate"

    def test_enforce(self, guarded):
        """Where the server only watches."""
        served = guarded(lambda _: SAID, policy=remove(), mode="monitor")
        assert SECRET not in served.chat(headers={"x-guardrail-mode": "enforce"}).text
        assert SECRET in served.chat().text

    @pytest.mark.parametrize(
        "header",
        [
            ("x-guardrail-policy", "flag"),
            ("x-guardrail-policy", "remove"),
            ("x-guardrail-mode", "monitor"),
            ("x-guardrail-mode", ""),
        ],
    )
    def test_nothing_is_loosened(self, guarded, header):
        """It is refused, and not passed over in silence."""
        served = guarded(lambda _: SAID, policy=remove())
        found = served.chat(headers=dict([header]))
        assert (found.status_code, found.json()["error"]["code"]) == (400, "only_tighter")
