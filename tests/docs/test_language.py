"""The language of README and docs: few long sentences, none twice, no idiom that needs decoding."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command_line import ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
LONG, SHARE = 25, 0.12
"""Words of a sentence that is long, and the share of a page's sentences that may be."""
DENSE = {"hidden-truth.md", "platforms.md", "statistics.md"}
"""Pages of many formulas and conditions, on which more sentences are long."""
IDIOMS = r"\bNot what \b|\bis spelt as\b|\bcounts before\b|\bwhat lacks\b|\bWho [a-z]+s (a|the|is|has|may)\b"
SCREENS = 100
"""Lines of two screens."""


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of paragraphs, items and cells. Code is left out; a code mark is one word."""
    prose = re.sub(r"^```.*?^```", "\n", text, flags=re.M | re.S)
    prose = re.sub(r"`[^`\n]*`", lambda mark: re.sub(r"\W", "_", mark[0]), prose)
    prose = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", prose)
    for part in re.split(r"\n\s*\n|\n(?=\s*(?:[*#-]|\d+\.) )|\|", prose):
        flat = " ".join(part.split())
        yield from re.split(r"(?<=[.!?])\**\s+(?=[A-Z_*\"(])", flat)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_is_read_at_once(page: Path):
    text = page.read_text(encoding="utf-8")
    found = [sentence for sentence in sentences(text) if len(sentence.split()) > 3]
    long = [sentence for sentence in found if len(sentence.split()) > LONG]
    if page.name not in DENSE:
        assert len(long) <= SHARE * len(found), long
        assert [sentence for sentence in found if re.search(IDIOMS, sentence)] == []
    assert len(text.splitlines()) <= SCREENS or len(re.findall("^## ", text, re.M)) > 2


def test_no_sentence_is_there_twice():
    seen: dict[str, str] = {}
    for page in PAGES:
        for sentence in set(sentences(page.read_text(encoding="utf-8"))):
            if len(sentence.split()) > 7:
                assert sentence not in seen, f"{seen[sentence]} and {page.name}: {sentence}"
                seen[sentence] = page.name


def test_sentences_are_told_apart():
    text = "# Title\n\nOne `a. B` here. Two [of it](x.md).\n\n```\nnone. None\n```\n| cell | *A.* B |\n* c\n"
    told = ["# Title", "One _a__B_ here.", "Two of it.", "cell", "*A.", "B", "* c"]
    assert list(filter(None, sentences(text))) == told
