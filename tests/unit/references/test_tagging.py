"""The network that tags references: how a text is cut for it, how tags become references, and how these meet what the rules found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from guardrail import Guard, Verdict
from guardrail.backends import weights
from guardrail.detectors import ReferenceCheck
from guardrail.errors import ConfigError, MissingExtra, WeightsMissing
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.records import Record, Reference
from guardrail.references.citations import Citation, citations, tagging
from guardrail.references.citations.retagged import retagged
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


class TestRetagged:
    TEXT = "- Roe, Trees (1999)\n- a list item\nI like Doe's rivers and lakes of 2001."

    @pytest.mark.parametrize(
        ("more", "style"),
        [
            ({"authors": ("Doe",)}, "inline"),
            ({"authors": ("Doe",), "sure": 0.94}, "unmarked"),  # of the title
            ({"authors": ("Doe",), "names": 0.89}, "unmarked"),
        ],
    )
    def test_what_only_the_network_finds_is_called_wrong_only_if_it_is_certain(
        self, more: dict[str, object], style: str
    ) -> None:
        one = tagged(self.TEXT, "Doe's rivers and lakes of 2001", "rivers and lakes", **more)  # type: ignore[arg-type]
        [found] = retagged(self.TEXT, [], Tags([one]))
        assert (found.span, found.style, found.reference.title) == (one.span, style, "rivers and lakes")

    @pytest.mark.parametrize(("style", "after"), [("unmarked", "inline"), ("labelled", "labelled")])
    def test_a_certain_network_makes_a_title_sure_that_only_capitals_show(
        self, style: str, after: str
    ) -> None:
        """A name next to an identifier may still be a heading."""
        known = cited(self.TEXT, "Trees (1999)", "Trees", style)
        one = tagged(self.TEXT, "Roe, Trees (1999)", "Trees", authors=("Roe",))
        assert [found.style for found in retagged(self.TEXT, [known], Tags([one]))] == [after]

    def test_a_bare_title_is_not_called_wrong(self) -> None:
        one = tagged(self.TEXT, "rivers and lakes", "rivers and lakes")
        assert [found.style for found in retagged(self.TEXT, [], Tags([one]), asked=True)] == ["unmarked"]

    def test_other_names_are_another_reading(self) -> None:
        known = replace(cited(self.TEXT, "Trees (1999)", "Trees"), reference=Reference("Trees", ("Verso",)))
        one = tagged(self.TEXT, "Roe, Trees (1999)", "Trees", authors=("Roe",))
        [found] = retagged(self.TEXT, [known], Tags([one]))
        assert found.reference.authors == ("Verso",)
        assert found.other is not None
        assert found.other.authors == ("Roe",)

    def test_among_bare_titles_what_may_be_said_of_a_work_is_a_part_of_its_title(self) -> None:
        text = "1. Rivers\n2. Lakes\n3. Trust: Third Conference, Paris, 2005"
        titles = ("Rivers", "Lakes", "Trust: Third Conference, Paris, 2005")
        known = [cited(text, title, title, "numbered") for title in titles]
        read = [tagged(text, title, title) for title in titles[:2]]
        read.append(tagged(text, titles[2], "Trust", venue="Third Conference", year=2005))
        found = retagged(text, known, Tags(read), asked=True)
        assert tuple(one.reference.title for one in found) == titles
        [one] = retagged(text, known[2:], Tags(read[2:]), asked=True)
        assert one.reference.title == "Trust"

    def test_among_bare_titles_even_a_sentence_is_one(self) -> None:
        """Surely no reference to the network, but its list is one of titles."""
        text = "1. Rivers are definitely broken\n2. Lakes\n3. Ponds"
        titles = ("Rivers are definitely broken", "Lakes", "Ponds")
        known = [cited(text, title, title, "numbered") for title in titles]
        read = Tags([tagged(text, title, title) for title in titles[1:]])
        assert len(retagged(text, known, read, asked=True)) == 3
        read = Tags([tagged(text, titles[1], titles[1], authors=("Roe",))])
        assert len(retagged(text, known[:2], read)) == 1

    def test_the_journal_at_the_end_of_an_entry_is_no_work_of_its_own(self) -> None:
        """Roe. Trees. Rivers and Lakes, n°160: the index may have a journal of this name."""
        text = "1. Roe, Ann, and Poe, Bo. A History of Trees. Rivers and Lakes, 2011, 160"
        known = cited(text, text[3:], "A History of Trees", "numbered")
        entry = tagged(text, text[3:46], "A History of Trees", authors=("Roe, Ann",))
        rest = tagged(text, "Rivers and Lakes, 2011, 160", "Rivers and Lakes", year=2011)
        assert [one.reference.title for one in retagged(text, [known], Tags([entry, rest]))] == [
            "A History of Trees"
        ]
        named = tagged(text, "Rivers and Lakes, 2011, 160", "Rivers and Lakes", authors=("Poe",))
        assert len(retagged(text, [known], Tags([entry, named]))) == 2

    @pytest.mark.parametrize(
        ("before", "titles"),
        [("Reprinted in", ["Trees"]), ("See", ["Trees", "Readings in Planning"])],
    )
    def test_a_book_in_which_a_work_was_reprinted_is_no_work_of_its_own(
        self, before: str, titles: list[str]
    ) -> None:
        text = f"1. Roe. Trees. In Woods, 1987. {before} Readings in Planning, J. Allen (ed.), 1990."
        known = cited(text, "Roe. Trees. In Woods, 1987", "Trees", "numbered", year=1987)
        entry = tagged(text, "Roe. Trees. In Woods, 1987", "Trees", year=1987)
        part = "Readings in Planning, J. Allen (ed.), 1990"
        book = tagged(text, part, "Readings in Planning", authors=("J. Allen",), year=1990)
        found = retagged(text, [known], Tags([entry, book]))
        assert [one.reference.title for one in found] == titles

    def test_what_the_rules_did_not_find_is_filled_in(self) -> None:
        text = "- *Trees*, on NHK World (1999)"
        known = cited(text, text[2:], "Trees")
        [found] = retagged(text, [known], Tags([tagged(text, text[2:], "Trees", venue="NHK World")]))
        assert (found.reference.title, found.reference.venue) == ("Trees", "NHK World")

    def test_a_title_is_nobody(self) -> None:
        text = "- NHS – Measles: https://www.nhs.uk/conditions/measles/"
        url = text[text.index("https") :]
        said = Reference("NHS", ("Measles",), url=url)
        known = replace(cited(text, text[2:], "NHS"), reference=said)
        one = tagged(text, text[2:], "Measles", venue="NHS", url=url)
        [found] = retagged(text, [known], Tags([one]))
        assert (found.reference.title, found.reference.authors) == ("Measles", ())

    def test_the_volume_in_which_a_chapter_is_clears_no_work(self) -> None:
        """Roe (2001) Rivers of Glass. In Poe (ed.) Rivers and Lakes."""
        known = cited(self.TEXT, "Roe, Trees (1999)\n- a list item", "Trees")
        known = replace(known, reference=replace(known.reference, venue="A list item"))
        one = tagged(self.TEXT, "Roe, Trees (1999)\n- a list item", "a list item", authors=("Roe",))
        [found] = retagged(self.TEXT, [known], Tags([one]))
        assert (found.reference.title, found.other, found.agreed) == ("Trees", None, frozenset())

    def test_a_part_of_a_title_in_marks_clears_no_work(self) -> None:
        """*Trees 1999: A Survey. Part I of the rivers*: there is only the survey."""
        known = cited(self.TEXT, "rivers and lakes", "rivers and lakes", "emphasised")
        one = tagged(self.TEXT, "rivers and lakes of 2001", "rivers", year=2001)
        [found] = retagged(self.TEXT, [known], Tags([one]))
        assert found.reference.title == "rivers and lakes"
        assert found.other is not None
        assert found.other.title == "rivers"

    def test_marks_around_what_the_network_takes_for_no_title(self) -> None:
        """(Doe et al., *Ann Eur Zool* 2011)."""
        known = cited(self.TEXT, "rivers and lakes", "rivers and lakes", "emphasised")
        one = tagged(self.TEXT, "Doe's rivers and lakes of 2001", "", authors=("Doe",))
        assert [found.style for found in retagged(self.TEXT, [known], Tags([one]))] == ["unmarked"]

    @pytest.mark.parametrize("sure", [0.5, 0.89])
    def test_what_is_not_sure_is_not_found(self, sure: float) -> None:
        assert retagged(self.TEXT, [], Tags([tagged(self.TEXT, "Doe's rivers", "rivers", sure=sure)])) == []

    def test_both_agree(self) -> None:
        known = cited(self.TEXT, "Trees (1999)", "Trees", item=Span(start=0, end=20))
        one = tagged(self.TEXT, "Roe, Trees (1999)", "Trees", authors=("Roe",), year=1999)
        [found] = retagged(self.TEXT, [known], Tags([one]))
        assert found.span.of(self.TEXT) == "Roe, Trees (1999)"
        assert found.style == "bulleted"
        assert found.item == known.item
        assert found.agreed == {"title"}
        assert (found.reference.authors, found.reference.year) == (("Roe",), 1999)

    def test_a_span_that_says_less_is_not_taken(self) -> None:
        """The network reads the authors in the line below a title as a reference of their own."""
        known = replace(
            cited(self.TEXT, "Roe, Trees (1999)", "Trees"), reference=Reference("Trees", ("Roe",), year=1999)
        )
        one = tagged(self.TEXT, "Trees (1999)", "Trees", year=1999)
        assert retagged(self.TEXT, [known], Tags([one]))[0].span == known.span

    def test_another_title_leaves_two_readings(self) -> None:
        known = cited(self.TEXT, "Roe, Trees (1999)", "Roe, Trees")
        one = tagged(self.TEXT, "Roe, Trees (1999)", "Trees", authors=("Roe",))
        [found] = retagged(self.TEXT, [known], Tags([one]))
        assert found.reference.title == "Trees"
        assert found.other is not None
        assert found.other.title == "Roe, Trees"

    def test_what_is_no_reference_to_the_network_is_left_out(self) -> None:
        known = [cited(self.TEXT, "a list item", "a list item"), cited(self.TEXT, "Roe, Trees", "Trees")]
        [found] = retagged(
            self.TEXT, known, Tags([tagged(self.TEXT, "Roe, Trees (1999)", "Trees", sure=0.3)])
        )
        assert found.reference.title == "Trees"

    @pytest.mark.parametrize(("outside", "kept"), [(0.95, False), (0.4, True)])
    def test_what_the_network_is_not_sure_of_is_kept(self, outside: float, kept: bool) -> None:
        span = place(self.TEXT, "list")
        read = Tags((), ((0, 5), (span.start, span.end)), (1.0, outside))
        assert bool(retagged(self.TEXT, [cited(self.TEXT, "a list item", "a list item")], read)) is kept

    @pytest.mark.parametrize("style", ["json", "bibtex", "ris", "legal", "doi", "arxiv", "labelled"])
    def test_what_shows_by_itself_is_kept(self, style: str) -> None:
        known = cited(self.TEXT, "a list item", "a list item", style)
        assert retagged(self.TEXT, [known], Tags(())) == [known]

    def test_firm_bounds_are_kept(self) -> None:
        known = cited(self.TEXT, "Trees (1999)", "Trees", "json")
        assert retagged(self.TEXT, [known], Tags([tagged(self.TEXT, "Roe, Trees (1999)", "Roe, Trees")])) == [
            known
        ]

    def test_two_works_of_the_rules_stay_two(self) -> None:
        """One of them would hide the other."""
        known = [
            cited(self.TEXT, "Roe, Trees (1999)", "Trees"),
            cited(self.TEXT, "a list item", "a list item"),
        ]
        whole = self.TEXT[2:33]
        assert retagged(self.TEXT, known, Tags([tagged(self.TEXT, whole, "Trees")])) == known

    def test_a_longer_title_is_another_reading(self) -> None:
        known = cited(self.TEXT, "Roe, Trees (1999)", "Trees")
        [found] = retagged(
            self.TEXT,
            [known],
            Tags([tagged(self.TEXT, "Roe, Trees (1999)", "Trees (1999)", authors=("Roe",))]),
        )
        assert found.reference.title == "Trees"
        assert found.other is not None
        assert found.other.title == "Trees (1999)"

    def test_a_title_beside_an_identifier_alone_is_a_second_claim(self) -> None:
        text = "ResNets (doi:10.1109/CVPR.2016.90) changed much"
        known = Citation(
            place(text, "doi:10.1109/CVPR.2016.90"), Reference("", doi="10.1109/cvpr.2016.90"), "doi"
        )
        one = tagged(text, text[:33], "ResNets", doi="10.1109/cvpr.2016.90")
        [found] = retagged(self.TEXT, [known], Tags([one]))
        assert (found.reference.title, found.other) == ("ResNets", known.reference)

    @pytest.mark.parametrize(("before", "behind"), [('"', '"'), ("**", "**"), ("„", "“"), ('*"', '"*')])
    def test_marks_around_a_reference_are_of_it(self, before: str, behind: str) -> None:
        text = f"1. {before}Trees and Rivers{behind}, which I like"
        [found] = retagged(text, [], Tags([tagged(text, "Trees and Rivers", "Trees and Rivers")]))
        assert found.span.of(text) == f"{before}Trees and Rivers{behind}"

    def test_a_bare_title_is_one_where_references_were_asked_for(self) -> None:
        read = Tags([tagged(self.TEXT, "rivers and lakes", "rivers and lakes")])
        assert retagged(self.TEXT, [], read) == []
        assert len(retagged(self.TEXT, [], read, asked=True)) == 1

    def test_strings_of_structures_are_left_to_the_rules(self) -> None:
        text = '{"topic": "Attention in Networks, a Survey by Roe (1999)", "works": []}'
        assert citations(text, tagger=packaged_tagger()) == citations(text)

    def test_a_title_alone_ends_where_the_rules_say(self) -> None:
        text = "1. COBIT 5: A Framework\n"
        known = cited(text, "COBIT 5: A Framework", "COBIT 5: A Framework", "numbered")
        read = Tags([tagged(text, "COBIT 5", "COBIT 5"), tagged(text, "A Framework", "A Framework")])
        assert retagged(text, [known], read, asked=True) == [known]

    def test_what_says_too_little_takes_nothing_away(self) -> None:
        """A reference of the rules that it touches stays."""
        known = cited(self.TEXT, "Roe, Trees (1999)", "Trees", year=1999)
        one = tagged(self.TEXT, "(1999)\n- a list item", "a list item")
        assert retagged(self.TEXT, [known], Tags([one])) == [known]

    def test_a_title_that_is_repeated_is_no_further_work(self) -> None:
        known = cited(self.TEXT, "Roe, Trees (1999)", "rivers", year=1999)
        one = tagged(self.TEXT, "rivers and lakes", "rivers and lakes")
        assert retagged(self.TEXT, [known], Tags([one], ((0, 5),), (0.1,)), asked=True) == [known]

    def test_an_item_holds_one_reference(self) -> None:
        known = cited(self.TEXT, "Roe, Trees (1999)", "Trees", item=Span(start=0, end=34))
        read = [
            tagged(self.TEXT, "Roe, Trees (1999)", "Trees"),
            tagged(self.TEXT, "a list item", "a list item", year=1999),
        ]
        first, second = retagged(self.TEXT, [known], Tags(read))
        assert first.item is second.item is None

    def test_spans_never_overlap(self) -> None:
        known = [cited(self.TEXT, "Roe", "", "author-year"), cited(self.TEXT, "Trees (1999)", "Trees")]
        found = retagged(self.TEXT, known, Tags([tagged(self.TEXT, "Roe, Trees (1999)", "Trees")]))
        assert len(found) == 1

    def test_east_asian_references_stay_as_the_rules_read_them(self) -> None:
        text = "夏目漱石『こころ』岩波書店、1914年"
        known = cited(text, text, "こころ", "line")
        assert retagged(text, [known], Tags([tagged(text, text[2:], "ろ")])) == [known]

    @pytest.mark.parametrize(
        "text", ["[NHS](https://www.nhs.uk/conditions/gout/)", "https://www.nhs.uk/conditions/gout/"]
    )
    def test_an_address_without_a_title_is_a_reference(self, text: str) -> None:
        one = tagged(text, text, "", url="https://www.nhs.uk/conditions/gout/")
        assert [found.style for found in retagged(text, [], Tags([one]))] == ["unmarked"]
        assert retagged(text, [cited(text, text, "Gout")], Tags([one]))[0].reference.title == "Gout"

    def test_addresses_on_several_lines_are_one_each(self) -> None:
        text = "https://roe.org/trees\nhttps://roe.org/rivers"
        found = retagged(text, [], Tags([tagged(text, text, "", url="https://roe.org/trees")]))
        assert [one.span.of(text) for one in found] == text.split("\n")

    def test_addresses_in_a_list_are_without_its_markers(self) -> None:
        text = "  - https://roe.org/trees\n  - https://roe.org/rivers"
        found = retagged(text, [], Tags([tagged(text, text, "", url="https://roe.org/trees")]))
        assert [one.span.of(text) for one in found] == ["https://roe.org/trees", "https://roe.org/rivers"]

    def test_lines_that_say_more_than_an_address_are_one_reference(self) -> None:
        text = "Roe, J. (1999)\nhttps://roe.org/trees"
        one = tagged(text, text, "", url="https://roe.org/trees", authors=("Roe, J.",), year=1999)
        assert [found.reference for found in retagged(text, [], Tags([one]))] == [one.reference]

    @pytest.mark.parametrize(("url", "count"), [("https://ankiweb.net", 0), ("https://ankiweb.net/about", 1)])
    def test_the_front_page_of_a_tool_is_none(self, url: str, count: int) -> None:
        text = f"[Anki]({url})"
        assert len(retagged(text, [], Tags([tagged(text, text, "Anki", url=url)]))) == count

    @pytest.mark.parametrize(
        ("text", "title", "count"),
        [
            ("*Think Stats* (https://greenteapress.com/)", "Think Stats", 1),
            ("*Deep Learning* (https://www.deeplearningbook.org/)", "Deep Learning", 1),
            ("Three free books: Eloquent JavaScript: https://eloquentjavascript.net/", "Eloquent JavaScript", 1),
            ("*Khan Academy* (https://www.khanacademy.org/)", "Khan Academy", 0),
            ("*NumPy* (https://numpy.org/)", "NumPy", 0),
            ("Books on it use NumPy: https://numpy.org/", "NumPy", 0),
            ("*Stack Overflow* (https://stackoverflow.com/)", "Stack Overflow", 0),
        ],
    )  # fmt: skip
    def test_a_book_has_a_front_page_too(self, text: str, title: str, count: int) -> None:
        at = text.index(title)
        url = text[text.index("http") :].rstrip(")")
        one = tagged(text, text[max(0, at - 1) :], title, url=url)
        for asked in (False, True):
            assert len(retagged(text, [], Tags([one]), asked=asked)) == count

    @pytest.mark.parametrize(
        ("title", "authors", "style"),
        [
            ("Directive 95/46/EC", (), "legal"),
            ("Directive 95/46/EC and the Future of Privacy", (), "inline"),
            ("Directive 95/46/EC and the Future of Privacy", ("Jane Roe",), "inline"),
            ("Human Rights Act 1998", ("John Poe",), "inline"),
        ],
    )
    def test_a_book_about_a_law_may_be_called_wrong(
        self, title: str, authors: tuple[str, ...], style: str
    ) -> None:
        text = f"See {title}, {authors}, 2013."
        one = tagged(text, text[4:-1], title, authors=authors, year=2013)
        [found] = retagged(text, [], Tags([one]))
        assert found.style == style

    def test_a_remark_that_was_taken_for_a_title_goes(self) -> None:
        text = "- Vitamins help nobody who has enough ([Roe, 2019](https://roe.org/vitamins))"
        known = cited(text, text[2:], "Vitamins help nobody who has enough")
        one = tagged(text, "[Roe, 2019](https://roe.org/vitamins)", "", url="https://roe.org/vitamins")
        places = tuple((at, at + 1) for at in range(len(text)))
        read = Tags([one], places, tuple(float(at < one.span.start) for at in range(len(text))))
        assert [found.span for found in retagged(text, [known], read)] == [one.span]

    def test_a_remark_in_which_nothing_else_is_read_stays(self) -> None:
        """It is never called wrong."""
        text = "- Vitamins help nobody who has enough (see [Anki](https://ankiweb.net))"
        known = cited(text, text[2:], "Vitamins help nobody who has enough")
        one = tagged(text, "[Anki](https://ankiweb.net)", "Anki", url="https://ankiweb.net")
        places = tuple((at, at + 1) for at in range(len(text)))
        read = Tags([one], places, tuple(float(at < one.span.start) for at in range(len(text))))
        assert retagged(text, [known], read) == [replace(known, style="unmarked")]

    def test_a_remark_behind_a_reference_is_no_venue(self) -> None:
        text = "- Roe, Trees (1999). Still the baseline."
        known = cited(text, text[2:], "Trees")
        known = replace(known, reference=replace(known.reference, venue="Still the baseline"))
        one = tagged(text, "Roe, Trees (1999)", "Trees", authors=("Roe",), year=1999)
        [found] = retagged(text, [known], Tags([one]))
        assert (found.span, found.reference.venue) == (one.span, "")

    def test_the_span_holds_the_title_that_is_kept(self) -> None:
        text = "- Trees (Jane Roe and her Rivers, 1999)"
        known = cited(text, text[2:], "Trees", "emphasised")
        one = tagged(text, "Jane Roe and her Rivers, 1999", "Rivers", authors=("Jane Roe",))
        one = replace(one, title=0.5)
        [found] = retagged(text, [known], Tags([one]))
        assert (found.reference.title, "Trees" in found.span.of(text)) == ("Trees", True)

    def test_a_venue_is_compared_word_by_word(self) -> None:
        """ "Art" is no volume called "Party Politics" in which a chapter is."""
        text = "- Roe, The Long Story of Art, Party Politics, 1999"
        known = cited(text, text[2:], "The Long Story of Art")
        known = replace(known, reference=replace(known.reference, venue="Party Politics"))
        one = tagged(text, text[2:], "Art", authors=("Roe",))
        [found] = retagged(text, [known], Tags([one]))
        assert found.other == known.reference

    def test_a_journal_is_no_title(self) -> None:
        text = "Jinek et al., *Science* (2012)"
        one = tagged(text, text, "", authors=("Jinek",), venue="Science", year=2012)
        [found] = retagged(text, [cited(text, text, "Science", "emphasised")], Tags([one]))
        assert (found.reference.title, found.reference.venue, found.style) == ("", "Science", "unmarked")

    @pytest.mark.parametrize(
        ("said", "read", "names", "after"),
        [
            (("Yes. Jane Roe",), ("Jane Roe",), 1.0, ("Jane Roe",)),
            (("J. Roe",), ("E. J. Roe",), 1.0, ("E. J. Roe",)),
            (("Yes. Jane Roe",), ("Jane Roe",), 0.5, ("Yes. Jane Roe",)),
            (("Jane Doe",), ("Jane Roe",), 1.0, ("Jane Doe",)),
        ],
    )
    def test_names_of_the_same_people(
        self, said: tuple[str, ...], read: tuple[str, ...], names: float, after: tuple[str, ...]
    ) -> None:
        known = cited(self.TEXT, "Roe, Trees (1999)", "Trees")
        known = replace(known, reference=replace(known.reference, authors=said))
        one = tagged(self.TEXT, "Roe, Trees (1999)", "Trees", authors=read, names=names)
        assert retagged(self.TEXT, [known], Tags([one]))[0].reference.authors == after

    def test_a_journal_is_nobody(self) -> None:
        known = cited(self.TEXT, "Roe, Trees (1999)", "Trees")
        known = replace(known, reference=replace(known.reference, authors=("Critical Inquiry, Winter",)))
        one = tagged(self.TEXT, "Roe, Trees (1999)", "Trees", venue="Critical Inquiry")
        [found] = retagged(self.TEXT, [known], Tags([one]))
        assert (found.reference.authors, found.reference.venue) == ((), "Critical Inquiry")

    def test_a_site_among_the_names_is_the_venue(self) -> None:
        text = "Trees (Jane Roe, A List Apart, 2010)"
        known = cited(text, text, "Trees")
        known = replace(known, reference=replace(known.reference, authors=("Jane Roe", "A List Apart")))
        one = tagged(text, text, "Trees", authors=("Jane Roe",), venue="A List Apart")
        [found] = retagged(text, [known], Tags([one]))
        assert (found.reference.authors, found.reference.venue) == (("Jane Roe",), "A List Apart")

    @pytest.mark.parametrize(
        ("more", "year"),
        [({"doi": "10.1/a", "url": "https://doi.org/10.1/a"}, 1970), ({"url": "https://roe.org"}, None)],
    )
    def test_the_year_of_a_page_may_be_that_of_its_retrieval(
        self, more: dict[str, str], year: int | None
    ) -> None:
        text = "Codd 1970, https://doi.org/10.1/a"
        known = cited(text, text, "", "doi")
        [found] = retagged(text, [known], Tags([tagged(text, text, "", year=1970, **more)]))
        assert found.reference.year == year

    def test_names_that_are_not_sure_leave_a_reading_without_them(self) -> None:
        one = tagged(self.TEXT, "Roe, Trees (1999)", "Trees", authors=("Oxford",), names=0.6)
        [found] = retagged(self.TEXT, [cited(self.TEXT, "Roe, Trees (1999)", "Trees")], Tags([one]))
        assert (found.reference.authors, found.other) == (("Oxford",), Reference("Trees"))

    def test_the_text_of_a_link_is_not_cut(self) -> None:
        """Unless the rest of it is the site."""
        text = "[Trees and Rivers – Their Story](https://roe.org/trees)"
        known = cited(text, text, "Trees and Rivers – Their Story")
        one = tagged(text, text, "Trees and Rivers", url="https://roe.org/trees")
        assert retagged(text, [known], Tags([one]))[0].reference.title == "Trees and Rivers – Their Story"
        site = replace(one, reference=replace(one.reference, venue="Their Story"))
        assert retagged(text, [known], Tags([site]))[0].reference.title == "Trees and Rivers"

    def test_a_law_is_one_of_the_kind_that_is_never_called_wrong(self) -> None:
        text = "Ley 34/2002, de servicios (2002)"
        [found] = retagged(text, [], Tags([tagged(text, text, "Ley 34/2002, de servicios", year=2002)]))
        assert found.style == "legal"

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

    def test_the_end_of_an_address_is_no_venue(self) -> None:
        text = "Vaswani: [Attention](https://arxiv.org/abs/1706.03762)"
        known = cited(text, text, "Attention")
        [found] = retagged(text, [known], Tags([tagged(text, text, "Attention", venue="org")]))
        assert found.reference.venue == ""


class TestPackaged:
    def test_is_installed_here(self) -> None:
        assert tagger_installed()

    def test_finds_what_the_rules_miss(self) -> None:
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
        for one in read.found if read else ():
            assert 0 <= one.span.start < one.span.end <= len(text)
            assert 0 <= one.sure <= 1
            assert 0 <= one.title <= 1

    def test_long_texts_are_left_to_the_rules(self) -> None:
        text = "1. Silent Spring, by Rachel Carson (1962)\n" * (MOST // 42 + 1)
        assert packaged_tagger().tags(text) is None
        assert citations(text, tagger=packaged_tagger()) == citations(text) != []

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
        assert first is not None
        assert again is not None
        assert again.found == first.found != []

    def test_other_weights_are_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(weights, "_CITATIONS_SHA256", "0" * 64)
        with pytest.raises(ConfigError, match="guardrail-citations-mini to have the SHA-256"):
            Tagger().tags("Roe, Trees (1999)")


class TestOption:
    def test_auto_is_what_is_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert ReferenceCheck().signature().parameters["tagger"] == "on"
        monkeypatch.setattr("guardrail.references.check.tagger_installed", lambda: False)
        assert ReferenceCheck().signature().parameters["tagger"] == "off"

    def test_asked_for_and_missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tagging, "is_here", lambda _: False)
        with pytest.raises(WeightsMissing, match="models/citations-mini"):
            ReferenceCheck(tagger="on")
        monkeypatch.setattr(tagging, "_LIBRARIES", ("no_such_library",))
        with pytest.raises(MissingExtra, match="mini"):
            ReferenceCheck(tagger="on")

    @pytest.mark.parametrize(("sure", "verdict"), [(0.94, Verdict.UNVERIFIED), (0.99, Verdict.UNSUPPORTED)])
    def test_a_made_up_work_that_only_the_network_finds(
        self, sure: float, verdict: Verdict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class Always(Tagger):
            def tags(self, text: str, *, asked: bool = False) -> Tags:
                part, who = "Ahab Winterbottom's little book the ontology of teapots", ("Ahab Winterbottom",)
                return Tags([tagged(text, part, "the ontology of teapots", authors=who, sure=sure)])

        monkeypatch.setattr("guardrail.references.check.packaged_tagger", Always)
        path = tmp_path / "works.sqlite"
        with Index.create(path, complete=True) as index:
            index.add([Record("Silent Spring", ("Rachel Carson",), year=1962)])
        [finding] = Guard([ReferenceCheck(bibliography=path, tagger="on")]).check(PROSE).findings
        assert finding.verdict is verdict
        [finding] = Guard([ReferenceCheck(bibliography=path, tagger="off")]).check(PROSE).findings or [None]
        assert finding is None or finding.span is None
