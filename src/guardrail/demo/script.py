"""What the scripted chat model says: an answer with five references, and replies to questions about them.

Of the five, one is quoted right and in the bibliography, one is quoted right but in no bibliography here, one is
real with other people's names on it, and two do not exist. Asked who somebody was, it gives the life of `portrait`.
"""

from __future__ import annotations

import re

from guardrail.chat import ScriptedChat
from guardrail.demo import portrait
from guardrail.engine.flow import Failed, Reason
from guardrail.requests import Ask

QUESTION = "Which five papers should I read first about hallucination in language models?"

SURVEY = "Survey of Hallucination in Natural Language Generation"
CASCADES = "Hallucination Cascades in Autoregressive Decoders"
TRUTHFULQA = "TruthfulQA: Measuring How Models Mimic Human Falsehoods"
SELFCHECK = (
    "SelfCheckGPT: Zero-Resource Black-Box Hallucination Detection for Generative Large Language Models"
)
ANCHORS = "Entropy Anchors for Faithful Citation in Neural Text Generation"

ANSWER = f"""\
These five papers are a good start:

1. Ziwei Ji, Nayeon Lee, Rita Frieske, et al. (2023). {SURVEY}. ACM Computing Surveys.
2. Elena Marchetti, Thomas Brandvold (2022). {CASCADES}. Proceedings of ACL.
3. Daniel Okafor, Mei-Ling Zhao (2022). {TRUTHFULQA}. Proceedings of ACL.
4. Potsawee Manakul, Adian Liusie, Mark Gales (2023). {SELFCHECK}. Proceedings of EMNLP.
5. Priya Raghunathan, Lukas Steiner (2021). {ANCHORS}. NeurIPS.
"""

SECOND_ANSWER = f"""\
These are the papers that I am sure of:

1. Ziwei Ji, Nayeon Lee, Rita Frieske, et al. (2023). {SURVEY}. ACM Computing Surveys.
2. Stephanie Lin, Jacob Hilton, Owain Evans (2022). {TRUTHFULQA}. Proceedings of ACL.
3. Potsawee Manakul, Adian Liusie, Mark Gales (2023). {SELFCHECK}. Proceedings of EMNLP.
"""

# To the same question, asked three times in separate conversations: a model that knows a work names the same
# people each time, one that makes it up names others ([agrawal2024] section 4.2).
_AUTHORS = {
    SURVEY: ("Ziwei Ji, Nayeon Lee, Rita Frieske, Tiezheng Yu",) * 3,
    TRUTHFULQA: ("Stephanie Lin, Jacob Hilton, Owain Evans",) * 3,
    SELFCHECK: (
        "Potsawee Manakul, Adian Liusie, Mark J. F. Gales",
        "Potsawee Manakul, Adian Liusie, Mark Gales",
        "P. Manakul, A. Liusie, M. Gales",
    ),
    CASCADES: (
        "Elena Marchetti, Thomas Brandvold",
        "Wei Dong, Sara Lindqvist, Amir Haddad",
        "Jonas Keller, Yuki Tanabe",
    ),
    ANCHORS: (
        "Hannah Osei, Marco Bellini",
        "Lukas Steiner, Fatima Noor",
        "Rajesh Pillai, Anna Kowalczyk",
    ),
}
# Asked outright whether a work exists, a model agrees too easily: one of three times here, for one of the two.
_EXISTS = {
    SURVEY: ("Yes", "Yes", "Yes"),
    TRUTHFULQA: ("Yes", "Yes", "Yes"),
    SELFCHECK: ("Yes.", "Yes", "Yes"),
    CASCADES: ("No", "Yes", "No"),
    ANCHORS: ("No.", "No", "No"),
}


def scripted_chat() -> ScriptedChat:
    """The scripted chat model: replies at once, costs nothing, and gives the same replies each time."""
    return ScriptedChat(_reply)


def _reply(ask: Ask) -> str | Failed:
    last = ask.messages[-1].text
    everything = "\n".join(message.text for message in ask.messages)
    if "Who were the authors" in last:
        return "AUTHORS: " + _AUTHORS[_titles(last)[0]][ask.draw % 3]
    if "Just output yes/no" in last:
        numbered = re.search(r"#(\d+)", last)
        title = _titles(everything)[int(numbered[1]) - 1 if numbered else 0]
        kind = 2 if numbered else 1 if "above paper" in last else 0
        return _EXISTS[title][kind]
    if portrait.QUESTION in last:  # the answer itself; drawn again at temperature 1, the others in turn
        again = ask.temperature == 1.0
        return portrait.SAMPLES[ask.draw % len(portrait.SAMPLES)] if again else portrait.ANSWER
    if QUESTION in everything:  # asked again, the feedback names what was rejected
        return SECOND_ANSWER if _titles(everything) else ANSWER
    return Failed(Reason.MISSING, f"the demo's script has no reply to {last[:80]!r}")


def _titles(text: str) -> list[str]:
    """The titles that a text names, in its order."""
    return sorted((title for title in _AUTHORS if title in text), key=text.index)
