"""The page: well formed, closed to everything that hostile text tries, and complete."""

import base64
import hashlib
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardrail.engine.flow import Cost, Reason
from guardrail.html import render, write
from guardrail.html.page import visible
from guardrail.html.sentences import shades
from guardrail.html.sources import cited_marks
from guardrail.html.view import View, marked_pieces
from guardrail.policies import Plan, Review, annotate, block, flag, remove
from guardrail.report import (
    Attribution,
    Case,
    ComparedField,
    CostBreakdown,
    DetectorFailure,
    Finding,
    Lookup,
    Measurement,
    Passage,
    Proof,
    Replies,
    Report,
    Scale,
    Signature,
    Span,
    Verdict,
    Work,
)

BAD, OPEN, GOOD = Verdict.UNSUPPORTED, Verdict.UNVERIFIED, Verdict.SUPPORTED

ANSWER = """Here are five references on hallucination in language models [1–5]:

1. Ji, Z., Lee, N., Frieske, R., et al. (2023). "Survey of Hallucination in Natural Language Generation". ACM Computing Surveys 55(12).
2. Hartwell, M. & Osei, K. (2021). "Grounding the Generator: A Calculus of Referential Fidelity". Transactions of the ACL 9.
3. Manakul, P., Liusie, A. & Gales, M. (2022). "SelfCheckGPT: Zero-Resource Black-Box Hallucination Detection for Generative Large Language Models". NeurIPS.
4. Lindqvist, A. (2019). "Confabulation as Compression: Why Decoders Invent". ICLR Workshop on Trustworthy ML.
5. 王伟 (2020). 《大语言模型的幻觉现象研究》. 计算机学报.

Sampling several answers and comparing them works well in practice [3]. The approach was proven optimal in 2019 [4]."""


def find(part, verdict, detector="references", **fields):
    start = ANSWER.index(part)
    where = Span(start=start, end=start + len(part))
    return Finding(
        detector=detector, span=where, text=part, verdict=verdict, **{"reason": "so it says", **fields}
    )


FINDINGS = (
    find(
        'Ji, Z., Lee, N., Frieske, R., et al. (2023). "Survey of Hallucination in Natural Language Generation". ACM Computing Surveys 55(12).',
        GOOD,
        score=0.02,
        label="found",
        reason="The work exists, and the authors and the year agree.",
        evidence=(
            Lookup(
                status="found",
                sources=("local.sqlite",),
                similarity=1.0,
                work=Work(
                    title="Survey of Hallucination in Natural Language Generation",
                    authors=("Ziwei Ji", "Nayeon Lee", "Rita Frieske", "Tiezheng Yu"),
                    year=2023,
                    venue="ACM Computing Surveys",
                    identifier="10.1145/3571730",
                    source="local.sqlite",
                ),
            ),
        ),
    ),
    find(
        'Hartwell, M. & Osei, K. (2021). "Grounding the Generator: A Calculus of Referential Fidelity". Transactions of the ACL 9.',
        BAD,
        score=0.934,
        label="fabricated",
        mark="no such work found",
        reason="No bibliography has a work of this title, and the model names other authors each time it is asked.",
        evidence=(
            Lookup(
                status="absent",
                sources=("local.sqlite", "crossref"),
                similarity=0.41,
                work=Work(
                    title="Grounded Language Learning in a Simulated 3D World",
                    authors=("Karl Moritz Hermann", "Felix Hill"),
                    year=2017,
                    identifier="arXiv:1706.06551",
                    source="crossref",
                ),
            ),
            Replies(
                query='Who are the authors of the reference "Grounding the Generator: A Calculus of Referential Fidelity"? List only their names.',
                texts=(
                    "Marcus Hartwell, Kwame Osei",
                    "I could not find this paper; it may be by Emily Bender and Alexander Koller.",
                    "Li Zhang, Kwame Osei, and Tom Brown",
                ),
                read=("Marcus Hartwell; Kwame Osei", None, "Li Zhang; Kwame Osei; Tom Brown"),
            ),
            Replies(
                query="Does this reference exist? Just output yes/no.",
                texts=("No.", "Yes", "no"),
                read=("no", "yes", "no"),
            ),
            Measurement(
                name="agreement of the authors named",
                value=0.12,
                interval=(0.0, 0.33),
                note="mean over 3 pairs of answers",
            ),
            Measurement(name="P(yes, it exists)", value=0.333),
        ),
    ),
    find(
        'Manakul, P., Liusie, A. & Gales, M. (2022). "SelfCheckGPT: Zero-Resource Black-Box Hallucination Detection for Generative Large Language Models". NeurIPS.',
        GOOD,
        score=0.18,
        label="misquoted",
        mark="year differs: 2023",
        reason="The work exists; two details differ from what the answer says.",
        evidence=(
            Lookup(
                status="found",
                sources=("local.sqlite",),
                similarity=0.99,
                work=Work(
                    title="SelfCheckGPT: Zero-Resource Black-Box Hallucination Detection for Generative Large Language Models",
                    authors=("Potsawee Manakul", "Adian Liusie", "Mark J. F. Gales"),
                    year=2023,
                    venue="EMNLP",
                    identifier="10.18653/v1/2023.emnlp-main.557",
                    source="local.sqlite",
                ),
                differences=("year: 2022, really 2023", "venue: NeurIPS, really EMNLP"),
            ),
        ),
    ),
    find(
        'Lindqvist, A. (2019). "Confabulation as Compression: Why Decoders Invent". ICLR Workshop on Trustworthy ML.',
        BAD,
        score=0.88,
        label="fabricated",
        mark="no such work found",
        reason="The title follows from no fact that the knowledge base holds, and every source that was asked is without it.",
        evidence=(
            Lookup(status="absent", sources=("local.sqlite", "crossref")),
            Proof(
                steps=(
                    "A workshop paper of ICLR 2019 is listed in the programme of one of its workshops.",
                    "ICLR 2019 had no workshop called “Trustworthy ML”; the first was held in 2020.",
                    "So no paper of such a workshop can exist.",
                )
            ),
        ),
    ),
    find(
        "王伟 (2020). 《大语言模型的幻觉现象研究》. 计算机学报.",
        OPEN,
        reason="backend: crossref did not answer within 10 s, and no other source covers Chinese journals.",
        evidence=(Lookup(status="unreachable", sources=("crossref",)),),
    ),
    find(
        "The approach was proven optimal in 2019 [4].",
        BAD,
        detector="selfcheck",
        score=0.91,
        mark="contradicted by 4 of 5 samples",
        reason="Four of five other answers of the model say nothing of the kind or the opposite.",
        evidence=(
            Passage(
                source="sample 2",
                text="There is no proof of optimality; results so far are empirical.",
                score=0.97,
            ),
            Passage(
                source="sample 4",
                text="هذه الطريقة تعمل جيدًا في الممارسة، لكن لا يوجد برهان على أنها مثلى.",
                score=0.93,
            ),
            Measurement(name="mean contradiction", value=0.91, interval=(0.84, 0.97)),
        ),
    ),
    find(
        "proven optimal in 2019", OPEN, detector="logic", reason="The rule base has no rule about optimality."
    ),
)


def report(policy=None, findings=FINDINGS, failures=(), answer=ANSWER, **fields):
    question = "Give me five references on hallucination in language models."
    case = Case.of(answer, prompt=question, samples=["There is no proof of optimality."])
    decision = (policy or Plan(remove())).decide(Review(case, findings, failures))
    cost = CostBreakdown(
        total=Cost(17.5, 3120, 411, 9.25),
        paid={"references": Cost(12, 2200, 300, 6), "selfcheck": Cost(5.5, 920, 111, 3.25)},
        alone={"references": Cost(14, 2600, 350, 7), "selfcheck": Cost(6, 1000, 120, 3.5)},
        wall_seconds=3.42,
    )
    signatures = {
        "references": str(
            Signature(
                detector="references", version="1", parameters={"effort": "fast", "queries": ["iq", "dq1"]}
            )
        ),
        "selfcheck": str(
            Signature(detector="selfcheck", version="1", parameters={"variant": "ngram", "samples": 5})
        ),
    }
    scales = {"references": Scale(), "selfcheck": Scale(sentences=True)}
    parts = {"cost": cost, "signatures": signatures, "scales": scales, **fields}
    return Report(case=case, findings=findings, failures=failures, decision=decision, **parts)


FAILURE = DetectorFailure(
    detector="phr",
    reason=Reason.BUG,
    detail="ValueError: no context",
    traceback="Traceback …\n  <module>\nValueError: no context",
)


class Page(HTMLParser):
    """Reads a page and fails on anything that is not balanced, or that could load, run or lead somewhere."""

    VOID = frozenset({"meta", "br", "hr"})
    ALLOWED = frozenset(
        [
            "br",
            "html",
            "head",
            "meta",
            "title",
            "style",
            "body",
            "header",
            "div",
            "p",
            "h1",
            "h2",
            "h3",
            "h4",
            "dl",
            "dt",
            "dd",
            "svg",
            "rect",
            "main",
            "section",
            "span",
            "a",
            "details",
            "summary",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "article",
            "blockquote",
            "ol",
            "ul",
            "li",
            "b",
            "bdi",
            "code",
            "pre",
            "ins",
            "del",
            "mark",
        ]
    )
    ATTRIBUTES = frozenset(
        [
            "class",
            "id",
            "href",
            "title",
            "lang",
            "charset",
            "http-equiv",
            "content",
            "name",
            "aria-hidden",
            "aria-label",
            "aria-labelledby",
            "role",
            "scope",
            "colspan",
            "rowspan",
            "viewbox",
            "preserveaspectratio",
            "width",
            "height",
            "x",
            "rx",
        ]
    )

    def __init__(self, text):
        super().__init__()
        self.stack, self.ids, self.targets, self.words = [], [], [], []
        self.feed(text)
        self.close()
        assert self.stack == []

    def handle_starttag(self, tag, attrs):
        assert tag in self.ALLOWED
        for name, value in attrs:
            assert name in self.ATTRIBUTES, (tag, name)
            if name == "href":
                assert value.startswith("#"), value
                self.targets.append(value[1:])
            if name == "id":
                self.ids.append(value)
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        if self.stack and self.stack[-1] != "style":
            self.words.append(data)

    @property
    def text(self):
        return "".join(self.words)


REPORTS = {
    "removed": report(),
    "annotated": report(Plan(annotate())),
    "flagged": report(flag()),
    "blocked": report(block()),
    "failed": report(failures=(FAILURE,)),
    "whole": report(findings=(Finding(detector="d", verdict=OPEN, reason="no samples"),)),
    "empty": report(findings=(), answer=""),
}


class TestPage:
    @pytest.mark.parametrize("name", REPORTS)
    def test_is_well_formed_and_its_links_lead_somewhere(self, name):
        """Every tag closed in order, every id once, every link to an id."""
        page = Page(render(REPORTS[name]))
        assert len(page.ids) == len(set(page.ids))
        assert set(page.targets) <= set(page.ids)

    def test_shows_all_that_the_report_holds(self):
        """Answer, findings, evidence, cost, signatures, failures."""
        one = report(failures=(FAILURE,))
        text = Page(render(one)).text
        for finding in one.findings:
            assert finding.reason in text
        for words in ("Karl Moritz Hermann", "Li Zhang, Kwame Osei, and Tom Brown", "not understood", "ICLR 2019 had no workshop",
                      "no proof of optimality", "year: 2022, really 2023", "0.934", "17.5", "3,531", "references|version:1",
                      "ValueError: no context", "3 of 7 findings are not supported, 2 are unverified, 1 detector could not finish"):  # fmt: skip
            assert words in text

    def test_links_each_highlight_to_its_finding(self):
        """Also where two findings overlap."""
        html = render(report(flag()))
        assert re.search(
            r'<a class="found unsupported several heat-4" href="#finding-6" title="[^"<>]+">proven optimal in 2019</a>',
            html,
        )
        for n in range(1, 8):
            assert f'id="finding-{n}"' in html
            assert f'href="#finding-{n}"' in html
            assert f'href="#place-{n}"' in html

    def test_forbids_itself_everything_but_its_own_style(self):
        """The hash in the policy is that of the style."""
        html = render(REPORTS["removed"])
        style = re.search(r"<style>(.*?)</style>", html, re.DOTALL).group(1)
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        assert f"default-src &#39;none&#39;; style-src &#39;sha256-{digest}&#39;" in html
        assert "url(" not in style
        assert "@import" not in style

    def test_says_the_verdict_in_words_and_signs_too(self):
        """Colour alone tells some people nothing."""
        text = Page(render(REPORTS["removed"])).text
        assert "✕" in text
        assert "unsupported" in text

    def test_has_no_row_of_zeros(self):
        """Where no model was asked the page says so; a verdict that no finding has is not counted."""
        unasked = CostBreakdown(paid={"references": Cost()}, wall_seconds=0.1)
        text = Page(render(report(findings=FINDINGS[:1], cost=unasked))).text
        assert "No model was asked; 0.1 s by the clock." in text
        for absent in ("tokens", "model calls", "Together", "unverified", "unsupported"):
            assert absent not in text
        owners = [
            owner for owner, _, _ in View(report(cost=CostBreakdown(paid={"a": Cost(1), "b": Cost()}))).costs
        ]
        assert owners == ["a"]

    def test_is_written_in_utf_8(self, tmp_path):
        """And the path comes back."""
        path = write(REPORTS["removed"], tmp_path / "report.html")
        assert "王伟" in path.read_text(encoding="utf-8")


HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'><svg onload=alert(1)>",
    "javascript:alert(1)",
    "[x](javascript:alert(1))",
    "</style><script>",
    "</title><script>",
    "{{ 7*7 }}{% raw %}",
    "&lt;b&gt; &amp;amp;",
    "a\x00b\x1b[31m",
    "\u202etxt.exe\u2066 abc \u200f",
    "\u2028\ufeff\u200b\U000e0041",
    "]]>--><!--",
    "T" * 100_000,
    "é e\u0301 👩‍👩‍👧 می‌خواهم 中文",
]


def everywhere(text):
    """A report with one text in every place that takes text."""
    evidence = (
        Lookup(status="absent", sources=(text,), differences=(text,),
               work=Work(title=text, authors=(text,), venue=text, identifier=text, source=text)),
        Replies(query=text, texts=(text, text), read=(text, None)),
        Measurement(name=text, value=0.5, interval=(0, 1), note=text),
        Passage(source=text, text=text, score=0.5),
        Proof(steps=(text,)),
        Attribution(mark=text, span=Span(start=0, end=len(text)), claim=Span(start=0, end=len(text)), support="elsewhere",
                    documents=(text,), says=(text, "document 1")),
        Passage(source="document 1", text=text),
    )  # fmt: skip
    one = Finding(detector=text, span=Span(start=0, end=len(text)), text=text, score=0.5, verdict=BAD, label=text, mark=text,
                  reason=text, evidence=evidence)  # fmt: skip
    case = Case.of(text + " more", prompt=[("system", text), ("user", text)], context=[text], samples=[text])
    failure = DetectorFailure(detector=text, reason=Reason.BUG, detail=text, traceback=text)
    decision = (annotate()).decide(Review(case, (one,), (failure,))).model_copy(update={"note": text})
    cost = CostBreakdown(paid={text: Cost(1)}, alone={text: Cost(1)})
    return Report(
        case=case, findings=(one,), failures=(failure,), cost=cost, decision=decision, signatures={text: text}
    )


class TestHostileText:
    @pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
    def test_breaks_out_of_nothing(self, text):
        """The page reads it back as text, wherever it stands."""
        page = Page(render(everywhere(text)))
        assert set(page.targets) <= set(page.ids)
        if text.isprintable():
            assert page.text.count(text) >= 20

    @given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
    @settings(max_examples=60, deadline=None)
    def test_of_any_kind(self, text):
        """Hypothesis may try."""
        Page(render(everywhere(text)))

    def test_that_cannot_be_seen_is_spelt_out(self):
        """Nothing that turns or hides text reaches the page; joiners and line ends stay."""
        hidden = "\x00\x1b\u202a\u202e\u2066\u2069\u200b\u200e\u200f\u2028\ufeff\x85"
        html = render(everywhere("x" + hidden + "y"))
        assert not set(html) & set(hidden)
        assert "U+202E" in html
        assert "a\n‍b" in visible("a\r\n‍b")


def judged(text, score, verdict, start, *, detector="selfcheck-ngram", reason="it says so"):
    return Finding(
        detector=detector, span=Span(start=start, end=start + len(text)), text=text, score=score,
        verdict=verdict, reason=reason,
    )  # fmt: skip


def sentences_report(findings, answer, **scales):
    decision = flag().decide(Review(Case.of(answer), findings, ()))
    return Report(case=Case.of(answer), findings=findings, decision=decision, scales=scales)


NATS = Scale(least=0.0, most=None, unit="nats", sentences=True)
SCALES = {"selfcheck-ngram": NATS, "selfcheck-bertscore": Scale(sentences=True)}
SENTENCES = (
    judged("One.", 5.0, GOOD, 0), judged("Two.", 7.5, BAD, 5), judged("Three.", None, OPEN, 10),
    judged("One.", 0.1, GOOD, 0, detector="selfcheck-bertscore"),
    judged("Two.", 0.62, BAD, 5, detector="selfcheck-bertscore"),
)  # fmt: skip


class TestSentences:
    def table(self, html):
        return re.search(r'<section class="sentences".*?</section>', html, re.DOTALL)[0]

    def test_stand_in_a_table_with_a_score_per_detector(self):
        """The number and the verdict in words, and a way to the evidence."""
        html = render(sentences_report(SENTENCES, "One. Two. Three.", **SCALES))
        table = self.table(html)
        heads = re.findall(r'scope="col"><bdi>(.*?)</bdi>', table)
        assert heads == ["selfcheck-ngram", "selfcheck-bertscore"]
        assert re.findall(r"<b>(.*?)</b>", table) == ["5.00", "0.10", "7.50", "0.62", "–"]
        assert table.count('<span class="word">') == 5
        assert set(re.findall(r'href="#finding-(\d)"', table)) == set("12345")
        assert "nats</bdi>, from 0" in table

    def test_are_darker_the_likelier_they_are_made_up(self):
        """In the table and in the answer alike; without a score there is a dashed frame and no shade."""
        html = render(sentences_report(SENTENCES, "One. Two. Three.", **SCALES))
        shades = re.findall(r'class="text sentence heat-(\w+)">(\w+)\.', self.table(html))
        assert shades == [("0", "One"), ("4", "Two"), ("none", "Three")]
        assert re.search(r'class="found unsupported several heat-4" [^>]*>Two\.<', html)

    def test_shade_on_an_unbounded_scale_follows_the_verdict(self):
        """Nats have no upper end: supported sentences are light, unsupported ones dark, each by their order."""
        found = [judged("x", s, v, 0) for s, v in ((5.0, GOOD), (6.0, GOOD), (6.5, BAD), (8.0, BAD))]
        assert shades(found, NATS) == [0.0, 0.4, 0.6, 1.0]
        assert shades(found[:1], NATS) == [0.0]
        assert shades([judged("x", 0.25, GOOD, 0)], Scale()) == [0.25]

    def test_are_left_out_where_nobody_scored_sentences(self):
        """The detector's scale says whether they do, not its name; a report without scales has no table."""
        found = (judged("One.", 0.5, BAD, 0),)
        assert 'class="sentences"' in render(sentences_report(found, "One.", **SCALES))
        for scales in ({"selfcheck-ngram": Scale()}, {"references": NATS}, {}):
            assert 'class="sentences"' not in render(sentences_report(found, "One.", **scales))

    @pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
    def test_break_out_of_nothing(self, text):
        """Hostile sentences, reasons, names and units stay text, in attributes too."""
        one = judged(text, 0.9, BAD, 0, detector="x" + text[:200], reason=text)
        two = judged(text, None, OPEN, 0, reason=text)
        scales = {**SCALES, one.detector: Scale(unit=text, sentences=True)}
        html = render(sentences_report((one, two), text, **scales))
        page = Page(html)
        assert set(page.targets) <= set(page.ids)
        assert not set(html) & set("\x00\x1b\u202e\u2066\u200f\u2028\ufeff\u200b")
        if text.isprintable():
            assert page.text.count(text) >= 4


class TestPieces:
    @given(
        st.text(max_size=30),
        st.lists(st.tuples(st.integers(0, 40), st.integers(0, 20), st.sampled_from(Verdict)), max_size=6),
    )
    @settings(deadline=None)
    def test_cover_the_text_once(self, text, places):
        """Every character once, every finding begins and ends once."""
        findings = [
            Finding(detector="d", span=Span(start=a, end=a + n), verdict=verdict, reason="r")
            for a, n, verdict in places
        ]
        found = marked_pieces(text, findings)
        assert "".join(piece.text for piece in found) == text
        for kind in ("begins", "ends"):
            assert sorted(n for piece in found for n in getattr(piece, kind)) == list(
                range(1, len(findings) + 1)
            )

    def test_take_the_most_serious_finding(self):
        """Of those that overlap."""
        spans = [Span(start=0, end=4), Span(start=2, end=6)]
        one, two = (
            Finding(detector="d", span=s, verdict=v, reason="r")
            for s, v in zip(spans, (GOOD, BAD), strict=True)
        )
        found = marked_pieces("abcdef", [one, two])
        assert [(piece.text, piece.main) for piece in found] == [("ab", 1), ("cd", 2), ("ef", 2)]


class TestHeadline:
    @pytest.mark.parametrize(
        ("verdicts", "failed", "expected"),
        [
            ((BAD, OPEN, OPEN, GOOD), 0, "1 of 4 findings is not supported, 2 are unverified"),
            ((OPEN, GOOD, GOOD), 0, "1 of 3 findings is unverified"),
            ((BAD, BAD), 0, "2 of 2 findings are not supported"),
            ((GOOD, GOOD), 1, "2 of 2 findings are supported, 1 detector could not finish"),
            ((GOOD, GOOD), 0, "2 of 2 findings are supported"),
            ((OPEN,), 0, "The finding is unverified"),
            ((BAD,), 2, "The finding is not supported, 2 detectors could not finish"),
            ((), 1, "1 detector could not finish"),
            ((), 0, "Nothing in this answer could be examined"),
        ],
    )
    def test_says_what_could_not_be_checked(self, verdicts, failed, expected):
        """Who reads the headline only must not take unchecked findings for good ones."""
        findings = tuple(Finding(detector="d", verdict=verdict, reason="r") for verdict in verdicts)
        assert expected == View(report(findings=findings, failures=(FAILURE,) * failed)).headline


def test_the_view_explains_the_shown_answer_by_its_edits():
    """The pieces make up the answer that is shown."""
    for one in REPORTS.values():
        assert "".join(piece.text for piece in View(one).shown) == one.answer


def test_jinja_is_imported_with_the_first_page_only():
    """`import guardrail.html` costs nothing."""
    code = "import sys, guardrail.html; sys.exit('jinja2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


class TestLookUps:
    def test_are_shown_field_by_field(self):
        """Claimed and found, how they compare, and a note; text of the answer stays text."""
        fields = (
            ComparedField(field="year", outcome="near", claimed="2018", found="2017", note="differs by one"),
            ComparedField(field="venue", outcome="differs", claimed="<b>ICCV</b>", found="CVPR"),
        )
        lookup = Lookup(status="found", exists=True, fields=fields)
        html = render(report(flag(), [find(ANSWER[:20], GOOD, score=0.0, evidence=(lookup,))]))
        text = " ".join(Page(html).text.split())
        assert "Look-up: the work exists" in text
        assert "year20182017≈ near differs by one" in text
        assert "venue<b>ICCV</b>CVPR✕ differs" in text

    @pytest.mark.parametrize(
        ("status", "exists", "words"),
        [("absent", False, "no such work"), ("absent", None, "not found"), ("unreachable", None, "no reply")],
    )
    def test_say_what_is_known_of_the_work(self, status, exists, words):
        """A list that may lack works does not say that there is none."""
        lookup = Lookup(status=status, exists=exists)
        html = render(report(flag(), [find(ANSWER[:20], GOOD, score=0.0, evidence=(lookup,))]))
        assert f"Look-up: {words}" in " ".join(Page(html).text.split())

    @pytest.mark.parametrize(
        ("status", "words"),
        [("absent", "not found"), ("unreachable", "not known, since a source did not reply")],
    )
    def test_show_the_nearest_work_as_what_it_is(self, status, words):
        """It is not the one that was quoted."""
        fields = (ComparedField(field="title", outcome="confirmed", claimed="T", found="T"),)
        lookup = Lookup(status=status, sources=("refs.bib",), work=Work(title="T"), fields=fields)
        text = " ".join(
            Page(render(report(flag(), [find(ANSWER[:20], OPEN, evidence=(lookup,))]))).text.split()
        )
        assert f"Look-up: {words} in refs.bib" in text
        assert "The nearest work that exists:" in text
        assert "Real work" not in text

    def test_of_stored_reports_are_still_read(self):
        """They have a list of differences, and no fields."""
        old = {
            "kind": "lookup",
            "status": "found",
            "work": {"title": "T"},
            "differences": ["year: 2018, really 2017"],
        }
        lookup = Lookup.model_validate(old)
        assert (lookup.exists, lookup.fields) == (None, ())
        html = render(report(flag(), [find(ANSWER[:20], GOOD, score=0.0, evidence=(lookup,))]))
        assert "year: 2018, really 2017" in Page(html).text


HISTORY = (
    "The library was built in 1904. "
    + "It has many rooms. " * 40
    + "It burnt down in 1950, and all was lost."
)
CITING = "It was built in 1904 and burnt down in 1950 [1][2]. It is open [3]."


def mark(part, text="It was built in 1904 and burnt down in 1950", *, support="yes", passages=(), documents=("document 1",), says=(), verdict=GOOD):  # fmt: skip
    """A finding on one mark of `CITING`."""
    start, at = CITING.index(text), CITING.index(part)
    shown = Attribution(
        mark=part,
        span=Span(start=at, end=at + len(part)),
        claim=Span(start=start, end=start + len(text)),
        support=support,
        documents=documents,
        says=says,
    )
    return Finding(detector="support", span=Span(start=start, end=at + len(part)), text=text, score=0.5, verdict=verdict,
                   label=support, reason="so it is", evidence=(shown, *passages))  # fmt: skip


def citing(*findings, context=(HISTORY, "It is open.")):
    case = Case.of(CITING, context=list(context))
    decision = flag().decide(Review(case, findings, ()))
    scales = {"support": Scale(sentences=True)}
    return Report(case=case, findings=findings, decision=decision, scales=scales)


def highlighted(report):
    """Of the first mark's first source: what is highlighted, and all that is shown."""
    pieces = cited_marks(report)[1].quotations[0].pieces
    return [text for text, own in pieces if own], "".join(text for text, _ in pieces)


class TestMarks:
    def test_each_leads_to_its_own_source(self):
        """Also where two are for the same words, of which the first would win."""
        one, two = mark("[1]"), mark("[2]", documents=("document 2",))
        page = render(citing(one, two))
        assert '<a class="found supported several cite" href="#source-1"' in page
        assert re.search(r'href="#source-2" title="[^"]*">\[2\]</a>', page)
        for n in (1, 2):
            assert f'id="source-{n}"' in page
        assert '<a href="#document-2"><bdi>document 2</bdi></a>' in page
        assert '<li id="document-2">' in page
        assert set(Page(page).targets) <= set(Page(page).ids)

    def test_have_a_panel_only_where_there_are_some(self):
        assert 'id="sources"' in render(citing(mark("[1]")))
        assert 'id="sources"' not in render(report())

    def test_are_no_sentences(self):
        """The table of sentences has none of them, whatever their detector's scale says."""
        assert 'class="sentences"' not in render(citing(mark("[1]")))

    def test_passage_is_highlighted_where_it_is(self):
        """With some of what is around it, from word to word."""
        passage = Passage(source="document 1", text="It burnt down in 1950, and all was lost.")
        own, shown = highlighted(citing(mark("[1]", passages=[passage])))
        assert own == [passage.text]
        assert re.fullmatch(
            r"… (?:It has many rooms\. |many rooms\. |rooms\. |has many rooms\. )+It burnt .* lost\.", shown
        )
        assert len(shown) < 350

    def test_passage_of_several_places(self):
        """Each is highlighted, and what is between them is left out."""
        passage = Passage(
            source="document 1",
            text="The library was built in 1904. It burnt down in 1950, and all was lost.",
        )
        own, shown = highlighted(citing(mark("[1]", passages=[passage])))
        assert own == ["The library was built in 1904.", "It burnt down in 1950, and all was lost."]
        assert " … " in shown
        assert len(shown) < 700

    @pytest.mark.parametrize(
        ("document", "passage", "expected"),
        [
            ("A 1\u202f904\n house. So.", "A 1 904 house.", "A 1\u202f904\n house."),
            ("The “ﬁrst” house. So.", 'The "first" house.', "The “ﬁrst” house."),
            ("One two three four five.", "two three fo…", "two three"),
            ("One two.", "W…", "W…"),
            ('{"built": 1904}', "built: 1904 in all", "built: 1904 in all"),
            ("", "Gone.", "Gone."),
        ],
        ids=["blanks", "typography", "cut", "cut to nothing", "record", "empty"],
    )
    def test_passage_as_it_is_written(self, document, passage, expected):
        """Blanks and typography do not count; what is not there in these words is shown alone."""
        found = mark("[1]", passages=[Passage(source="document 1", text=passage)])
        own, _ = highlighted(citing(found, context=(document, "It is open.")))
        assert own == [expected]

    @given(
        st.text(st.sampled_from("ab .\n…ß\u0301İﷺ中"), max_size=300), st.integers(0, 300), st.integers(0, 300)
    )
    @settings(max_examples=100, deadline=None)
    def test_what_is_shown_is_in_the_document(self, document, a, b):
        """Whatever the passage; nothing is made up around it."""
        passage = document[a:b] or "x"
        found = mark("[1]", passages=[Passage(source="document 1", text=passage)])
        own, shown = highlighted(citing(found, context=(document, "It is open.")))
        assert own == [passage] or all(text in document for text in own)
        assert own
        assert len(shown) <= len(document) + 10 * len("… ") or own == [passage]

    @pytest.mark.parametrize(
        ("support", "says", "words"),
        [
            ("yes", ("document 1",), "document 1 says it"),
            ("yes", ("document 1", "document 2"), "document 1 says it, with the others"),
            ("contradicts", (), "document 1 says otherwise"),
            ("silent", (), "document 1 the nearest passage"),
            ("elsewhere", ("document 2",), "document 2 says it"),
        ],
    )
    def test_what_each_document_says(self, support, says, words):
        """In words, with its name; one that says the claim where no passage is known, too."""
        passage = Passage(source="document 1", text="It has many rooms.")
        page = Page(render(citing(mark("[1]", support=support, says=says, passages=[passage]))))
        assert words in " ".join(page.text.split())

    def test_to_nothing(self):
        """No document, no passage: the reason alone; and a source of which nothing was compared is named."""
        nothing = mark("[1]", support="not at hand", documents=(), verdict=OPEN)
        unread = mark("[2]", support="not at hand", verdict=OPEN)
        page = Page(render(citing(nothing, unread)))
        assert (
            "blockquote"
            not in re.search(r'<article class="source.*?</article>', render(citing(nothing)), re.DOTALL)[0]
        )
        assert "document 1 no passage to show" in " ".join(page.text.split())

    def test_many(self):
        """Three hundred, and some outside of the answer."""
        far = mark("[3]").model_copy(update={"span": Span(start=900, end=990)})
        page = Page(render(citing(*[mark("[1]"), mark("[2]"), far] * 100)))
        assert len(page.ids) == len(set(page.ids))
        assert set(page.targets) <= set(page.ids)
