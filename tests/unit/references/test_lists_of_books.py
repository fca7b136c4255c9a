"""Lists of books as chatbots write them: brackets with a press, names first, lines without markers; and lists of films."""

import pytest

from guardrail.references.bibliography.comparison import check_fields
from guardrail.references.bibliography.records import Record, Reference
from guardrail.references.citations import citations
from guardrail.references.citations.fields import parse, parse_reference
from guardrail.references.citations.houses import is_press
from guardrail.references.citations.media import about_media


def read(text, **options):
    return [one.reference for one in citations(text, **options)]


class TestFilms:
    """They have titles, makers and years, and are no references."""

    @pytest.mark.parametrize(
        "text",
        [
            "Three films to begin with:\n- *Tokyo Story* (1953) – Yasujirō Ozu\n- *Ikiru* (Kurosawa, 1952)\n- **Ugetsu** (1953) – Kenji Mizoguchi",
            "His albums are *Kind of Blue* (Davis, 1959) and *Bitches Brew* (Davis, 1970).",
            "Quelques films : *Playtime* (Tati, 1967) et *Le Mépris* (Godard, 1963).",
        ],
    )
    def test_are_left_out(self, text):
        """Whatever their form."""
        assert read(text) == []

    def test_a_printed_work_among_them_is_found(self):
        """It says who published it."""
        text = "Of the films, see *Ikiru* (Kurosawa, 1952), which opened in Tokyo and made him known to everybody.\n\nOn his style: *The Warrior's Camera* (Stephen Prince, Princeton University Press, 1999)."
        assert [one.title for one in read(text)] == ["The Warrior's Camera"]

    def test_works_outweigh_them(self):
        """A book about a film is a book."""
        assert not about_media("This book on film has an author and a publisher.")
        text = "You ask about cinema. Two books to read first: *Ozu's Rooms* (Donald Richie, 1974) and *Transcendental Style* (Paul Schrader, 1972)."
        assert len(read(text)) == 2

    def test_they_are_read_where_references_were_asked_for(self):
        """The question decides."""
        text = "- *What Is Cinema?* (André Bazin, 1967)\n- *Film Art* (David Bordwell, 1979)"
        assert len(read(text, asked_for_references=True)) == 2


class TestBrackets:
    """Behind a title: names, a press, a year."""

    @pytest.mark.parametrize(
        ("text", "authors", "venue", "year"),
        [
            ("**Silent Fields** (Ada Quill, Duke University Press, 2003). A classic.", ("Ada Quill",), "Duke University Press", 2003),
            ("**Silent Fields** (Ada Quill and Bo Marsh, Palgrave Macmillan, 2003)", ("Ada Quill", "Bo Marsh"), "Palgrave Macmillan", 2003),
            ("**Silent Fields** (Quill, Marsh & Olds, 2nd ed., 2003, Lippincott Williams & Wilkins)", ("Quill", "Marsh", "Olds"), "Lippincott Williams & Wilkins", 2003),
            ("*Silent Fields* (Zone Books, 2003) by Ada Quill", ("Ada Quill",), "Zone Books", 2003),
        ],
    )  # fmt: skip
    def test_are_taken_apart(self, text, authors, venue, year):
        """Names end where a press begins."""
        found = parse(text).reference
        assert (found.title, found.authors, found.venue, found.year) == (
            "Silent Fields",
            authors,
            venue,
            year,
        )

    def test_a_person_is_no_press(self):
        """Only names of presses, and what says that it is one."""
        assert [is_press(name) for name in ("Suhrkamp", "Ada Press", "Donald Richie")] == [True, True, False]


class TestNamesFirst:
    """Author – Title."""

    LIST = (
        "a) Nora Field & Tim Ash – Harmony and Form. the one to begin with\n"
        "b) Nora Field – The Sonata: Its Growth and Structure (Viking, 1971). brilliant\n"
        "c) William E. Ash – A Theory of Phrases (Oxford University Press, 1998). sentences, periods"
    )

    def test_the_list_decides(self):
        """Also of an item whose title could be names."""
        found = read(self.LIST, asked_for_references=True)
        assert [one.title for one in found] == [
            "Harmony and Form",
            "The Sonata: Its Growth and Structure",
            "A Theory of Phrases",
        ]
        assert found[0].authors == ("Nora Field", "Tim Ash")
        assert found[2].venue == "Oxford University Press"

    def test_titles_first_stay_so(self):
        """The other way round."""
        text = "- A Theory of Phrases – Nora Field\n- The Sonata Again – Tim Ash\n- Forms in Music – William E. Ash"
        assert [one.authors for one in read(text, asked_for_references=True)] == [
            ("Nora Field",),
            ("Tim Ash",),
            ("William E. Ash",),
        ]


class TestBareLines:
    """Lists without markers."""

    TEXT = "The Living Street — Jane Marsh\nA City of Gardens — Kevin Ash\nRoads to Nowhere by Ada Quill\nWalls — Bo Olds, Tim Ash"

    def test_are_read_where_references_were_asked_for(self):
        """Three lines or more with a title and names."""
        found = read(self.TEXT, asked_for_references=True)
        assert [one.title for one in found] == ["The Living Street", "A City of Gardens", "Roads to Nowhere", "Walls"]  # fmt: skip

    def test_are_not_read_otherwise(self):
        """Parts and actors look the same."""
        assert read("The Captain — Ada Quill\nThe Mate — Tim Ash\nThe Cook — Bo Olds") == []


def test_a_remark_below_long_names_is_no_part_of_them():
    """The line above is long, and yet it ends."""
    text = (
        "1. **Soil: The Slow Erosion of Civilizations** — David R. Marsh\n   Dense, systematic, translated from French.\n"
        "2. **Sugar: Its Place in the Making of Modern History** — Ada Quill\n   A historian follows one plant.\n"
    )
    assert [one.authors for one in read(text, asked_for_references=True)] == [("David R. Marsh",), ("Ada Quill",)]  # fmt: skip


def test_a_court_decides_in_one_year():
    """The year of a case is compared as it is; of an article it may differ by one, as between preprint and print."""
    case, paper = "Marsh v. Quill", "A theory of marshes"
    for title, how in ((case, "other"), (paper, "by one")):
        found = check_fields(Reference(title, year=1979), None, [Record(title, year=1980)])
        assert [one.how for one in found if one.field == "year"] == [how]


class TestNamedAgain:
    """A title in marks that is that of a reference of the answer."""

    ENTRY = "1. Ada Quill, *Rivers of Ink: A History of Paper* (Verso, 1999)\n\n"

    @pytest.mark.parametrize(
        "again",
        ["*Rivers of Ink*", "“Rivers of Ink”", "*Rivers of Ink: A History of Paper*", "_Rivers of Ink_"],
    )
    def test_it_means_that_reference(self, again):
        """With or without its subtitle."""
        text = f"{self.ENTRY}I would start with {again}, which is short."
        first, second = citations(text, asked_for_references=True)
        assert second.span.of(text) == again
        assert second.means == first.span

    @pytest.mark.parametrize("again", ["*rivers of ink*", "**Rivers of**", "*Rivers*", "Rivers of Ink"])
    def test_other_words_do_not(self, again):
        """Terms, parts of a title, and what is in no marks."""
        assert len(citations(f"{self.ENTRY}I would start with {again}.", asked_for_references=True)) == 1


class TestWholeReferences:
    """Styles of journals and of lists."""

    @pytest.mark.parametrize(
        ("text", "title", "authors", "venue"),
        [
            ("Roe, J. H. (1976). Aspects of reading. In L. B. Poe (Ed.), *The nature of reading* (pp. 1–9). Verso.", "Aspects of reading", ("Roe, J. H.",), "The nature of reading"),
            ("Roe, Jan (1988): Reden und Schweigen. In: Poe, Tom (Hrsg.): Kultur und Rede. Frankfurt a. M.: Suhrkamp, S. 9–19", "Reden und Schweigen", ("Roe, Jan",), "Kultur und Rede"),
            ("J. Roe, L. N. Poe, and J. R. Doe, Theory of Films, Phys. Rev. 108, 1175 (1957)", "Theory of Films", ("J. Roe", "L. N. Poe", "J. R. Doe"), "Phys. Rev."),
            ("Rivers and Markets Authority (2020) *Online rivers: a final report*. London: Verso.", "Online rivers: a final report", ("Rivers and Markets Authority",), "Verso"),
            ("For another view: Ada Quill's *Rivers at Work* (2006)", "Rivers at Work", ("Ada Quill",), ""),
            ("Ngũgĩ wa Roe. *Writing the River*. James Currey, 1986.", "Writing the River", ("Ngũgĩ wa Roe",), "James Currey"),
        ],
    )  # fmt: skip
    def test_are_read(self, text, title, authors, venue):
        """Editors, organisations and presses are not the authors."""
        found = parse(text)
        assert (found.reference.title, found.reference.authors, found.reference.venue) == (
            title,
            authors,
            venue,
        )

    def test_in_brackets_within_a_sentence(self):
        """As journals of physics print them, with or without a title."""
        text = "It is known [J. Roe and L. N. Poe, Theory of Films, Phys. Rev. 108, 1175 (1957)], or briefly: J. Roe, Phys. Rev. 108, 1175 (1957)."
        assert [(one.title, one.year) for one in read(text)] == [("Theory of Films", 1957), ("", 1957)]

    def test_garlands_are_no_author(self):
        """A word and a comma before something in quotation marks."""
        assert parse("12 bright balloons: Garlands, “Happy Birthday to You”").reference.authors == ()


class TestWebPages:
    """Addresses without a scheme, dates with a month."""

    def test_an_address_may_begin_with_www(self):
        """It is read as if the scheme were there."""
        text = "## Works Cited\n\nRoe, Ada. “The Danger of One River.” *TED*, July 2009, www.example.org/talks/one_river."
        (found,) = citations(text)
        assert found.reference.url == "https://www.example.org/talks/one_river"
        assert (found.reference.year, found.reference.venue) == (2009, "TED")
        assert found.span.of(text).endswith("one_river.")

    def test_a_word_with_www_in_it_is_none(self):
        """Nor is an address of mail."""
        assert citations("Write to a@www.example.org or see awww.example.") == []


class TestWhatWasAccused:
    """Shapes in which real works were called wrong."""

    def test_names_behind_the_last_comma(self):
        """If most items of a list have them, an item whose title could be a name has them, too."""
        text = "- A City of Rivers, Ada Quill\n- The Making of the Marsh: A History, Tim Ash\n- Boss, Bo Olds\n- Walls and Roads of Wood, Nora Field"
        assert [(one.title, one.authors) for one in read(text, asked_for_references=True)] == [
            ("A City of Rivers", ("Ada Quill",)),
            ("The Making of the Marsh: A History", ("Tim Ash",)),
            ("Boss", ("Bo Olds",)),
            ("Walls and Roads of Wood", ("Nora Field",)),
        ]

    @pytest.mark.parametrize(
        ("text", "title", "authors"),
        [
            ("- Algebra: *Rings Made Visible* (Ada Quill, 1997)", "Rings Made Visible", ("Ada Quill",)),
            ("- Algebra: Quill & Marsh, *Rings Made Visible* (1997)", "Rings Made Visible", ("Quill", "Marsh")),
            ("- *“Mud” in the Making of Towns* (Ada Quill, 1997)", "“Mud” in the Making of Towns", ("Ada Quill",)),
        ],
    )  # fmt: skip
    def test_labels_and_quotation_marks_in_front(self, text, title, authors):
        """A label is no part of a title, and quoted words in italics are only a part of one."""
        (found,) = read(text, asked_for_references=True)
        assert (found.title, found.authors) == (title, authors)

    def test_full_width_brackets_and_stops(self):
        """GB/T 7714 as some keyboards write it."""
        (found,) = read(
            "［1］ 王小明，李华．湿地的历史研究［J］．地理学报，2014，69（1）：3-14．",
            asked_for_references=True,
        )
        assert (found.title, found.year, found.venue) == ("湿地的历史研究", 2014, "地理学报")

    @pytest.mark.parametrize("behind", [" · example.org", " [[abs]] [[pdf]]"])
    def test_sites_and_kinds_of_files_behind_a_title(self, behind):
        """They say where it is."""
        assert (
            parse(f"Rivers and the Making of Towns{behind}").reference.title
            == "Rivers and the Making of Towns"
        )


class TestNamesBeforeTitles:
    """Within the same marks, before a colon, or between commas; languages and publishers differ."""

    @pytest.mark.parametrize(
        ("text", "title", "authors", "year", "venue"),
        [
            ("**Eva Kranz: Wasser und Recht. Krisen der Küste** (Suhrkamp, 1987) – kürzer", "Wasser und Recht. Krisen der Küste", ("Eva Kranz",), 1987, "Suhrkamp"),
            ("**Jan Lisowski, Rzeka**, Czarne, 2021 – esej", "Rzeka", ("Jan Lisowski",), 2021, "Czarne"),
            ("**Anna Dudek, Wieś i dwór. Historia niewoli** (2021) – „popularna” książka", "Wieś i dwór. Historia niewoli", ("Anna Dudek",), 2021, ""),
            ("**Lia Conti – Le mura** (2015): romanzo", "Le mura", ("Lia Conti",), 2015, ""),
            ("**Анна Лесная. Река и город** (АСТ, 2010) — эссе", "Река и город", ("Анна Лесная",), 2010, "АСТ"),
            ("Hans Ortmann: Die stillen Jahre. Geschichte einer Stadt (Beck, 1993) — das Standardwerk", "Die stillen Jahre. Geschichte einer Stadt", ("Hans Ortmann",), 1993, "Beck"),
            ("Jan Lisowski, Rzeka, Czarne, 2021 – esej", "Rzeka", ("Jan Lisowski",), 2021, "Czarne"),
            ("Filip Springer, „Osada. Historia znikania” (2011)", "Osada. Historia znikania", ("Filip Springer",), 2011, ""),
            ("Kern FA u. a.: Statins and pain: a trial („SOMMER“), NEJM 2020", "Statins and pain: a trial", ("Kern FA",), 2020, "NEJM"),
            ("River Trialists' Collaboration: Effect of statins on pain. Lancet 2022", "Effect of statins on pain", ("River Trialists' Collaboration",), 2022, "Lancet"),
            ("Hall, Kaiser and Marks (2017), Saturation Versus Meaning: How Many Are Enough? in Qualitative Health Research", "Saturation Versus Meaning: How Many Are Enough?", ("Hall", "Kaiser", "Marks"), 2017, "Qualitative Health Research"),
            ("Ruiz SK, Stone CH. Clear waters: a method. A new way to see rivers. Ann Intern Med. 1990;113:941.", "Clear waters: a method. A new way to see rivers", ("Ruiz SK", "Stone CH"), 1990, "Ann Intern Med"),
            ("MARKER, Jean C. et STAR, Ada. *Sorting Rivers*. Paris : Seuil, 1999.", "Sorting Rivers", ("MARKER, Jean C.", "STAR, Ada"), 1999, "Seuil"),
        ],
    )  # fmt: skip
    def test_are_authors(self, text, title, authors, year, venue):
        """As the lexicon of names says, where the form does not."""
        found = parse(text).reference
        assert (found.title, found.authors, found.year, found.venue) == (title, authors, year, venue)

    @pytest.mark.parametrize(
        ("text", "title", "other"),
        [
            ("**Hans Holbein: Maler und Hof** (Beck, 1990)", "Maler und Hof", "Hans Holbein: Maler und Hof"),
            ("**Eva Kranz: A Life in Maps** (1990)", "Eva Kranz: A Life in Maps", "A Life in Maps"),
            ("Holm B et al.: Statins and age – Metaanalyse der Daten, Lancet 2020", "Statins and age – Metaanalyse der Daten", "Statins and age"),
        ],
    )  # fmt: skip
    def test_may_be_a_part_of_the_title(self, text, title, other):
        """Then both readings are looked up before anything is called wrong."""
        found = parse(text)
        assert (found.reference.title, found.other and found.other.title) == (title, other)

    def test_a_main_title_is_no_name(self):
        """Though it has two words with capitals."""
        assert parse("**Silent Spring: Ein Lesebuch** (Beck, 1999)").reference.authors == ()

    def test_the_other_items_decide_of_one_without_a_year(self):
        """Two with a publisher or a year are enough."""
        text = "Bücher:\n- **Eva Kranz: Das Ufer** (Beck, 1987)\n- **Hans Ortmann: Der Steg** (Piper, 1990)\n- **Ursula Meinert: Küste** – gut"
        assert [one.authors for one in read(text)] == [("Eva Kranz",), ("Hans Ortmann",), ("Ursula Meinert",)]


class TestBehindTheTitle:
    """What still belongs to a reference, and what is said about it."""

    @pytest.mark.parametrize(
        ("text", "span"),
        [
            ("„Geschichte eines Ufers“ von Hans Ortmann – Erinnerungen 1914–1933, posthum", "„Geschichte eines Ufers“ von Hans Ortmann"),
            ("„Das gläserne Haus“ (Irma Kern, 1932) – Roman, Alltagsgeschichte", "„Das gläserne Haus“ (Irma Kern, 1932)"),
            ("Claire Durand, « La rive » – Paris, une enfance", "Claire Durand, « La rive »"),
            ("E. H. Gombert – *The Story of Glass* (Phaidon). Chronological, calm", "E. H. Gombert – *The Story of Glass* (Phaidon)."),
            ("Mike Stone: *Gotham Rising*. Oxford University Press. 1,400 pages; Prize for History 1999.", "Mike Stone: *Gotham Rising*. Oxford University Press."),
            ("Ana Ruiz, *República y río* (vol. 8 de la Historia de España dirigida por Luis Prado)", "Ana Ruiz, *República y río*"),
            ("Title of a Work by Ada Quill – Harbor Press, 1999", "Title of a Work by Ada Quill – Harbor Press, 1999"),
        ],
    )  # fmt: skip
    def test_ends_before_remarks(self, text, span):
        """A dash, a full stop or a bracket parts them."""
        found = parse(text)
        assert text[found.start : found.end] == span

    @pytest.mark.parametrize(
        ("text", "authors", "venue"),
        [
            ("**Verified Rivers** (ed. Ada Quill, 2014)", ("Ada Quill",), ""),
            ("**Silent Shores** (eds. Ada Quill & Bo Marsh, Duke University Press, 1999)", ("Ada Quill", "Bo Marsh"), "Duke University Press"),
            ("*Ciche brzegi i rzeki* pod redakcją Jana Lisa (Znak, 2003)", ("Jana Lisa",), "Znak"),
            ("*Les rives muettes*, sous la direction de Claire Durand (Seuil, 1999)", ("Claire Durand",), "Seuil"),
            ("Ada Quill, trans. and ed., *Black Rivers* (Manchester: Manchester University Press, 1994)", ("Ada Quill",), "Manchester University Press"),
            ("Quill, Ada. *Camera River*. Translated by Bo Marsh, Hill and Wang, 1981.", ("Quill, Ada",), "Hill and Wang"),
            ("**A Manual for Rivers** (Ada Lee Hunter, UNESCO)", ("Ada Lee Hunter",), "UNESCO"),
            ("**Ending the River Wars** (Castles, Rastler & Nation, 2018)", ("Castles", "Rastler", "Nation"), ""),
            ("Ruiz PP, Stone TD, et al; RIVER Study Investigators. Pain after illness. N Engl J Med. 2013;369:1306.", ("Ruiz PP", "Stone TD"), "N Engl J Med"),
        ],
    )  # fmt: skip
    def test_who_made_it(self, text, authors, venue):
        """Editors in the place of authors, translators in none."""
        found = parse(text).reference
        assert (found.authors, found.venue) == (authors, venue)

    def test_a_line_in_italics_below_the_title(self):
        """Several such lines, of which one says when or where."""
        text = "📘 **Explain Glass**\n*David Stone and Ada Marsh*\nDrawings.\n\n📗 **The Glass Workbook**\n*Rachel Stone, PhD · New Harbor, 2020*\nExercises.\n"
        assert [(one.title, one.authors) for one in read(text)] == [
            ("Explain Glass", ("David Stone", "Ada Marsh")),
            ("The Glass Workbook", ("Rachel Stone",)),
        ]
        assert read("**Chief of Staff**\n*Ada Marsh*\n") == []


class TestPlainItems:
    """Beside references that were asked for, lists of other things."""

    REFERENCES = "Quill, A. (1994). Memory of rivers. MIT Press.\n\nMarsh, J. (2009). *Visible rivers: A synthesis*. Routledge.\n\n"

    @pytest.mark.parametrize(
        "items",
        [
            "**Reminders**\n- Double-space, hanging indent\n- Sentence case for article titles\n- No period at the end\n",
            "- Zwei weitere Untersuchungen kommen zu ähnlichen Ergebnissen.[3][4]\n- Die meisten erholten sich bald.[2]\n",
            "- **Sofort zum Arzt** bei dunklem Urin\n- **Nicht selbst absetzen** ohne den Rat des Arztes\n",
        ],
    )
    def test_are_no_works(self, items):
        """What to mind, what was found, what to do."""
        assert len(read(self.REFERENCES + items, asked_for_references=True)) == 2


class TestLaws:
    """They have names and years, and are no references, unless the question asks for some."""

    @pytest.mark.parametrize(
        "text",
        [
            "- **Treaty of Amber** (1648)\n- **River Data Protection Regulation** (2016)\n",
            "- **Clean Rivers Act** (1970), signed by Ann Roe\n",
            "| Law | Year |\n|---|---|\n| Families with Rivers Act (FRA) | 1993 |\n",
            "- **2020年**：《河流保护条例》通过。\n",
            "Heron Flyer (1903) · Stork J 1 (1915) · Crane DC-3 (1935)",
        ],
    )
    def test_are_no_works(self, text):
        """Nor are rows of things with years."""
        assert read(text) == []

    @pytest.mark.parametrize(
        ("text", "title"),
        [
            ("- Ann Roe, *The Clean Rivers Act* (River Press, 1970)", "The Clean Rivers Act"),
            ("- *Act of Water* by Ann Roe (1970)", "Act of Water"),
            ("王小明. 孙子兵法[M]. 北京: 中华书局, 2004.", "孙子兵法"),
        ],
    )
    def test_but_books_about_them_are(self, text, title):
        """What has authors or a publisher is printed."""
        assert [one.title for one in read(text)] == [title]


class TestEntries:
    """Shapes of lists that were read wrong."""

    @pytest.mark.parametrize(
        ("text", "authors", "title"),
        [
            ("Kern JP, Mirabel AS, O'Dell MF, Holt JB. Rivers at night. Ann River Med 2000;342:1471–7.", ("Kern JP", "Mirabel AS", "O'Dell MF", "Holt JB"), "Rivers at night"),
            ("River Definition Task Force. What a river is: the Amber definition. JAMA. 2012;307(23):2526-33.", ("River Definition Task Force",), "What a river is: the Amber definition"),
        ],
    )  # fmt: skip
    def test_initials_that_are_words_and_task_forces(self, text, authors, title):
        """AS is no word behind a surname."""
        found = parse(text).reference
        assert (found.authors, found.title) == (authors, title)

    def test_what_an_item_is_about_is_not_its_title(self):
        """Nor is it a work where no title in marks follows."""
        text = "Books:\n\n- **On leaving:** *The River Home* by Ann Roe (2000)\n- **On boats:** *Small Boats*, Jan Lis\n- **People to follow:** Ann Roe, Jan Lis.\n"
        found = read(text, asked_for_references=True)
        assert [(one.title, one.authors) for one in found] == [
            ("The River Home", ("Ann Roe",)),
            ("Small Boats", ("Jan Lis",)),
        ]

    def test_numbers_of_headings(self):
        """1.1 is no part of a title."""
        text = "### 1.1 Rivers and Metal\n- **Author:** Ann Roe\n- **Publisher:** Wiley, 2000\n\n### 1.2 Rivers and Stone\n- **Author:** Jan Lis\n- **Publisher:** Wiley, 2001\n"
        assert [one.title for one in read(text)] == ["Rivers and Metal", "Rivers and Stone"]


@pytest.mark.parametrize(
    ("text", "title", "authors", "year", "venue"),
    [
        (
            "Hallam et al. (2017), *PLoS ONE*: More than half of the reeds in protected areas are gone. https://doi.org/10.1371/journal.pone.0185000",
            "More than half of the reeds in protected areas are gone",
            ("Hallam",),
            2017,
            "PLoS ONE",
        ),
        (
            'Crosby et al. (2020), *Nature*, "No net decline of reeds across long-term sites," doi:10.1038/s41559-020-1000-4',
            "No net decline of reeds across long-term sites",
            ("Crosby",),
            2020,
            "Nature",
        ),
        (
            "van Klee et al. (2020), *Science* 368:417–420, doi:10.1126/science.aax0001",
            "",
            ("van Klee",),
            2020,
            "Science",
        ),
        (
            "Chen, M. T. H., Feld, P. J., & Glass, R. 1981 Sorting of river problems by experts and novices. <https://doi.org/10.1207/s15516709cog0000_2>",
            "Sorting of river problems by experts and novices",
            ("Chen, M. T. H.", "Feld, P. J.", "Glass, R."),
            1981,
            "",
        ),
        (
            "Adler et al. - Reeds and health: The challenge of the shore - American Psychologist - 1994",
            "Reeds and health: The challenge of the shore",
            ("Adler",),
            1994,
            "American Psychologist",
        ),
        (
            "Ho & White (2005), A hypothesis for the growth of reeds in shallow water, *Annals of Botany* – https://doi.org/10.1093/aob/mci000",
            "A hypothesis for the growth of reeds in shallow water",
            ("Ho", "White"),
            2005,
            "Annals of Botany",
        ),
        (
            "Ann Roe — *Reeds: A Course with Examples* (2nd ed., CRC Press, 2020)",
            "Reeds: A Course with Examples",
            ("Ann Roe",),
            2020,
            "CRC Press",
        ),
        (
            "Zorn, Roe, Poe & Smith — *Models of Reeds with R (Springer, 2009)*",
            "Models of Reeds with R",
            ("Zorn", "Roe", "Poe", "Smith"),
            2009,
            "Springer",
        ),
        (
            "Jacques Roe's *Reeds: The Economy of Shores*",
            "Reeds: The Economy of Shores",
            ("Jacques Roe",),
            None,
            "",
        ),
        (
            "**Reeds: Improving Existing Shores (2nd Edition)** – Martin Roe, 2018",
            "Reeds: Improving Existing Shores",
            ("Martin Roe",),
            2018,
            "",
        ),
    ],
)
def test_what_strangers_wrote_in_lists(
    text: str, title: str, authors: tuple[str, ...], year: int | None, venue: str
) -> None:
    """Journals before titles, dates without brackets, editions, owners."""
    said = parse_reference(text)
    assert (said.title, said.authors, said.year, said.venue) == (title, authors, year, venue)


@pytest.mark.parametrize(
    ("text", "title", "authors"),
    [
        (
            "Gelman & Shalizi, Philosophy and the practice of statistics, <https://arxiv.org/abs/1006.3868>",
            "Philosophy and the practice of statistics",
            ("Gelman", "Shalizi"),
        ),
        (
            "Gelman, Hill, Yajima: Why we need not worry about comparisons, <https://arxiv.org/abs/0907.2478>",
            "Why we need not worry about comparisons",
            ("Gelman", "Hill", "Yajima"),
        ),
        (
            "**Automatic Differentiation of Reeds** (Kucukelbir et al.) [arXiv](https://arxiv.org/abs/1603.00788)",
            "Automatic Differentiation of Reeds",
            ("Kucukelbir",),
        ),
        (
            "**The Voyage of the Reed** ([Project Gutenberg](https://www.gutenberg.org/ebooks/944))",
            "The Voyage of the Reed",
            (),
        ),
        (
            "[2305.14314] Efficient Finetuning of Reeds https://arxiv.org/abs/2305.14314",
            "Efficient Finetuning of Reeds",
            (),
        ),
    ],
)
def test_a_link_that_only_says_where_it_leads_is_no_title(
    text: str, title: str, authors: tuple[str, ...]
) -> None:
    """Nor is an arXiv number before the title."""
    said = parse_reference(text)
    assert (said.title, said.authors) == (title, authors)


def test_footnotes_with_two_carets_are_items() -> None:
    """Of them the link's text is read like any reference."""
    text = (
        "Air is bad [^1^], reeds are good [^2^].\n\n---\n"
        "[^1^]: [Air Pollution and Mortality in Six U.S. Cities | NEJM](https://www.nejm.org/doi/full/10.1056/NEJM199312093292401)\n"
        "[^2^]: [Roe et al. (2015), Association of Reeds with Lung Development](https://doi.org/10.1056/NEJMoa1414123)\n"
    )
    first, second = (one.reference for one in citations(text))
    assert (first.title, first.venue) == ("Air Pollution and Mortality in Six U.S. Cities", "NEJM")
    assert (second.title, second.authors, second.year) == (
        "Association of Reeds with Lung Development",
        ("Roe",),
        2015,
    )


def test_lists_of_libraries_in_east_asian_scripts() -> None:
    """Strokes part the fields, or a dash the author from the title."""
    korean = parse_reference("갈대, 강을 만나다 : 물과 풀의 한국사 / 신동원 / 역사비평사 / 2004")
    assert (korean.title, korean.authors, korean.venue, korean.year) == (
        "갈대, 강을 만나다 : 물과 풀의 한국사",
        ("신동원",),
        "역사비평사",
        2004,
    )
    japanese = parse_reference("神谷美恵子 ― 葦について（みすず書房 1966）")
    assert (japanese.title, japanese.authors, japanese.venue) == ("葦について", ("神谷美恵子",), "みすず書房")


@pytest.mark.parametrize(
    ("text", "title", "authors"),
    [
        ("The Bells and Games of Ann Poe → pure joy", "The Bells and Games of Ann Poe", ()),
        ("Roe's Manual of Bells → NOT yet, come back in a year", "Roe's Manual of Bells", ()),
        (
            "Ethics for Bells by Aristotle, trans. Ann Poe, Roe & Sons (begin with book II)",
            "Ethics for Bells",
            ("Aristotle",),
        ),
    ],
)
def test_an_arrow_points_to_what_is_said_of_a_work(text, title, authors):
    """And one name may be an author's, if somebody translated him."""
    said = parse_reference(text)
    assert (said.title, said.authors) == (title, authors)
