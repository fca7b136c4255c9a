"""Pairs: what is right, and rows that are one pair."""

import json
import os
from pathlib import Path

import pytest
from benchmarks.memory.pairs import Pair, candidates

ROOT = Path(__file__).parents[3]
DATA = Path(os.environ.get("GUARDRAIL_DATA") or ROOT.parent / "shared" / "data") / "memory"
AMBIGUOUS = {  # by reading poems.jsonl: equal couplets first, then those printed with other characters
    "寥落古行宮，宮花寂寞紅。": {"王建", "元稹"},
    "折戟沈沙鐵未銷，自將磨洗認前朝。": {"李商隱", "杜牧"},
    "打起黃鶯兒，莫教枝上啼。": {"金昌緒", "釋明辯"},
    "早被嬋娟誤，欲妝臨鏡慵。": {"杜荀鶴", "周朴"},
    "別夢依依到謝家，小廊迴合曲闌斜。": {"張泌", "張佖"},
    "鶯啼燕語報新年，馬邑龍堆路幾千。": {"劉長卿", "皇甫冉"},
    "松下問童子，言師採藥去。": {"賈島", "孫革"},
    "獨有宦遊人，偏驚物候新。": {"杜審言", "韋應物"},
    "白日依山盡，黃河入海流。": {"朱斌", "王之渙"},
}
PRINTED_OTHERWISE = {
    "隱隱飛橋隔野煙，石磯西畔問漁船。": {"張旭", "蔡襄"},
    "回樂峰前沙似雪，受降城下月如霜。": {"李益", "楊敬述進"},
    "鄉心新歲切，天畔獨潸然。": {"劉長卿", "宋之問"},
    "月黑鴈飛高，單于夜遁逃。": {"盧綸", "錢起"},
    "故關衰草遍，離別自堪悲。": {"盧綸", "嚴維"},
    "迢遞三巴路，羈危萬里身。": {"孟浩然", "崔塗"},
    "嶺外音書絕，經年復歷春。": {"李頻", "宋之問"},
    "虢國夫人承主恩，平明騎馬入宮門。": {"張祜", "杜甫"},
}


def poems():
    if not DATA.is_dir():
        pytest.skip("no data")
    rows = [json.loads(line) for line in (DATA / "poems.jsonl").read_text(encoding="utf-8").splitlines()]
    return [Pair(row["line"], row["author"]) for row in rows]


class TestPair:
    def test_named(self):
        """A right name in any spelling is found, and told as the data spells it."""
        pair = Pair("白日依山盡，黃河入海流。", "朱斌", ("王之渙",))
        assert pair.named("王之涣") == "王之渙"
        assert pair.named(" 朱斌。") == "朱斌"
        assert pair.named("杜甫") is None
        assert pair.named("") is None

    def test_a_pair_of_marks_alone(self):
        """A name without letters names nobody, whatever is asked."""
        assert Pair("x", "?").named("!") is None


class TestCandidates:
    def test_joined(self):
        """One left with two names is one pair, and both are right; the first is shown."""
        found = candidates([Pair("Bolivia", "Sucre"), Pair("Chad", "N'Djamena"), Pair("BOLIVIA", "La Paz")])
        assert found.pairs == (Pair("Bolivia", "Sucre", ("La Paz",)), Pair("Chad", "N'Djamena"))
        assert (found.merged, found.nameless) == (1, 0)
        assert found.ambiguous == found.pairs[:1]

    def test_same_name_in_another_spelling(self):
        """Two spellings of one name are one name."""
        assert candidates([Pair("a", "張說"), Pair("a", "张说")]).pairs == (Pair("a", "張說"),)

    @pytest.mark.parametrize("name", ["", "不详", "不詳", "無名氏", "Anonymous", "?"])
    def test_nameless(self, name):
        """What nobody is named for cannot be asked for."""
        found = candidates([Pair("a", name), Pair("b", "B")])
        assert found.pairs == (Pair("b", "B"),)
        assert found.nameless == 1

    def test_a_nameless_row_does_not_spoil_a_named_one(self):
        """Order does not matter."""
        rows = [Pair("a", "不详"), Pair("a", "A")]
        assert candidates(rows).pairs == candidates(reversed(rows)).pairs == (Pair("a", "A"),)

    def test_alike(self):
        """Only where it is asked for, and inclusive: 8 of 10 letters are .8."""
        rows = [Pair("嶺外音書絕，經年復歷春。", "李頻"), Pair("嶺外音書斷，經冬復歷春。", "宋之問")]
        assert len(candidates(rows).pairs) == 2
        assert candidates(rows, alike=0.8).pairs == (Pair(rows[0].left, "李頻", ("宋之問",)),)
        assert len(candidates(rows, alike=0.81).pairs) == 2

    def test_countries_that_look_alike(self):
        """By default Niger is not Nigeria."""
        assert len(candidates([Pair("Niger", "Niamey"), Pair("Nigeria", "Abuja")]).pairs) == 2

    def test_of_nothing(self):
        """No rows, no pairs."""
        assert candidates([]).pairs == ()


@pytest.mark.data
class TestPoems:
    def test_equal_couplets(self):
        """Nine couplets of the 366 poems carry two poets each: either is accepted."""
        found = candidates(poems())
        assert {pair.left: set(pair.rights) for pair in found.ambiguous} == AMBIGUOUS

    @pytest.mark.parametrize("alike", [0.8, 0.75, 0.6])
    def test_couplets_printed_otherwise(self, alike):
        """Eight more are the same verses with other characters; no share between .6 and .8 finds others."""
        found = candidates(poems(), alike=alike)
        assert {pair.left: set(pair.rights) for pair in found.ambiguous} == AMBIGUOUS | PRINTED_OTHERWISE

    def test_either_name(self):
        """In both scripts."""
        pair = next(pair for pair in candidates(poems()).pairs if pair.left.startswith("白日依山"))
        assert {pair.named(name) for name in ("朱斌", "王之渙", "王之涣")} == {"朱斌", "王之渙"}

    def test_nobody(self):
        """Three rows are by nobody who is named."""
        assert candidates(poems()).nameless == 3
