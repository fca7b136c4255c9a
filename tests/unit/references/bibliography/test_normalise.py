"""Titles and identifiers have one form."""

import pytest

from guardrail.references.bibliography.normalise import (
    MAX_TITLE,
    decode_tex,
    key,
    main_part,
    normalise,
    normalise_arxiv,
    normalise_doi,
    normalise_isbn,
    normalise_pmid,
    squeeze,
)


class TestNormalise:
    """The expected forms are worked out by hand from the rule: lower case, no accents, letters and digits."""

    @pytest.mark.parametrize(
        ("title", "expected"),
        [
            ("Attention Is All You Need", "attention is all you need"),
            ("  Über   naïve façades… ", "uber naive facades"),
            ("Black & White", "black and white"),
            (r"Black \& White", "black and white"),
            ("Black &amp; White", "black and white"),
            (r"{\"U}ber {B}anach-R{\"a}ume", "uber banach raume"),
            (r"\'{E}tale G\"odel na\"{\i}ve", "etale godel naive"),
            (r"On \emph{convex} \textbf{sets}", "on convex sets"),
            (r"The $\ell_1$ norm and $\alpha$-stability", "the ell 1 norm and alpha stability"),
            ("The ℓ1 norm and α-stability", "the l1 norm and alpha stability"),
            ("efﬁcient", "efficient"),
            ("Plant More Trees™: ten years of Grow®", "plant more trees ten years of grow"),
            ("Straße, Søren, Łukasz", "strasse soren lukasz"),
            ("H<sub>2</sub>O", "h 2 o"),
            ("if a < b and b > c", "if a b and b c"),
            ("深度学习", "深 度 学 习"),
            ("Classi- fication, pre- and post-processing", "classification pre and post processing"),
            ("null\0byte \ud800 surrogate", "null byte surrogate"),
            ("", ""),
            ("!?—", ""),
        ],
    )
    def test_gives_the_plain_form(self, title, expected):
        """Case, accents, mark-up and punctuation disappear; words stay."""
        assert expected == normalise(title)

    @pytest.mark.parametrize(
        ("title", "expected"),
        [
            (r"Attention Is \Not All You Need", "attention is not all you need"),
            (r"Attention Is $\Not$ All", "attention is not all"),
            (r"Attention\Not All", "attention not all"),
            (r"\not all, \no{thing}", "not all no thing"),
            ("Attention Is <b not> All", "attention is b not all"),
            ("Attention </b not> Is <not> All", "attention b not is not all"),
            ("A <jats:not> B <mml:never/> C", "a jats not b mml never c"),
        ],
    )
    def test_keeps_what_only_looks_like_mark_up(self, title, expected):
        """A reader sees these words, and they make another title."""
        assert expected == normalise(title)

    @pytest.mark.parametrize(
        ("title", "expected"),
        [
            (r"{\it On} \textsc{Sets} \& {\bfseries maps}", "on sets and maps"),
            (r"$O(n \leq \mathcal{K})$ \ldots and $\hat{x} \to \infty$", "o n k and x infty"),
            (
                "H<sub class=\"x\">2</sub>O<br/>in <mml:math display='inline'><mml:mi>x</mml:mi></mml:math>",
                "h 2 o in x",
            ),
        ],
    )
    def test_drops_known_mark_up(self, title, expected):
        """What is set without a word of its own."""
        assert expected == normalise(title)

    def test_reads_a_bounded_part(self):
        """A hundred kilobytes are cut before any work is done."""
        assert len(normalise("a" * 100_000)) == MAX_TITLE
        assert len(normalise("\ufdfa" * 100_000)) <= MAX_TITLE

    def test_words_may_be_joined_or_split(self):
        """Without blanks, "multi-agent" and "multiagent" are one."""
        assert squeeze(normalise("Multi-Agent")) == squeeze(normalise("Multiagent"))


class TestMainPart:
    @pytest.mark.parametrize(
        ("title", "expected"),
        [
            ("SQLite: past and future", "SQLite"),
            ("Émile ou De l'éducation", "Émile"),
            ("Être ou ne pas être", ""),
            ("Walden, oder das Leben", "Walden"),
            ("Who goes there? A study", "Who goes there"),
            ("Deep nets — a view", "Deep nets"),
            ("End-to-end learning", ""),
            ("Ratio 3:1 in practice", ""),
        ],
    )
    def test_ends_before_the_subtitle(self, title, expected):
        """A hyphen or colon inside a word separates nothing."""
        assert expected == main_part(title)


class TestTex:
    def test_keeps_what_is_no_tex(self):
        """Plain text comes back unchanged."""
        assert decode_tex("C++ & Rust: 100%") == "C++ & Rust: 100%"

    @pytest.mark.parametrize(
        ("tex", "expected"),
        [
            (r"Erd{\H{o}}s", "Erdős"),
            (r"\v{C}ech", "Čech"),
            (r"{\O}ystein", "Øystein"),
            (r"Fran\c{c}ois", "François"),
            (r"Ho\`ang", "Hoàng"),
            (r"Gau{\ss}", "Gauß"),
        ],
    )
    def test_decodes_accents(self, tex, expected):
        """Oracle: the characters that LaTeX sets."""
        assert expected == decode_tex(tex)


class TestIdentifiers:
    @pytest.mark.parametrize(
        ("read", "text", "expected"),
        [
            (normalise_doi, "https://doi.org/10.1145/3442188.3445922.", "10.1145/3442188.3445922"),
            (normalise_doi, "doi:10.1016/S0004-3702(98)00023-X)", "10.1016/s0004-3702(98)00023-x"),
            (normalise_doi, "11.1/x", ""),
            (normalise_arxiv, "https://arxiv.org/abs/1706.03762v5", "1706.03762"),
            (normalise_arxiv, "cs/0112017", "cs/0112017"),
            (normalise_arxiv, "1706.037621234", ""),
            (normalise_isbn, "978-0-262-03384-8", "9780262033848"),
            (normalise_isbn, "0-8044-2957-X", "9780804429573"),
            (normalise_isbn, "978-0-262-03384-9", ""),
            (normalise_isbn, "²²²²²²²²²²", ""),
            (normalise_pmid, "PMID: 33501234", "33501234"),
            (normalise_pmid, "none", ""),
        ],
    )
    def test_have_one_form(self, read, text, expected):
        """ISBN check digits by hand; the others as their registries write them."""
        assert expected == read(text)

    def test_keys_fit_sqlite_and_keep_kinds_apart(self):
        """A key is a signed 64-bit number that depends on its kind."""
        assert -(2**63) <= key("title", "x\ud800") < 2**63
        assert key("title", "1") != key("pmid", "1")
