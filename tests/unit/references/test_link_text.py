"""The text of a link is its title, but for the site that the address confirms."""

from dataclasses import replace

import pytest

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations import citations
from guardrail.references.citations.link_text import from_link


def read(text, address, said):
    return from_link(f"[{text}]({address})", replace(said, url=address))


@pytest.mark.parametrize(
    ("text", "address", "title", "venue"),
    [
        ("travel.state.gov", "https://travel.state.gov/content/uk", "", "travel.state.gov"),
        ("studentaid.gov/deadlines", "https://studentaid.gov/apply/deadlines", "", "studentaid.gov"),
        ("劳动合同法 - 维基百科", "https://zh.wikipedia.org/wiki/x", "劳动合同法", "维基百科"),
        ("试用期_百度百科", "https://baike.baidu.com/item/x", "试用期", "百度百科"),
        ("花粉症対策|厚生労働省", "https://www.mhlw.go.jp/x", "花粉症対策", "厚生労働省"),
        ("Async IO (Real Python)", "https://realpython.com/async-io/", "Async IO", "Real Python"),
        ("Funds (ETFs) – A Guide for Investors", "https://www.sec.gov/x", "Funds (ETFs) – A Guide for Investors", ""),
        ("Use The Index, Luke: Keys", "https://use-the-index-luke.com/x", "Keys", "Use The Index, Luke"),
        ('CSS-Tricks "Grid Guide"', "https://css-tricks.com/x", "Grid Guide", "CSS-Tricks"),
        ("BLAST: Basic Local Alignment Search Tool", "https://blast.ncbi.nlm.nih.gov/", "BLAST: Basic Local Alignment Search Tool", ""),
        ("SFT Trainer", "https://huggingface.co/docs/trl/sft_trainer", "SFT Trainer", ""),
    ],
)  # fmt: skip
def test_title_and_site(text, address, title, venue):
    """Whatever part of it was read as the title."""
    words = text.split()
    for said in (Reference(text), Reference(words[-1], venue=" ".join(words[:-1]))):
        found = read(text, address, said)
        assert (found.title, found.venue) == (title, venue)


def test_names_in_a_link_stay():
    said = Reference("Teacups", ("Ann Roe",), year=2020)
    assert read("Ann Roe, Teacups, 2020", "https://example.org/x", said).authors == ("Ann Roe",)


@pytest.mark.parametrize(
    ("text", "venue"),
    [
        ("- Source: [Teacups and Kettles](https://example.org/teacups/kettles)", ""),
        ("- THL: [Mikrobilääkeresistenssi](https://thl.fi/aiheet/infektiotaudit/resistenssi)", "THL"),
        (
            "▸ **NICE (UK):** [Attention deficit disorder: diagnosis](https://www.nice.org.uk/guidance/ng87)",
            "NICE",
        ),
    ],
)
def test_a_label_before_a_link_names_its_site(text, venue):
    assert [one.reference.venue for one in citations(text, asked_for_references=True)] == [venue]
