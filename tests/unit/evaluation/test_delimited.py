"""Files of answers as people have them: encodings, delimiters, rows that do not fit, labels of their own."""

import contextlib
import csv
import shlex

import pytest
from tests.looping import each
from tests.unit.evaluation.conftest import read

from guardrail.errors import ConfigError, InputError, ParseError
from guardrail.evaluation.files import form
from guardrail.evaluation.inputs import Mapped, labelled, survey
from guardrail.evaluation.labels import Meanings, read_labels

HEADER = ["answer", "context", "label"]
ROWS = [
    ["Zürich hat 400.000 Einwohner, Genf 200.000; beide wachsen.", "Zürich | Genf", "1"],
    ['Sie sagte: "Ja".\nDann ging sie.', "Ein Brief\tvon ihr", "0"],
    ["Le café coûte 3,50 €.", "Carte; café", "1"],
]
DELIMITERS = {
    ",": "",
    ";": "semicolons between fields",
    "\t": "tabs between fields",
    "|": "bars between fields",
}
ENCODINGS = {"utf-8": "", "utf-8-sig": "", "utf-16": "UTF-16", "utf-16-le": "UTF-16-LE", "utf-32": "UTF-32"}

OLD = [
    ("cp1252", "Die Brücke über den Fluss wurde für die Fußgänger gebaut, später kamen Züge dazu."),
    ("cp1252", "Le musée a été fondé à Genève par deux frères très âgés."),
    ("cp1252", "El niño comió una manzana después de la lección de español."),
    ("cp1250", "Muzeum założyło dwóch braci, którzy wzbogacili się na żegludze."),
    ("cp1254", "Müze, denizcilikten zengin olan iki kardeş tarafından şehirde kuruldu."),
    ("cp1251", "Музей основали два брата, разбогатевшие на судоходстве."),
    ("gb18030", "该博物馆由两位靠航运致富的兄弟创办，现在每天开放，欢迎大家来参观。"),
]


def written(path, *, delimiter=",", encoding="utf-8", rows=ROWS, before=""):
    with path.open("w", encoding=encoding, newline="") as stream:
        stream.write(before)
        csv.writer(stream, delimiter=delimiter).writerows([HEADER, *rows])
    return path


def as_lists(path):
    return [list(row.values()) for row in read(path)]


class TestForms:
    def test_each_delimiter_in_each_encoding(self, tmp_path):
        """Gives the same rows, and is said where it is not the usual one."""
        pairs = [(delimiter, encoding) for delimiter in DELIMITERS for encoding in ENCODINGS]
        each(pairs, lambda delimiter, encoding: self.check(tmp_path / "a.csv", delimiter, encoding))

    @staticmethod
    def check(path, delimiter, encoding):
        written(path, delimiter=delimiter, encoding=encoding)
        assert as_lists(path) == ROWS
        assert DELIMITERS[delimiter] in form(path)
        assert ENCODINGS[encoding] in form(path)
        assert bool(form(path)) == bool(DELIMITERS[delimiter] or ENCODINGS[encoding])

    def test_old_encodings(self, tmp_path):
        """Are found by the letters that are not ASCII, and by the language that they make."""
        each(OLD, lambda encoding, text: self.check_old(tmp_path / "a.csv", encoding, text))

    @staticmethod
    def check_old(path, encoding, text):
        written(path, delimiter=";", encoding=encoding, rows=[[text, "", "0"]] * 3)
        assert as_lists(path)[0][0] == text
        assert form(path).startswith("read as ")

    def test_announced(self, tmp_path):
        """The first line of a spreadsheet that says the delimiter is no line of names."""
        path = written(tmp_path / "a.csv", delimiter=";", before="sep=;\r\n")
        assert as_lists(path) == ROWS

    def test_tsv(self, tmp_path):
        """A name of its own for tabs."""
        assert as_lists(written(tmp_path / "a.tsv", delimiter="\t")) == ROWS

    def test_one_column(self, tmp_path):
        """A file of answers alone has no delimiter."""
        (tmp_path / "a.csv").write_text("answer\nSo it is.\n\nNot so.\n", encoding="utf-8")
        assert as_lists(tmp_path / "a.csv") == [["So it is."], ["Not so."]]

    def test_json_lines(self, tmp_path):
        """In UTF-16, as some systems write them."""
        (tmp_path / "a.jsonl").write_text('{"answer": "Zürich."}\n{"answer": "漢字 ਊ"}\n', encoding="utf-16")
        assert as_lists(tmp_path / "a.jsonl") == [["Zürich."], ["漢字 ਊ"]]
        assert form(tmp_path / "a.jsonl") == "read as UTF-16"

    def test_no_text(self, tmp_path):
        """Bytes of anything are refused as input, not as a bug."""
        for content in (bytes(range(256)) * 9, b"\xff" * 99, b"a,b\n\xff\xfe\x00,1\n", b""):
            (tmp_path / "a.csv").write_bytes(content)
            with contextlib.suppress(InputError, ParseError):
                read(tmp_path / "a.csv")


class TestMisfits:
    def test_delimiter_in_a_text(self, tmp_path):
        """Without quotation marks it would cut the answer: refused, with the row and what to do."""
        for mark, called in ((",", "commas"), (";", "semicolons")):
            text = mark.join(("answer", "label\nSo it is.", "0\nIn Rome", " not in Bern.", "1\n"))
            (tmp_path / "a.csv").write_text(text, encoding="utf-8")
            with pytest.raises(
                ParseError, match=f"3 in row 2: a text that has {called} in it needs quotation marks"
            ):
                read(tmp_path / "a.csv")

    def test_line_break_in_a_text(self, tmp_path):
        """Likewise."""
        (tmp_path / "a.csv").write_text("answer,label\nSo it\nis.,0\n", encoding="utf-8")
        with pytest.raises(ParseError, match="goes over several lines"):
            read(tmp_path / "a.csv")

    def test_open_quotation(self, tmp_path):
        """A quotation that never ends does not swallow the rest of the file."""
        (tmp_path / "a.csv").write_text('answer,label\n"So it is.,0\nNot so.,1\n', encoding="utf-8")
        with pytest.raises(ParseError, match="expected CSV"):
            read(tmp_path / "a.csv")


class TestLabelsOfOnesOwn:
    def found(self, path, labels="", **columns):
        mapped = Mapped(columns, labels=labels)
        info = survey(path, mapped).file
        return [one.labels.whole for one in labelled(path, info, mapped, [range(info.rows)])]

    def test_all_in_one_message(self, tmp_path):
        """Every label that is not known, with how often, and one option to paste that the command takes."""
        rows = [
            ["a.", "", label] for label in ("falsch", "richtig", "falsch", "0.7", "1", "übersprungen", "n/a")
        ]
        path = written(tmp_path / "a.csv", rows=rows)
        with pytest.raises(InputError) as caught:
            survey(path, Mapped())
        said = str(caught.value)
        assert "'falsch' (2 ×), 'richtig' (1 ×), '0.7' (1 ×), 'übersprungen' (1 ×)" in said
        option, value = shlex.split(said[said.index("--labels") : said.index(", with made-up")])
        assert (option, value) == ("--labels", "falsch=?,richtig=?,übersprungen=?,>=0.5=made-up")
        filled = "falsch=made-up,richtig=sound,übersprungen=none,>=0.5=made-up"
        assert self.found(path, filled) == [True, False, True, True, True, None, None]

    def test_numbers(self, tmp_path):
        """A share or a grade means nothing by itself, and what it is told to mean from a number on."""
        path = written(tmp_path / "a.csv", rows=[["a.", "", label] for label in ("1", "3", "4.5", "5")])
        with pytest.raises(InputError, match="'>=\\?=made-up'"):
            survey(path, Mapped())
        assert self.found(path, ">=4=sound") == [True, True, False, False]

    def test_of_sentences(self):
        """Those of one answer are named together."""
        with pytest.raises(InputError, match=r"'gut' .*'schlecht' "):
            read_labels(["gut", "schlecht"], "It is so. It is not.")
        known = Meanings.of("gut=sound,schlecht=made-up")
        assert [
            label
            for *_, label in read_labels(["gut", "schlecht"], "It is so. It is not.", meanings=known).parts
        ] == [False, True]

    def test_not_inverted(self, tmp_path):
        """In a column that says what is sound, a label that was explained means what was said."""
        path = written(tmp_path / "a.csv", rows=[["a.", "", label] for label in ("oui", "1")])
        assert self.found(path, "oui=sound", label="!label") == [False, False]

    @pytest.mark.parametrize("labels", ["bad", "bad=", "=sound", "bad=wrong", ">=0.5=none", "bad=sound,,"])
    def test_misspelt(self, labels):
        """An option of another form is refused."""
        with pytest.raises(ConfigError, match="--labels: expected"):
            Mapped(labels=labels)

    def test_said_by_the_command(self, evaluate, tmp_path):
        """One line for the form of the file; and the run keeps what its labels mean."""
        path = written(
            tmp_path / "a.csv", delimiter=";", encoding="utf-16", rows=[["So it is.", "So it is.", "gut"]]
        )
        words = (path, "--detector", "selfcheck-grounding:fit=words", "--out", tmp_path / "run")
        code, said = evaluate(*words)
        assert (code, "--labels 'gut=?'" in said) == (2, True)
        code, said = evaluate(*words, "--labels", "gut=sound")
        assert code == 0
        assert "a.csv: read as UTF-16, semicolons between fields" in said
        code, said = evaluate(*words, "--labels", "gut=made-up")
        assert (code, "--labels" in said) == (2, True)
