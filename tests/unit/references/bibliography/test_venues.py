"""Two names of one venue. Oracles: judged by hand."""

import pytest
from tests.effort import lines_run

from guardrail.references.bibliography.venues import same_venue

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
