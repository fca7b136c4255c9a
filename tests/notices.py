"""The notices of edits, in English."""

from guardrail.policies.texts import ENGLISH

EMPTY = ENGLISH.of("nothing_left")
LIST_GONE = ENGLISH.of("list_gone")
NOTICES = {"empty": EMPTY, "list_gone": LIST_GONE}
