"""Author names. Unless a test says otherwise, its oracle is a hand derivation: what a librarian would say."""

import csv
import os
from pathlib import Path

import pytest
from benchmarks.references.replay import agreement
from tests.effort import lines_run

from guardrail.references.authors.inflection import uninflected
from guardrail.references.authors.leads import without_lead
from guardrail.references.authors.lists import (
    MOST_AUTHORS,
    compare_authors,
    overlap,
    parse_authors,
)
from guardrail.references.authors.names import LONGEST_NAME, Name, parse_name, same_author


def listed(reply):
    names = parse_authors(reply)
    return None if names is None else [str(name) for name in names]


class TestParseName:
    @pytest.mark.parametrize(
        ("text", "family", "given", "suffix"),
        [
            ("Jeffrey D. Ullman", "Ullman", ("Jeffrey", "D"), ""),
            ("Ullman, Jeffrey D.", "Ullman", ("Jeffrey", "D"), ""),
            ("J.D. Ullman", "Ullman", ("J", "D"), ""),
            ("JD Ullman", "Ullman", ("J", "D"), ""),
            ("Ullman JD", "Ullman", ("J", "D"), ""),
            ("Ullman, JD", "Ullman", ("J", "D"), ""),
            ("LI, JUN", "LI", ("JUN",), ""),
            ("J.-C. Faugère", "Faugère", ("J", "C"), ""),
            ("John E. Hopcroft", "Hopcroft", ("John", "E"), ""),
            ("Joachim von zur Gathen", "von zur Gathen", ("Joachim",), ""),
            ("van Inwagen", "van Inwagen", (), ""),
            ("Percie du Sert N", "Percie du Sert", ("N",), ""),
            ("Sir Michael Marmot", "Marmot", ("Michael",), ""),
            ("Dame Judith Hackitt", "Hackitt", ("Judith",), ""),
            ("van der Berg JA", "van der Berg", ("J", "A"), ""),
            ("Van Nguyen", "Nguyen", ("Van",), ""),
            ("Sammy Davis, Jr.", "Davis", ("Sammy",), "Jr"),
            ("Davis, Sammy, Jr.", "Davis", ("Sammy",), "Jr"),
            ("Bob Jones III", "Jones", ("Bob",), "III"),
            ("Prof. Donald Knuth", "Knuth", ("Donald",), ""),
            ("Ed Catmull", "Catmull", ("Ed",), ""),
            ("JOHN SMITH", "SMITH", ("JOHN",), ""),
            ("LI Wei", "Wei", ("LI",), ""),
            ("IEEE", "IEEE", (), ""),
            ("张伟", "张伟", (), ""),
            ("King Sun Fu", "Fu", ("King", "Sun"), ""),
        ],
    )
    def test_reads_each_order(self, text, family, given, suffix):
        """Whatever the order, family and given names are told apart."""
        name = parse_name(text)
        assert (family, given, suffix) == (name.family, name.given, name.suffix)

    def test_keeps_the_text_and_the_nickname(self):
        """What stands in brackets is a nickname; `raw` is what was read."""
        name = parse_name("Kwang-Ting (Tim) Cheng")
        assert (name.nickname, name.raw) == ("Tim", "Kwang-Ting (Tim) Cheng")

    @pytest.mark.parametrize("text", ["", "  ", ",", ",,,", "...", "()", "-"])
    def test_nothing_is_an_empty_name(self, text):
        """A text without a letter has an empty family name and is nobody's name, not even its own."""
        name = parse_name(text)
        assert (name.family, name.given) == ("", ())
        assert not same_author(name, name)

    def test_reads_a_bounded_part(self):
        """A long text is cut."""
        assert len(parse_name("a" * 10_000).raw) == LONGEST_NAME


class TestSameAuthor:
    @pytest.mark.parametrize(
        ("a", "b"),
        [
            ("J. Ullman", "Jeffrey D. Ullman"),
            ("Ullman, Jeffrey", "Jeffrey D. Ullman"),
            ("Ullman, J. D.", "Jeffrey Ullman"),
            ("Hans Müller", "Hans Mueller"),
            ("Hans Muller", "H. Müller"),
            ("Johann Strauß", "Johann Strauss"),
            ("Peter Høyer", "Peter Hoyer"),
            ("Łukasz Kowalik", "Lukasz Kowalik"),
            ("M. van der Berg", "Maarten Berg"),
            ("Van Dongen", "Hans P. A. Van Dongen"),
            ("Di Tommaso", "Paolo Di Tommaso"),
            ("Kluger AN", "Avraham N. Kluger"),
            ("Smith LI", "Lucy I. Smith"),
            ("Wei LI", "Li Wei"),
            ("Лесов Дж.", "Джон Лесов"),
            ("Mann Th.", "Thomas Mann"),
            ("Maarten van Steen", "Maarten Van Steen"),
            ("Mohammad Al Faruque", "M. Al-Faruque"),
            ("Carl de Boor", "de Boor, C."),
            ("Gerard 't Hooft", "'t Hooft, Gerard"),
            ("M. O'Shaughnessy", "Michael O’Shaughnessy"),
            ("Wei Zhang", "Zhang Wei"),
            ("W. Zhang", "Zhang Wei"),
            ("LI Wei", "Wei Li"),
            ("Kim Min-su", "Minsu Kim"),
            ("张伟", "张 伟"),
            ("Kwang-Ting Cheng", "K.-T. Cheng"),
            ("Kwang-Ting (Tim) Cheng", "Tim Cheng"),
            ("Wei-Cheng Chu", "Weicheng Chu"),
            ("Hamdy A. Taha", "Taha Hamdy"),
            ("F. Thomson Leighton", "Thomson Leighton"),
            ("José Benítez Andrades", "J. Benítez-Andrades"),
            ("A. C. Yao", "Andrew Chi-Chih Yao"),
            ("John Smith Jr.", "John Smith"),
            ("Bob Kahn", "Robert E. Kahn"),
            ("Rob Hyndman", "Robert Hyndman"),
            ("Andrew Berenson", "Andrew Berensen"),
            ("JOHN SMITH", "J. Smith"),
            ("Иван Петров", "И. Петров"),
            ("محمد علي", "مُحَمَّد علي"),
            ("שלום כהן", "שָׁלוֹם כהן"),
            ("फ़ैज़ अहमद", "फैज अहमद"),
            ("葛󠄀城 太郎", "葛城 太郎"),
            ("மு. கருணாநிதி", "முத்துவேல் கருணாநிதி"),
            ("வி. ஆனந்த்", "விஸ்வநாதன் ஆனந்த்"),
            ("वि. स. खांडेकर", "विष्णु सखाराम खांडेकर"),
            ("कु. सिंह", "कुमार सिंह"),
            ("ปิ. ดีงาม", "ปิยะ ดีงาม"),
            ("IEEE", "IEEE"),
            ("The Open Group", "The Open Group"),
            ("Knuth", "Donald E. Knuth"),
            ("Andrej Kolmogoroff", "Andrei Kolmogorov"),
            ("Fjodor Dostojewskij", "Fyodor Dostoevsky"),
            ("Anton Tschechow", "Anton Chekhov"),
            ("Juri Lotman", "Yuri Lotman"),
            ("М. А. Кронгауза", "Максим Кронгауз"),
            ("Л. Толстого", "Лев Толстой"),
            ("А. Ахматовой", "Анна Ахматова"),
            ("弗里德曼", "莫里斯·弗里德曼"),
        ],
    )
    def test_spellings_of_one_author(self, a, b):
        """Spellings that do not contradict each other are one author, whichever comes first."""
        assert same_author(parse_name(a), parse_name(b))
        assert same_author(parse_name(b), parse_name(a))

    @pytest.mark.parametrize(
        ("a", "b"),
        [
            ("J. D. Ullman", "J. F. Ullman"),
            ("Kluger AN", "Bob Kluger"),
            ("Van Dongen", "Hans van Gogh"),
            ("Ben Green", "Alice Green"),
            ("Di Wu", "Alice Wu"),
            ("John Smith", "Jane Smith"),
            ("Hui Zhang", "Wei Zhang"),
            ("Xu Wei", "Xue Wei"),
            ("张伟", "张三"),
            ("John Smith Jr.", "John Smith III"),
            ("A. Berenson", "A. Berensen"),
            ("J. Thomas", "Thomas Jefferson"),
            ("Daniel Minoli", "Emma Minoli"),
            ("रवि कुमार", "रवा कुमार"),
            ("ரவி குமார்", "ரவ குமர"),
            ("ปิยะ ดี", "ปยะ ดี"),
            ("कि. सिंह", "कुमार सिंह"),
            ("IEEE", "ISO"),
            ("IEEE", "IEEE Computer Society"),
            ("И. Петрова", "И. Попов"),
            ("莫里斯·弗里德曼", "米尔顿·弗里德"),
        ],
    )
    def test_different_authors(self, a, b):
        """A contradiction in any part makes two authors."""
        assert not same_author(parse_name(a), parse_name(b))
        assert not same_author(parse_name(b), parse_name(a))


class TestParseAuthors:
    @pytest.mark.parametrize(
        ("reply", "names"),
        [
            ("AUTHORS: Alfred Aho, Jeffrey Ullman", ["Alfred Aho", "Jeffrey Ullman"]),
            ("**AUTHORS:** Alfred Aho.", ["Alfred Aho"]),
            ("Authors - Alfred Aho and Ravi Sethi.", ["Alfred Aho", "Ravi Sethi"]),
            ("Alfred Aho, Ravi Sethi, and Jeffrey Ullman.", ["Alfred Aho", "Ravi Sethi", "Jeffrey Ullman"]),
            ("Alfred Aho; Ravi Sethi & Jeffrey Ullman", ["Alfred Aho", "Ravi Sethi", "Jeffrey Ullman"]),
            ('The authors of "What is life" are A. Bee, C. Dee.', ["A Bee", "C Dee"]),
            ("1. Alfred Aho\n2. Jeffrey Ullman", ["Alfred Aho", "Jeffrey Ullman"]),
            ("- **Alfred Aho**\n- **Jeffrey Ullman**\n", ["Alfred Aho", "Jeffrey Ullman"]),
            ("Ullman, J. D.", ["J D Ullman"]),
            ("Ullman, Jeffrey", ["Jeffrey Ullman"]),
            ("Ullman, Jeffrey; Aho, Alfred", ["Jeffrey Ullman", "Alfred Aho"]),
            ("Ullman, Jeffrey D., and John E. Hopcroft", ["Jeffrey D Ullman", "John E Hopcroft"]),
            ("Hughes, Carol A. and Allen, W. David", ["Carol A Hughes", "W David Allen"]),
            ("Dobre, Ana Maria; Floroiu, Roxana", ["Ana Maria Dobre", "Roxana Floroiu"]),
            (
                "Zhou, Jerry, Sawaya, Nicolas Peter, Yeh, Ping",
                ["Jerry Zhou", "Nicolas Peter Sawaya", "Ping Yeh"],
            ),
            ("Arvind, Kewal K. Saluja", ["Arvind", "Kewal K Saluja"]),
            ("Craig Partridge, Ph.D., James Davin", ["Craig Partridge", "James Davin"]),
            ("David Wood, W3C, RIPv6 Working Group", ["David Wood", "W3C", "RIPv6 Working Group"]),
            (
                "Information Resources Management Association",
                ["Information Resources Management Association"],
            ),
            ("Koop, G., Potter, S. M., & Tobias, J.", ["G Koop", "S M Potter", "J Tobias"]),
            ("Birrer, S.; Rimba, P.", ["S Birrer", "P Rimba"]),
            (
                "Arute, Frank, Arya, Kunal, Bardin, Joseph C.",
                ["Frank Arute", "Kunal Arya", "Joseph C Bardin"],
            ),
            ("Arute, F., Arya, K., ... & Boixo, S.", ["F Arute", "K Arya", "S Boixo"]),
            ("Smith J, Jones AB", ["J Smith", "A B Jones"]),
            ("Smith, Jones, and Brown", ["Smith", "Jones", "Brown"]),
            ("Sammy Davis, Jr., Dean Martin", ["Sammy Davis Jr", "Dean Martin"]),
            ("Jeffrey Ullman et al.", ["Jeffrey Ullman"]),
            ("Jeffrey Ullman and others", ["Jeffrey Ullman"]),
            ("Ronald Rivest, Clifford Stein (Eds.)", ["Ronald Rivest", "Clifford Stein"]),
            ('Robert C. Martin (also known as "Uncle Bob")', ["Robert C Martin"]),
            ("R. Droms, Ed., J. Bound.", ["R Droms", "J Bound"]),
            ("I.M. James, R. Brown", ["I M James", "R Brown"]),
            ("Ann Lee, Ann Lee", ["Ann Lee"]),
            ("IEEE", ["IEEE"]),
            ("IEEE, ISO", ["IEEE", "ISO"]),
            ("The Open Group.", ["The Open Group"]),
            ("Sun Microsystems, Inc.", ["Sun Microsystems"]),
            ("张伟、王芳", ["张伟", "王芳"]),
            ("김철수, 이영희", ["김철수", "이영희"]),
            ("Иван Петров, А. Б. Сидоров", ["Иван Петров", "А Б Сидоров"]),
            ("Na Li, Ed Catmull, Will Tracz, Yu You", ["Na Li", "Ed Catmull", "Will Tracz", "Yu You"]),
            ("AUTHORS: Alfred Aho\n\nNote: this list may be incomplete.", ["Alfred Aho"]),
        ],
    )
    def test_reads_lists(self, reply, names):
        """Every usual way of writing a list of authors is read."""
        assert names == listed(reply)

    @pytest.mark.parametrize(
        "reply",
        [
            "",
            " \n ",
            ".",
            "AUTHORS:",
            "N/A",
            "NA",
            "None.",
            "Unknown.",
            "Unknown Author",
            "Anonymous",
            "Various authors",
            "Yes.",
            "et al.",
            "<firstname> <lastname>",
            "AUTHORS: [firstname lastname], [firstname lastname]",
            "First Last, First Last",
            "Author 1, Author 2",
            "Author1, Author2",
            "Not Available",
            "No Answer.",
            "<CONTENT FILTERED>",
            "John Smith, Unknown",
            "I'm sorry, but I cannot find this reference.",
            'I could not find a reference titled "X". Some experts are:\n\nAUTHORS: Alfred Aho, Ravi Sethi',
            "Sorry, I cannot provide an answer without the reference.",
            "Alfred Aho wrote this book in 1986.",
            "抱歉，我不知道这本书的作者。",
        ],
    )
    def test_anything_else_is_no_list(self, reply):
        """Refusals, prose, placeholders and nothing are not lists."""
        assert parse_authors(reply) is None

    @pytest.mark.parametrize(
        "piece",
        ["a", "A ", "A, ", "(", "[", '"', "\n", "and ", ".,", "J. ", "et al ", "1. ", "\ufdfa", "\u0301", "Ab Cd, ",
         "the authors of ", "J. A, K. A, L. A, "],
    )  # fmt: skip
    def test_a_megabyte_is_read_quickly(self, piece):
        """Whoever writes without end is not read to the end: ten times the reply takes as many lines."""
        short, long = (
            lines_run(lambda n=n: parse_authors(piece * (n // len(piece)))) for n in (10**5, 10**6)
        )
        assert long <= 1.1 * short

    def test_reads_a_bounded_number(self):
        """A list without end is cut, and what was cut in the middle of a name is dropped."""
        letters = "abcdefghijklmnopqrstuvwxyz"
        reply = ", ".join(f"Ann X{a}{b}{c}" for a in letters for b in letters for c in letters)
        assert len(parse_authors(reply)) == MOST_AUTHORS


class TestOverlap:
    @pytest.mark.parametrize(
        ("a", "b", "expected"),
        [
            ("Ann Lee, Bo Ek", "B. Ek, A. Lee", 1.0),
            ("Ann Lee, Bo Ek", "Ann Lee, Cy Dean", 1 / 3),  # 1 of {Lee, Ek, Dean}
            ("Ann Lee", "Ann Lee, Bo Ek, Cy Dean", 1 / 3),
            ("Ann Lee", "Bo Ek", 0.0),
            ("A. Lee", "Ann Lee, Abe Lee", 1 / 2),  # one A. Lee is one person: 1 of 2
            ("A. Lee, Ann Lee", "Ann Lee, Abe Lee", 1.0),  # A. Lee must be given to Abe
        ],
    )
    def test_is_the_matched_share(self, a, b, expected):
        """Matched one to one, over all distinct authors."""
        assert expected == pytest.approx(overlap(parse_authors(a), parse_authors(b)))

    def test_nothing_overlaps_with_nothing(self):
        """An empty list has no author in common with anything."""
        assert overlap((), ()) == overlap((), (Name("Lee"),)) == 0.0


class TestAgreement:
    def test_is_the_mean_over_pairs(self):
        """Pairs 1, 1/2, 1/2: two thirds."""
        replies = ["Ann Lee", "A. Lee", "AUTHORS: Lee, Ann and Bo Ek"]
        assert agreement(replies) == pytest.approx(2 / 3)

    def test_a_refusal_overlaps_with_nothing(self):
        """Two of three pairs hold a refusal."""
        assert agreement(["Ann Lee", "Ann Lee", "Sorry, I do not know."]) == pytest.approx(1 / 3)

    def test_two_refusals_do_not_agree(self):
        """As in the paper, "not a list" is 0, also twice."""
        assert agreement(["Unknown", "Unknown"]) == 0.0

    @pytest.mark.parametrize("replies", [[], ["Ann Lee"]])
    def test_fewer_than_two_replies_are_undefined(self, replies):
        """Undefined is not zero."""
        assert agreement(replies) is None


class TestAuthorsAgree:
    @pytest.mark.parametrize(
        ("claimed", "found", "cut", "expected"),
        [
            (["Smith et al."], ["John Smith", "Ann Lee"], False, True),
            (["Smith", "Lee"], ["John Smith", "Ann Lee"], False, True),
            (["Smith & Lee"], ["John Smith", "Ann Lee"], False, True),
            (["Lee, A.", "Smith, J."], ["John Smith", "Ann Lee"], False, True),
            (["J. Smith"], ["John Smith", "Ann Lee"], False, True),  # left out is not wrong
            (["J. Smith", "B. Ek"], ["John Smith", "Ann Lee"], False, False),
            (["B. Ek"], ["John Smith", "Ann Lee"], False, False),
            (["J. Smith", "A. Lee", "B. Ek", "C. Dean"], ["John Smith", "Ann Lee", "Bo Ek"], True, True),
            (
                ["J. Smith", "C. Dean"],
                ["John Smith", "Ann Lee", "Bo Ek"],
                True,
                None,
            ),  # Dean may be the fourth
            (["C. Dean"], ["John Smith", "Ann Lee", "Bo Ek"], True, False),
            (["J. Smith", "X. One", "Y. Two", "Z. Three"], ["John Smith", "Ann Lee", "Bo Ek"], True, False),
            (["J. Smith", "A. Lee", "C. Dean"], ["John Smith", "Ann Lee", "et al."], False, True),
            ([], ["John Smith"], False, None),
            (["J. Smith"], [], False, None),
            (["et al."], ["John Smith"], False, None),
            (["..."], ["John Smith"], True, None),
        ],
    )
    def test_nothing_claimed_may_be_wrong(self, claimed, found, cut, expected):
        """Three-valued: agree, disagree, cannot be told."""
        assert expected is compare_authors(claimed, found, found_is_cut=cut).agree


DATA = Path(os.environ.get("GUARDRAIL_DATA") or Path(__file__).parents[4] / "shared" / "data") / "references"


@pytest.mark.data
@pytest.mark.skipif(not DATA.exists(), reason="the recorded replies are not here")
@pytest.mark.parametrize(("model", "published"), [("gpt-4", 0.878), ("gpt-3.5-turbo", 0.782)])
def test_tells_real_titles_as_well_as_the_model_did(model, published):
    """Oracle: [agrawal2024] Table 2, IQ, where a second model call compared the lists; bar ± .005."""
    csv.field_size_limit(10_000_000)
    with (DATA / f"{model}_results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    scores = [agreement([row[f"model_ans_{i}"] for i in (1, 2, 3)]) for row in rows]
    real = [s for s, row in zip(scores, rows, strict=True) if row["bing_return"] == "True"]
    made_up = [s for s, row in zip(scores, rows, strict=True) if row["bing_return"] != "True"]
    wins = sum((r > m) + (r == m) / 2 for r in real for m in made_up)
    assert wins / (len(real) * len(made_up)) == pytest.approx(published, abs=0.005)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Olgi Tokarczuk", "Olga Tokarczuk"),
        ("Fiodora Dostojewskiego", "Fiodor Dostojewski"),
        ("Bożeny Umińskiej", "Bożena Umińska"),
        ("Karla Čapka", "Karel Čapek"),
        ("Karlu Havlíčkovi", "Karel Havlíček"),
        ("Льва Толстого", "Лев Толстой"),
        ("Лесі Українки", "Леся Українка"),
        ("Στάθη Καλύβα", "Στάθης Καλύβας"),
        ("Ville Kivimäen", "Ville Kivimäki"),
        ("Henrik Meinanderin", "Henrik Meinander"),
        ("Ahmet Hamdi Tanpınar’ın", "Ahmet Hamdi Tanpınar"),
        ("Svend Brinkmanns", "Svend Brinkmann"),
    ],
)
def test_a_name_that_a_sentence_inflects(said, known):
    """Cases of Slavic, Baltic and Finnic names, of Greek, Turkish and German ones."""
    assert uninflected([said], ["Eva Doe", known]) == [known]


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Olga Nowak", "Olga Tokarczuk"),
        ("Paul Smithson", "Paul Smith"),
        ("Jan Kowalski", "Anna Kowalska"),
        ("Pamuk Orhan", "Oral Pamukçu"),
        ("Wei Lin", "Wei Li"),
        ("Kevin T. Murphy", "Kevin P. Murphy"),
        ("World Meteorological Organization", "World Health Organization"),
        ("Wei Chena", "Wei Chen"),
        ("T", "Olga Tokarczuk"),
        ("", "Olga Tokarczuk"),
    ],
)
def test_another_name_is_no_inflection(said, known):
    assert uninflected([said], [known]) == [said]


def test_a_family_name_alone_stays_alone():
    assert uninflected(["Tokarczukowi"], ["Olga Tokarczuk"]) == ["Tokarczuk"]


class TestParts:
    """Oracle: how the catalogues of the Library of Congress and of the Biblioteca Nacional enter these names."""

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Santiago Ramón y Cajal", "Cajal, S. R. y"),
            ("Santiago Ramón y Cajal", "Ramón, S."),
            ("Pius Font i Quer", "Font Quer P"),
            ("Gabriel García Márquez", "García, G."),
            ("Claude Lévi-Strauss", "LeviStrauss, C."),
            ("Laurens van der Maaten", "Maaten, L. v. d."),
            ("Cajo J. F. ter Braak", "Braak CJF ter"),
            ("Ngũgĩ wa Thiong'o", "Thiong'o, N. wa"),
            ("Gabriele D'Annunzio", "Annunzio, G. d'"),
            ("Gerard 't Hooft", "’t Hooft G"),
            ("Jean de La Fontaine", "Lafontaine, J."),
            ("J. Roger Hindley", "Hindley JR"),
        ],
    )
    def test_one_person(self, one, other):
        """Particles, either half of a double surname, and conjunctions."""
        assert same_author(parse_name(one), parse_name(other))
        assert same_author(parse_name(other), parse_name(one))

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Gabriel García Márquez", "García Lorca, G."),
            ("Santiago Ramón y Cajal", "Ramón y Gasset, S."),
            ("Martin Luther King", "Martin Luther"),
            ("Hans van der Berg", "van der Veen, H."),
            ("Claude Lévi-Strauss", "Lévi-Bruhl, C."),
        ],
    )
    def test_two_people(self, one, other):
        """Two names of several parts must agree in all of them."""
        assert not same_author(parse_name(one), parse_name(other))


class TestLeads:
    @pytest.mark.parametrize(
        ("names", "first", "may_name"),
        [
            (["See Carson, R."], ("Carson, R.",), False),
            (["Primero", "Kashiwara, M.", "Schapira, P."], ("Kashiwara, M.", "Schapira, P."), True),
            (["e.g., Chaniotis, A."], ("Chaniotis, A.",), False),
            (["Přečtěte si Cohen LE, Felson M"], ("Cohen LE", "Felson M"), False),
        ],
    )
    def test_are_left_out(self, names, first, may_name):
        """Some rest is the names that were led in; a single word with a capital may be a name itself."""
        assert (first, may_name) in [(led.names, led.may_name) for led in without_lead(names)]

    @pytest.mark.parametrize(
        "names", [[], ["R. Carson"], ["John Smith, Carson, R."], ["John Smith", "Carson, R."]]
    )
    def test_a_name_in_full_leads_nobody_in(self, names):
        """Nor does an initial."""
        assert ("Carson, R.",) not in [led.names for led in without_lead(names)]
