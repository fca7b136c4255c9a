"""What any reader may take for a title or a name, put right at the end."""

import pytest

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations import citations
from guardrail.references.citations.corrected import corrected
from guardrail.references.citations.fields import parse
from guardrail.references.citations.model import Citation
from guardrail.references.citations.titles import clean_title
from guardrail.report import Span


def after(said, *, text="", style="inline"):
    text = text or " – ".join(filter(None, [said.title, *said.authors, said.venue]))
    return corrected(text, Citation(Span(start=0, end=len(text)), said, style))


@pytest.mark.parametrize(
    ("title", "authors", "venue", "year"),
    [
        ("Du Toit G et al. N Engl J Med 2015", ("Du Toit G",), "N Engl J Med", 2015),
        ("Madigan et al., JAMA Pediatrics 2019", ("Madigan",), "JAMA Pediatrics", 2019),
        ("BJSM 52(6):376-384", (), "BJSM", None),
        ("IZA Discussion Paper 1200", (), "IZA Discussion Paper 1200", None),
    ],
)
def test_is_no_title(title, authors, venue, year):
    """What says who, where and when, and not what it is called."""
    said = after(Reference(title)).reference
    assert (said.title, said.authors, said.venue, said.year) == ("", authors, venue, year)


@pytest.mark.parametrize("title", ["Nature 2.0", "Love in the Time of Cholera", "War et al. of 1812"])
def test_is_a_title(title):
    assert after(Reference(title)).reference == Reference(title)


@pytest.mark.parametrize(
    ("name", "bare", "cut"),
    [
        ("the philosopher Deborah Mayo", "Deborah Mayo", False),
        ("political scientist Robert Putnam", "Robert Putnam", False),
        ("Winawer and co", "Winawer", True),
        ("Bergström and dozens", "Bergström", True),
        ("Nathaniel J. Smith", "Nathaniel J. Smith", False),
        ("danah boyd", "danah boyd", False),
        ("van den Berg", "van den Berg", False),
        ("Centers for Disease Control and their Friends", "Centers for Disease Control and their Friends", False),
    ],
)  # fmt: skip
def test_names_alone(name, bare, cut):
    said = after(Reference("Teacups", (name,))).reference
    assert (said.authors, said.et_al) == ((bare,), cut)


@pytest.mark.parametrize(
    ("text", "authors", "venue"),
    [
        ("NICE (2016), [Low back pain](https://www.nice.org.uk/guidance/ng59)", ("NICE",), ""),
        ("[NICE, 2016](https://www.nice.org.uk/guidance/ng59)", ("NICE",), ""),
        ("NICE, [Low back pain](https://www.nice.org.uk/guidance/ng59)", (), "NICE"),
    ],
)
def test_a_body_before_a_year_is_the_author(text, authors, venue):
    url = "https://www.nice.org.uk/guidance/ng59"
    said = after(Reference("Low back pain", venue="NICE", url=url), text=text).reference
    assert (said.authors, said.venue) == (authors, venue)


@pytest.mark.parametrize(
    ("text", "venue"),
    [
        ("Citizens Advice: [Teacups](https://a.org/b)", "Citizens Advice"),
        ("NOAA's page [Teacups](https://a.org/b)", "NOAA"),
        (
            "University of Minnesota Extension → [Teacups](https://a.org/b)",
            "University of Minnesota Extension",
        ),
        ("Jane Roe: [Teacups](https://a.org/b)", ""),
        ("[Teacups](https://a.org/b)", ""),
    ],
)
def test_the_site_before_a_link(text, venue):
    assert after(Reference("Teacups", url="https://a.org/b"), text=text).reference.venue == venue


def test_a_name_with_a_dot_is_whole():
    text = "GOV.UK: Tax on teacups https://www.gov.uk/teacups"
    said = Reference("Tax on teacups", venue="GOV", url="https://www.gov.uk/teacups")
    assert after(said, text=text).reference.venue == "GOV.UK"


def test_the_kind_of_a_work_is_no_title():
    said = Reference("case report", ("Naranjo",), year=2011, doi="10.1/a", url="https://doi.org/10.1/a")
    assert after(said).reference.title == ""


@pytest.mark.parametrize(
    ("said", "style"),
    [
        (Reference("OPAL trial", venue="Lancet", year=2023), "unmarked"),
        (Reference("original RAG paper", arxiv="2005.11401"), "unmarked"),
        (Reference("Our World in Data", ("Hannah Ritchie",), url="https://ourworldindata.org/food"), "unmarked"),
        (Reference("The Cochrane Report", url="https://roe.org/report"), "inline"),
        (Reference("The OPAL trial", ("Jane Roe",)), "inline"),
    ],
)  # fmt: skip
def test_what_a_work_may_only_be_called_is_never_called_wrong(said, style):
    assert after(said).style == style


def test_structures_stay():
    """Their keys say what is the title."""
    said = Reference("BJSM 52(6):376-384", ("the philosopher Jane Roe",))
    assert after(said, style="json").reference == said


@pytest.mark.parametrize(
    ("venue", "is_then"),
    [
        ("EB/OL", ""),
        ("OL", ""),
        ("修订本", ""),
        ("Vol. I", ""),
        ("2nd ed.", ""),
        ("American Economic Review 101", "American Economic Review"),
        ("Devlin et al., NAACL-HLT", "NAACL-HLT"),
        ("NBER Working Paper 4509", "NBER Working Paper 4509"),
        ("Edition Suhrkamp", "Edition Suhrkamp"),
        ("Tomelilla Press", "Tomelilla Press"),
    ],
)
def test_venue_without_what_is_none(venue, is_then):
    """The kind of a document, an edition, a volume and names are no venue."""
    assert after(Reference("Teacups", ("Ann Roe",), venue=venue)).reference.venue == is_then


def test_an_edition_follows_a_title():
    text = "*Medicus/Petersen*, Bürgerliches Recht, 28. Aufl. 2021"
    said = after(Reference("Medicus/Petersen", ("Bürgerliches Recht",)), text=text).reference
    assert (said.title, said.authors) == ("Bürgerliches Recht", ("Medicus", "Petersen"))


@pytest.mark.parametrize(
    ("title", "author", "whole"),
    [("Germs, and Steel", "Guns", True), ("Steel", "Petersen", False), ("A Study, and More", "Petersen", False)],
)  # fmt: skip
def test_a_series_of_words_is_a_title(title, author, whole):
    text = f"Try {author}, {title} (Norton, 1997)."
    said = after(Reference(title, (author,)), text=text).reference
    assert said.title == (f"{author}, {title}" if whole else title)


def test_a_body_before_a_title_is_its_author():
    text = "IPCC. [Climate Change 2023](https://www.ipcc.ch/report/ar6/syr/)"
    said = Reference("Climate Change 2023", venue="IPCC", url="https://www.ipcc.ch/report/ar6/syr/")
    assert after(said, text=text).reference.authors == ("IPCC",)


@pytest.mark.parametrize(
    ("text", "title", "author"),
    [
        (
            "IPCC. Climate Change 2023: Synthesis Report. 2023.",
            "Climate Change 2023: Synthesis Report",
            "IPCC",
        ),
        (
            "W3C. Web Accessibility Guidelines (WAG) 2.2. 2023.",
            "Web Accessibility Guidelines (WAG) 2.2",
            "W3C",
        ),
    ],
)
def test_letters_of_a_body_before_a_title(text, title, author):
    said = parse(text).reference
    assert (said.title, said.authors) == (title, (author,))


def test_an_isbn_behind_a_full_stop_belongs_to_the_entry():
    text = "- 周志华. 机器学习[M]. 北京：清华大学出版社，2016. ISBN 978-7-302-42328-7."
    (one,) = citations(text)
    assert (one.reference.title, one.reference.isbn) == ("机器学习", "9787302423287")


def test_a_word_for_what_it_is_is_no_part_of_a_title():
    assert clean_title("Reviewed: *Capital*") == "Capital"
    assert clean_title("Paper: Paging Through History") == "Paper: Paging Through History"


@pytest.mark.parametrize(
    ("said", "title", "authors", "venue"),
    [
        (Reference("Let's build GPT", ("Andrej Karpathy, YouTube",)), "Let's build GPT", ("Andrej Karpathy",), "YouTube"),
        (Reference("Teacups", ("Lightbown, Spada",)), "Teacups", ("Lightbown, Spada",), ""),
        (Reference("A position", ("J Int Soc Sports Nutr",)), "A position", (), "J Int Soc Sports Nutr"),
        (Reference("A position", ("WHO",)), "A position", ("WHO",), ""),
        (Reference("Waves Detected — The New York Times, Feb 11"), "Waves Detected", (), "The New York Times"),
        (Reference("Planet49 (C-673/17"), "Planet49 (C-673/17)", (), ""),
    ],
)  # fmt: skip
def test_fields_run_together(said, title, authors, venue):
    """A site among the names, a journal for a name, the newspaper and the day in the title, half of a bracket."""
    read = after(said, text=f"See {said.title}) of {said.authors}").reference
    assert (read.title, read.authors, read.venue) == (title, authors, venue)


def test_documents_in_a_table_with_addresses():
    text = "| What | Document | Link |\n|---|---|---|\n| Caching | HTTP Caching | https://www.rfc-editor.org/rfc/rfc9111 |"
    (one,) = citations(text)
    assert (one.reference.title, one.reference.url) == (
        "HTTP Caching",
        "https://www.rfc-editor.org/rfc/rfc9111",
    )


@pytest.mark.parametrize(
    ("name", "is_then"),
    [
        ("a. M.C. Ricklefs", ("M.C. Ricklefs",)),
        ("HYVET, by Beckett", ("Beckett",)),
        ("friedman and schwartz", ("friedman", "schwartz")),
        ("piet oudolf & noel kingsbury", ("piet oudolf", "noel kingsbury")),
        ("Department of Health and Social Care", ("Department of Health and Social Care",)),
    ],
)
def test_words_around_names(name, is_then):
    assert after(Reference("Teacups", (name,))).reference.authors == is_then


def test_names_of_bodies_and_kinds():
    """A body is one author, and the kind of an article is none."""
    text = "World Commission on Environment and Development – Our Common Future"
    said = Reference("Our Common Future", ("World Commission on Environment", "Development"))
    assert after(said, text=text).reference.authors == ("World Commission on Environment and Development",)
    said = Reference("Antitrust Paradox", ("Lina M. Khan", "Note"), venue="Yale L.J. 710")
    assert after(said).reference == Reference(
        "Antitrust Paradox", ("Lina M. Khan",), venue="Yale L.J.", volume="710"
    )
    read = after(Reference("International Energy Agency – Net Zero by 2050")).reference
    assert (read.title, read.authors) == ("Net Zero by 2050", ("International Energy Agency",))
    text = "OMS (2020), *State of the world's nursing*"
    assert after(Reference("State of the world's nursing", venue="OMS"), text=text).reference.authors == (
        "OMS",
    )


@pytest.mark.parametrize(
    ("venue", "authors"),
    [("Juli Zeh", ("Juli Zeh",)), ("Herrnstein and Murray", ("Herrnstein", "Murray")), ("Norton", ()), ("Orbit", ())],
)  # fmt: skip
def test_people_in_brackets_behind_a_title(venue, authors):
    text = f"»Unterleuten« ({venue}, 2016)"
    read = after(Reference("Unterleuten", year=2016, venue=venue), text=text).reference
    assert (read.authors, read.venue) == (authors, "" if authors else venue)


def test_names_that_stand_elsewhere_are_not_its_own():
    """Another reading of the same place has them, or nobody has."""
    text = "Thinking with Type. Lupton. Princeton Architectural Press. 2004"
    said = Reference("Thinking with Type", ("Hartley", "Marks"), year=1992)
    span = Span(start=0, end=len(text))
    other = Reference("Thinking with Type", ("Lupton",), year=2004, venue="Princeton Architectural Press")
    assert corrected(text, Citation(span, said, "unmarked", other=other)).reference == other
    assert corrected(text, Citation(span, said, "unmarked")).reference.authors == ()


@pytest.mark.parametrize(
    ("text", "title", "authors"),
    [
        ("Cecilia H. Payne. Stellar Atmospheres. PhD thesis, Radcliffe College. 1925", "Stellar Atmospheres", ("Cecilia H. Payne",)),
        ("James PA, Oparil S, et al. 2014 evidence-based guideline for pressure in adults. JAMA. 2014;311(5):507-520.",
         "2014 evidence-based guideline for pressure in adults", ("James PA", "Oparil S")),
        ("Kolb, H. C.; Finn, M. G.; Sharpless, K. B. Click Chemistry: Diverse Function from Good Reactions. Angew. Chem. 2001, 40 (11), 2004–2021",
         "Click Chemistry: Diverse Function from Good Reactions", ("Kolb, H. C.", "Finn, M. G.", "Sharpless, K. B.")),
    ],
)  # fmt: skip
def test_where_names_end(text, title, authors):
    said = parse(text).reference
    assert (said.title, said.authors) == (title, authors)


def test_the_number_of_an_entry_is_no_author():
    text = "A1. “The Market for Lemons,” Akerlof, QJE 1970\nA2. “Job Market Signaling,” Spence, QJE 1973"
    assert [one.reference.authors for one in citations(text)] == [("Akerlof",), ("Spence",)]


def test_an_isbn_that_is_not_called_one():
    text = "1. Clean Code | Robert C. Martin | Prentice Hall | 2008 | 978-0132350884"
    assert after(Reference("Clean Code", ("Robert C. Martin",)), text=text).reference.isbn == "9780132350884"
    wrong = text.replace("884", "885")
    assert after(Reference("Clean Code", ("Robert C. Martin",)), text=wrong).reference.isbn == ""


def test_a_journal_behind_others_is_no_title():
    text = "Whelton et al., *Hypertension* 2018"
    read = after(Reference("Hypertension", ("Whelton",), et_al=True, year=2018), text=text).reference
    assert (read.title, read.venue) == ("", "Hypertension")


@pytest.mark.parametrize(
    ("text", "said", "field", "value"),
    [
        ("Lowe et al. 2020 ([link](https://doi.org/10.1001/x))", Reference("", ("Lowe",), et_al=True, doi="10.1001/x"), "year", 2020),
        ("Lowe, [Fasting](https://example.org/2020/x), accessed 2024", Reference("Fasting", ("Lowe",), url="https://example.org/2020/x"), "year", None),
        ("『風の歌を聴け』(1979年)", Reference("風の歌を聴け"), "year", 1979),
        ("1985年の『世界の終り』(新潮社)", Reference("世界の終り"), "year", 1985),
        ("『채식주의자』(창비, 2007)", Reference("채식주의자", ("창비",), year=2007), "venue", "창비"),
        ("최은영 소설집 『쇼코의 미소』", Reference("쇼코의 미소", ("최은영 소설집",)), "authors", ("최은영",)),
        ("다룬 『소년이 온다』", Reference("소년이 온다", ("다룬",)), "authors", ()),
        ("『ヤバい経済学』スティーヴン・D・レヴィット(東洋経済新報社)", Reference("ヤバい経済学", ("東洋経済新報社",), venue="スティーヴン・D・レヴィット"), "venue", "東洋経済新報社"),
        ("AER, 1994, [JSTOR](https://www.jstor.org/stable/1)", Reference("JSTOR", venue="AER", year=1994, url="https://www.jstor.org/stable/1"), "title", ""),
        ("*[Food](https://example.org/food)*", Reference("[Food](https://example.org/food)", url="https://example.org/food"), "title", "Food"),
        ("Edições 70", Reference("Análise de conteúdo", ("Bardin",), venue="Edições 70"), "venue", "Edições 70"),
    ],
)  # fmt: skip
def test_in_links_and_in_the_east(text, said, field, value):
    assert getattr(after(said, text=text).reference, field) == value


def test_a_case_by_its_number_is_a_decision():
    text = "[Case C‑673/17, Planet49](https://curia.europa.eu/x)"
    said = Reference("Case C‑673/17, Planet49", url="https://curia.europa.eu/x")
    assert after(said, text=text).style == "legal"
