"""Answers as models write them, marked and cut: what comes out is what a careful editor would have written.

Every expected text was written by hand; none was copied from the program.
"""

import pytest
from tests.effort import ends
from tests.notices import LIST_GONE, NOTICES

from guardrail.policies.edits import Mark, apply, insertions, removals
from guardrail.report import Span


def spans(text, parts):
    return [Span(start=text.index(part), end=text.index(part) + len(part)) for part in parts]


def marked(text, *parts):
    return apply(text, insertions(text, [Mark(span, "no such work found") for span in spans(text, parts)]))


def cut(text, *parts):
    return apply(text, removals(text, [(span, "why") for span in spans(text, parts)], **NOTICES))


class TestNumberedList:
    TEXT = """Here are three papers:

1. **Attention Is All You Need**
   Vaswani et al., NeurIPS 2017.

2. **Deep Quantum Parsing of Trees**
   Lee and Park, ACL 2019.
   Shows that parsing can be quantum.

3. **BERT: Pre-training of Deep Bidirectional Transformers**
   Devlin et al., NAACL 2019.

I hope these help! The second one, "Deep Quantum Parsing of Trees", is the most accessible.
"""

    def test_marked(self):
        """After the title, outside its emphasis."""
        expected = self.TEXT.replace("of Trees**", "of Trees** [no such work found]")
        assert expected == marked(self.TEXT, "Deep Quantum Parsing of Trees")

    def test_cut(self):
        """With all lines of the item, and the sentence that mentions it again."""
        assert (
            cut(self.TEXT, "Deep Quantum Parsing of Trees")
            == """Here are two papers:

1. **Attention Is All You Need**
   Vaswani et al., NeurIPS 2017.

2. **BERT: Pre-training of Deep Bidirectional Transformers**
   Devlin et al., NAACL 2019.

I hope these help!
"""
        )

    def test_countdown_keeps_its_numbers(self):
        """Numbers that do not ascend are not the order of the items."""
        assert cut("3. aa aa\n2. bb bb\n1. cc cc", "bb bb") == "3. aa aa\n1. cc cc"


class TestNestedBullets:
    TEXT = """Methods:

- **Supervised:**
  - Smith (2019), "Learning to Guess Well"
- Unsupervised:
  - Brown (2021), "Guessing Without Labels"
  - Jones (2020), "Learning Facts Slowly"

Any of them works.
"""

    def test_marked(self):
        """At the end of the reference."""
        expected = self.TEXT.replace('Well"', 'Well" [no such work found]')
        assert expected == marked(self.TEXT, 'Smith (2019), "Learning to Guess Well"')

    def test_cut(self):
        """A bullet that introduces nothing any more goes too."""
        assert (
            cut(self.TEXT, "Learning to Guess Well", "Learning Facts Slowly")
            == """Methods:

- Unsupervised:
  - Brown (2021), "Guessing Without Labels"

Any of them works.
"""
        )


class TestReferenceList:
    TEXT = """Transformers changed the field [1]. Later work refined them [2, 3], and surveys cover it [1-4]. \
As [3] shows, scale matters [2][4]. See [1], [2] and [3].

References:
[1] A. Vaswani et al. Attention Is All You Need. NeurIPS, 2017.
[2] B. Maker. Invented Scaling Results. ICML, 2021.
[3] J. Kaplan et al. Scaling Laws for Neural Language Models. 2020.
[4] C. Author. A Survey of Surveys. 2022.
"""

    def test_marked(self):
        """In the list; the markers in the text are left alone."""
        expected = self.TEXT.replace("2021.", "2021. [no such work found]")
        assert expected == marked(self.TEXT, "B. Maker. Invented Scaling Results. ICML, 2021.")

    def test_cut(self):
        """Lists of markers, ranges and rows of markers all follow."""
        assert (
            cut(self.TEXT, "B. Maker. Invented Scaling Results. ICML, 2021.")
            == """Transformers changed the field [1]. Later work refined them [2], and surveys cover it [1-3]. \
As [2] shows, scale matters [3]. See [1] and [2].

References:
[1] A. Vaswani et al. Attention Is All You Need. NeurIPS, 2017.
[2] J. Kaplan et al. Scaling Laws for Neural Language Models. 2020.
[3] C. Author. A Survey of Surveys. 2022.
"""
        )

    def test_cut_of_a_source_that_a_sentence_is_about(self):
        """ "As [3] shows" says nothing without [3]."""
        assert (
            cut(self.TEXT, "[3] J. Kaplan et al. Scaling Laws for Neural Language Models. 2020.")
            == """Transformers changed the field [1]. Later work refined them [2], and surveys cover it [1-3]. \
See [1] and [2].

References:
[1] A. Vaswani et al. Attention Is All You Need. NeurIPS, 2017.
[2] B. Maker. Invented Scaling Results. ICML, 2021.
[3] C. Author. A Survey of Surveys. 2022.
"""
        )

    @pytest.mark.parametrize(
        ("sentence", "expected"),
        [
            ("It is so [1], [2] and [3]. Yes.", "It is so [1] and [2]. Yes."),
            ("It is so [2], and not so [3]. Yes.", "It is so, and not so [2]. Yes."),
            ("In [2], it is so. Yes.", "Yes."),
            ("[2] and [3] agree. Yes.", "[2] agree. Yes."),
            ("[3] shows it; [2] and [3] agree.", "[2] shows it; [2] agree."),
            ("[1] Doe says so.\n\nSo [2].", "[1] Doe says so.\n\nSo."),
            ("It is so (see [2]). Yes.", "It is so. Yes."),
            ("It is so (see [2] and [1]). Yes.", "It is so (see [1]). Yes."),
            ("It is so.[2] Yes.", "It is so. Yes."),
            ("It is so [1-3]. Yes.", "It is so [1, 2]. Yes."),
            ("It is so [1;2;3]. Yes.", "It is so [1;2]. Yes."),
            ("It is so [7]. Yes [1,  3].", "It is so [7]. Yes [1, 2]."),
        ],
    )
    def test_markers(self, sentence, expected):
        """Whatever a marker is joined to, and whatever the sentence needs it for."""
        text = sentence + "\n\n[1] Ann Ann, One.\n[2] Bob Bob, Two.\n[3] Cy Cy, Three."
        left = expected + "\n\n[1] Ann Ann, One.\n[2] Cy Cy, Three."
        assert left == cut(text, "Bob Bob, Two.")

    def test_footnotes(self):
        """[^1] points to notes, and to nothing else."""
        text = 'So.[^1] And so.[^2] See [1].\n\n[^1]: Ann, "The Fake Book of Cats".\n[^2]: Bob, "Dogs".\n'
        assert cut(text, "The Fake Book of Cats") == 'So. And so.[^1] See [1].\n\n[^1]: Bob, "Dogs".\n'

    def test_numbered_reference_list_below_a_heading(self):
        """The same for "1." as for "[1]"."""
        text = "Growth is 5% [1], debt is 3% [2].\n\n## References\n\n1. Real one.\n2. Fake one."
        assert cut(text, "Fake one.") == "Growth is 5% [1], debt is 3%.\n\n## References\n\n1. Real one."


class TestBibtex:
    TEXT = """Two entries:

```bibtex
@article{vaswani2017,
  title = {Attention Is All You Need}
}

@inproceedings{fake2020,
  title = {Parsing the Unparsable}
}
```

Cite them with \\cite{vaswani2017,fake2020} or as \\cite{vaswani2017} and \\cite{fake2020}.
"""

    def test_marked(self):
        """Below the block, which stays as it is."""
        expected = self.TEXT.replace("```\n\nCite", "```\n\n[fake2020: no such work found]\n\nCite")
        assert expected == marked(self.TEXT, "Parsing the Unparsable")

    def test_cut(self):
        """No blank line is left at the end of the block, and no key that nothing defines."""
        assert (
            cut(self.TEXT, "Parsing the Unparsable")
            == """Two entries:

```bibtex
@article{vaswani2017,
  title = {Attention Is All You Need}
}
```

Cite them with \\cite{vaswani2017} or as \\cite{vaswani2017}.
"""
        )

    def test_cut_of_all(self):
        """What was announced is said to be gone."""
        assert cut(self.TEXT, "Attention Is", "Parsing the") == f"Two entries:\n\n{LIST_GONE}"


class TestProse:
    @pytest.mark.parametrize(
        ("text", "part", "expected"),
        [
            (
                'It goes back to "A Theory of It All" by Doe (1999). Roe disagrees.',
                "A Theory of It All",
                "Roe disagrees.",
            ),
            ('Read "A a", "B b" and "C c". Ok.', "A a", 'Read "B b" and "C c". Ok.'),
            ('Read "A a", "B b" and "C c". Ok.', "B b", 'Read "A a" and "C c". Ok.'),
            ('Read "A a", "B b" and "C c". Ok.', '"C c"', 'Read "A a" and "B b". Ok.'),
            ('Read "A a", "B b", "C c", or "D d". Ok.', "D d", 'Read "A a", "B b", or "C c". Ok.'),
            ('Read "A a" (2001), "B b" (2002), and "C c" (2003).', '"A a" (2001)', 'Read "B b" (2002) and "C c" (2003).'),
            ('Smith cites "A a" and "B b" [2]. Fine.', "B b", 'Smith cites "A a". Fine.'),
            ("He wrote *One Book*, *Two Book* and *Three*. Ok.", "One Book", "He wrote *Two Book* and *Three*. Ok."),
            ("См. «Первая», «Вторая» и «Третья».", "Вторая", "См. «Первая» и «Третья»."),
            ("请看《红楼梦》、《西游记》。好。", "西游记", "请看《红楼梦》。好。"),
            ("**One is so. Fake is so.** Next.", "Fake", "**One is so.** Next."),
            ("**Fake is so. One is so.** Next.", "Fake", "**One is so.** Next."),
        ],
    )  # fmt: skip
    def test_cut(self, text, part, expected):
        """One title of several goes alone, with the "and" where it belongs; any other takes its sentence."""
        assert expected == cut(text, part)

    def test_cut_of_a_whole_row(self):
        """ "Read, and." is no sentence."""
        assert cut('Read "A a", "B b" and "C c". Ok.', "A a", "B b", "C c") == "Ok."

    def test_numbered_paragraphs(self):
        """The number of a bold paragraph ends no sentence."""
        text = '**1. Ann, "Cats"**\nAll about cats.\n\n**2. Bob, "Dogs"**\nAll about dogs.'
        assert cut(text, 'Ann, "Cats"') == '**2. Bob, "Dogs"**\nAll about dogs.'


class TestLinks:
    TEXT = "See [Real Work](https://a.b/1) and [Fake Work](https://a.b/2) for details.\n\n* [Fake Two](https://a.b/3) - by A\n* [Real Two](https://a.b/4) - by B\n"

    def test_marked(self):
        """After the link, which stays one."""
        expected = self.TEXT.replace("b/2)", "b/2) [no such work found]")
        assert expected == marked(self.TEXT, "Fake Work")

    def test_cut(self):
        """Of two links one stays; an item goes as a whole."""
        expected = "See [Real Work](https://a.b/1) for details.\n\n* [Real Two](https://a.b/4) - by B\n"
        assert expected == cut(self.TEXT, "Fake Work", "Fake Two")


class TestTable:
    TEXT = "Compare:\n\n| Title | Year |\n|-------|------|\n| Real | 2001 |\n| Fake | 2002 |\n\nDone.\n"

    def test_marked(self):
        """Within the cell."""
        expected = self.TEXT.replace("Fake |", "Fake [no such work found] |")
        assert expected == marked(self.TEXT, "Fake")

    def test_cut(self):
        """The row; and the header with the last of them."""
        assert self.TEXT.replace("| Fake | 2002 |\n", "") == cut(self.TEXT, "Fake")
        assert f"Compare:\n\n{LIST_GONE}\n\nDone.\n" == cut(self.TEXT, "Real", "Fake")


class TestSections:
    TEXT = "# Reading\n\nTwo books.\n\n## Cats (2001)\n\nAll about cats:\n\n- big\n- small\n\n## Dogs (2002)\n\nAll about dogs.\n"

    def test_cut(self):
        """A heading that is the reference goes with what stands below it."""
        expected = "# Reading\n\nTwo books.\n\n## Dogs (2002)\n\nAll about dogs.\n"
        assert expected == cut(self.TEXT, "Cats (2001)")


HOSTILE = {
    "brackets": "(a; ",
    "markers": "[1-9999] ",
    "rows of markers": "[1], [2] and ",
    "rows of titles": '"aa" and ',
    "a list": "1. aaaa bbbb [1]\n",
    "headings": "###### a\n# b\n",
    "formulas between blocks": "```\n$$\n```\n$$ ",
    "accents": "e\u0301",
    "joiners": "\u200d",
    "cites": "\\cite{a} ",
    "notes": "[^1]: a [^1]\n",
    "sentences": "A b. ",
    "rows": "|a|\n",
    "entries": "@a{\n\n",
}


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_takes_linear_time(unit):
    """100 kB and 300 findings: about a second; anything quadratic takes minutes."""
    text = (unit * (100_000 // len(unit)))[:100_000]
    found = [Span(start=at, end=at + 20) for at in range(0, 99_000, 330)]
    with ends(60):
        insertions(text, [Mark(span, "m") for span in found])
        removals(text, [(span, "why") for span in found], **NOTICES)


def test_an_entry_without_a_key_takes_linear_time():
    """White space between a brace and a comma that never comes."""
    text = "@a{" + "\n" * 100_000
    with ends():
        removals(text, [(Span(start=0, end=2), "why")], **NOTICES)
