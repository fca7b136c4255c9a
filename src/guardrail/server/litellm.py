"""LiteLLM's Generic Guardrail API: a LiteLLM proxy uses the guard by configuration alone.

A call about a response carries texts and no prompt. So the messages of the call about the request are kept by the client's
key, LiteLLM's own key hash and its call id, for fifteen minutes, as many as there is room for.

In a stream LiteLLM calls again and again with the text so far, and no call says that it is the last one. So each answer says how
many characters at the end of its texts are not to be shown yet (`stream_holdback_chars`); after the last call LiteLLM shows all.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from starlette.responses import JSONResponse, Response

from guardrail.adapting.sentence_release import SentenceRelease, is_whole
from guardrail.errors import GuardrailError, InputError
from guardrail.given import content
from guardrail.given.accepted import Json
from guardrail.given.documents import gathered
from guardrail.guard import Guard
from guardrail.policies import ENGLISH, Phrases
from guardrail.report import Case, Report
from guardrail.server.calls import Call
from guardrail.server.metrics import Metrics
from guardrail.server.refusals import Refused
from guardrail.server.settings import Settings

Key = tuple[str, str, str]
Examined = tuple[Report | None, str]
_MOST = 1_000  # texts of one response; each is examined for itself


class Remembered:
    """Messages by call, for a while, as JSON: so their bytes are what they take. The oldest make room.

    Args:
        seconds: how long they are kept.
        entries: how many calls at most.
        size: bytes of all messages together at most.
        share: bytes of one client's messages at most, so that no client drives out the others'; default: a quarter of `size`.
        clock: seconds that only grow.
    """

    def __init__(
        self,
        *,
        seconds: float = 900.0,
        entries: int = 10_000,
        size: int = 64_000_000,
        share: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._seconds = seconds
        self._entries = entries
        self._size = size
        self._share = size // 4 if share is None else share
        self._clock = clock
        self._kept: OrderedDict[Key, tuple[float, bytes]] = OrderedDict()
        self._sizes: Counter[str] = Counter()  # by client

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def size(self) -> int:
        """Bytes that are kept."""
        return self._sizes.total()

    def put(self, key: Key, messages: Any) -> None:
        """Keep the messages of a call; longer ones than a client's share are not kept."""
        self._expire()
        self._drop(key)
        written = json.dumps(messages, ensure_ascii=False).encode("utf-8", "surrogatepass")
        if _weight(key, written) > self._share:
            return
        self._kept[key] = (self._clock() + self._seconds, written)
        self._sizes[key[0]] += _weight(key, written)
        while self._sizes[key[0]] > self._share:
            self._drop(next(one for one in self._kept if one[0] == key[0]))
        while len(self._kept) > self._entries or self.size > self._size:
            self._drop(next(iter(self._kept)))

    def get(self, key: Key) -> Any:
        """The messages of a call, or `None`."""
        self._expire()
        found = self._kept.get(key)
        return None if found is None else json.loads(found[1].decode("utf-8", "surrogatepass"))

    def _expire(self) -> None:
        now = self._clock()
        while self._kept and next(iter(self._kept.values()))[0] <= now:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: Key) -> None:
        found = self._kept.pop(key, None)
        if found is not None:
            self._sizes[key[0]] -= _weight(key, found[1])
            if not self._sizes[key[0]]:
                del self._sizes[key[0]]


def _weight(key: Key, written: bytes) -> int:
    """Bytes that an entry takes, about; a call's id is as long as a client likes."""
    return len(written) + sum(4 * len(part) for part in key)


async def guarded(
    call: Call,
    guard: Guard,
    metrics: Metrics,
    remembered: Remembered,
    settings: Settings,
) -> Response:
    """What LiteLLM is to do with the texts of a request or a response.

    Raises:
        Refused: the body says something else, or the texts of a response are very many, or too long.
    """
    body = call.json()
    texts = body.get("texts") or []
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise Refused(400, "bad_request", "expected texts to be a list of texts")
    data = body.get("request_data")
    user = data.get("user_api_key_hash") if isinstance(data, dict) else ""
    key = (call.owner, str(user or ""), str(body.get("litellm_call_id") or ""))
    if body.get("input_type") == "request":
        if key[2]:
            messages = body.get("structured_messages") or [
                {"role": "user", "content": text} for text in texts
            ]
            own = body.get("additional_provider_specific_params")
            context = own.get("context") if isinstance(own, dict) else None
            remembered.put(key, {"messages": messages, "context": context})
        return JSONResponse({"action": "NONE"})
    if body.get("input_type") != "response":
        raise Refused(400, "bad_request", "expected input_type to be request or response")
    longest = settings.answer_limit
    if sum(map(len, texts)) > longest or len(texts) > _MOST:
        said = f"expected at most {_MOST:,} texts of together {longest:,} characters, got more"
        raise Refused(413, "answer_too_long", said)
    asked = _asked(remembered.get(key) if key[2] else None, users=settings.user_documents)
    found = []
    for text in texts:
        found.append(await examined(guard, text, asked))
        await asyncio.sleep(0)  # a check that asks nobody lets no other client in
    for report, _ in found:
        if report is None:
            metrics.unfinished.labels("guard").inc()
        else:
            metrics.examined(report.summary(), mode=settings.mode)
    if settings.mode == "monitor":
        return JSONResponse({"action": "NONE"})
    closed = guard.policy.withholds_unchecked
    phrases = guard.policy.phrases("\n\n".join(texts), asked.question)
    return JSONResponse(decided(texts, found, on_rewrite=settings.on_rewrite, closed=closed, phrases=phrases))


async def examined(guard: Guard, text: str, asked: Case) -> Examined:
    """The report on one text, `None` where there is none; and the beginning of its answer that stays, however the text goes on."""
    try:
        case = asked.model_copy(update={"answer": Case(answer=text).answer})
        if guard.why_whole or not text or not is_whole(text):
            return await guard.acheck(case), ""
        release = SentenceRelease(guard, asked)
        release.feed(text)
        await release.aexamined()
        return await release.aconcluded(text), release.released
    except GuardrailError:
        return None, ""


def _asked(remembered: Any, *, users: bool) -> Case:
    """What an answer is about, without the answer."""
    known = remembered if isinstance(remembered, dict) else {}
    messages, context = known.get("messages"), known.get("context")
    try:
        found = gathered(request=known, users=users) if context is None else content.documents(context)
        return Case.of("", prompt=messages, context=found)
    except (InputError, ValueError):  # messages of a form that is not known: as though there were none
        return Case(answer="")


def decided(
    texts: Sequence[str],
    found: Sequence[Examined],
    *,
    on_rewrite: str,
    closed: bool,
    phrases: Phrases = ENGLISH,
) -> Json:
    """The answer to LiteLLM.

    Args:
        texts: as they came.
        found: what was found about each.
        on_rewrite: what becomes of a changed text.
        closed: whether an answer that could not be examined is withheld.
        phrases: the language of the texts.
    """
    reports = [report for report, _ in found]
    if closed and None in reports:
        return {"action": "BLOCKED", "blocked_reason": phrases.of("withheld_unchecked")}
    stopped = next((report for report in reports if report is not None and report.blocked), None)
    if stopped is not None:
        return {"action": "BLOCKED", "blocked_reason": stopped.answer}
    shown = [text if report is None else report.answer for text, report in zip(texts, reports, strict=True)]
    pairs = zip(shown, found, strict=True)
    held = [
        len(answer) - len(stays) if answer.startswith(stays) else len(answer) for answer, (_, stays) in pairs
    ]
    if shown == list(texts):
        return {"action": "NONE", "stream_holdback_chars": held}
    if on_rewrite == "block":
        return {"action": "BLOCKED", "blocked_reason": phrases.of("withheld_statement")}
    return {"action": "GUARDRAIL_INTERVENED", "texts": shown, "stream_holdback_chars": held}
