"""What is wrong with a quotation whatever the work. Oracles: the publishers' own schemes of identifiers."""

import pytest

from guardrail.references.bibliography.contradictions import contradictions, doi_says
from guardrail.references.bibliography.records import Reference

TODAY = (2026, 11)


def found(**claims):
    return [(c.field, c.outcome.value, c.how) for c in contradictions(Reference(**claims), today=TODAY)]


class TestContradictions:
    @pytest.mark.parametrize(
        ("claims", "expected"),
        [
            ({"arxiv": "2301.00001", "year": 2019}, [("arxiv", "differs", "later")]),
            ({"arxiv": "2301.00001", "year": 2022}, [("arxiv", "near", "later")]),
            ({"arxiv": "2301.00001", "year": 2023}, []),
            ({"arxiv": "2301.00001", "year": 2025}, []),
            ({"arxiv": "2613.00001"}, [("arxiv", "differs", "impossible")]),
            ({"arxiv": "2612.00001"}, [("arxiv", "differs", "future")]),
            ({"arxiv": "2611.00001"}, []),
            ({"arxiv": "hep-th/9201001", "year": 1992}, []),
            ({"doi": "10.48550/arXiv.2602.12196", "year": 2022}, [("doi", "differs", "later")]),
            ({"year": 2031}, [("year", "differs", "future")]),
            ({"year": 2027}, []),
            ({"isbn": "0262033845"}, [("isbn", "differs", "digits")]),
            ({"isbn": "0262033844"}, []),
            ({"doi": "10.5555/3295222.3295349"}, [("doi", "near", "example")]),
            ({"doi": "10.1609/aaai.v37i9.26237", "venue": "ICML"}, [("venue", "differs", "doi")]),
            ({"doi": "10.1609/aaai.v37i9.26237", "venue": "Proc. AAAI Conf. Artif. Intell."}, []),
            ({"doi": "10.1609/aaai.v37i9.26237", "venue": "a blog"}, []),
            ({"doi": "10.18653/v1/N19-1357", "venue": "NAACL", "year": 2023}, [("year", "differs", "doi")]),
            ({"doi": "10.18653/v1/N19-1357", "venue": "NAACL", "year": 2020}, []),
            ({"doi": "10.1109/cvprw53098.2021.00001", "venue": "CVPR Workshops", "year": 2021}, []),
            ({"doi": "10.1109/TPAMI.2019.2929257", "venue": "TPAMI", "year": 2021}, []),
        ],
    )
    def test_needs_no_record(self, claims, expected):
        """Only what cannot be right; a year's delay is near."""
        assert found(**claims) == expected

    def test_a_doi_spells_its_venue_and_year(self):
        """AAAI-19 is volume 33; N19 is NAACL 2019; s41586-019 is Nature of 2019."""
        assert doi_says("10.1609/aaai.v33i01.33011") == ("AAAI", 2019)
        assert doi_says("10.18653/v1/n19-1357") == ("NAACL", 2019)
        assert doi_says("10.1038/s41586-019-1234-5") == ("Nature", 2019)
        assert doi_says("10.1000/anything") == ("", None)
