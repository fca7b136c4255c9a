"""The network that tags references: how a text is cut for it, how tags become references, and how these meet what grammars found."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from guardrail import Guard, Verdict
from guardrail.backends import weights
from guardrail.detectors import ReferenceCheck
from guardrail.errors import ConfigError, MissingExtra, WeightsMissing
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.records import Record, Reference
from guardrail.references.citations import Citation, citations, tagging
from guardrail.references.citations.merge import merged
from guardrail.references.citations.tagging import (
    FIELDS,
    MOST,
    TAGS,
    Tagged,
    Tagger,
    Tags,
    decoded,
    encoded,
    packaged_tagger,
    tagger_installed,
    windows,
)
from guardrail.report import Span

PROSE = (
    "Most courses begin with Ahab Winterbottom's little book the ontology of teapots, which appeared in 1999."
)


def place(text: str, part: str) -> Span:
    start = text.index(part)
    return Span(start=start, end=start + len(part))


def tagged(
    text: str, part: str, title: str, *, sure: float = 0.99, names: float = 1.0, **said: object
) -> Tagged:
    return Tagged(place(text, part), Reference(title, **said), sure, sure, names, mark=False)  # type: ignore[arg-type]


def cited(text: str, part: str, title: str, style: str = "bulleted", **more: object) -> Citation:
    year = more.pop("year", None)
    return Citation(place(text, part), Reference(title, year=year), style, **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def tokenizer() -> object:
    tokenizers = pytest.importorskip("tokenizers")
    return tokenizers.Tokenizer.from_file(str(weights.find("citations-mini") / "tokenizer.json"))


class TestWindows:
    @pytest.mark.parametrize("count", [1, 447, 448, 449, 704, 705, 5000])
    def test_every_token_counts_once(self, count: int) -> None:
        found = windows(count)
        assert [n for _, _, a, b in found for n in range(a, b)] == list(range(count))
        assert all(first <= a and b <= end <= first + tagging.LONGEST for first, end, a, b in found)

    def test_what_counts_has_company_on_both_sides(self) -> None:
        for first, end, a, b in windows(3000)[1:-1]:
            assert a - first == end - b == 96


class TestDecoded:
    TEXT = "see Roe Trees 1999 and Doe"
    PLACES = ((0, 3), (4, 7), (8, 13), (14, 18), (19, 22), (23, 26))

    def scores(self, tags: str, fields: str) -> np.ndarray:
        """Of tags o, b, i, m, n and fields o, t, a, j, d, i."""
        found = np.zeros((len(tags), len(TAGS) + len(FIELDS)), np.float32)
        for at, (tag, field) in enumerate(zip(tags, fields, strict=True)):
            found[at, "obimn".index(tag)] = 9
            found[at, len(TAGS) + "otajdi".index(field)] = 9
        return found

    def test_fields_of_a_reference(self) -> None:
        [one] = decoded(self.TEXT, self.PLACES, self.scores("obiioo", "oatdoo")).found
        assert one.span.of(self.TEXT) == "Roe Trees 1999"
        assert (one.reference.title, one.reference.authors, one.reference.year) == ("Trees", ("Roe",), 1999)
        assert one.sure > 0.99
        assert one.title > 0.99
        assert not one.mark

    def test_a_reference_does_not_go_on_where_none_began(self) -> None:
        scores = self.scores("oiiioo", "oatdoo")
        scores[1, 1] = 8.9  # nearly as likely to begin
        [one] = decoded(self.TEXT, self.PLACES, scores).found
        assert one.span.of(self.TEXT) == "Roe Trees 1999"

    def test_marks_and_two_references_in_a_row(self) -> None:
        found = decoded(self.TEXT, self.PLACES, self.scores("mnbibi", "oatata")).found
        assert [(one.span.of(self.TEXT), one.mark) for one in found] == [
            ("see Roe", True),
            ("Trees 1999", False),
            ("and Doe", False),
        ]

    def test_a_word_is_not_parted(self) -> None:
        """The vocabulary knows "ResNets" as two parts."""
        text, places = "see ResNets 1999", ((0, 3), (4, 7), (7, 11), (12, 16))
        [one] = decoded(text, places, self.scores("oobi", "ootd")).found
        assert one.span.of(text) == "ResNets 1999"
        assert one.reference.title == "ResNets"

    def test_doubt_shows(self) -> None:
        scores = self.scores("obiioo", "oatdoo")
        scores[2, 0] = scores[2, 2]
        read = decoded(self.TEXT, self.PLACES, scores)
        assert read.denies(place(self.TEXT, "Roe Trees")) < 0.1
        assert read.denies(place(self.TEXT, "and Doe")) > 0.9
        assert decoded(self.TEXT, self.PLACES, scores).denies(Span(start=0, end=0)) == 1
        [one] = decoded(self.TEXT, self.PLACES, scores).found
        assert one.sure < 0.9


class TestEncoded:
    @pytest.mark.parametrize(
        "text", ["", "Roe (1999)\n\n- *Trees*\r\n", "夏目漱石『こころ』\u3000岩波", "é\u0301 😀 İ ﬁ", "\n"]
    )
    def test_places_are_in_the_text_in_order(self, text: str, tokenizer: object) -> None:
        read = encoded(text, tokenizer)
        assert len(read.ids) == len(read.kinds) == len(read.places)
        assert all(0 <= start <= end <= len(text) for start, end in read.places)
        assert [start for start, _ in read.places] == sorted(start for start, _ in read.places)
        assert all(0 <= kind < 16 for kind in read.kinds)
        asked = encoded(text, tokenizer, asked=True)
        assert asked.ids == read.ids
        assert asked.kinds == [kind + 16 for kind in read.kinds]
        assert all(0 <= one < 30_522 for one in read.ids)

    def test_capitals_and_line_ends_differ(self, tokenizer: object) -> None:
        small, large, parted = (encoded(text, tokenizer) for text in ("the trees", "The TREES", "the\ntrees"))
        assert small.ids == large.ids
        assert small.kinds != large.kinds
        assert len(parted.ids) == len(small.ids) + 1

    def test_unknown_characters_differ(self, tokenizer: object) -> None:
        one, other = encoded("漱", tokenizer), encoded("諭", tokenizer)
        assert 100 not in one.ids + other.ids
        assert one.ids != other.ids


class TestMerged:
    TEXT = "- Roe, Trees (1999)\n- a list item\nI like Doe's rivers and lakes of 2001."

    @pytest.mark.parametrize(
        ("more", "style"),
        [
            ({"authors": ("Doe",)}, "inline"),
            ({"authors": ("Doe",), "names": 0.69}, "unmarked"),
        ],
    )
    def test_what_is_called_wrong_only_if_the_names_are_certain(
        self, more: dict[str, object], style: str
    ) -> None:
        one = tagged(self.TEXT, "Doe's rivers and lakes of 2001", "rivers and lakes", year=2001, **more)  # type: ignore[arg-type]
        [found] = merged(self.TEXT, [], Tags([one]), asked=False)
        assert (found.span, found.style, found.reference.title) == (one.span, style, "rivers and lakes")

    @pytest.mark.parametrize("sure", [0.5, 0.89])
    def test_what_is_not_sure_is_not_found(self, sure: float) -> None:
        one = tagged(self.TEXT, "Doe's rivers", "rivers", sure=sure, year=2001)
        assert merged(self.TEXT, [], Tags([one]), asked=False) == []

    def test_a_mark_needs_less(self) -> None:
        """Names and a year are hardly ever anything else."""
        one = tagged(self.TEXT, "Roe, Trees (1999)", "", sure=0.4, authors=("Roe",), year=1999)
        [found] = merged(self.TEXT, [], Tags([one]), asked=False)
        assert (found.style, found.kind) == ("author-year", "mark")

    @pytest.mark.parametrize(
        ("text", "asked", "count"),
        [
            ("He reads *Rivers and Lakes* again.", False, 1),
            ('He reads "Rivers and Lakes" again.', False, 1),
            ("**Rivers and Lakes** are wet.", False, 0),
            ("**Rivers and Lakes** are wet.", True, 1),
            ("Rivers and Lakes are wet.", True, 0),
        ],
    )
    def test_a_title_alone_needs_marks(self, text: str, asked: bool, count: int) -> None:
        one = tagged(text, "Rivers and Lakes", "Rivers and Lakes")
        found = merged(text, [], Tags([one]), asked=asked)
        assert [one.style for one in found] == ["unmarked"] * count

    @pytest.mark.parametrize(
        ("text", "venue", "title"),
        [
            (
                "- Roe et al., *The Kindness of Snails*, arXiv:2305.18290",
                "The Kindness of Snails",
                "The Kindness of Snails",
            ),
            ("- Roe et al., *Nature Communications*, arXiv:2305.18290", "Nature Communications", ""),
            ("- Roe et al., The Kindness of Snails, arXiv:2305.18290", "The Kindness of Snails", ""),
        ],
    )
    def test_what_stands_between_marks_in_place_of_a_venue(self, text: str, venue: str, title: str) -> None:
        """Is the title, unless it is a venue's name: else an invented title would be passed over as a venue."""
        one = tagged(text, text[2:], "", authors=("Roe",), venue=venue, arxiv="2305.18290")
        [found] = merged(text, [], Tags([one]), asked=False)
        assert found.reference.title == title
        assert found.reference.venue == ("" if title else venue)

    def test_names_beside_a_title_need_certainty(self) -> None:
        for sure, count in ((0.94, 0), (0.96, 1)):
            one = tagged(self.TEXT, "Doe's rivers", "rivers", sure=sure, authors=("Doe",))
            assert len(merged(self.TEXT, [], Tags([one]), asked=False)) == count

    def test_a_container_is_no_work_of_its_own(self) -> None:
        text = "1. Roe. Trees. In Woods, 1987. Reprinted in Readings in Planning, J. Allen (ed.), 1990."
        part = "Readings in Planning, J. Allen (ed.), 1990"
        book = tagged(text, part, "Readings in Planning", authors=("J. Allen",), year=1990)
        assert merged(text, [], Tags([book]), asked=False) == []

    def test_bare_titles_keep_their_lines(self) -> None:
        text = "1. Rivers are definitely broken\n2. Lakes\n3. Ponds"
        titles = ("Rivers are definitely broken", "Lakes", "Ponds")
        known = [cited(text, title, title, "numbered") for title in titles]
        read = Tags([tagged(text, title, title) for title in titles[1:]])
        assert merged(text, known, read, asked=True) == known

    @pytest.mark.parametrize("style", ["json", "bibtex", "ris", "legal", "doi", "arxiv", "labelled"])
    def test_what_shows_by_itself_is_kept(self, style: str) -> None:
        known = cited(self.TEXT, "a list item", "a list item", style)
        assert merged(self.TEXT, [known], Tags(()), asked=False) == [known]

    def test_firm_bounds_are_kept(self) -> None:
        known = cited(self.TEXT, "Trees (1999)", "Trees", "json")
        one = tagged(self.TEXT, "Roe, Trees (1999)", "Roe, Trees", year=1999)
        assert merged(self.TEXT, [known], Tags([one]), asked=False) == [known]

    @pytest.mark.parametrize(("outside", "kept"), [(0.95, False), (0.4, True)])
    def test_what_the_network_denies_goes(self, outside: float, kept: bool) -> None:
        span = place(self.TEXT, "list")
        read = Tags((), ((0, 5), (span.start, span.end)), (1.0, outside))
        known = [cited(self.TEXT, "a list item", "a list item", "unmarked")]
        assert bool(merged(self.TEXT, known, read, asked=False)) is kept

    def test_marks_that_enclose_a_reference_are_part_of_it(self) -> None:
        text = "Read *Roe, Trees (1999)* now."
        one = tagged(text, "Roe, Trees (1999)", "Trees", authors=("Roe",), year=1999)
        assert [found.span.of(text) for found in merged(text, [], Tags([one]), asked=False)] == [
            "*Roe, Trees (1999)*"
        ]

    def test_addresses_each_on_a_line_are_one_each(self) -> None:
        text = "  - https://roe.org/trees\n  - https://roe.org/rivers"
        found = merged(text, [], Tags([tagged(text, text, "", url="https://roe.org/trees")]), asked=False)
        assert [one.span.of(text) for one in found] == ["https://roe.org/trees", "https://roe.org/rivers"]

    @pytest.mark.parametrize(("url", "count"), [("https://ankiweb.net", 0), ("https://ankiweb.net/about", 1)])
    def test_the_front_page_of_a_tool_is_none(self, url: str, count: int) -> None:
        text = f"[Anki]({url})"
        assert len(merged(text, [], Tags([tagged(text, text, "Anki", url=url)]), asked=False)) == count

    def test_a_span_does_not_end_in_an_address(self) -> None:
        text = "See https://roe.org/trees#old now."
        one = tagged(text, "https://roe.org/trees", "", url="https://roe.org/trees")
        assert [found.span.of(text) for found in merged(text, [], Tags([one]), asked=False)] == [
            "https://roe.org/trees#old"
        ]

    def test_a_reference_among_films(self) -> None:
        """What the network is sure of stays in an answer about films."""
        text = "A film, a movie and a song. " + PROSE
        [found] = citations(text, tagger=packaged_tagger())
        assert found.reference.title.endswith("ontology of teapots")

    def test_a_film_with_its_director_is_never_called_wrong(self) -> None:
        films = "\n".join(
            f"- [{title}](https://www.imdb.com/title/tt0{number}/) by {who} ({year})"
            for title, number, who, year in [
                ("Heat", 113277, "Michael Mann", 1995),
                ("Se7en", 114369, "David Fincher", 1995),
                ("The Departed", 407887, "Martin Scorsese", 2006),
            ]
        )
        text = f"Great crime films:\n{films}\nThe actors and directors of these movies won Oscars."
        assert {one.style for one in citations(text, tagger=packaged_tagger())} <= {"unmarked"}


class TestPackaged:
    def test_is_installed_here(self) -> None:
        assert tagger_installed()

    def test_finds_what_nothing_but_the_sense_shows(self) -> None:
        assert citations(PROSE) == []
        [found] = citations(PROSE, tagger=packaged_tagger())
        assert found.reference.title.endswith("ontology of teapots")

    @pytest.mark.parametrize(
        "text",
        [
            "",
            " \n",
            "\n\n\n",
            "a",
            "é" * 400,
            "-\n" * 3000,
            "((((" * 2000,
            "\u202e\u0000\ufeff a",
            "『" * 900,
        ],
    )
    def test_any_text(self, text: str) -> None:
        read = packaged_tagger().tags(text)
        for one in read.found:
            assert 0 <= one.span.start < one.span.end <= len(text)
            assert 0 <= one.sure <= 1
            assert 0 <= one.title <= 1

    def test_far_into_a_text_windows_with_a_sign_of_a_reference_are_read(self) -> None:
        """The others are passed over: reading takes a second for twenty thousand characters."""
        told = "Trees grow where rivers run. " * (MOST // 29 + 200)
        text = f"{told}\n1. Silent Spring, by Rachel Carson (1962)\n{told}"
        found = packaged_tagger().tags(text).found
        assert [one.reference.title for one in found] == ["Silent Spring"]

    def test_bare_titles_where_references_were_asked_for(self) -> None:
        text = "1. Graph Theory with Applications\n2. A Made-Up Theory of Everything Else"
        found = citations(text, asked_for_references=True, tagger=packaged_tagger())
        assert [one.reference.title for one in found] == [line[3:] for line in text.splitlines()]

    def test_the_same_text_is_read_the_same(self) -> None:
        text = (
            "1. Silent Spring – Rachel Carson (1962)\n2. Thinking, Fast and Slow by Daniel Kahneman (2011)\n"
        )
        first = Tagger().tags(text)
        packaged_tagger().tags("something else")
        again = packaged_tagger().tags(text)
        assert again.found == first.found != []

    def test_other_weights_are_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        package = replace(weights._PACKAGES[weights.CITATIONS_MINI], weights="0" * 64)
        monkeypatch.setitem(weights._PACKAGES, weights.CITATIONS_MINI, package)
        with pytest.raises(ConfigError, match="guardrail-citations-mini to have the SHA-256"):
            Tagger().tags("Roe, Trees (1999)")


class TestTogether:
    """`ReferenceCheck` and the bibliography of `SupportCheck` read an answer at the same time, in threads of their own."""

    def both(
        self, monkeypatch: pytest.MonkeyPatch, read: Callable[..., Tags]
    ) -> tuple[list[str], list[Future[Tags]]]:
        """What was read where two threads ask for one text, the second while the first is being read."""
        calls: list[str] = []
        begun, asked, done = Event(), Event(), Event()

        def slow(_self: Tagger, text: str, *, asked: bool) -> Tags:
            calls.append(text)
            begun.set()
            done.wait(10)
            return read(text, asked=asked)

        def again() -> Tags:
            asked.set()
            return tagger.tags("On Rivers")

        monkeypatch.setattr(Tagger, "_read", slow)
        tagger = Tagger()
        with ThreadPoolExecutor(2) as pool:
            found = [pool.submit(tagger.tags, "On Rivers")]
            begun.wait(10)
            found.append(pool.submit(again))
            asked.wait(10)
            time.sleep(0.05)  # for a second reading to begin, if there is one
            done.set()
        return calls, found

    def test_a_text_is_read_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        known = Tags((), [(0, 2)], [0.5])
        calls, found = self.both(monkeypatch, lambda _text, asked: known)
        assert calls == ["On Rivers"]
        assert all(one.result() is known for one in found)

    def test_what_fails_fails_for_both(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Nobody waits for ever, and the next one reads again."""

        def broken(_text: str, *, asked: bool) -> Tags:
            raise WeightsMissing("gone")

        calls, found = self.both(monkeypatch, broken)
        assert [str(one.exception()) for one in found] == ["gone", "gone"]
        assert len(calls) == 1


class TestOption:
    def test_auto_is_what_is_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert ReferenceCheck().signature().parameters["reader"] == "network"
        monkeypatch.setattr("guardrail.references.check.tagger_installed", lambda: False)
        assert ReferenceCheck().signature().parameters["reader"] == "grammars"

    def test_asked_for_and_missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tagging, "is_here", lambda _: False)
        with pytest.raises(WeightsMissing, match=r"guardrail-sdk\[mini\]"):
            ReferenceCheck(reader="network")
        monkeypatch.setattr(tagging, "_LIBRARIES", ("no_such_library",))
        with pytest.raises(MissingExtra, match="mini"):
            ReferenceCheck(reader="network")

    @pytest.mark.parametrize(("names", "verdict"), [(0.1, Verdict.UNVERIFIED), (0.99, Verdict.UNSUPPORTED)])
    def test_a_made_up_work_that_only_the_network_finds(
        self, names: float, verdict: Verdict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class Always(Tagger):
            def tags(self, text: str, *, asked: bool = False) -> Tags:
                part, who = "Ahab Winterbottom's little book the ontology of teapots", ("Ahab Winterbottom",)
                return Tags(
                    [tagged(text, part, "the ontology of teapots", names=names, authors=who, year=1999)]
                )

        monkeypatch.setattr("guardrail.references.check.packaged_tagger", Always)
        path = tmp_path / "works.sqlite"
        with Index.create(path, complete=True) as index:
            index.add([Record("Silent Spring", ("Rachel Carson",), year=1962)])
        [finding] = Guard([ReferenceCheck(bibliography=path, reader="network")]).check(PROSE).findings
        assert finding.verdict is verdict
        [finding] = Guard([ReferenceCheck(bibliography=path, reader="grammars")]).check(PROSE).findings or [
            None
        ]
        assert finding is None or finding.span is None
