"""References in the languages of Europe and its neighbours; all works, people and houses are made up unless a rule needs a known one."""

from __future__ import annotations

import pytest

from guardrail.references.citations import citations, parse_reference

STRINGS = [
    # roles of translators and editors between title and publisher
    (
        "B. Ferri, *Le ombre del porto*, a cura di C. Neri, Torino, Einaudi, 1968",
        ("Le ombre del porto", ("B. Ferri",), 1968, "Einaudi"),
    ),
    (
        "**Ana Ruiz**, *El río y la piedra* (trad. de Luis Mora Vega), Madrid, Alianza, 2004",
        ("El río y la piedra", ("Ana Ruiz",), 2004, "Alianza"),
    ),
    (
        "Piet Smit, *De stille haven*, vert. Jan de Boer, Els Kok en Ria Vos (Amsterdam: Querido, 1991)",
        ("De stille haven", ("Piet Smit",), 1991, "Querido"),
    ),
    (
        "J. Nowicki, *Cicha rzeka*, przeł. M. Lis, Poznań 2011 (wyd. oryg. *Silent River*, 2003)",
        ("Cicha rzeka", ("J. Nowicki",), 2011, ""),
    ),
    (
        "Іван Лісовий, «Тиха ріка», пер. з нім. О. Гая, Львів: Сова, 1998",
        ("Тиха ріка", ("Іван Лісовий",), 1998, "Сова"),
    ),
    (
        "Ion Pop, *Râul tăcut*, trad. Ana Dinu și Radu Stan, 1988",
        ("Râul tăcut", ("Ion Pop",), 1988, ""),
    ),
    (
        "Tran Van, *Dòng sông lặng* (Lê Minh dịch, NXB Măng, 2001)",
        ("Dòng sông lặng", ("Tran Van",), 2001, "NXB Măng"),
    ),
    # editors instead of authors, and "et al." in other languages
    (
        "L. Bianchi, R. Costa (a cura di), *Storia dei mercati*, Roma-Bari, Laterza, 1994",
        ("Storia dei mercati", ("L. Bianchi", "R. Costa"), 1994, "Laterza"),
    ),
    (
        "Åsa Berg & Nils Holm (red.), *Handbok i fältarbete* (Liber 2008)",
        ("Handbok i fältarbete", ("Åsa Berg", "Nils Holm"), 2008, "Liber"),
    ),
    (
        "DVOŘÁK, Petr, Eva MALÁ a kol. *Tichá řeka*. Brno: Host, 2005.",
        ("Tichá řeka", ("DVOŘÁK, Petr", "Eva MALÁ"), 2005, "Host"),
    ),
    (
        "SOUSA, João Manuel de Lima *et al.* (org.). **Manual de campo**. São Paulo: Cortez, 2001.",
        ("Manual de campo", ("SOUSA, João Manuel de Lima",), 2001, "Cortez"),
    ),
    # "y" and "i" within a surname
    (
        "*El río y la piedra*, de Tomás Ruiz y Ferrer (Losada, 1931)",
        ("El río y la piedra", ("Tomás Ruiz y Ferrer",), 1931, "Losada"),
    ),
    # city before or behind the publisher, or alone
    (
        "K. Lis, *Ludzie znad rzeki*, Wydawnictwo Wierzba, Lublin 1999",
        ("Ludzie znad rzeki", ("K. Lis",), 1999, "Wydawnictwo Wierzba"),
    ),
    ("K. Lis, *Ludzie znad rzeki*, Warszawa–Kraków 1961", ("Ludzie znad rzeki", ("K. Lis",), 1961, "")),
    (
        "**Νίκος Πέτρου**, *Το σιωπηλό ποτάμι*, Κέδρος, Αθήνα 1971",
        ("Το σιωπηλό ποτάμι", ("Νίκος Πέτρου",), 1971, "Κέδρος"),
    ),
    (
        "Олег Дуб. Тихі ріки: нариси XX ст. К.: Криниця, 1995.",
        ("Тихі ріки: нариси XX ст.", ("Олег Дуб",), 1995, "Криниця"),
    ),
    # catalogue style: names behind a stroke, editions, what an article is in
    (
        "Дубов, И. И. Тихие реки: очерки быта / И. И. Дубов. — Москва : Родник, 1979. — 210 с.",
        ("Тихие реки: очерки быта", ("Дубов, И. И.",), 1979, "Родник"),
    ),
    (
        "Дубов И. И. Тихие реки. — 3-е изд., испр. и доп. — СПб.: Родник, 1988. — 210 с.",
        ("Тихие реки", ("Дубов И. И.",), 1988, "Родник"),
    ),
    (
        "Дубов И. И. Речь и река // Язык «воды» и «берега»: сб. ст. / под ред. А. А. Ивина. — М.: Родник, 1981. — С. 5–20.",
        ("Речь и река", ("Дубов И. И.",), 1981, "Язык «воды» и «берега»"),
    ),
    (
        "Berg, Karl (1990): Stille Flüsse. In: Ders.; Hahn, Eva (Hrsg.): Wasser und Ufer. Bonn: Kessler, S. 7–19.",
        ("Stille Flüsse", ("Berg, Karl",), 1990, "Wasser und Ufer"),
    ),
    (
        "C. Durand, « Le fleuve muet », dans P. Morel, *Eaux et rives*, Paris, Vrin, 1962, p. IX-XL",
        ("Le fleuve muet", ("C. Durand",), 1962, "Eaux et rives"),
    ),
    (
        "K. Lis, *Obraz rzeki*, „Studia Rzeczne” 1981, nr 2, s. 15–33",
        ("Obraz rzeki", ("K. Lis",), 1981, "Studia Rzeczne"),
    ),
    (
        "LIMA, Ana; COSTA FILHO, José. A água e os seus caminhos. **Margem: Revista de Hidrologia**, Recife, v. 7, n. 2, p. 7-13, 2003.",
        (
            "A água e os seus caminhos",
            ("LIMA, Ana", "COSTA FILHO, José"),
            2003,
            "Margem: Revista de Hidrologia",
        ),
    ),
    (
        "**Luis Mora**, *Los ríos*, vol. 3 de la *Historia del agua* dirigida por Ana Ruiz y Juan Paz, Barcelona, Ariel, 1990",
        ("Los ríos", ("Luis Mora",), 1990, "Historia del agua"),
    ),
    # subtitles that are sentences, up to the publisher
    (
        "Berg, Karl (1990): Stille Flüsse. Ufer, Quelle, Mündung. Unter Mitarbeit von Eva Hahn. Bonn: Kessler.",
        ("Stille Flüsse. Ufer, Quelle, Mündung", ("Berg, Karl",), 1990, "Kessler"),
    ),
    (
        "Santoso, Budi. 1991. *Sungai yang Sunyi*. Jilid 2: Di Tepi Air. Bandung: Mata Air.",
        ("Sungai yang Sunyi", ("Santoso, Budi",), 1991, "Mata Air"),
    ),
    (
        "Berg, K. & Holm, N. (2008). *Den tysta floden*. 2 uppl. Lund: Källan.",
        ("Den tysta floden", ("Berg, K.", "Holm, N."), 2008, "Källan"),
    ),
    # parts of a work behind its title, and a stroke before translators
    (
        "Лесов В. А. Тихий анализ. В 2 ч. — М.: МЦНМО, 2012.",
        ("Тихий анализ", ("Лесов В. А.",), 2012, "МЦНМО"),
    ),
    (
        "Лесов Г. М. Курс тихого исчисления: в 3 т. — М.: Наука, 1966.",
        ("Курс тихого исчисления", ("Лесов Г. М.",), 1966, "Наука"),
    ),
    (
        "Рекин У. Основы тихого анализа / пер. с англ. — М.: Мир, 1976.",
        ("Основы тихого анализа", ("Рекин У.",), 1976, "Мир"),
    ),
    (
        "**Лесов В. И.** Тихие дифференциальные уравнения. — М.: Наука, 1971.",
        ("Тихие дифференциальные уравнения", ("Лесов В. И.",), 1971, "Наука"),
    ),
    (
        "R. Klaus: Über verschiedene Formen der Flüsse, Annalen der Physik 125 (1865), S. 353–400",
        ("Über verschiedene Formen der Flüsse", ("R. Klaus",), 1865, "Annalen der Physik"),
    ),
    (
        "G. Morel, *Le déclin du sel*, préf. A. Petit, LGDJ, 1965",
        ("Le déclin du sel", ("G. Morel",), 1965, "LGDJ"),
    ),
    (
        "„Dziecko nad rzeką” – Agnieszka Lis (wyd. Mamania, 2012)",
        ("Dziecko nad rzeką", ("Agnieszka Lis",), 2012, "Mamania"),
    ),
    (
        "**Лесов В. И.** Тихие дифференциальные уравнения (любое издание). Наука, 1971.",
        ("Тихие дифференциальные уравнения", ("Лесов В. И.",), 1971, "Наука"),
    ),
    # names and title within the same bold words
    (
        "**Berg, H. D. / Holm, S.: Stille Flüsse, Bd. 2: 1849–1914** (München 1995)",
        ("Stille Flüsse", ("Berg, H. D.", "Holm, S."), 1995, ""),
    ),
    (
        "**Karl Berg: Die stille Welt. Eine Geschichte** (C. H. Beck, 2009) – Europäischer Rahmen",
        ("Die stille Welt. Eine Geschichte", ("Karl Berg",), 2009, "C. H. Beck"),
    ),
    # no mark between names and title
    ("Олег Дуб «Тихі ріки» (КСД, 2014)", ("Тихі ріки", ("Олег Дуб",), 2014, "КСД")),
    # titles in bold that look like names, with the author behind
    ("**Rio & Margem** (1951), de Manuel Lima: ensaio", ("Rio & Margem", ("Manuel Lima",), 1951, "")),
    ("**Luís Melo** – *O rio calado*, Lisboa: Fonte, 1979", ("O rio calado", ("Luís Melo",), 1979, "Fonte")),
    # no mark around the title: what follows it is a place
    (
        "J. Smit, De stille haven van weleer (Haarlem 1941) – klassiek",
        ("De stille haven van weleer", ("J. Smit",), 1941, ""),
    ),
    (
        "Eva Hahn (Hg.), Historische Ufer und Quellen, Stuttgart: Klett-Cotta 1979",
        ("Historische Ufer und Quellen", ("Eva Hahn",), 1979, "Klett-Cotta"),
    ),
    (
        "P. Morel, Le fleuve muet. Naissance d'une rive, Paris, Gallimard, 1975.",
        ("Le fleuve muet. Naissance d'une rive", ("P. Morel",), 1975, "Gallimard"),
    ),
    (
        "Berg, Karl-Heinz: Deutsche Flussgeschichte, Bd. 3: 1849–1914, München 1995.",
        ("Deutsche Flussgeschichte", ("Berg, Karl-Heinz",), 1995, ""),
    ),
    # names joined by a dash; a journal in small letters; a known publisher behind an unknown city
    (
        "Kis Gábor – Nagy György: *A csendes folyó*. Bp., Osiris, 2001.",
        ("A csendes folyó", ("Kis Gábor", "Nagy György"), 2001, "Osiris"),
    ),
    (
        "Ana Rukić, „Tiha rijeka”, *Časopis za povijest voda*, god. 21, br. 1–3, 1989, str. 35–52.",
        ("Tiha rijeka", ("Ana Rukić",), 1989, "Časopis za povijest voda"),
    ),
    (
        "Ion Pop, *Râul tăcut*, Mioveni, Paralela 45, 2008.",
        ("Râul tăcut", ("Ion Pop",), 2008, "Paralela 45"),
    ),
    (
        "DVOŘÁK, Petr et al. *Tichá řeka*. 2., dopl. vyd. Praha: NLN, 2008.",
        ("Tichá řeka", ("DVOŘÁK, Petr",), 2008, "NLN"),
    ),
    (
        'Buku "Sungai yang Sunyi di Jawa" karya Budi Santoso (Komunitas Bambu, 2013)',
        ("Sungai yang Sunyi di Jawa", ("Budi Santoso",), 2013, "Komunitas Bambu"),
    ),
    # surnames in capitals without a comma, "et al." before the title, journals in straight marks, series
    (
        "MOREL Jean, *Nous avons toujours navigué*, Paris, La Découverte, 1991, 210 p.",
        ("Nous avons toujours navigué", ("MOREL Jean",), 1991, "La Découverte"),
    ),
    (
        "Дубов А. А., Ивин Б. Б. и др. Методы анализа рек // Вестник МГУ. Сер. 9. 2010. № 3. С. 15–28.",
        ("Методы анализа рек", ("Дубов А. А.", "Ивин Б. Б."), 2010, "Вестник МГУ"),
    ),
    (
        'Lis J., Nowak A. (2015), Rynek soli w Polsce, "Ekonomista", nr 3, s. 21-40.',
        ("Rynek soli w Polsce", ("Lis J.", "Nowak A."), 2015, "Ekonomista"),
    ),
    (
        "Jean Morel, *Salines*, Seuil, coll. « Points », 1970 [1957].",
        ("Salines", ("Jean Morel",), 1970, "Seuil"),
    ),
    # degrees before names
    (
        "**Dòng sông lặng** – GS. Lê Văn Minh, NXB Măng, 1999",
        ("Dòng sông lặng", ("Lê Văn Minh",), 1999, "NXB Măng"),
    ),
]


class TestStrings:
    """One reference string at a time."""

    @pytest.mark.parametrize(("text", "expected"), STRINGS, ids=[text[:40] for text, _ in STRINGS])
    def test_reads_title_authors_year_and_where_it_appeared(self, text, expected):
        """The words of each language for translators, editions, cities and journals are none of the fields."""
        found = parse_reference(text)
        title, authors, year, venue = expected
        assert (found.title.rstrip("."), found.authors, found.year, found.venue.rstrip(".")) == (
            title.rstrip("."),
            authors,
            year,
            venue,
        )


class TestAnswers:
    """References within answers."""

    def test_arabic_marks_part_the_fields_as_latin_ones_do(self):
        """، is a comma and ٠–٩ are digits."""
        text = "إليك بعض الكتب:\n\n1. **سامي النهري**، *النهر الصامت*، ترجمة ليلى حداد، بيروت: دار الآداب، ١٩٧٤.\n2. **سامي النهري**، *الضفة*، بيروت: دار الآداب، ١٩٨١.\n"
        found = [one.reference for one in citations(text)]
        assert [(one.title, one.authors, one.year, one.venue) for one in found] == [
            ("النهر الصامت", ("سامي النهري",), 1974, "دار الآداب"),
            ("الضفة", ("سامي النهري",), 1981, "دار الآداب"),
        ]

    def test_titles_in_small_letters_count_in_a_list_that_gives_who_when_and_where(self):
        """Most languages write titles in small letters."""
        text = "Ecco tre titoli:\n\n- B. Ferri, *Le ombre del porto*, Torino, Lume, 1968\n- B. Ferri, *Il mare di ieri*, Torino, Lume, 1971\n"
        assert [one.reference.title for one in citations(text)] == ["Le ombre del porto", "Il mare di ieri"]

    def test_columns_of_tables_are_known_in_other_languages(self):
        """By their names, or by a year behind a comma in most of their cells."""
        text = "| Obra | Autor | Ano | Tese |\n|---|---|---|---|\n| ***Raízes do Rio*** | Sérgio Lima de Holanda | 1936 | O **rio** |\n"
        assert said(text) == [("Raízes do Rio", ("Sérgio Lima de Holanda",), 1936, "")]
        text = (
            "| Tên sách | Tác giả | Bản dịch |\n|:--|:--|:--|\n"
            "| Tại sao các dòng sông | Ann Roe, James A. Poe | NXB Trẻ, 2013 |\n| Sông và thép | Jo Doe | NXB Trẻ, 2007 |\n"
        )
        assert said(text)[0] == ("Tại sao các dòng sông", ("Ann Roe", "James A. Poe"), 2013, "NXB Trẻ")

    def test_films_of_a_list_are_no_references_in_any_language(self):
        """The line that announces them says so."""
        text = "Tři filmy, které stojí za to:\n\n1. **Tichá řeka** – Petr Dvořák (2005)\n2. **Hluboký les** – Eva Malá (2011)\n"
        assert citations(text) == []


def said(text):
    """Title, authors, year and venue of every reference of an answer."""
    return [
        (one.reference.title, one.reference.authors, one.reference.year, one.reference.venue)
        for one in citations(text)
    ]


SENTENCES = [
    (
        "Le texte fondateur est l'« Étude sur le sel » de Paul Morel, publiée en 1931 dans *L'Année rurale*, qui décrit les salines.",
        ("Étude sur le sel", ("Paul Morel",), 1931, "L'Année rurale"),
    ),
    (
        "Claire Petit rappelle dans *La part du sel* (Fayard, 1994) que le sel se paie.",
        ("La part du sel", ("Claire Petit",), 1994, "Fayard"),
    ),
    (
        "Dans « Les Salines » (1962), Paul Morel et Claire Petit montrent le contraire.",
        ("Les Salines", ("Paul Morel", "Claire Petit"), 1962, ""),
    ),
    (
        "Enfin, l'historien Luc Le Gall ouvre une autre voie avec *Histoire du sel breton* (1971).",
        ("Histoire du sel breton", ("Luc Le Gall",), 1971, ""),
    ),
    (
        "La première étude est celle de P. Morel, « Le prix du sel », thèse de doctorat, Université de Rennes, 1938, qui fait date.",
        ("Le prix du sel", ("P. Morel",), 1938, "Université de Rennes"),
    ),
    (
        "De klassieker blijft *Het zout der aarde* van Piet Smit, voor het eerst verschenen in 1922 bij Querido. Het is nog te koop.",
        ("Het zout der aarde", ("Piet Smit",), 1922, "Querido"),
    ),
    (
        "Gorąco polecam „Solny szlak” Jana Lisa (Czytelnik, 1974) – reportaż z Wieliczki.",
        ("Solny szlak", ("Jana Lisa",), 1974, "Czytelnik"),
    ),
    (
        "Öneririm: Ali Veli'nin *Tuzun Yolu*'nu (Ankara: Bilgi Yayınevi, 1977) okuyun.",
        ("Tuzun Yolu", ("Ali Veli",), 1977, "Bilgi Yayınevi"),
    ),
    (
        "Νεότερη είναι η *Ιστορία του αλατιού* του Νίκου Πέτρου (μτφρ. Άννα Λάμπρου, Αθήνα: Νεφέλη, 1998).",
        ("Ιστορία του αλατιού", ("Νίκου Πέτρου",), 1998, "Νεφέλη"),
    ),
    (
        "Se også artiklen »Hvad er en flod?« af Lars Holm (i *Historisk Tidsskrift*, 1992).",
        ("Hvad er en flod?", ("Lars Holm",), 1992, "Historisk Tidsskrift"),
    ),
    (
        "Ana Ruiz publicó en 1984 *La ciudad muda*, y Mora Vega (1972) la discutió.",
        ("La ciudad muda", ("Ana Ruiz",), 1984, ""),
    ),
    (
        "Som Eva Berg visar i *Att mäta vatten rätt* (Carlssons, 1989) ... Läs även annat.",
        ("Att mäta vatten rätt", ("Eva Berg",), 1989, "Carlssons"),
    ),
    (
        "Come osserva Carlo Neri ne *Il fiume e i suoi vermi* (Torino, Einaudi, 1976), la cultura popolare resiste.",
        ("Il fiume e i suoi vermi", ("Carlo Neri",), 1976, "Einaudi"),
    ),
    (
        "Începe cu **„Drumul sării”**, Ion Pop, Editura Humanitas, București, 1996.",
        ("Drumul sării", ("Ion Pop",), 1996, "Editura Humanitas"),
    ),
]


AMONG = [
    (
        "Ergänzend lohnt sich Joachim Bergs „Stille Flüsse“, das viel zeigt.",
        ("Stille Flüsse", ("Joachim Berg",)),
    ),
    ("Достаточно первых пяти глав книги И. М. Лесова «Основы тишины».", ("Основы тишины", ("И. М. Лесов",))),
    ("Una frase de la *Pedagogía del río* de Ruiz puede cerrar el texto.", ("Pedagogía del río", ("Ruiz",))),
    (
        "'De eeuw van mijn rivier' van Piet Smit is een goed begin.",
        ("De eeuw van mijn rivier", ("Piet Smit",)),
    ),
    (
        "La référence reste « Fleuve flexible » de Jean Morel (nombreuses rééditions).",
        ("Fleuve flexible", ("Jean Morel",)),
    ),
]


class TestSentences:
    """Titles in marks in sentences that are not English."""

    @pytest.mark.parametrize(("text", "expected"), AMONG, ids=[text[:40] for text, _ in AMONG])
    def test_owners_are_enough_among_other_works(self, text, expected):
        """Without a year, and never to accuse: a genitive says whose the title is."""
        found = citations(f"- Lis, J. (1990). *Solny szlak rzeki*. Czytelnik.\n\n{text}")
        assert [(one.reference.title, one.reference.authors, one.style) for one in found[1:]] == [
            (*expected, "unmarked")
        ]

    @pytest.mark.parametrize(("text", "expected"), SENTENCES, ids=[text[:40] for text, _ in SENTENCES])
    def test_names_and_years_next_to_a_title_in_marks_make_it_a_reference(self, text, expected):
        """Whatever words part them."""
        assert said(text) == [expected]

    @pytest.mark.parametrize(
        "text",
        [
            "Wir trinken *Spätburgunder*, Baden, Jahrgang 2019, dazu Brot.",
            "Er sprach 2003 in Bonn über den Begriff „Leitkultur“ und ging dann nach Hause.",
            "Die Ausstellung „Das stille Ufer“ (Berlin, 2019) war gut besucht.",
            "Die Serie *Stille Ufer* von Karl Berg (2017) ist zu lang.",
            "Le film *Les Salines* de Paul Morel (2011) dure deux heures.",
            "In *L'Année rurale* (1931) on lit beaucoup de choses, dit-on.",
            'Het museum gebruikt de term "Gouden Tijd" sinds 2019 niet meer.',
        ],
    )
    def test_what_is_quoted_or_filmed_or_drunk_is_no_reference(self, text):
        """A year in the sentence is not enough."""
        assert said(text) == []

    def test_inflected_names_never_accuse(self):
        """Jana Lisa is the genitive of Jan Lis."""
        (found,) = citations("Polecam „Solny szlak” Jana Lisa (Czytelnik, 1974).")
        assert found.style == "unmarked"
        text = (
            "Polecam:\n\n1. „Solny szlak” Jana Lisa (Czytelnik, 1974)\n2. „Droga” Anny Nowak (Znak, 1999)\n"
        )
        assert [(one.reference.authors, one.other is not None) for one in citations(text)] == [
            (("Jana Lisa",), True),
            (("Anny Nowak",), True),
        ]


class TestMarks:
    """Author-year marks."""

    @pytest.mark.parametrize(
        ("text", "authors", "cut"),
        [
            ("Analysen följer Berg och Holm (2004).", ("Berg", "Holm"), False),
            ("Urvalet är strategiskt (jfr Berg m.fl., 2003, s. 12).", ("Berg",), True),
            ("Zob. wyniki (Lis i Nowak, 2003, s. 92).", ("Lis", "Nowak"), False),
            ("Das ist bekannt (vgl. Berg u. a. 1988, S. 10 ff.).", ("Berg",), True),
            ("Lihat hasilnya (lihat juga Santoso dkk., 2008, hlm. 41).", ("Santoso",), True),
            ("Isto é claro (LIMA; COSTA FILHO, 2007).", ("LIMA", "COSTA FILHO"), False),
        ],
    )
    def test_words_of_each_language_join_and_cut_names(self, text, authors, cut):
        """And, see, et al., pages."""
        (found,) = citations(text + " Voir aussi (Roe et al., 2001).")[:1]
        assert (found.reference.authors, found.reference.et_al) == (authors, cut)


class TestLabels:
    """Titles above labelled lines."""

    def test_labels_are_known_in_other_languages(self):
        """Also where an unknown label is among them."""
        text = "📖 **Tuzun Yolu**\n- **Yazar:** Ali Veli\n- **Çeviren:** Can Er\n- **Yayınevi:** Bilgi Yayınevi, 1977\n- **Neden okumalı?** Kısa.\n"
        assert said(text) == [("Tuzun Yolu", ("Ali Veli",), 1977, "Bilgi Yayınevi")]

    def test_bold_names_lead_to_the_title_in_their_sentence(self):
        """As lists of authors with a word on each do."""
        text = "- **Luís Melo** escreveu o primeiro estudo, *O sal e o rio* (Bertrand, 1950, 2 vols.), hoje esgotado.\n- **Ana Lima**, em *Salinas* (Porto, Inova, 1971), discorda.\n"
        assert said(text) == [
            ("O sal e o rio", ("Luís Melo",), 1950, "Bertrand"),
            ("Salinas", ("Ana Lima",), 1971, "Inova"),
        ]
