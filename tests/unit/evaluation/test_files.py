"""Files of rows: folders of Hugging Face's datasets, and rows that are passed over without being read."""

import json

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from tests.unit.evaluation.conftest import read

from guardrail.errors import InputError, ParseError
from guardrail.evaluation.files import digest, numbered

ROWS = [{"answer": f"Ada wrote {i}.", "samples": [f"Ada {i}."], "label": i % 2} for i in range(25)]


def saved(folder, rows=ROWS, *, files=2, batch=4, names=None, **state):
    """A folder in the layout of `Dataset.save_to_disk` (datasets 2 to 4): streams of Arrow, state.json, dataset_info.json."""
    folder.mkdir(parents=True)
    table, size = pa.Table.from_pylist(rows), -(-len(rows) // files)
    listed = [f"data-{i:05d}-of-{files:05d}.arrow" for i in range(files)]
    for i, name in enumerate(listed):
        with pa.OSFile(str(folder / name), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as stream:
            stream.write_table(table.slice(i * size, size), max_chunksize=batch)
    label = {"names": names, "_type": "ClassLabel"} if names else {"dtype": "int64", "_type": "Value"}
    info = {"features": {"answer": {"dtype": "string", "_type": "Value"}, "label": label}}
    (folder / "dataset_info.json").write_text(json.dumps(info), encoding="utf-8")
    told = {"_data_files": [{"filename": name} for name in listed], "_fingerprint": "0", "_split": None}
    (folder / "state.json").write_text(json.dumps(told | state), encoding="utf-8")
    return folder


class TestSavedFolder:
    def test_rows_in_order(self, tmp_path):
        """Those of all files, one after the other."""
        assert read(saved(tmp_path / "set")) == ROWS

    def test_names_of_classes(self, tmp_path):
        """Numbers of a class column are read as its names, for 0 may mean either; -1 is no label."""
        rows = [{"answer": "a", "label": value} for value in (0, 1, -1)]
        place = saved(tmp_path / "set", rows, files=1, names=["hallucinated", "faithful"])
        assert [row["label"] for row in read(place)] == ["hallucinated", "faithful", None]

    def test_one_split(self, tmp_path):
        """A dictionary of one split is that split, with the names of its classes."""
        saved(tmp_path / "all" / "test", names=["faithful", "hallucinated"])
        (tmp_path / "all" / "dataset_dict.json").write_text('{"splits": ["test"]}', encoding="utf-8")
        assert [row["label"] for row in read(tmp_path / "all")][:2] == ["faithful", "hallucinated"]

    def test_several_splits(self, tmp_path):
        """Training data are not evaluated by accident: the splits are named, to choose from."""
        for name in ("train", "test"):
            saved(tmp_path / "all" / name)
        (tmp_path / "all" / "dataset_dict.json").write_text('{"splits": ["train", "test"]}', encoding="utf-8")
        with pytest.raises(InputError, match=r"2 splits: name the one.*all/train, .*all/test"):
            read(tmp_path / "all")
        assert len(read(tmp_path / "all" / "test")) == 25

    def test_other_folder(self, tmp_path):
        """A folder of something else is refused with what to do."""
        with pytest.raises(InputError, match="save_to_disk"):
            read(tmp_path)

    def test_old_selection(self, tmp_path):
        """Old versions saved a selection as the whole data and a list of numbers: the whole data are not what was meant."""
        place = saved(tmp_path / "set", _indices_data_files=[{"filename": "indices.arrow"}])
        with pytest.raises(InputError, match="flatten_indices"):
            read(place)

    def test_files_elsewhere(self, tmp_path):
        """A description that names a file outside the folder does not lead out of it."""
        place = saved(tmp_path / "set", _data_files=[{"filename": "../../secret.arrow"}])
        with pytest.raises(ParseError, match="secret"):
            read(place)

    def test_digest(self, tmp_path):
        """Of the data and their description: other names of classes are another data set."""
        one, same = (saved(tmp_path / name, names=["a", "b"]) for name in ("one", "same"))
        other = saved(tmp_path / "other", names=["b", "a"])
        assert digest(one) == digest(same) != digest(other)

    def test_evaluated(self, evaluate, tmp_path):
        """The command takes the folder as it takes a file, and its rows are those of the file."""
        place = saved(tmp_path / "set", names=["faithful", "hallucinated"])
        code, said = evaluate(place, "--detector", "selfcheck-ngram", "--out", tmp_path / "run")
        assert (code, "25 answers" in said, "12 made up" in said) == (0, True, True)


class TestParquet:
    @pytest.mark.parametrize(
        ("metadata", "expected"),
        [
            ({"info": {"features": {"label": {"names": ["hallucinated", "faithful"], "_type": "ClassLabel"}}}}, ["hallucinated", "faithful", None]),
            ({"info": {"features": {"label": {"dtype": "int64", "_type": "Value"}}}}, [0, 1, -1]),
            ({"info": []}, [0, 1, -1]),
            ([], [0, 1, -1]),
            (None, [0, 1, -1]),
        ],
    )  # fmt: skip
    def test_names_of_classes(self, metadata, expected, tmp_path):
        """As in a saved folder: 1 may be the name of what is sound."""
        table = pa.Table.from_pylist([{"answer": "a", "label": value} for value in (0, 1, -1)])
        if metadata is not None:
            table = table.replace_schema_metadata({"huggingface": json.dumps(metadata)})
        parquet.write_table(table, tmp_path / "set.parquet")
        assert [row["label"] for row in read(tmp_path / "set.parquet")] == expected

    def test_a_description_that_is_no_json(self, tmp_path):
        """Is none."""
        table = pa.Table.from_pylist([{"answer": "a"}]).replace_schema_metadata({"huggingface": "{"})
        parquet.write_table(table, tmp_path / "set.parquet")
        assert read(tmp_path / "set.parquet") == [{"answer": "a"}]


class TestWanted:
    @pytest.mark.parametrize("form", ["jsonl", "csv", "parquet", "folder"])
    def test_only_rows_in_the_ranges(self, form, tmp_path):
        """Every form gives the rows that are wanted, with their numbers."""
        rows = [{"answer": str(i)} for i in range(25)]
        path = tmp_path / f"a.{form}"
        if form == "jsonl":
            path.write_text("\n".join(map(json.dumps, rows)) + "\n\n", encoding="utf-8")
        elif form == "csv":
            path.write_text("answer\n" + "\n".join(str(i) for i in range(25)), encoding="utf-8")
        elif form == "parquet":
            parquet.write_table(pa.Table.from_pylist(rows), path, row_group_size=5)
        else:
            saved(path, rows)
        wanted = [range(2, 4), range(9, 11), range(24, 25)]
        found = list(numbered(path, wanted))
        assert found == [(i, {"answer": str(i)}) for i in (2, 3, 9, 10, 24)]
        assert list(numbered(path, [])) == []

    def test_lines_of_others_are_not_parsed(self, tmp_path):
        """A shard passes over the lines of other shards without reading what they say."""
        path = tmp_path / "a.jsonl"
        path.write_text('{"answer": "0"}\nnot JSON\n{"answer": "2"}\n', encoding="utf-8")
        found = [row["answer"] for _, row in numbered(path, [range(1), range(2, 3)])]
        assert found == ["0", "2"]
