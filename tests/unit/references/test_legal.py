"""Cases and laws: what is read of them, where they end, and what a look-up may say of them."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from tests.effort import ends
from tests.looping import each

from guardrail import Guard, Verdict
from guardrail.detectors import ReferenceCheck
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.records import Record, Reference
from guardrail.references.citations import citations, legal
from guardrail.references.citations.laws import law_words, named_laws, names_a_law

BROWN = "Brown v. Board of Education, 347 U.S. 483 (1954)"


def read(text, **options):
    """Span, name, year and place of each case and law."""
    return [
        (one.span.of(text), one.reference.title, one.reference.year, one.reference.venue)
        for one in citations(text, **options)
        if one.style == "legal"
    ]


def spans(text, **options):
    return [span for span, *_ in read(text, **options)]


CASES = """
In ⟦Brown v. Board of Education, 347 U.S. 483 (1954)⟧, the Court held so. | Brown v. Board of Education | 1954 | 347 U.S. 483
1. ⟦*Mata v. Avianca, Inc.*, 678 F. Supp. 3d 443 (S.D.N.Y. 2023)⟧ – sanctions | Mata v. Avianca, Inc. | 2023 | 678 F. Supp. 3d 443
See ⟦In re Gault, 387 U.S. 1 (1967)⟧. | In re Gault | 1967 | 387 U.S. 1
- ⟦**Miranda v. Arizona** (1966), 384 U.S. 436⟧ | Miranda v. Arizona | 1966 | 384 U.S. 436
⟦Marbury v. Madison, 5 U.S. (1 Cranch) 137 (1803)⟧. | Marbury v. Madison | 1803 | 5 U.S. (1 Cranch) 137
See ⟦*poeQ Labs, Inc. v. Roe Corp.*, 31 F.4th 1180 (9th Cir. 2022)⟧. | poeQ Labs, Inc. v. Roe Corp. | 2022 | 31 F.4th 1180
It stands. Overruled ⟦Roe v. Poe, 410 U.S. 113 (1973)⟧. | Roe v. Poe | 1973 | 410 U.S. 113
The case ⟦347 U.S. 483 (1954)⟧ settled it. | | 1954 | 347 U.S. 483
- ⟦[*Poe v. Roe*, 999 U.S. 514 (2001)](https://cases.example.com/999/514/)⟧: a radio host won. | Poe v. Roe | 2001 | 999 U.S. 514
1. ⟦**Bell School District No. 403 v. Roe, 999 U.S. 675 (1986)**⟧ | Bell School District No. 403 v. Roe | 1986 | 999 U.S. 675
The tide was at its ebb. In ⟦Poe v. Roe, 999 U.S. 508 (2003)⟧, it turned. | Poe v. Roe | 2003 | 999 U.S. 508
- ⟦*Bell Star v. B.J.R.* (1989)⟧ extends it to names. | Bell Star v. B.J.R. | 1989 |
⟦Obergefell v. Hodges, 576 U.S. 644, 135 S. Ct. 2584 (2015)⟧ | Obergefell v. Hodges | 2015 | 576 U.S. 644
See ⟦*Roe v Poe* [1932] AC 562⟧. | Roe v Poe | 1932 | [1932] AC 562
⟦Roe Ltd v Poe plc [2014] EWCA Civ 16⟧ and | Roe Ltd v Poe plc | 2014 | [2014] EWCA Civ 16
In ⟦Poe v Roe (No 2) (1992) 175 CLR 1⟧, the | Poe v Roe (No 2) | 1992 | (1992) 175 CLR 1
- ⟦Roe College v. Canada, 2002 SCC 76⟧ | Roe College v. Canada | 2002 | 2002 SCC 76
⟦Roe v. Union of India, AIR 1987 SC 1086⟧ · n | Roe v. Union of India | 1987 | AIR 1987 SC 1086
⟦Case C-34/10 Roe v Poe eV (2011)⟧ | Roe v Poe eV | 2011 | Case C-34/10
⟦*Roe v Ruritania*, App no 14038/88, 7 July 1989⟧ | Roe v Ruritania | 1989 | App no 14038/88
laut ⟦BVerfGE 7, 198 (1958)⟧ | BVerfGE 7, 198 | 1958 | BVerfGE 7, 198
⟦EuGH, Urteil vom 16. Juli 2020, Rs. C-311/18 – Roe und Poe⟧ | Roe und Poe | 2020 | Rs. C-311/18
⟦CE, Ass., 20 octobre 1989, *Nemo*, n° 108243⟧ | Nemo | 1989 | n° 108243
⟦STJUE de 16 de julio de 2020, *Roe y Poe*, C-311/18⟧. | Roe y Poe | 2020 | C-311/18
判例は⟦三菱樹脂事件(最大判昭和48年12月12日民集27巻11号1536頁)⟧。 | 三菱樹脂事件 | | 最大判昭和48年12月12日民集27巻11号1536頁
No ⟦RE 959.255/RS⟧, o STF decidiu. | RE 959.255/RS | |
(⟦STJ, AgInt no AREsp 1.783.812/PR, Rel. Min. Ana Roe, 3ª Turma, DJe 13/08/2021⟧). | AgInt no AREsp 1.783.812/PR | 2021 |
Under ⟦42 U.S.C. § 1983⟧ she sued. | 42 U.S.C. § 1983 | |
⟦§ 823 Abs. 1 BGB⟧ | § 823 Abs. 1 BGB | |
⟦Clean River Act, 33 U.S.C. § 1251 et seq.⟧ | Clean River Act | | 33 U.S.C. § 1251
⟦Directive 95/46/EC⟧ | Directive 95/46/EC | |
⟦Regulation (EU) 2016/679 (General Rule)⟧ | Regulation (EU) 2016/679 (General Rule) | 2016 |
The ⟦River Pollution Act 1998⟧ was a start. | River Pollution Act 1998 | 1998 |
""".strip().splitlines()
"""A case or a law between ⟦⟧ | its name | year | place."""

LAWS = """
Under the ⟦National River Act (NRA)⟧, and ⟦Section 8(a)(1) of the NRA⟧; the ⟦NRA⟧ bans it.
⟦Section 230 of the Tall Bridges Act (47 U.S.C. § 230)⟧ shields it.
California’s ⟦River Profiling Act (RPA)⟧ and the ⟦Bane Act, Cal. Civ. Code § 52.1⟧ apply.
It breaks ⟦Texas River Code § 153.001⟧, ⟦NRS 86.371⟧ and the ⟦Fourth Amendment⟧.
⟦Title VII⟧ and ⟦Title VII of the Civil Rights Act of 1964⟧ bar it.
⟦GDPR Article 9⟧ or else ⟦Art. 15(1)(h) GDPR⟧; a copy under ⟦Article 20⟧ of it.
⟦art. 5º, XXXVIII, 'd', da Constituição Federal⟧
nos termos dos ⟦artigos 2º e 3º da CLT⟧ e do ⟦art. 10, II, “a”, do ADCT⟧
(⟦arts. 7º, par. ún., e 13, II e III, CDC⟧). ⟦Súmula 331 do TST⟧ e ⟦Súmula 283/STF⟧.
A ⟦Lei nº 8.137/1990⟧, o ⟦art. 1º, inciso I, da Lei nº 12.850/13⟧ e o ⟦§ 1º do art. 74 deste Código⟧.
⟦artigo 129 da Lei no 9.279/96 (Lei de Propriedade Industrial)⟧
A ⟦Constituição da República de 1988, em seu artigo 103⟧, diz.
gilt nach ⟦§ 51a UrhG⟧ und ⟦Art. 8 EMRK⟧
La ⟦loi n° 2016-87 du 2 février 2016 créant de nouveaux droits⟧, et l’⟦article 1242 du Code civil⟧.
根据⟦《中华人民共和国劳动法》第四十二条⟧和⟦劳动合同法第四十一条⟧，⟦中国劳动法⟧规定
⟦治安維持法⟧や⟦憲法第9条⟧は、方法や手法ではない。
So steht es in ⟦Art. 2 Abs. 1 i. V. m. Art. 1 Abs. 1 GG⟧.
""".strip().splitlines()
"""What countries write, each law between ⟦⟧."""

NONE = """
We sold 350 Million Units 20 times.
12 Foo Rep. 34 (1999)
It is 3 P.M. 20 people came.
**Regulation (EU) 2016/679 (General in Cooking** by Jo Roe (2013)
A vote of [2019] members; the ratio (1992) 175 to 1; Case closed 3/4; § 5 above; Art. 3 Amsterdam
The Beatles, Revolver (1966) 3 LP 2
Arsenal v Chelsea (2019) 2 Goals 1; *Batman v Superman* (2016) 3 Stars 5; *Abbey Road* (1969) 12 EMI 7004
HR, 12 March 2020 – Jane Roe joined. TC, 3 January 2020 – Great Start
1. Kissinger, Henry. World Order, 2014. Penguin.
The Dress Code, Ohm's Law and a statute of limitations; he acts; see Article 5 and Section 2.
《孙子兵法》是一本书，这种方法无法使用。
"Teacups and the Human Rights Act 1998" by Jo Roe
*Poe v. Roe* was a play.
1. Poe, A. (2018). The liability of rivers under 47 U.S.C. § 230 after the flood. SLR.
1. Poe A, Roe J. What the River Act 2018 means for trees. 2018.
""".strip().splitlines()

NAMES = """
Directive 95/46/EC
Directiva 93/13/CEE
Directive 95/46/EC of the European Parliament and of the Council of 24 October 1995 on the protection of individuals
Directive 95/46/EC on the Protection of Personal Data
Regulation (EU) No 1215/2012 on jurisdiction and the recognition of judgments
Richtlinie 2011/83/EU über die Rechte der Verbraucher
Verordnung (EU) 2016/679 des Europäischen Parlaments und des Rates vom 27. April 2016
Ley 34/2002, de 11 de julio, de servicios de la sociedad de la información y de comercio electrónico
loi n° 2016-87 du 2 février 2016 créant de nouveaux droits en faveur des malades
Rozporządzenie (UE) 2016/679 w sprawie ochrony osób fizycznych
42 U.S.C. § 1983 - Civil action for deprivation of rights
§ 536 BGB – Mietminderung bei Sach- und Rechtsmängeln
Art. 17 GDPR (Right to erasure)
Human Rights Act 1998
""".strip().splitlines()

BOOKS = """
Directive 95/46/EC and the Future of Privacy
Directive 95/46/EC: A Commentary
Directive 95/46/EC on the protection of natural persons: A Commentary
Directive 95/46/EC Revisited
Directive 95/46/EC, Ten Years On
Regulation (EU) 2016/679 in Practice
42 U.S.C. § 1983 and Police Misconduct
Article 8 ECHR and the Family
Art. 6 GDPR – A Practical Guide
§ 823 BGB – Ein Kommentar
§ 823 BGB im Wandel der Zeit
Human Rights Act 1998 and the Courts
The Law
""".strip().splitlines()


def marked(line):
    """The text of a line, and what is between its marks."""
    parts = line.replace("⟧", "⟦").split("⟦")
    return "".join(parts), parts[1::2]


class TestRead:
    @pytest.mark.parametrize("line", CASES)
    def test_with_name_year_and_place(self, line):
        """Each family of forms, in prose, in lists, with markup."""
        said, name, year, place = (part.strip() for part in line.rsplit("|", 3))
        text, [span] = marked(said)
        assert read(text) == [(span, name, int(year) if year else None, place)]

    @pytest.mark.parametrize("line", LAWS)
    def test_laws_with_their_places(self, line):
        """Names, numbers and places of several languages, and short names that the text defines."""
        text, expected = marked(line)
        assert spans(text) == expected

    @pytest.mark.parametrize("text", NONE)
    def test_none_there(self, text):
        """Numbers that cite nothing, a law that begins another title, words that only look like laws."""
        assert read(text) == []

    def test_a_place_alone_is_of_the_law_that_the_question_names(self):
        """Or that its sentence names."""
        text = "Ask for a copy under Article 15. It is free."
        assert spans(text) == []
        assert spans(text, question="What may I ask for under the GDPR?") == ["Article 15"]

    def test_names_in_italics_are_cases_among_cases(self):
        """And a short form means one of them."""
        text = f"In {BROWN}, it was held. *Poe v. Roe* followed *Brown*, 347 U.S. at 490."
        found = citations(text)
        assert [(one.span.of(text), one.means) for one in found[1:]] == [
            ("*Poe v. Roe*", None),
            ("*Brown*, 347 U.S. at 490", found[0].span),
        ]

    def test_time_is_linear_in_the_text(self):
        """Long texts of what begins a law and goes on as none."""
        for text in ("Alpha ", "Section 5, ", "art. 5º, XXIV, ", "法", "《", "Lei nº ", "§ "):
            with ends():
                assert len(list(named_laws(text * (200_000 // len(text))))) < 2

    def test_names_of_laws_and_books_about_them(self):
        """No person has written a law; books have more in their titles."""
        each(NAMES, self.is_a_law)
        each(BOOKS, lambda title: self.equal(False, names_a_law(Reference(title))))

    def is_a_law(self, title):
        assert names_a_law(Reference(title))
        assert names_a_law(Reference(title, ("European Parliament", "Council of the European Union")))
        assert not names_a_law(Reference(title, ("Jane Roe",)))

    @staticmethod
    def equal(expected, actual):
        assert expected == actual


class TestRemoval:
    """What is left of an answer when a law is cut out of it."""

    LAWS = (
        "Directive 95/46/EC",
        "Regulation (EU) 2016/679 (General Rule)",
        "42 U.S.C. § 1983(a)(1)",
        "Human Rights Act 1998, s 6(1)",
        "Human Rights Act 1998 (c. 42)",
        "Clean River Act, 33 U.S.C. § 1251",
        "Clean River Act (33 U.S.C. § 1251 et seq.)",
        "Clean River Act of 1972 (33 U.S.C. § 1251, as amended)",
        "**Human Rights Act 1998** (UK)",
        "*Roe v Poe* [1932] AC 562",
        "Poe v Roe (No 2) (1992) 175 CLR 1",
        "*Roe v Ruritania* (App no 14038/88, 7 July 1989)",
        "EuGH, Urteil vom 16. Juli 2020, Rs. C-311/18 (Roe)",
        "Art. 6(1)(f) GDPR",
        "Roe v. Poe, 347 U.S. 483 (1954)",
    )
    LINK = "(https://eur-lex.europa.eu/a)"

    @pytest.mark.parametrize(
        "around",
        [
            "{}",
            "({})",
            "[{}]",
            "({}), § 7 BGB",
            "[{}]LINK",
            "([{}]LINK)",
            "[[{}]LINK]",
            "**[{}]LINK**",
            "[**{}**]LINK",
            "[see {}]LINK",
            "[The {}]LINK",
            "[{} on data]LINK",
            "[{}, EUR-Lex]LINK",
            "[{}][1]\n\n[1]: https://eur-lex.europa.eu/a",
            "{}, [EUR-Lex]LINK",
            "({}, [EUR-Lex]LINK)",
            "{} ([EUR-Lex]LINK)",
            "{}, ([EUR-Lex]LINK)",
            "({} ([PDF]LINK))",
            "{} [[PDF]LINK]",
            "{} ([EUR-Lex]LINK, in force)",
            "{} ([PDF]LINK | [HTML]LINK)",
            "{} (as amended), [EUR-Lex]LINK",
            "*{}* ([link]LINK)",
            "“{}” ([link]LINK)",
            "{} [full text](https://eur-lex.europa.eu/a_(b))",
            "{}, [Smith 2019](https://doi.org/10.1000/xyz)",
            "{} ([Smith, 2019](https://doi.org/10.1000/xyz))",
            "{}, [Directive 2002/58/EC]LINK",
            "{} ([§ 1 BGB]LINK)",
            "(see {}; also § 5 BGB)",
            "(under {} and its rules)",
            "([EUR-Lex]LINK, {})",
            "| {} | [PDF]LINK |",
            "1. {} – [EUR-Lex]LINK",
        ],
    )
    @pytest.mark.parametrize("asked", [False, True])
    def test_leaves_balanced_brackets(self, around, asked):
        """Whatever is around a law, and no span overlaps another."""
        for law in self.LAWS:
            text = "Works: " + around.replace("LINK", self.LINK).format(law)
            left, since = "", 0
            for one in citations(text, asked_for_references=asked):
                assert one.span.start >= since, text
                left, since = left + text[since : one.span.start], one.span.end
            left += text[since:]
            marks = "".join(mark for mark in left if mark in "()[]")
            while "()" in marks or "[]" in marks:
                marks = marks.replace("()", "").replace("[]", "")
            assert (marks, left.count("*") % 2) == ("", 0), (text, left)

    @pytest.mark.parametrize(
        ("text", "cited"),
        [
            ("(Clean River Act, 33 U.S.C. § 1251)", "Clean River Act, 33 U.S.C. § 1251"),
            ("Clean River Act (33 U.S.C. § 1251 et seq.) is", "Clean River Act (33 U.S.C. § 1251 et seq.)"),
            ("(Human Rights Act 1998, s 6), § 7 BGB", "Human Rights Act 1998, s 6"),
            ("Roe v Ruritania (App no 14038/88, 7 July 1989) is", "Roe v Ruritania (App no 14038/88, 7 July 1989)"),
            ("Roe v Poe (Case C-310/17, 2018) is", "Roe v Poe (Case C-310/17, 2018)"),
            ("In R (Roe) v Poe Council [2024] UKSC 20, it", "R (Roe) v Poe Council [2024] UKSC 20"),
            ("§ 7 BGB ([PDF](https://laws.example.org/a), old)", "§ 7 BGB"),
            ("(§ 7 BGB ([PDF](https://laws.example.org/a)))", "§ 7 BGB ([PDF](https://laws.example.org/a))"),
        ],
    )  # fmt: skip
    def test_takes_whole_brackets(self, text, cited):
        """Those that the law opens, and no other."""
        assert read(text)[0][0] == cited


class TestCheck:
    def test_what_no_bibliography_has_whole_is_not_called_wrong(self, tmp_path):
        """Decisions elsewhere, and laws; a case of the United States is."""
        path = tmp_path / "cases.sqlite"
        with Index.create(path, complete=True) as index:
            index.add([Record("Roe v Poe", (), year=1932, venue="[1932] AC 562")])
        text = "*Roe v Poe* [1932] AC 562; *Pane v Glass* [1933] AC 1; 42 U.S.C. § 9999; *Doe v. Roe*, 347 U.S. 483 (1954)"
        found = Guard([ReferenceCheck(bibliography=path)]).check(text).findings
        verdicts = [finding.verdict for finding in found]
        assert verdicts == [Verdict.SUPPORTED, Verdict.UNVERIFIED, Verdict.UNVERIFIED, Verdict.UNSUPPORTED]

    @pytest.mark.parametrize(
        "text",
        [
            '- "Ghosts and Teacups: The Human Rights Act 1998" by John Quirk (2005)',
            '1. Quirk, J. "The Ghost: Human Rights Act 1998 and the Teapot" (2005)',
            '- "Quirk and His Ghost: Roe v Poe [1932] AC 562" by John Quirk (2005)',
            "1. Mouse, M. (1999). Understanding the Human Rights Act 1998. OUP.",
            "1. Poe, A. (2018). Privacy at sea: Human Rights Act 1998 and the teapots of heaven. SLR.",
            "*Roe v Poe* [1932] QB 999",
            "See The Ontology of Imaginary Teapots and Kettles (Regulation (EU) 2016/679).",
            "EuGH, Urteil vom 16. Juli 2020, *Tall Trees*",
        ],
    )
    def test_a_real_law_verifies_no_invented_title_around_it(self, tmp_path, text):
        """Nor a real case one that is reported elsewhere, nor a book a decision."""
        path = tmp_path / "cases.sqlite"
        with Index.create(path, complete=True) as index:
            works = [
                Record("Human Rights Act 1998", (), year=1998),
                Record("Regulation (EU) 2016/679 (General Data Protection Regulation)", (), year=2016),
                Record("Tall Trees", ("Ann Poe",), year=2020),
            ]
            index.add([*works, Record("Roe v Poe", (), year=1932, venue="[1932] AC 562")])
        guard = Guard([ReferenceCheck(bibliography=path, reader="grammars")])
        found = guard.check(text, prompt="Which works? List references.").findings
        assert found
        assert Verdict.SUPPORTED not in [finding.verdict for finding in found]

    @pytest.mark.parametrize(
        "text",
        [
            "1. Applied Poes, Inc. v. Roe, 98 F.3d 1563 (Fed. Cir. 1996)",
        ],
    )
    def test_what_looks_like_a_verb_or_a_law_stays_in_its_name(self, tmp_path, text):
        """Real works, of a company called Applied Poes and about laws."""
        path = tmp_path / "cases.sqlite"
        with Index.create(path, complete=True) as index:
            index.add(
                [
                    Record("Applied Poes, Inc. v. Roe", (), year=1996, venue="98 F.3d 1563"),
                    Record(
                        "The liability of rivers under 47 U.S.C. § 230 after the flood",
                        ("Ann Poe",),
                        year=2018,
                    ),
                    Record("What the River Act 2018 means for trees", ("Ann Poe", "Jo Roe"), year=2018),
                ]
            )
        guard = Guard([ReferenceCheck(bibliography=path)])
        found = guard.check(text, prompt="Which works? List references.").findings
        assert [finding.verdict for finding in found] == [Verdict.SUPPORTED]

    def test_what_is_said_behind_a_volume_is_no_title(self, tmp_path):
        with Index.create(tmp_path / "refs.sqlite", complete=True) as index:
            index.add([Record("Marbury v. Madison", year=1803, venue="5 U.S. 137")])
        guard = Guard([ReferenceCheck(bibliography=tmp_path / "refs.sqlite", reader="grammars")])
        text = "It began with Marbury v. Madison, 5 U.S. 137 (1803) and was strengthened in Cooper (1958)."
        assert guard.check(text).findings[0].verdict is Verdict.SUPPORTED

    def test_a_title_that_begins_as_a_case_is_not_verified(self, tmp_path):
        """What goes on behind the case, and another year, are of a title."""
        with Index.create(tmp_path / "refs.sqlite", complete=True) as index:
            index.add([Record("BGH, Urteil vom 5. Dezember 2018", year=2018)])
        text = (
            "Two books:\n1. BGH, Urteil vom 5. Dezember 2018{}, Michael Roe (2004)\n2. Trees, Jane Doe (1999)"
        )
        guard = Guard([ReferenceCheck(bibliography=tmp_path / "refs.sqlite")])
        assert all(
            f.verdict is not Verdict.SUPPORTED for f in guard.check(text.format(" van de bomen")).findings
        )

    @pytest.mark.parametrize(
        ("text", "cited"),
        [
            (
                "See [§ 536c BGB](https://www.gesetze.de/bgb/536c).",
                "[§ 536c BGB](https://www.gesetze.de/bgb/536c)",
            ),
            (
                "See Directive 95/46/EC, [EUR-Lex](https://eur-lex.eu/95/46).",
                "Directive 95/46/EC, [EUR-Lex](https://eur-lex.eu/95/46)",
            ),
            ("See Directive 95/46/EC and [this](https://eur-lex.eu/95/46).", "Directive 95/46/EC"),
        ],
    )
    def test_a_law_has_its_link(self, text, cited):
        assert next(one for one in citations(text) if one.style == "legal").span.of(text) == cited

    @pytest.mark.parametrize(
        ("link", "source"),
        [
            ("[EUR-Lex](https://eur-lex.europa.eu/a)", True),
            ("[full text](https://laws.example.org/a)", True),
            ("[Full Text (PDF)](https://laws.example.org/a)", True),
            ("[Official Journal](https://eur-lex.europa.eu/a)", True),
            ("[legislation.gov.uk](https://www.legislation.gov.uk/a)", True),
            ("[Légifrance](https://www.legifrance.gouv.fr/a)", True),
            ("[Cornell LII](https://www.law.cornell.edu/a)", True),
            ("[Smith 2019](https://doi.org/10.1000/xyz)", False),
            ("[Smith & Poe (2019)](https://river.example.org/a)", False),
            ("[Regulation (EU) 2016/679](https://eur-lex.europa.eu/b)", False),
            ("[Attention Is All You Need](https://arxiv.org/abs/1706.03762)", False),
            ("[Data at Sea Explained](https://data.example.org/sea)", False),
        ],
    )
    @pytest.mark.parametrize("law", ["Directive 95/46/EC", "§ 823 Abs. 1 BGB", "*Roe v Poe* [1932] AC 562"])
    def test_a_link_behind_a_law_is_its_source_or_another_work(self, law, link, source):
        """The text of the link says which."""
        for behind in (f", {link}", f" ({link})"):
            text = f"See {law}{behind}."
            found = citations(text)
            assert found[0].span.of(text) == law + (behind if source else "")
            assert all(one.span.end <= other.span.start for one, other in pairwise(found))

    def test_a_law_keeps_to_its_own_link(self):
        """The one right behind it, not the next."""
        text = "Directive 95/46/EC, [EUR-Lex](https://eur-lex.europa.eu/a) and on [Regulation (EU) 2016/679](https://eur-lex.europa.eu/b)"
        assert [one.span.of(text) for one in citations(text)] == text.split(" and on ")

    def test_the_name_of_another_case_verifies_nothing(self, tmp_path):
        """There are many Smiths; where it is reported could not be compared."""
        path = tmp_path / "cases.sqlite"
        with Index.create(path, complete=True) as index:
            index.add([Record("Poe Authority v. Hill", (), year=1978, venue="437 U.S. 153")])
        [found] = (
            Guard([ReferenceCheck(bibliography=path)])
            .check("See Poe Authority v. Hill, 2012 SCC 61.")
            .findings
        )
        assert found.verdict is Verdict.UNVERIFIED

    @pytest.fixture
    def index(self, tmp_path):
        """A complete one of one case."""
        path = tmp_path / "cases.sqlite"
        with Index.create(path) as made:
            made.add([Record("Brown v. Board of Education", year=1954, venue="347 U.S. 483")])
            made.declare_complete()
        return path

    def test_a_case_of_the_index_is_verified(self, index):
        """By its name."""
        report = Guard([ReferenceCheck(bibliography=index)]).check(f"In {BROWN}, it was held.")
        assert [finding.verdict for finding in report.findings] == [Verdict.SUPPORTED]

    def test_an_invented_case_is_not(self, index):
        """The index says that it has all."""
        report = Guard([ReferenceCheck(bibliography=index)]).check(
            "See Varghese v. China Southern Airlines Co., Ltd., 925 F.3d 1339 (11th Cir. 2019)."
        )
        assert [finding.label for finding in report.findings] == ["fabricated"]

    def test_a_wrong_year_is_said_although_a_case_has_no_authors(self, index):
        """In words, like that of any work."""
        text = f"In {BROWN}, it was held.".replace("1954", "1964")
        (finding,) = Guard([ReferenceCheck(bibliography=index)]).check(text).findings
        assert (finding.label, "it is of 1954" in finding.mark) == ("misquoted", True)

    def test_no_model_is_asked_about_a_case(self):
        """It is unverified."""
        report = Guard([ReferenceCheck()]).check(f"In {BROWN}, it was held.")
        assert [finding.reason for finding in report.findings] == [
            "cases and laws are looked up only: no model is asked about them"
        ]

    @pytest.mark.parametrize("text", ["Donoghue v Stevenson [1932] AC 562", "R v Dudley (2019) 49 CLR 12"])
    def test_a_case_of_another_country_is_said_to_be_unread(self, text):
        """It is unverified, and not passed over."""
        report = Guard([ReferenceCheck()]).check(f"It was held in {text}.")
        assert [(finding.verdict, finding.label) for finding in report.findings] == [
            (Verdict.UNVERIFIED, "unknown")
        ]

    def test_without_eyecite_it_is_said_to_be_unread(self, monkeypatch):
        """The extra [legal] is not installed."""
        monkeypatch.setattr(legal, "installed", lambda: False)
        report = Guard([ReferenceCheck(reader="grammars")]).check(f"In {BROWN}, it was held.")
        assert "347 U.S. 483" in [finding.text for finding in report.findings]


@pytest.mark.parametrize(
    "item",
    [
        "General Data Protection Regulation (Regulation (EU) 2016/679)",
        "Human Rights Act 1998",
    ],
)
def test_a_law_in_a_list_that_was_asked_for_is_never_called_wrong(tmp_path, item):
    """In a bibliography that is declared complete, too."""
    path = tmp_path / "works.sqlite"
    with Index.create(path, complete=True) as index:
        index.add([Record("Regulation (EU) 2016/679", (), year=2016, venue="OJ L 119")])
    found = Guard([ReferenceCheck(bibliography=path)]).check(f"1. {item}", prompt="List references.").findings
    assert [finding.verdict for finding in found] == [Verdict.UNVERIFIED]


class TestTable:
    def test_every_list_is_read(self):
        """A word that is entered under a name that nobody reads would count for nothing."""
        known = law_words()
        courts = known.pop("courts")
        folder = Path(legal.__file__).parent
        laws, decisions = (
            folder.joinpath(f"{name}.py").read_text(encoding="utf-8") for name in ("laws", "decisions")
        )
        for name in {name for lists in known.values() for name in lists}:
            assert re.search(rf"\b(?:words|zh|ja|ko)\[[\"']{name}[\"']\]", laws), name
        for name in courts:
            assert re.search(rf"_OF\[[\"']{name}[\"']\]", decisions), name
