"""Quantities as values: what is one quantity in two spellings, and what is another one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.effort import ends
from tests.looping import each

from guardrail.text.known_quantities import KnownQuantities
from guardrail.text.moments import moments
from guardrail.text.numerals import in_digits, in_words
from guardrail.text.quantities import quantities
from guardrail.text.typography import normalised
from guardrail.text.units import quantity_table, unit_at


def faults(said, *documents):
    known = KnownQuantities([normalised(one) for one in documents])
    return [(one.kind, one.said, one.known) for one in known.faults(normalised(said))]


def is_there(said, document):
    """Whether every number, date and time of a text is in a document."""
    known = KnownQuantities([normalised(document)])
    found, when = quantities(normalised(said))
    covered = [one for one in when if known.has_moment(one)] == when
    return bool(found or when) and covered and all(known.has(one) for one in found if not one.listed)


SAME = [
    ("1200", "1 200"),
    ("1200", "1,200"),
    ("1200", "1.200"),
    ("1200", "1'200"),
    ("1234.56", "1.234,56"),
    ("1234.56", "1,234.56"),
    ("1234567", "12,34,567"),
    ("3,500,000 dollars", "$3.5M"),
    ("$3.5 billion", "USD 3.5bn"),
    ("3,5 Mrd. Euro", "3,5 Milliarden €"),
    ("350万元", "3500000元"),
    ("3.5亿元", "350000000元"),
    ("5%", "five per cent"),
    ("5 %", "fünf Prozent der Leute und der Tiere"),
    ("70 %", "le prix est de soixante-dix pour cent"),
    ("200", "two hundred (200)"),
    ("40", "Er ist vierzig und nicht mit der Bahn gekommen."),
    ("2000000", "deux millions d'euros"),
    ("25", "el veinticinco por ciento de los casos"),
    ("3.5", "3½"),
    ("0.5", "half of it"),
    ("18:00", "6 pm"),
    ("6 p.m.", "18 Uhr"),
    ("6:30 pm", "18h30"),
    ("18:00", "18時"),
    ("March 5, 2024", "2024-03-05"),
    ("2024-03-05", "5. März 2024"),
    ("5 de marzo de 2024", "5th of March 2024"),
    ("2024年3月5日", "05/03/2024"),
    ("5 kg", "5kg"),
    ("3rd", "the third of them"),
]


class TestSpellings:
    def test_one_number(self):
        """It is there in another spelling, either way round."""

        def check(one, other):
            assert is_there(one, other), f"{one!r} in {other!r}"
            assert is_there(other, one), f"{other!r} in {one!r}"

        each(SAME, check)

    def test_lists(self):
        """Each number of a list, or of a row of a table, is there."""

        def check(said, known):
            assert is_there(said, known)

        each([("443", "ports: 80,443"), ("7.2", "B200,7.2,349"), ("17", "12, 17,19")], check)

    def test_another_number(self):
        """It is not there."""

        def check(said, known):
            assert not is_there(said, known)

        each(
            [
                ("1201", "1,200"),
                ("18:30", "6 pm"),
                ("March 5, 2024", "2024-03-06"),
                ("6 am", "6 pm"),
                ("41", "Er ist vierzig und nicht mit der Bahn gekommen."),
                ("3.6 million", "$3.5M"),
            ],
            check,
        )


class TestKnown:
    @pytest.mark.parametrize(
        ("said", "document"),
        [
            ("about 1.2 million", "1,204,500 people"),
            ("0 moons", "It has no moons."),
            ("24 months", "two years"),
            ("1 hour and 15 minutes", "75 minutes"),
            ("1200名", "员工一千二百人"),
            ("2003年", "成立于二〇〇三年"),
        ],
    )
    def test_in_another_form(self, said, document):
        """Rounded, nought, converted, summed, in Chinese characters."""
        known = KnownQuantities([document])
        assert all(known.has(one) for one in quantities(said)[0])

    def test_not_by_any_other(self):
        """A rounded number has its digits."""
        known = KnownQuantities(["1,204,500 people in 75 minutes"])
        said = quantities("1.3 million people, 0 dogs, 80 minutes")[0]
        assert [known.has(one) for one in said] == [False] * 3

    def test_weekdays(self):
        """Are abbreviated as the documents do, and only where these never write them out."""
        assert KnownQuantities(["Mon-Thu 9-17"]).respelt("From Monday to Friday") == "From Mon to Friday"
        assert KnownQuantities(["Mon-Thu; closed on Monday"]).respelt("On Monday") == "On Monday"
        assert KnownQuantities(["mon ami"]).respelt("On Monday") == "On Monday"

    def test_units_that_are_abbreviated(self):
        """Though the short form begins the long one."""
        assert KnownQuantities(["It holds 1.7 litres."]).respelt("It holds 1.7 l.") == "It holds 1.7 litres."


class TestFaults:
    @pytest.mark.parametrize(
        ("said", "document", "kind"),
        [
            ("Store it at 20 °C.", "Store it at -20 °C.", "sign"),
            ("The dose is 1,200 g.", "The daily dose is 1,200 mg.", "unit"),
            ("It is 41 feet high.", "It is 41 metres high.", "unit"),
            ("A ticket costs 64 euros.", "A ticket costs 64 Swiss francs.", "currency"),
        ],
    )
    def test_of_short_sentences(self, said, document, kind):
        """With one word that says of what it is; frost needs its sign."""
        assert [one.kind for one in KnownQuantities([document]).faults(said)] == [kind]

    def test_another_quantity(self):
        """The same figure with another magnitude, unit, currency or sign, or at the other half of the day."""

        def check(kind, said, document):
            assert [one[0] for one in faults(said, document)] == [kind]

        each(
            [
                (
                    "magnitude",
                    "Acme's revenue was $3.5 billion.",
                    "Revenue of Acme was $3.5 million, a record.",
                ),
                (
                    "magnitude",
                    "Die Firma verdiente 3,5 Milliarden Euro.",
                    "Die Firma verdiente 3,5 Mio. Euro.",
                ),
                ("magnitude", "公司去年的收入为350亿元。", "公司去年的收入为350万元。"),
                ("magnitude", "Seven million people live there.", "There live seven thousand people."),
                ("unit", "Winds reached 90 mph there.", "Winds reached 90 km/h there."),
                ("unit", "The bottle contains 250 litres.", "The bottle contains 250 ml."),
                ("unit", "Der Turm ist 64 Fuß hoch und alt.", "Der Turm ist 64 Meter hoch und alt."),
                ("unit", "La tour mesure 64 pieds de haut.", "La tour mesure 64 mètres de haut."),
                ("unit", "The dose is 20 g/l of salt.", "The dose is 20 mg/l of salt."),
                ("unit", "Water boils at 100 °F there.", "Water boils at 100 °C there."),
                ("currency", "The ticket costs €49.", "The ticket costs $49."),
                ("currency", "The ticket costs €49,400.", "The ticket costs $49,400."),
                ("sign", "Profit changed by −76 %.", "Profit changed by +76 %."),
                ("sign", "Sales fell by 12 % this May.", "Sales rose 12 % this May."),
                ("time", "The shop closes at 6 am.", "The shop closes at 6 pm."),
            ],
            check,
        )

    def test_the_same_quantity(self):
        """Converted, rounded, written out, or without a unit: nothing is denied."""

        def check(said, document):
            assert faults(said, document) == []

        each(
            [
                ("Winds reached 56 mph there.", "Winds reached 90 km/h there."),
                ("Winds reached 90 mph or 145 km/h.", "Winds reached 145 km/h; 90 km/h was forecast."),
                ("It weighs 5000 g in all.", "It weighs 5 kg in all."),
                ("It took 14 days in all.", "It took 2 weeks in all, 14 hours of sleep a day."),
                ("Revenue was $3.5 million.", "Revenue was $3,500,000; it sold 3.5 billion units."),
                ("Revenue was $3.5 million.", "Revenue ($ in millions): 3.5"),
                ("Revenue was $3.5 million.", "Revenue was 3.5, in the millions."),
                ("It rose from $3.5 to $4.2 billion.", "It rose from $3.5-$4.2 billion."),
                ("It costs 1.200 Euro und ist nicht das.", "It costs €1200."),
                ("Sales fell by 12 %.", "Sales: -12 %"),
                ("Sales rose by 12 %.", "Sales were 12 % different."),
                ("Two children have five apples.", "Two kilometres from there, five trees."),
                ("Add 3 1/2 cups of it.", "Add 3.5 cups of it, and 2 tablespoons."),
                ("The plan is 4.0 ng/ml to 10.0 ng/ml.", "The plan is 4.0 ng/ml and 10.0 ng/ml."),
                ("At 6 pm it closes.", "It closes at 18:00."),
            ],
            check,
        )

    def test_a_number_that_is_nowhere(self):
        """Is nobody's other unit."""
        assert faults("It cost $7.1 billion last year.", "It cost $3.5 million last year.") == []

    def test_far_from_the_matter(self):
        """A figure that has only itself in common with the sentence accuses nobody."""
        assert faults("The tower is 64 metres high.", "Elsewhere somebody swam 64 miles.") == []

    def test_evidence(self):
        """The passage is that of the document which has the quantity."""
        known = KnownQuantities(["Nothing here.", "The bottle contains 250 ml of it."])
        (found,) = known.faults("The bottle contains 250 litres of it.")
        assert (found.document, found.passage) == (2, "The bottle contains 250 ml of it.")


class TestTable:
    def test_longest_name(self):
        """A unit is read as far as its name goes."""
        for written, name in (
            ("miles per hour", "mile per hour"),
            ("km2", "square kilometre"),
            ("kWh", "kilowatt hour"),
        ):
            (unit, *_), end = unit_at(written, 0)
            assert (unit.name, end) == (name, len(written))

    def test_case(self):
        """Decides between milli and mega."""
        assert [unit_at(one, 0)[0][0].factor for one in ("mW", "MW")] == [1e-3, 1e6]

    def test_factors(self):
        """As in NIST SP 811: a mile, a gallon, an ounce, a mile per hour, 212 °F."""

        def check(name, value, base):
            assert unit_at(name, 0)[0][0].base(value) == pytest.approx(base, rel=1e-6)

        each(
            [
                ("miles", 1, 1609.344),
                ("gallons", 1, 3.785412),
                ("ounces", 1, 28.349523),
                ("mph", 1, 0.44704),
                ("°F", 212, 100),
                ("kWh", 1, 3.6e6),
            ],
            check,
        )

    def test_every_month(self):
        """Has its names."""
        assert len(quantity_table()["months"]["names"]) == 12


class TestAny:
    @given(st.text(alphabet=st.sampled_from("12 .,-/:'$€%mkgpaMiotwhundredfvebr年月日万½²٣\n")))
    def test_any_text(self, text):
        """Never fails."""
        plain = normalised(text)
        list(KnownQuantities([plain]).faults(plain))
        assert all(one.values for one in in_words(plain))
        assert all(one.dates or one.times for one in moments(plain))
        assert all(0 <= one.start < one.end <= len(plain) for one in in_digits(plain))

    def test_a_text_has_what_it_says(self):
        """No sentence is denied by itself."""
        for said, known in SAME:
            assert faults(f"{said} and {known} of it", f"{said} and {known} of it") == []

    def test_hostile(self):
        """Ends soon on long texts that are made to take long."""
        for text in (
            "1 " * 30_000,
            "1," * 30_000,
            "5-" * 30_000,
            "one " * 20_000,
            "9" * 100_000,
            "may 5 " * 10_000,
            "5 km/" * 10_000,
        ):
            with ends():
                known = KnownQuantities([text])
                list(known.faults(text[:2_000]))
