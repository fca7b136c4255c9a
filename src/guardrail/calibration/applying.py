"""What a guard takes of a calibration; scores and a certificate to verdicts: flagged above, passed below, unverified between, stricter after an alarm."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

from guardrail._log import log
from guardrail.calibration.certificate import Certificate, GroupThresholds
from guardrail.calibration.drift import MESSAGE, DriftMonitor
from guardrail.calibration.probabilities import Probabilities
from guardrail.calibration.scoring import position
from guardrail.calibration.stored import StoredModel
from guardrail.errors import ConfigError
from guardrail.report import Case, Finding, Scale, Verdict

T = TypeVar("T", bound=StoredModel)

CONVERSATIONS = 100_000
FEWEST = 20


class Calibration:
    """What was learnt from labelled answers, and which of it belongs to a guard's answers.

    Args:
        certificate: thresholds that keep a promise (`guardrail calibrate --target`), or the path of a certificate. They take the
            place of the detectors' own; what lies between them is unverified.
        probabilities: what scores mean on your answers (`guardrail calibrate --probabilities`), or the path of such a file. Findings
            get the probability as a measurement; scores and verdicts stay as they are.
        group: which of the certificate's groups the answers belong to.
        answering: the model whose answers are checked, where the certificate or the probabilities name one.

    Raises:
        ConfigError: a file cannot be read or is something else, or `group` or `answering` is given without what it belongs to.
    """

    def __init__(
        self,
        certificate: Certificate | str | Path | None = None,
        probabilities: Probabilities | str | Path | None = None,
        *,
        group: str = "",
        answering: str = "",
    ) -> None:
        if certificate is None and (group or (answering and probabilities is None)):
            name = "group" if group else "answering"
            raise ConfigError(
                f"expected a certificate with {name}=, got none: add certificate=…, or leave {name}= out"
            )
        self.certificate = _read(Certificate, certificate, "certificate")
        self.probabilities = _read(Probabilities, probabilities, "probabilities")
        self.group = group
        self.answering = answering

    @classmethod
    def of(cls, given: Calibration | Certificate | Probabilities | str | Path | None) -> Calibration:
        """From what a user has; a file says by its content which of the two it is."""
        if given is None or isinstance(given, Calibration):
            return given or cls()
        if isinstance(given, Probabilities):
            return cls(probabilities=given)
        if isinstance(given, str | Path) and _has_curves(given):
            return cls(probabilities=given)
        return cls(certificate=given)

    def only(self, detectors: Sequence[str]) -> Calibration:
        """For a guard that has no other detectors; without a certificate, which is one of all of them."""
        known = self.probabilities and self.probabilities.only(detectors)
        return Calibration(probabilities=known, answering=self.answering if known else "")


def _read(kind: type[T], given: T | str | Path | None, name: str) -> T | None:
    if isinstance(given, str | Path):
        return kind.load(given)
    if given is not None and not isinstance(given, kind):
        raise ConfigError(
            f"expected {name}= to be {kind.KIND} or its path, got {type(given).__name__}: make one with {kind.COMMAND}"
        )
    return given


def _has_curves(path: str | Path) -> bool:
    try:
        return "curves" in json.loads(Path(path).read_bytes())
    except (OSError, ValueError, TypeError):
        return False  # the certificate's reader says what is wrong


class Certified:
    """Judges findings by a certificate, and watches their scores. May be used by several threads.

    Args:
        certificate: of the guard's scoring.
        scales: of the guard's detectors.
        group: the group that this guard's answers belong to.

    Attributes:
        drift: watches the scores; `None` where the certificate has too few for it, or none of the guard's group.
    """

    def __init__(self, certificate: Certificate, scales: Mapping[str, Scale], *, group: str = "") -> None:
        self.certificate = certificate
        self._scales = scales
        self._group = certificate.group(group)
        self._why = "" if self._group else f"the certificate has no thresholds for the group {group!r}"
        if self._group is None and certificate.unknown == "strictest":
            self._group = certificate.strictest
        own = self._group.reference if self._group else ()
        scores = own or certificate.reference.scores  # of other groups' answers nothing is known
        self.drift: DriftMonitor | None = None
        if len(scores) >= FEWEST:
            seed = int(certificate.labelled[:8] or "0", 16)
            self.drift = DriftMonitor(scores, error=certificate.reference.error, seed=seed)
        self._told = False
        self._lock = threading.Lock()
        self._conversations: OrderedDict[bytes, None] = OrderedDict()

    @property
    def alarm(self) -> str:
        """Why the strictest thresholds are used now; "" = no alarm."""
        return MESSAGE if self.drift is not None and self.drift.alarm else ""

    def judged(self, case: Case, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """The findings with the certificate's verdicts; the scores of a conversation's first answer are watched."""
        if findings:
            self._watch(case, findings)
        alarm = self.alarm
        return tuple(self._judged(finding, alarm) for finding in findings)

    def _watch(self, case: Case, findings: Sequence[Finding]) -> None:
        scores = [
            position(finding.score, self._scales[finding.detector])
            for finding in findings
            if finding.score is not None
        ]
        with self._lock:
            if self.drift is not None and self._is_new(case):
                self.drift.observe(round(max(scores), 6) if scores else None)
                if self.drift.alarm and not self._told:
                    self._told = True
                    log.warning("scores_drifted", why=MESSAGE, answers=self.drift.answers)

    def _is_new(self, case: Case) -> bool:
        """Whether a conversation was not seen before; it is known by the first thing that its user says."""
        opening = next((message.text for message in case.messages if message.role == "user"), None)
        if opening is None:
            return True
        key = blake2b(opening.encode("utf-8", "replace"), digest_size=12).digest()
        if key in self._conversations:
            return False
        self._conversations[key] = None
        if len(self._conversations) > CONVERSATIONS:
            self._conversations.popitem(last=False)
        return True

    def _judged(self, finding: Finding, alarm: str) -> Finding:
        if finding.score is None:
            if finding.verdict is not Verdict.UNVERIFIED:
                return _with(
                    finding, Verdict.UNVERIFIED, "it has no score, and the certificate is about scores"
                )
            return finding
        group = self.certificate.strictest if alarm else self._group
        if group is None:
            return _with(finding, Verdict.UNVERIFIED, self._why)
        place = position(finding.score, self._scales[finding.detector])
        verdict = _verdict(place, group)
        if alarm:
            return _stricter(finding, verdict, alarm)
        if verdict is finding.verdict:
            return finding
        return _with(finding, verdict, _reason(place, group, verdict))


def _verdict(place: float, group: GroupThresholds) -> Verdict:
    if group.upper is not None and place >= group.upper:
        return Verdict.UNSUPPORTED
    if group.lower is not None and place < group.lower:
        return Verdict.SUPPORTED
    return Verdict.UNVERIFIED


def _stricter(finding: Finding, verdict: Verdict, alarm: str) -> Finding:
    """The worse of the certificate's strictest thresholds and the detector's own."""
    if Verdict.UNSUPPORTED in (verdict, finding.verdict):
        verdict = Verdict.UNSUPPORTED
    elif Verdict.UNVERIFIED in (verdict, finding.verdict):
        verdict = Verdict.UNVERIFIED
    return _with(finding, verdict, f"{alarm}: the strictest threshold is used until it is calibrated again")


def _reason(place: float, group: GroupThresholds, verdict: Verdict) -> str:
    if verdict is Verdict.UNSUPPORTED:
        return (
            f"its score is in the range that the certificate flags ({place:.3f}, from {group.upper:.3f} on)"
        )
    if verdict is Verdict.SUPPORTED:
        return f"its score is in the range that the certificate passes ({place:.3f}, below {group.lower:.3f})"
    if all(outcome.threshold is None for outcome in group.outcomes):
        return "the certificate could set no threshold"
    return f"its score is between the certificate's thresholds ({place:.3f})"


def _with(finding: Finding, verdict: Verdict, why: str) -> Finding:
    reason = f"{finding.reason}; {why}" if finding.reason else why
    return finding.model_copy(update={"verdict": verdict, "reason": reason})
