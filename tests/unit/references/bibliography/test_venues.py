"""Two names of one venue. Oracles: judged by hand."""

import lzma

import pytest
from benchmarks._data import data_dir
from scripts.journals import listed
from tests.effort import lines_run

from guardrail.references.bibliography.journals import FILE
from guardrail.references.bibliography.venues import compare_venues, same_venue

CVPR = "2016 IEEE/CVF Conference on Computer Vision and Pattern Recognition"


class TestSameVenue:
    @pytest.mark.parametrize(
        ("claimed", "found"),
        [
            ("Nature", "nature"),
            ("Nature 521", "Nature"),
            ("NeurIPS", "NIPS"),
            ("NIPS 2017", "Advances in Neural Information Processing Systems 30"),
            ("NeurIPS", "Advances in Neural Information Processin"),
            ("CVPR", CVPR),
            ("CVPR2016", CVPR),
            ("In Proceedings of the IEEE conference on computer vision and pattern recognition", "CVPR"),
            ("ICML", "Proceedings of the 33rd International Conference on Machine Learning"),
            ("ACL", "Annual Meeting of the Association for Computational Linguistics"),
            ("AAAI", "Proceedings of the AAAI Conference on Artificial Intelligence"),
            ("J. Mach. Learn. Res.", "Journal of Machine Learning Research"),
            ("arXiv preprint arXiv:1706.03762", "CoRR"),
            ("Communications of the ACM", "Commun. ACM"),
        ],
    )
    def test_confirms_what_is_one(self, claimed, found):
        """In either order."""
        assert same_venue(claimed, found)
        assert same_venue(found, claimed)

    @pytest.mark.parametrize(
        ("claimed", "found"),
        [
            ("Nature", "Nature Communications"),
            ("Science", "Computer Science"),
            ("Machine Learning", "Journal of Machine Learning Research"),
            ("ACL", "Findings of the Association for Computational Linguistics"),
            (
                "ACL",
                "Conference of the North American Chapter of the Association for Computational Linguistics",
            ),
            ("AAAI", "Proceedings of the AAAI Workshop on Plans"),
            ("CVPR", "ICCV"),
            ("NeurIPS", "ICML"),
            ("2017", "2017 IEEE"),
            ("", "Nature"),
            ("?!", "?!"),
        ],
    )
    def test_does_not_confirm_what_is_not_certain(self, claimed, found):
        """A name within another is another venue's."""
        assert not same_venue(claimed, found)
        assert not same_venue(found, claimed)

    def test_hostile_names_cost_little(self):
        """They are cut before they are compared."""
        short, long = (lines_run(lambda n=n: same_venue("A" * n, "a " * (n // 2))) for n in (20_000, 200_000))
        assert long <= 1.1 * short


class TestCompareVenues:
    @pytest.mark.parametrize(
        ("claimed", "found", "outcome", "how"),
        [
            ("Proc. Int. Conf. Mach. Learn.", "ICML", "confirmed", ""),
            ("Proceedings of the 38th International Conference on Machine Learning", "ICML", "confirmed", ""),
            (
                "Thirty-Sixth AAAI Conference on Artificial Intelligence, AAAI 2022, Vancouver",
                "AAAI",
                "confirmed",
                "",
            ),
            ("Advances in NIPS 30", "NeurIPS", "confirmed", ""),
            ("N Engl J Med", "The New England Journal of Medicine", "confirmed", ""),
            ("Phys. Rev. Lett.", "Physical Review Letters", "confirmed", ""),
            (
                "PNAS",
                "Proceedings of the National Academy of Sciences of the United States of America",
                "confirmed",
                "",
            ),
            ("Trans. Mach. Learn. Res.", "TMLR", "confirmed", ""),
            ("Proceedings of Machine Learning Research, volume 139", "ICML", "near", "series"),
            ("Lecture Notes in Computer Science", "ECCV", "near", "series"),
            ("Lecture Notes in Computer Science", "ICLR", "not compared", "series"),
            ("Curran Associates, Inc.", "NeurIPS", "not compared", "publisher"),
            ("CoRR abs/1706.03762", "NeurIPS", "near", "preprint"),
            ("NeurIPS", "arXiv preprint", "near", "published"),
            ("ICML", "ICML 2020 Workshop on Theory", "differs", "workshop"),
            ("Findings of EMNLP", "EMNLP", "differs", "findings"),
            ("ICCV", "CVPR", "differs", "another"),
            ("Nature Communications", "Nature", "differs", "another"),
            ("Machine Learning", "ICML", "differs", "another"),
            (
                "International Conference on Machine Learning and Applications",
                "ICML",
                "not compared",
                "unknown",
            ),
            ("Symposium on Neural Scaling Laws", "ICML", "not compared", "unknown"),
            ("ICML", "Some small workshop of ours", "not compared", ""),
            ("Nature", "Proceedings of the 29th International Conf", "not compared", ""),
        ],
    )
    def test_refutes_only_where_both_are_known(self, claimed, found, outcome, how):
        """Series, publishers and preprints excuse; a name that no list knows proves nothing."""
        check = compare_venues(claimed, found)
        assert (check.outcome.value, check.how) == (outcome, how)

    def test_journals_are_packed_small(self):
        """The core package stays light, and the file is what the lists give."""
        assert FILE.stat().st_size <= 500_000

    @pytest.mark.data
    def test_the_journals_are_those_of_the_lists(self):
        """Whoever changes the script packs the file again."""
        assert lzma.decompress(FILE.read_bytes()).decode() == listed(data_dir("venues"))

    def test_hostile_names_are_cheap(self):
        """Only the beginning of a name is read."""
        few, many = (
            lines_run(lambda n=n: compare_venues("Conf. on A, " * n, "ICML")) for n in (100, 100_000)
        )
        assert many <= 1.1 * few
