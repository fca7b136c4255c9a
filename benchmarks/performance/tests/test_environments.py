"""Environments of other packages: made once, and a failure says how to mend it."""

import pytest
from benchmarks.performance.environments import EnvironmentFailed, Peer, installed, python

PEER = Peer("litellm", "1.0", options=("--only-binary=:all:",))


class TestEnvironments:
    def make(self, place):
        python(place).parent.mkdir(parents=True)
        python(place).touch()

    def test_made_once(self, tmp_path):
        """While nothing changes; another version is made anew."""
        commands, said = [], []

        def ran(command):
            commands.append(command)
            return 0, ""

        def get(peer, **options):
            return installed(peer, tmp_path, run=ran, make=self.remade, say=said.append, **options)

        first = get(PEER)
        assert get(PEER) == first == python(tmp_path / "litellm")
        assert len(commands) == 1
        assert len(said) == 2
        assert {"torch==2.13.0", "litellm==1.0"} <= set(commands[0])
        get(PEER, torch="torch==2.14.0")
        assert "torch==2.14.0" in commands[1]

    def remade(self, place):
        if not place.exists():
            self.make(place)

    @pytest.mark.parametrize("broken", ["pip", "venv"])
    def test_a_failure_says_how_to_mend_it(self, tmp_path, broken):
        """What failed, the command, no path, and nothing that would count as installed."""

        def make(place):
            if broken == "venv":
                raise OSError(28, "No space left on device", str(place))
            self.make(place)

        def ran(_):
            return 1, f"Collecting\nERROR: no matching distribution in {tmp_path}/files/x\n"

        for _ in range(2):
            with pytest.raises(EnvironmentFailed) as caught:
                installed(PEER, tmp_path, run=ran, make=make, say=str)
            text = str(caught.value)
            assert ("no matching distribution" if broken == "pip" else "No space left") in text
            assert "pip install --only-binary=:all: torch==2.13.0 litellm==1.0" in text
            assert str(tmp_path) not in text
            if (tmp_path / "litellm").exists():
                assert not (tmp_path / "litellm" / "stamp.json").exists()
                python(tmp_path / "litellm").unlink()
                python(tmp_path / "litellm").parent.rmdir()
