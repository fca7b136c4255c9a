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
    # no mark between names and title
    ("Олег Дуб «Тихі ріки» (КСД, 2014)", ("Тихі ріки", ("Олег Дуб",), 2014, "КСД")),
    # titles in bold that look like names, with the author behind
    ("**Rio & Margem** (1951), de Manuel Lima: ensaio", ("Rio & Margem", ("Manuel Lima",), 1951, "")),
    ("**Luís Melo** – *O rio calado*, Lisboa: Fonte, 1979", ("O rio calado", ("Luís Melo",), 1979, "Fonte")),
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

    def test_films_of_a_list_are_no_references_in_any_language(self):
        """The line that announces them says so."""
        text = "Tři filmy, které stojí za to:\n\n1. **Tichá řeka** – Petr Dvořák (2005)\n2. **Hluboký les** – Eva Malá (2011)\n"
        assert citations(text) == []
