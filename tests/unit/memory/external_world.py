"""A scripted model for the tests of `MemoryConsistency`, and a fit that needs no encoder."""

from guardrail.memory.external import Measured, learn
from guardrail.memory.external.measuring import CHRF

TEXT = "The Corvo bridge opened in 1921. It is 340 metres long and carries two lanes of traffic."
QUESTION = "How long is the Corvo bridge?"
ANSWER = "It is 340 metres long."
REPHRASED = (
    "The Corvo bridge was opened in 1921. It has a length of 340 metres and carries two lanes of traffic.",
    "Opened in 1921, the Corvo bridge is 340 metres long. It carries two lanes of traffic.",
    "The Corvo bridge is 340 metres long, carries two lanes of traffic and opened in 1921.",
    "In 1921 the Corvo bridge opened. It is 340 metres long, and two lanes of traffic run on it.",
    "The bridge of Corvo, opened in 1921, is 340 metres long with two lanes of traffic.",
    "Since 1921 the Corvo bridge is open; it is 340 metres long and carries two lanes of traffic.",
)
REPLIES = ("340 metres.", "It is 340 metres long.", "The bridge is 340 metres long.", "340 metres long.")


def is_rephrasing(ask):
    return "other words" in ask.messages[-1].text or "改写" in ask.messages[-1].text


class Model:
    """Rephrases by a list, answers by a list, each in the order of asking.

    Answers go by the number of the rephrasing that stands in the question, so that they are the same whoever asks.
    """

    def __init__(self, rephrased=REPHRASED, replies=REPLIES):
        self.rephrased = rephrased
        self.replies = replies
        self.given = {}

    def __call__(self, ask):
        text = ask.messages[-1].text
        if is_rephrasing(ask):
            key = (text, ask.draw)
            if key not in self.given:
                self.given[key] = self.rephrased[len(self.given) % len(self.rephrased)]
            return self.given[key]
        for i, one in enumerate(self.rephrased):
            if one.strip() and one in text:
                return self.replies[i % len(self.replies)]
        return "?"


def simple_fit(**more):
    """Normal: relative consistency 0 ± .1, by chrF."""
    responses = [
        Measured(0.5 + 0.1 * (i % 5 - 2), 0.1 * (i % 5 - 2), 0.3 + 0.05 * (i % 3)) for i in range(60)
    ]
    made = {"task": "answer", "language": "en", "encoder": "chrf", "compared_by": CHRF}
    options = {"form": "relative", "relevance": False, "rephrasings": [0.4] * 20}
    return learn(responses, **(made | options | more))


def numbers(finding):
    """The measurements of a finding by name."""
    return {one.name: one.value for one in finding.evidence if one.kind == "measurement"}
