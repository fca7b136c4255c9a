"""Where the data is, and what is said when it is nowhere."""

import hashlib

import httpx
import pytest
from benchmarks import _data
from benchmarks._data import DataMissing, Dataset, data_dir, dataset, datasets, differing, fetch, read_csv

from guardrail.errors import InputError, UnknownName


@pytest.fixture
def places(tmp_path, monkeypatch):
    """A checkout, a cache and a given folder of this test's own."""
    datasets()  # read before its folder moves; kept
    monkeypatch.setattr(_data, "HERE", tmp_path / "checkout" / "benchmarks")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))
    monkeypatch.setenv("GUARDRAIL_DATA", str(tmp_path / "given"))
    return tmp_path


class TestDataDir:
    def test_searches_in_order(self, places):
        """The environment variable, then beside the checkout, then the cache."""
        cached, beside, given = list(_data.roots())[::-1]
        for root in (cached, beside, given):
            (root / "references").mkdir(parents=True)
            assert data_dir("references") == root / "references"

    def test_says_how_to_get_it(self, places):
        """Original address, checksum, command."""
        with pytest.raises(DataMissing) as error:
            data_dir("references")
        message = str(error.value)
        assert "https://github.com/microsoft/hallucinated-references" in message
        assert dataset("references").sha256["gpt-4_results.csv"] in message
        assert "python -m benchmarks._data references" in message
        with pytest.raises(DataMissing, match=r"git clone https://github\.com/mledoze/countries"):
            data_dir("memory")

    def test_offers_the_nearest_name(self):
        """A misspelt set is an unknown name."""
        with pytest.raises(UnknownName, match="Did you mean 'references'"):
            data_dir("reference")


class TestFetch:
    @pytest.fixture
    def served(self, places, monkeypatch):
        """A data set of two files and the bytes that its address sends."""
        sent = {"a.csv": b"x,y\n1,2\n", "deep/b.txt": b"hello"}
        known = Dataset(
            name="tiny",
            origin=("https://example.org/tiny",),
            licence="MIT",
            note="",
            sha256={file: hashlib.sha256(content).hexdigest() for file, content in sent.items()},
            addresses={file: f"https://example.org/tiny/{file}" for file in sent},
        )
        monkeypatch.setattr(_data, "datasets", lambda: {"tiny": known})
        client = httpx.Client

        def answer(request):
            content = sent.get(request.url.path.removeprefix("/tiny/"))
            return httpx.Response(404) if content is None else httpx.Response(200, content=content)

        monkeypatch.setattr(
            httpx, "Client", lambda **options: client(**options, transport=httpx.MockTransport(answer))
        )
        return sent

    def test_writes_checked_files_into_the_cache(self, served):
        """Then the loader finds them."""
        folder = fetch("tiny")
        assert (folder / "deep" / "b.txt").read_bytes() == b"hello"
        assert differing("tiny", folder) == []
        assert data_dir("tiny") == folder

    def test_refuses_other_bytes(self, served):
        """A changed original is not written."""
        served["a.csv"] = b"changed"
        with pytest.raises(DataMissing, match="expected SHA-256"):
            fetch("tiny")
        assert not list(_data.cache_root().rglob("a.csv*"))

    def test_a_dead_address_is_one_error(self, served):
        """404 and the like."""
        del served["a.csv"]
        with pytest.raises(DataMissing, match="did not answer"):
            fetch("tiny")


class TestReadCsv:
    def test_reads_utf8_and_fills_gaps(self, tmp_path):
        """A byte-order mark, line breaks in cells, short rows."""
        path = tmp_path / "a.csv"
        path.write_bytes('\ufeffname,note\nÉmile,"two\nlines"\nx\n'.encode())
        assert read_csv(path, ["name"]) == [
            {"name": "Émile", "note": "two\nlines"},
            {"name": "x", "note": ""},
        ]

    @pytest.mark.parametrize("content", [b"", b"name\n", b"other\n1\n", b"name\n\xff\n"])
    def test_refuses(self, tmp_path, content):
        """Nothing, no rows, other columns, other encodings."""
        path = tmp_path / "a.csv"
        path.write_bytes(content)
        with pytest.raises(InputError):
            read_csv(path, ["name"])
        with pytest.raises(InputError):
            read_csv(tmp_path / "absent.csv")


@pytest.mark.data
@pytest.mark.parametrize("name", ["references", "hallmark"])
def test_the_data_here_is_the_published_data(name):
    """Every SHA-256."""
    assert differing(name, data_dir(name)) == []
