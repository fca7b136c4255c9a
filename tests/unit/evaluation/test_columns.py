"""Names of columns that are not ours: what is suggested, and what the command says of a file."""

import pytest

from guardrail.evaluation.columns import as_option, suggested


class TestSuggested:
    @pytest.mark.parametrize(
        ("columns", "expected"),
        [
            (["model_output", "docs", "hallucinated", "url"], {"answer": "model_output", "context": "docs", "label": "hallucinated", "source": "url"}),
            (["claim", "document", "supported"], {"answer": "claim", "context": "document", "label": "!supported"}),
            (["Model Output", "isFaithful"], {"answer": "Model Output", "label": "!isFaithful"}),
            (["answer", "label", "seed"], {}),
        ],
    )  # fmt: skip
    def test_by_name(self, columns, expected):
        """Usual names of data sets; a label of what is sound is turned round; our own names need no option."""
        assert suggested(columns) == expected

    def test_what_the_user_named_is_left_alone(self):
        """A field that has a column gets no other, and a column no second field."""
        assert suggested(["text", "summary"], {"answer": "text"}) == {}
        assert suggested(["text", "url"], {"source": "url"}) == {"answer": "text"}

    def test_as_option(self):
        """As it is pasted."""
        assert as_option(suggested(["claim", "supported"])) == "--map 'answer=claim,label=!supported'"


class TestSaid:
    def test_the_whole_option(self, file, evaluate, tmp_path):
        """Where no column is the answer, the message has the option for all columns that are known."""
        path = file([{"model_output": "So.", "docs": "So.", "hallucinated": "no", "url": "u"}])
        code, said = evaluate(path, "--detector", "selfcheck-ngram", "--out", tmp_path / "run")
        assert code == 2
        assert "--map answer=model_output,context=docs,label=hallucinated,source=url" in said

    def test_forgotten_columns(self, file, evaluate, tmp_path):
        """A column that was not named and looks like a field is pointed out; the run goes on."""
        path = file([{"answer": "So it is.", "samples": ["So it is."], "hallucinated": "no", "seed": 1}])
        code, said = evaluate(path, "--detector", "selfcheck-ngram", "--out", tmp_path / "run")
        assert code == 0
        assert "1 answer, 1 with samples, no labels, each its own source" in said
        assert "not used: hallucinated, seed. If they are meant: --map label=hallucinated" in said
        assert "no AUROC, since no row is labelled" in said

    def test_why_unverified(self, file, evaluate, tmp_path):
        """A detector that could examine nothing says why."""
        path = file([{"answer": "So it is.", "label": 0}])
        _, said = evaluate(path, "--detector", "selfcheck-ngram", "--out", tmp_path / "run")
        assert "selfcheck-ngram: 100% not verified, most often (1 row): there are no samples" in said

    def test_quiet(self, file, evaluate, tmp_path):
        """Nothing is said with --quiet."""
        path = file([{"answer": "So it is.", "label": 0}])
        assert evaluate(path, "--detector", "selfcheck-ngram", "--out", tmp_path / "run", "-q") == (0, "")

    def test_group_that_is_not_there(self, file, evaluate, tmp_path):
        """A column to keep that no row has is a slip of the pen."""
        path = file([{"answer": "So it is.", "domain": "x"}])
        words = ("--detector", "selfcheck-ngram", "--group", "dommain", "--out", tmp_path / "run")
        code, said = evaluate(path, *words)
        assert (code, "no column 'dommain' for --group" in said) == (2, True)


class TestProgressInALog:
    def test_lines(self, capsys):
        """A line at most every thirty seconds, with rate and time left."""
        from guardrail.cli._terminal import Lines

        now = [0.0]
        progress = Lines("answers", 1000, clock=lambda: now[0])
        for now[0] in (10.0, 20.0, 40.0, 50.0):
            progress(100)
        said = capsys.readouterr().err
        assert said == "guardrail: 300 of 1,000 answers, 7.5/s, about 2 min left\n"


class TestSurveyOnce:
    def test_known_file_is_not_read_again(self, file, evaluate, tmp_path, monkeypatch):
        """Going on with a run, or with another shard of it, takes the digest alone."""
        from guardrail.evaluation import inputs

        path = file([{"answer": "So it is."}] * 3)
        words = (path, "--detector", "selfcheck-ngram", "--out", tmp_path / "run")
        assert evaluate(*words)[0] == 0
        monkeypatch.setattr(inputs, "survey", lambda *_: pytest.fail("the file was read again"))
        assert evaluate(*words, "-q")[0] == 0
