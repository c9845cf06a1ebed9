"""What the official program would do with the files, in words, and what a model takes and gives."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from pages.shared import layout
from scoring.scorecard import ScoreCard
from scoring.text import markdown


def verdicts(card: ScoreCard, question: str, words: Mapping[str, str], fine: str) -> None:
    """words: finding code -> what the official program does then, as "It ...". fine: what stands there when
    none was found. Markdown of our own."""
    codes = {finding.code for finding in card.findings}
    hit = [said for code, said in words.items() if code in codes]
    layout.heading(question)
    st.markdown(
        "\n".join(f"- It **{said}**; see the findings for line and cure." for said in hit) or f"- {fine}"
    )


def tensors(model: Mapping) -> None:
    """Inputs and outputs that a model declares. model: `Inspection.model`."""
    rows = [
        {
            "what": what,
            "name": t["name"],
            "type": t["dtype"],
            "shape": " × ".join("any" if d is None else str(d) for d in t["shape"] or ()),
        }
        for what in ("inputs", "outputs")
        for t in model[what]
    ]
    layout.table(
        "What does the model take and give?",
        pd.DataFrame(rows),
        {c: layout.words(c) for c in ("what", "name", "type", "shape")},
        f"SHA-256 {model['sha256']}",
        key="tensors",
    )


def remarks(card: ScoreCard, codes: Sequence[str]) -> None:
    """The findings with these codes, in full."""
    for finding in (f for f in card.findings if f.code in codes):
        st.markdown(f"**{finding.code}**: {markdown(finding.message, 600)}")
