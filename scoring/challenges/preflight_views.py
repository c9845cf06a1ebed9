"""Views that say what the official program does with the files and the model, from the findings of a
scorecard."""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from scoring.common.text import markdown
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Column, Fact, Table, Text

SENTENCE = 600
"""Maximum number of characters of a finding's message."""


def verdict(card: ScoreCard, question: str, actions: Mapping[str, str], fine: str) -> Text:
    """Return a text that says what the official program does with the files.

    Args:
        actions: Code of a finding -> what the program does ("would cancel the whole run").
        fine: Sentence (Markdown) that is returned if the card has none of these findings.
    """
    codes = {finding.code for finding in card.findings}
    hit = [action for code, action in actions.items() if code in codes]
    lines = [
        f"- It **{action}**; see the findings for the line and the fix." for action in dict.fromkeys(hit)
    ]
    return Text("\n".join(lines) or f"- {fine}", question=question)


def format_facts(model: Mapping[str, Any], there: bool = True) -> list[Fact]:
    """Return facts about a model: ONNX version, kind of outputs and size of the graph. `there` says whether
    the official program has its own limits."""
    return [
        Fact("IR version", str(model["ir_version"]), "official code: up to 10" if there else ""),
        Fact("Opset", str(model["opset"]), "official code: up to 21" if there else ""),
        Fact("Outputs are", str(model["output_kind"])),
        Fact("Nodes", str(model["nodes"])),
    ]


def tensors(model: Mapping[str, Any]) -> Table:
    """Return a table of the inputs and outputs that a model declares. `model` is `Inspection.model`."""
    return Table.of(
        "Which inputs and outputs does the model have?",
        [{**tensor, "what": end} for end in ("inputs", "outputs") for tensor in model[end]],
        (
            Column("what", "what"),
            Column("name", "name"),
            Column("type", "type", get=itemgetter("dtype")),
            Column("shape", "shape", get=lambda tensor: _shape(tensor["shape"])),
        ),
        f"SHA-256 {model['sha256']}",
        key="tensors",
    )


def _shape(shape: Sequence[int | str | None] | None) -> str:
    return " × ".join("any" if size is None else str(size) for size in shape or ())


def remarks(card: ScoreCard, codes: Sequence[str]) -> list[Text]:
    """Return the full texts of the findings with these codes."""
    return [
        Text(f"**{finding.code}**: {markdown(finding.message, SENTENCE)}")
        for finding in card.findings
        if finding.code in codes
    ]
