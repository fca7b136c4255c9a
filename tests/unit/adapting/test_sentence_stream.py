"""What is released of an answer while it is being written: always the beginning of what the whole answer becomes."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from guardrail import Detector, Finding, Guard, Verdict, annotate, block, flag, regenerate, remove
from guardrail.adapting.sentence_stream import SentenceStream, Withdrawn
from guardrail.engine.budget import Budget
from guardrail.examination import Tally
from guardrail.policies import Plan, Review
from guardrail.report import Case, Span
from guardrail.requests import user
from guardrail.text.claims import claims
from guardrail.text.sentences import sentences
from guardrail.text.settled import settled

PIECES = (
    "The river flows.", "It ended in 1999.", "See Dr. Who.", "Smith et al. say so.", '"Yes!" he said.', "(A. B.)",
    "What? no", "- item one", "- item two.", "\n\n", "\n- ", "\n1. ", "\n10. ", "\n## Head\n", "**Bold**", "**Bold.**",
    "Here's an overview:", "[link. a](http://x.y)", "`a. b`", "<b. c>", "$x. y$", "。", "他说。", "! !", ". . .", "e.g. this",
    "U.S. Army", "|a|b|\n|-|-|\n|c|d|", "```\nx. y\n```", "[1]", "---", "Mr.", "\n    indented. line", "> quote. here",
    "end.)", 'end." next', "”", "http://a.b/c. d", "**She** left.", 'He wrote "The Great Old Book" once.',
    "*The Great Old Book* is long.", "(see it", "Paris is big.", "Rome is old.", "Oslo is cold.", '{"a": "b. c"}',
    "@book{key, title}", "$$x. y$$", "\\cite{a}.", "## The river flows.",
)  # fmt: skip
BAD = ("river", "1999", "Rome", "Great", "two", "说", "Bold")
OPEN = ("Who", "Oslo", "item one")
POLICIES = (
    flag(),
    annotate(),
    annotate("unverified"),
    remove(),
    remove() | annotate("unverified"),
    remove({"unsupported", "unverified"}),
)

texts = st.lists(
    st.tuples(st.sampled_from(PIECES), st.sampled_from((" ", " ", "", "\n", "\n\n"))), min_size=1, max_size=14
).map(lambda parts: "".join(text + gap for text, gap in parts))
chunkings = st.lists(st.integers(1, 40), min_size=1, max_size=12)


class BySentence(Detector):
    """Judges a sentence by its words alone."""

    name = "by-sentence"
    scope = "sentence"

    def cost(self, case):
        del case
        return {}

    def examine(self, case):
        yield from ()
        return [self.judged(span, span.of(case.answer)) for span in claims(case.answer)]

    def judged(self, span, text):
        verdict = Verdict.SUPPORTED
        if any(word in text for word in BAD):
            verdict = Verdict.UNSUPPORTED
        elif any(word in text for word in OPEN):
            verdict = Verdict.UNVERIFIED
        mark = "" if verdict is Verdict.SUPPORTED else "doubtful"
        score = float(verdict is Verdict.UNSUPPORTED)
        return Finding(
            detector=self.name, span=span, text=text, score=score, verdict=verdict, mark=mark, reason="…"
        )


def chunked(text, sizes):
    """The text in pieces of these sizes, over and over."""
    place, turn = 0, 0
    while place < len(text):
        size = sizes[turn % len(sizes)]
        yield text[place : place + size]
        place, turn = place + size, turn + 1


def released(guard, parts):
    """What is released with each part, and at the end; and the report."""
    stream, tally, found, whole = SentenceStream(guard.policy), Tally(), [], ""
    for part in parts:
        whole += part
        stream.feed(part)
        due = stream.due()
        found.append("" if due is None else stream.examined(guard.review(Case.of(due), tally)))
    report = guard.conclude(stream.finish(guard.review(Case.of(whole), tally)), tally)
    return [*found, stream.rest(report.answer)], report


class TestReleased:
    @pytest.mark.parametrize("policy", POLICIES, ids=str)
    @given(text=texts, sizes=chunkings)
    @example(
        text="\n-  ”\n\nSee Dr. Who. The river flows. ", sizes=[1]
    )  # an item without a letter, and a cut elsewhere
    @settings(max_examples=120, deadline=None)
    def test_all_of_it_is_what_buffering_releases(self, policy, text, sizes):
        """For every text and chunking; the report is the whole's, too."""
        guard = Guard([BySentence()], policy=policy)
        parts, report = released(guard, chunked(text, sizes))
        whole = guard.check(text)
        assert not whole.failures
        assert "".join(parts) == whole.answer
        assert report.findings == whole.findings
        assert report.decision == whole.decision

    @given(text=texts)
    @settings(max_examples=150, deadline=None)
    def test_a_settled_beginning_reads_as_in_the_whole(self, text):
        """The same sentences, the same claims."""
        reached = 0
        for end in range(len(text)):
            before, reached = reached, settled(text[:end], cuts=False, after=reached)
            if reached > before:
                for read in (sentences, claims):
                    assert read(text[:reached]) == [span for span in read(text) if span.start < reached]

    def test_each_sentence_goes_as_soon_as_the_next_word_is_there(self):
        """One after the other, in order."""
        parts, _ = released(
            Guard([BySentence()]), ["One is here. ", "Two", " is", " here. Three ", "is here."]
        )
        assert parts == ["", "", "One is here.", " Two is here.", "", " Three is here."]

    def test_what_is_cut_never_goes(self):
        """Nor the sentence that is not finished."""
        stream = SentenceStream(Guard([BySentence()], policy=remove()).policy)
        guard, tally = Guard([BySentence()], policy=remove()), Tally()
        for part in chunked("Paris is big. Rome is old. Paris is nice. Rome is", [3]):
            stream.feed(part)
            if (due := stream.due()) is not None:
                stream.examined(guard.review(Case.of(due), tally))
        assert stream.released == "Paris is big. Paris is nice."

    @pytest.mark.parametrize(
        "held",
        [
            "```\nx = 1. Y\n```",
            "$$a. B$$",
            '{"a": "b. C"}',
            "| a | b |\n|---|---|\n| c. D | e |",
            "@misc{a, b. C}",
        ],
    )
    def test_from_a_block_on_it_waits_for_the_end(self, held):
        """What opens a block may change how all behind it is read."""
        text = f"Paris is big. It is nice.\n\n{held}\n\nPhew, it is hot. It is dry. It is late."
        parts, report = released(Guard([BySentence()], policy=remove()), chunked(text, [5]))
        assert "".join(parts[:-1]).strip() in {"Paris is big. It is nice.", "Paris is big."}
        assert "".join(parts) == report.answer

    def test_very_many_short_sentences_are_looked_at_less_often(self):
        """Ten kilobytes of them took eight seconds of a processor: each look is at all from the beginning."""
        guard, tally = Guard([BySentence()], policy=remove()), Tally()
        stream = SentenceStream(guard.policy)
        text, looked_at = "- One.\n" * 1_500, 0
        for part in chunked(text, [7]):
            stream.feed(part)
            if (due := stream.due()) is not None:
                looked_at += len(due)
                stream.examined(guard.review(Case.of(due), tally))
        assert 0 < looked_at < 9 * len(text)
        assert stream.released

    def test_a_heading_waits_only_where_text_may_be_cut(self):
        """Whatever repeats what is cut later goes with it."""
        text = "Paris is big.\n\n## The city itself\n\nIt is nice. It is dry. It is late."
        marked, _ = released(Guard([BySentence()], policy=annotate()), [*chunked(text, [4])])
        cut, _ = released(Guard([BySentence()], policy=remove()), [*chunked(text, [4])])
        assert "It is nice." in "".join(marked[:-1])
        assert "".join(cut[:-1]) == "Paris is big."


class TestFaults:
    def test_a_failed_examination_releases_nothing(self):
        """The next one may."""

        class Once(BySentence):
            failed = False

            def examine(self, case):
                if not self.failed:
                    self.failed = True
                    raise RuntimeError("once")
                return (yield from super().examine(case))

        parts, _ = released(
            Guard([Once()]), ["One is here. Two is", " here. Three is ", "here. Four is here."]
        )
        assert parts == ["", "One is here. Two is here.", " Three is here.", " Four is here."]

    def test_what_was_released_keeps_its_finding(self):
        """Though the detector would now say something else of it."""

        class Fickle(BySentence):
            times = 0

            def judged(self, span, text):
                self.times += 1
                found = super().judged(span, text)
                return found if self.times == 1 else found.model_copy(update={"verdict": Verdict.UNSUPPORTED})

        parts, report = released(Guard([Fickle()], policy=remove()), ["One is here. Two is ", "here."])
        assert parts[0] == "One is here."
        assert report.findings[0].verdict is Verdict.SUPPORTED
        assert report.answer == "One is here."

    def test_a_finding_that_reaches_back_ends_the_releasing(self):
        """The detector's scope is not what it says."""

        class Whole(BySentence):
            def examine(self, case):
                yield from ()
                return [Finding(detector=self.name, text="", score=0.0, verdict=Verdict.SUPPORTED)]

        parts, _ = released(Guard([Whole()]), chunked("One is here. Two is here. Three is here.", [4]))
        assert "".join(parts[:-1]) == ""

    def test_what_cannot_be_kept_is_withdrawn(self):
        """Nothing more is shown."""
        stream = SentenceStream(Guard([BySentence()]).policy)
        stream.feed("One is here. Two is ")
        stream.examined(Guard([BySentence()]).review(Case.of(stream.due()), Tally()))
        with pytest.raises(Withdrawn):
            stream.rest("Another answer.")

    def test_long_answers_are_looked_at_rarely(self):
        """In all about twenty times their length, however small the pieces; beyond 50,000 characters not at all."""
        stream, looked = SentenceStream(Guard([BySentence()]).policy), 0
        for _ in range(20_000):
            stream.feed("One is. ")
            due = stream.due()
            looked += 0 if due is None else len(due)
        assert 50_000 < looked < 25 * 50_000


class TestScope:
    def test_a_guard_has_the_scope_of_its_parts(self):
        """One that looks at the whole answer makes it so."""
        assert Guard([BySentence()], policy=remove()).scope == "sentence"
        for policy in (block(), regenerate(1) | annotate()):
            assert Guard([BySentence()], policy=policy).scope == "answer"
        assert Guard([BySentence()], on_unverified="block").scope == "answer"
        assert Guard([BySentence()], fail="closed").scope == "answer"

    def test_a_stream_has_one_budget(self):
        """What the steps spend adds up."""
        guard, tally = Guard([BySentence()], budget=3), Tally()
        guard.review(Case.of("One is here."), tally)
        assert tally.left == Budget(3)


class TestLanguage:
    def test_marks_stay_in_the_language_that_was_released(self):
        """The beginning shows another one than the whole: what was shown stays as it is."""
        asked = (user("Welche Stadt ist eigentlich die Hauptstadt von Frankreich? Bitte antworte kurz."),)
        text = (
            "Lyon ok. Lyon ok. "
            + "La ville de Lyon est une grande ville de France, et elle est très belle. " * 4
        )
        stream, released = SentenceStream(Plan(annotate())), ""

        def reviewed(answer):
            where = Span(start=0, end=8)
            found = Finding(
                detector="d", span=where, text="Lyon ok.", verdict=Verdict.UNSUPPORTED, reason="why"
            )
            return Review(Case(answer=answer, messages=asked), (found,))

        for character in text:
            stream.feed(character)
            if (due := stream.due()) is not None:
                released += stream.examined(reviewed(due))
        assert released.startswith("Lyon ok. [nicht belegt]")
        assert reviewed(text).language == "fr"
        shown = Plan(annotate()).decide(stream.finish(reviewed(text))).answer
        assert released + stream.rest(shown) == shown
