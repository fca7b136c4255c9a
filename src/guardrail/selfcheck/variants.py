"""`SelfCheck`: the variant of a name, or the best one that needs no model of yours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, overload

from guardrail._log import log
from guardrail.backends import MINI_INSTALL
from guardrail.errors import ConfigError
from guardrail.options import declared, refuse_unknown
from guardrail.selfcheck.base import SentenceCheck, variant

if TYPE_CHECKING:
    from guardrail.selfcheck.bertscore import BertScoreCheck
    from guardrail.selfcheck.ensemble.check import EnsembleCheck
    from guardrail.selfcheck.greybox import GreyBoxCheck
    from guardrail.selfcheck.grounding.check import GroundingCheck
    from guardrail.selfcheck.ngram import NgramCheck
    from guardrail.selfcheck.nli.check import NliCheck
    from guardrail.selfcheck.prompt import PromptCheck
    from guardrail.selfcheck.qa.check import QACheck

_LOST = "SelfCheck() counts words alone and reads no documents"


@overload
def SelfCheck(method: Literal["ngram"], **options: Any) -> NgramCheck: ...
@overload
def SelfCheck(method: Literal["prompt"], **options: Any) -> PromptCheck: ...
@overload
def SelfCheck(method: Literal["nli"], **options: Any) -> NliCheck: ...
@overload
def SelfCheck(method: Literal["bertscore"], **options: Any) -> BertScoreCheck: ...
@overload
def SelfCheck(method: Literal["qa"], **options: Any) -> QACheck: ...
@overload
def SelfCheck(method: Literal["greybox"], **options: Any) -> GreyBoxCheck: ...
@overload
def SelfCheck(method: Literal["grounding"], **options: Any) -> GroundingCheck: ...
@overload
def SelfCheck(method: Literal["ensemble"], **options: Any) -> EnsembleCheck: ...
@overload
def SelfCheck(method: str = "", **options: Any) -> SentenceCheck: ...
def SelfCheck(method: str = "", **options: Any) -> SentenceCheck:  # noqa: N802  # named as the paper names it
    """A detector that scores every sentence of an answer against other answers of the same model.

    `SelfCheck(method, …)` makes the variant of that name: "ngram" (no model), "prompt" (the judge model), "nli"
    (needs a backend for "entailment"), "bertscore" (one for "similarity"), "qa" (for "questions" and "answers"),
    "greybox" (the answer's own log-probabilities; no samples), "grounding" (documents; no samples), "ensemble" (several of
    them, fitted). Each is a class of
    its own, in `guardrail.selfcheck`; `SentenceCheck` is what they all are.

    `SelfCheck()` without a method needs no model of yours. Where a packaged model is installed it is "ensemble" with a packaged
    fit: other answers are compared by n-grams and what there is of the entailment model (extra `[mini]`) and the
    encoder (`[local]`), loaded at first use. If the case has documents, each sentence is compared with them instead, as
    by "grounding". Without a packaged model it is "ngram", which reads no documents; the log and findings then say how to get one. The
    signature says which it was.

    Args:
        method: which variant; left out: as above.
        options: the variant's own (`help(NgramCheck)`, say).

    Raises:
        UnknownName: there is no such variant.
        ConfigError: an option does not exist, or has no such value.

    Source: [manakul2023]; differs: `docs/design/selfcheck.md`.
    """
    if isinstance(method, list | tuple | set):
        several = ", ".join(f"SelfCheck({one!r})" for one in method)
        raise ConfigError(
            f"SelfCheck takes one method, got {len(method)}: write Guard([{several}]), or SelfCheck('ensemble')"
        )
    made = variant(method)
    if not method and made is variant("ngram"):
        log.warning("no_packaged_model", lost=_LOST, install=MINI_INSTALL)
    name = made.name.removeprefix("selfcheck-")
    refuse_unknown(f"SelfCheck({name!r})", options, [one.name for one in declared(made)])
    return made(**options)


def _class_for(options: Mapping[str, Any]) -> type[SentenceCheck]:
    return variant(options.get("method", ""))


setattr(SelfCheck, "class_for", _class_for)  # noqa: B010  # the registry asks; type checkers know no such attribute
