"""What `deploy/` says is what the command takes: its own command lines are started. No container is built here."""

import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from guardrail.server import Settings
from guardrail.server.keys import hashed

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
CONFIG = f'[server]\nkeys = ["sha256:{hashed("k")}"]\n[[detectors]]\nname = "references"\n'
# fmt: off
SERVICE = {
    "annotations", "attach", "blkio_config", "build", "cap_add", "cap_drop", "cgroup", "cgroup_parent",
    "command", "configs", "container_name", "cpu_count", "cpus", "cpuset", "credential_spec", "depends_on",
    "deploy", "develop", "devices", "dns", "dns_opt", "dns_search", "domainname", "entrypoint", "env_file",
    "environment", "expose", "extends", "external_links", "extra_hosts", "gpus", "group_add", "healthcheck",
    "hostname", "image", "init", "ipc", "isolation", "labels", "links", "logging", "mac_address",
    "mem_limit", "mem_reservation", "network_mode", "networks", "oom_score_adj", "pid", "pids_limit",
    "platform", "ports", "post_start", "pre_stop", "privileged", "profiles", "provider", "pull_policy",
    "read_only", "restart", "runtime", "scale", "secrets", "security_opt", "shm_size", "stdin_open",
    "stop_grace_period", "stop_signal", "storage_opt", "sysctls", "tmpfs", "tty", "ulimits", "user",
    "userns_mode", "uts", "volumes", "volumes_from", "working_dir",
}
# fmt: on
"""What a service may have, by the Compose Specification (its "services" chapter)."""


def instructions():
    """Those of the container file, by name; a repeated one has several values."""
    text = re.sub(r"\\\n", " ", (DEPLOY / "Containerfile").read_text())
    found = {}
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, value = line.partition(" ")
            found.setdefault(name, []).append(value.strip())
    return found


def unit():
    """Options of the unit's service, by name."""
    lines = (DEPLOY / "guardrail.service").read_text().partition("[Service]")[2].partition("[Install]")[0]
    return dict(line.split("=", 1) for line in lines.splitlines() if line and not line.startswith("#"))


def started(words, tmp_path):
    """Run a command line of `guardrail` with a configuration and a port of this test; give its address and how it ended."""
    (tmp_path / "guardrail.toml").write_text(CONFIG)
    words = [str(tmp_path / "guardrail.toml") if word.endswith("guardrail.toml") else word for word in words]
    words[words.index("--port") + 1] = "0"
    process = subprocess.Popen(
        [sys.executable, "-m", "guardrail.cli", *words], stderr=subprocess.PIPE, text=True
    )
    try:
        line = process.stderr.readline()
        assert "guarding" in line, line
        yield re.search(r"at http://[\d.]+:(\d+)/v1", line)[1]
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
    finally:
        process.kill()
        process.stderr.close()


class TestContainerfile:
    def test_its_command_serves_and_its_check_passes(self, tmp_path):
        """Entry point, default arguments and health check as they are written there."""
        found = instructions()
        entry, arguments = json.loads(found["ENTRYPOINT"][0]), json.loads(found["CMD"][0])
        assert entry[0] == "guardrail"
        _, _, check = found["HEALTHCHECK"][0].partition("CMD ")
        assert found["STOPSIGNAL"] == ["SIGTERM"]
        for port in started([*entry[1:], *arguments], tmp_path):
            program, *words = json.loads(check)
            assert program == "python"
            words = [word.replace(":8080", f":{port}") for word in words]
            assert subprocess.run([sys.executable, *words], check=False).returncode == 0

    def test_what_it_installs_is_there(self):
        """The extras by their names, the models that they name, on a Python that is new enough."""
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        found = instructions()
        extras = re.search(r'"/src\[([a-z,]+)\]"', found["RUN"][0])[1].split(",")
        assert set(extras) <= set(project["optional-dependencies"])
        assert {"server", "mini"} <= set(extras)
        models = {f"guardrail-{name}" for name in re.findall(r" /src/models/([a-z-]+)", found["RUN"][0])}
        assert models == {
            one.partition("==")[0] for one in project["optional-dependencies"]["mini"] if "guardrail" in one
        }
        for image in found["FROM"]:
            assert f">={re.search(r'python:([0-9.]+)-', image)[1]}" == project["requires-python"]

    def test_it_runs_as_nobody_and_listens_where_it_says(self):
        """The user that it makes, the port that it exposes."""
        found = instructions()
        entry = json.loads(found["ENTRYPOINT"][0])
        assert f"--uid {found['USER'][0]} " in found["RUN"][1].split("useradd")[1]
        assert entry[entry.index("--port") + 1] == found["EXPOSE"][0]

    def test_what_it_needs_is_not_left_out(self):
        """By the list of what a build does not see."""
        left_out = (ROOT / ".dockerignore").read_text().split()
        assert {".git", ".venv", ".env", "guardrail.toml"} <= set(left_out)
        wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"][
            "wheel"
        ]
        needed = {"pyproject.toml", "README.md", "LICENSE", "models", *wheel["packages"]}
        assert not [
            path for path in needed for name in left_out if path == name or path.startswith(f"{name}/")
        ]


class TestUnit:
    def test_its_command_serves(self, tmp_path):
        """With its own arguments; SIGTERM ends it by 0."""
        program, *words = shlex.split(unit()["ExecStart"])
        assert program.endswith("/bin/guardrail")
        assert list(started(words, tmp_path))

    def test_it_waits_longer_than_the_server_drains(self):
        """And than a worker that has to be killed."""
        assert int(unit()["TimeoutStopSec"]) > Settings("http://up.example/v1").drain + 10

    @pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed here")
    def test_systemd_takes_it(self, tmp_path):
        """Every option is one of systemd's."""
        text = (DEPLOY / "guardrail.service").read_text().replace("/opt/guardrail/bin/guardrail", "/bin/true")
        (tmp_path / "guardrail.service").write_text(text)
        found = subprocess.run(
            ["systemd-analyze", "verify", str(tmp_path / "guardrail.service")],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (found.returncode, found.stderr) == (0, "")


class TestCompose:
    @pytest.fixture
    def services(self):
        """Of the example."""
        yaml = pytest.importorskip("yaml")
        return yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]

    def test_every_option_is_known(self, services):
        """A misspelt one is refused by Compose only when it starts."""
        assert {name for service in services.values() for name in service} <= SERVICE

    def test_its_command_serves(self, services, tmp_path):
        """The container's entry point with the example's arguments."""
        entry = json.loads(instructions()["ENTRYPOINT"][0])
        assert list(started([*entry[1:], *services["guardrail"]["command"]], tmp_path))

    def test_its_parts_fit(self, services):
        """The files are there, the model's address is the one that is guarded, and only this machine reaches the port."""
        server, model = services["guardrail"], services["model"]
        assert (
            DEPLOY / server["build"]["context"] / server["build"]["dockerfile"]
        ).resolve() == DEPLOY / "Containerfile"
        port = model["command"][model["command"].index("--port") + 1]
        assert server["command"][-1] == f"http://model:{port}/v1"
        assert model["expose"] == [port]
        assert all(one.startswith("127.0.0.1:") for one in server["ports"])
        assert int(server["stop_grace_period"].rstrip("s")) > Settings("http://up.example/v1").drain + 10
