"""Views of a board's decision rule and final ranking, and of later changes."""

import json
import re
from collections.abc import Mapping
from functools import partial
from operator import itemgetter
from typing import Any

from scoring.boards.board import OpenBoard
from scoring.boards.ranking import decision_rule, final_ranking
from scoring.boards.ranking.board_ranking import BoardRanking
from scoring.boards.row_validation import PARTS
from scoring.boards.submissions.phases_and_limits import spoken
from scoring.common.text import markdown, shortened
from scoring.core.challenge import Challenge
from scoring.core.options import Option
from scoring.core.views import Block, Column, Section, Table, Text
from scoring.store import schema

NAME = "Decision"
_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00")


def sections(ranking: BoardRanking) -> tuple[Section, ...]:
    """Return the section about decision rule and final ranking; empty if the board has neither."""
    store, board_id = ranking.board.store, ranking.board.row.id
    rule, final = decision_rule.fixed_rule(store, board_id), final_ranking.frozen(store, board_id)
    blocks: list[Block] = []
    if final is not None:
        blocks += _final(ranking, final)
    if rule is not None:
        blocks += _rule(ranking, rule)
    return (Section(NAME, blocks),) if blocks else ()


def _final(ranking: BoardRanking, final: schema.FinalRanking) -> list[Block]:
    text = (
        f"Frozen on {spoken(final.created)} by Benchside {markdown(final.program)}. SHA-256 of the ranking: "
    )
    hashes = f"`{final.sha256}`, of the truth: `{final.truth}`, of all submissions: `{final.submissions}`."
    names = final_ranking.new_names(ranking, final)
    by_now = Column("name", "current name", get=lambda row: names.get(row["team"], row["team"]))
    columns = [
        Column("rank", "#", "number", 0, full="rank", width=36),
        Column("team", "team"),
        *([by_now] if names else []),
        Column("score", "score", "number", 6, full="score at the freeze"),
        Column("submission", "submission", get=lambda row: shortened(row["submission"], 40)),
    ]
    changed = final_ranking.changes(ranking, final)
    table = Table.of("What is the final ranking?", final.ranking, columns, key="board_final")
    return [Text(text + hashes, question="When was it decided?"), *_changed(changed, "final"), table]


def _rule(ranking: BoardRanking, rule: schema.DecisionRule) -> list[Block]:
    text = (
        f"Fixed on {spoken(rule.created)}, before the first submission, by Benchside "
        f"{markdown(rule.program)}. SHA-256: `{rule.sha256}`."
    )
    columns = [Column("part", "part", get=itemgetter(0)), Column("rule", "rule", get=itemgetter(1))]
    challenge = ranking.board.challenge
    parts = [("metric", metric(ranking.board)), *in_words(rule.rule, challenge).items()]
    table = Table.of("By which rule?", parts, columns, key="board_rule")
    later = [
        {"what": f"{spoken(one['time'])}: {one['part']}", "before": one["before"], "after": one["after"]}
        for one in changes_in_words(rule, challenge)
    ]
    return [Text(text, question="What decides?"), *_changed(later, "rule"), table]


def metric(board: OpenBoard) -> str:
    """Return the name and direction of the metric that ranks the teams."""
    return f"{board.challenge.formula(board.row.options['score'])}; {board.challenge.scoring.direction}"


def in_words(rule: decision_rule.Rule, challenge: Challenge[Any, Any]) -> dict[str, str]:
    """Return the parts of a rule as text for readers: times without fractions of seconds, options by their
    labels."""
    said = {part: _ISO.sub(lambda time: spoken(time[0]), text) for part, text in rule.items()}
    try:
        groups = json.loads(rule["options"])
        values = [pair for part in PARTS for pair in groups[part].items()]
    except (ValueError, LookupError, TypeError, AttributeError):  # of a bundle that was written by hand
        return said
    own = {option.name: option for option in challenge.options}
    return said | {"options": "; ".join(_option(own.get(name), name, value) for name, value in values)}


def _option(known: Option | None, name: str, value: Any) -> str:
    plain = "none" if value is None else ("no", "yes")[value] if isinstance(value, bool) else str(value)
    label = known.label if known and known.label else name.replace("_", " ")
    return f"{label}: {known.value_labels.get(value, plain) if known and isinstance(value, str) else plain}"


def changes_in_words(row: schema.DecisionRule, challenge: Challenge[Any, Any]) -> list[dict[str, str]]:
    """Return the later changes of a rule as text for readers."""
    return [
        {
            **change,
            **{
                when: in_words({change["part"]: change[when]}, challenge)[change["part"]]
                for when in ("before", "after")
            },
        }
        for change in decision_rule.rule_changes(row)
    ]


def _changed(changes: list[dict[str, str]], key: str) -> list[Block]:
    if not changes:
        return [Text("Nothing has changed since then.", "note")]
    columns = [Column(name, name, get=partial(_cell, name)) for name in changes[0]]
    number = f"{len(changes)} later change{'s' * (len(changes) > 1)}: see the table below."
    table = Table.of("What has changed since then?", changes, columns, key=f"board_changed_{key}")
    return [Text(number, "caution"), table]


def _cell(name: str, row: Mapping[str, str]) -> str:
    return shortened(row[name], 300)
