"""Parser of declarations: a stranger's file NAME.toml, read as data and refused with every problem at once.

Each problem has file, line and key. No path and no address in it is followed, nothing of it runs.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from scoring.challenges.declared.declaration import (
    BOXES,
    EQUAL,
    MISSING,
    RANKINGS,
    TIES,
    About,
    Declaration,
    PredictionColumns,
    RankingRule,
    TruthColumns,
)
from scoring.challenges.declared.keys import KEYS, TEXT_LENGTH, KeyReader, near, nearest
from scoring.challenges.declared.metric_uses import metric_uses
from scoring.challenges.declared.toml_lines import Path, key_lines
from scoring.common.findings import InputRefused, error
from scoring.metrics.registry import TASKS

LARGEST = 256_000
"""Bytes of a file."""
MOST_CLASSES = 1_000
ID = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?")
MARKUP = re.compile(r"[\[\]<>`$|\\]|://|www\.")
"""What pages would take for markup or a link."""
PLACES = {"points": (("x", "y"), ("x", "y", "z")), "boxes": (("x0", "y0", "x1", "y1"),)}
NEEDED_OF_TRUTH = {
    "regression": {"value": "name the column of the number that is predicted"},
    "survival": {
        "time": "name the column of the time to event or censoring",
        "event": "name the column that is 1 where the event was seen and 0 where the case is censored",
    },
    "points": {"places": 'name the columns of the coordinates, such as ["x", "y"]'},
    "boxes": {"places": 'name the columns of the corners, such as ["x0", "y0", "x1", "y1"]'},
}
"""Task -> keys of [truth] that it needs, and what to do."""
NEEDED_OF_PREDICTIONS = {
    "regression": {"value": "name the column of the predicted number"},
    "survival": {"risk": "name the column of the risk, the higher the earlier the event"},
    "points": {"score": "name the column of the score of each point"},
    "boxes": {"score": "name the column of the score of each box"},
}
OF_CLASSES = ("classification", "ordinal", "multilabel", "segmentation")
"""Tasks that need names of classes, labels or regions."""
WORST_OF = ("classification", "ordinal", "multilabel", "segmentation", "points", "boxes")
"""Tasks in which a missing prediction can be as wrong as can be; a number has no worst."""


def parse(data: bytes | str, name: str) -> Declaration:
    """Return what a file declares.

    Args:
        data: The file.
        name: What messages call it.

    Raises:
        InputRefused: With every problem; `bad-toml`, `unknown-key`, `missing-key`, `bad-value`,
            `unknown-metric`.
    """
    text, tree = _tree(data, name)
    return parse_tree(tree, name, key_lines(text))


def parse_tree(
    tree: Mapping[str, Any], name: str, lines: Mapping[Path, int] = MappingProxyType({(): 1})
) -> Declaration:
    """Return what a file declares, from the values that it holds.

    Args:
        tree: As `tomllib` gives them.
        name: What messages call the file.
        lines: The line of each key.

    Raises:
        InputRefused: With every problem.
    """
    keys = KeyReader(name, tree, lines)
    keys.unknown((), tree, KEYS[""])
    about = _about(keys)
    keys.required(("task",), tree, f"one of {', '.join(TASKS)}.")
    # The rest is checked as of the task that was probably meant.
    task = keys.choice(("task",), tree, TASKS) or nearest(tree.get("task", ""), TASKS)
    classes, positive = _classes(keys, task)
    regions = _regions(keys, task, classes)
    truth, predictions = _truth(keys, task), _predictions(keys, task, classes, positive)
    score, report = metric_uses(keys, task, tuple(regions) or classes, positive, predictions)
    ranking = _ranking(keys, [use.key for use in (*score, *report)])
    if keys.problems:
        raise InputRefused(keys.problems)
    canonical = json.dumps(tree, sort_keys=True)
    return Declaration(
        about,
        task,
        classes,
        positive,
        regions,
        truth,
        predictions,
        score,
        report,
        ranking,
        tree,
        hashlib.sha256(canonical.encode()).hexdigest(),
    )


def _tree(data: bytes | str, name: str) -> tuple[str, Mapping[str, Any]]:
    """Return the text and what it holds. Raises InputRefused."""
    size = len(data)
    if size > LARGEST:
        message = f"it has {size:,} bytes; a declaration has at most {LARGEST:,}."
        raise InputRefused([error("bad-toml", name, message)])
    try:
        text = data if isinstance(data, str) else data.decode("utf-8-sig")
        return text, tomllib.loads(text)
    except UnicodeDecodeError:
        message = "it is no text in UTF-8: save it so."
    except RecursionError:
        message = "its lists and tables are nested too deep."
    except ValueError as problem:
        place = re.search(r"\(at line (\d+), column (\d+)\)", str(problem))
        where = f"{name}:{place[1]}" if place else name
        words = str(problem).split(" (at ")[0][:200]
        raise InputRefused([error("bad-toml", where, f"it is no TOML: {words}.")]) from None
    raise InputRefused([error("bad-toml", name, message)])


def _about(keys: KeyReader) -> About:
    tree, cite = keys.tree, keys.section("cite")
    keys.required(("id",), tree, 'give it a short name, such as id = "camelyon17".')
    keys.required(("title",), tree, 'give it a title, such as title = "CAMELYON17: pN stage".')
    for key in ("title", "about"):
        if isinstance(tree.get(key), str) and MARKUP.search(tree[key]):
            advice = "write plain words, without addresses and none of [ ] < > ` $ | \\."
            keys.refuse("bad-value", (key,), advice)
    challenge_id = keys.text(("id",), tree, "")
    if challenge_id and not ID.fullmatch(challenge_id):
        keys.refuse("bad-value", ("id",), "write 1 to 48 small letters, digits and hyphens.")
    return About(
        challenge_id,
        keys.text(("title",), tree, challenge_id),
        keys.text(("about",), tree, "", TEXT_LENGTH),
        keys.text(("source",), tree, "", TEXT_LENGTH),
        {key: keys.text(("cite", key), cite, "", TEXT_LENGTH) for key in KEYS["cite"] if key in cite},
    )


def _classes(keys: KeyReader, task: str) -> tuple[tuple[str, ...], str | None]:
    tree = keys.tree
    if task in OF_CLASSES and "regions" not in tree:
        keys.required(("classes",), tree, "name the classes, in order where order counts.")
    classes = keys.texts(("classes",), tree, MOST_CLASSES)
    if task in ("classification", "ordinal") and "classes" in tree and len(classes) == 1:
        keys.refuse("bad-value", ("classes",), "one class cannot be told from any other: name two or more.")
    positive = keys.text(("positive",), tree)
    if positive is not None and positive not in classes:
        known = ", ".join(classes[:20]) or "none are named"
        keys.refuse("bad-value", ("positive",), f"{positive!r} is none of the classes: {known}.")
        positive = None
    return classes, positive


def _regions(keys: KeyReader, task: str, classes: tuple[str, ...]) -> Mapping[str, tuple[int, ...]]:
    """Return the values of a mask by region; without [regions] class k is the value k + 1."""
    if task != "segmentation":
        if task and "regions" in keys.tree:
            keys.refuse("unknown-key", ("regions",), "only segmentation has regions.")
        return {}
    written = keys.section("regions")
    if len(written) > MOST_CLASSES:
        keys.refuse("bad-value", ("regions",), f"at most {MOST_CLASSES:,} regions are allowed.")
        return {}
    if written and classes:
        keys.refuse("bad-value", ("classes",), "give classes or [regions], not both.")
    regions = {}
    for name, values in written.items():
        wanted = values if isinstance(values, list) else [values]
        if not wanted or any(type(v) is not int or not 0 < v < 65_536 for v in wanted):
            keys.refuse("bad-value", ("regions", name), "write the values in the mask, such as [1, 2, 4].")
            continue
        regions[name] = tuple(sorted(set(wanted)))
    return regions or {name: (k + 1,) for k, name in enumerate(classes)}


def _needed(keys: KeyReader, section: str, needed: Mapping[str, str]) -> None:
    for key, reason in needed.items():
        keys.required((section, key), keys.section(section), f"{reason}.")


def _truth(keys: KeyReader, task: str) -> TruthColumns:
    table, groups = keys.section("truth"), keys.section("subgroups")
    if task != "segmentation":
        keys.required(("truth", "case"), table, "name the column of the case id.")
    _needed(keys, "truth", NEEDED_OF_TRUTH.get(task, {}))
    label = keys.text(("truth", "label"), table)
    one_hot = keys.choice(("truth", "columns"), table, ("classes",))
    if task in ("classification", "ordinal") and (label is None) == (one_hot is None):
        keys.refuse(
            "missing-key",
            ("truth", "label"),
            'name the column of the class, or write columns = "classes" for a column of 0 and 1 per class.',
        )
    places = keys.texts(("truth", "places"), table)
    if task and places and len(places) not in [len(wanted) for wanted in PLACES.get(task, ())]:
        lengths = " or ".join(str(len(wanted)) for wanted in PLACES.get(task, ())) or "no"
        keys.refuse("bad-value", ("truth", "places"), f"{task} takes {lengths} columns, in that order.")
    if task and task != "boxes" and "boxes" in table:
        keys.refuse("unknown-key", ("truth", "boxes"), "only the task boxes has it.")
    columns = {key: keys.text(("truth", key), table) for key in ("value", "time", "event", "unit", "radius")}
    case = keys.text(("truth", "case"), table, "case")
    return TruthColumns(
        case,
        None if one_hot else label,
        subgroups=keys.texts(("subgroups", "columns"), groups, 20),
        places=places,
        boxes=keys.choice(("truth", "boxes"), table, BOXES, "corners"),
        **columns,
    )


def _predictions(
    keys: KeyReader, task: str, classes: tuple[str, ...], positive: str | None
) -> PredictionColumns:
    table = keys.section("predictions")
    _needed(keys, "predictions", NEEDED_OF_PREDICTIONS.get(task, {}))
    label, score = (keys.text(("predictions", key), table) for key in ("label", "score"))
    scores = keys.choice(("predictions", "scores"), table, ("classes",)) is not None or task == "multilabel"
    if task in ("classification", "ordinal"):
        if not (label or score or scores):
            advice = 'name the column of the class (label), or write scores = "classes", or name a score.'
            keys.refuse("missing-key", ("predictions", "label"), advice)
        if score and scores:
            keys.refuse("bad-value", ("predictions", "score"), "give score or scores, not both.")
        if score and len(classes) > 2:
            advice = f'it tells two classes apart, and there are {len(classes)}: write scores = "classes".'
            keys.refuse("bad-value", ("predictions", "score"), advice)
        if score and positive is None and "positive" not in keys.tree:
            keys.refuse("missing-key", ("positive",), "say which of the two classes the score is of.")
    missing = keys.choice(("predictions", "missing"), table, MISSING, "refuse")
    if missing == "worst" and task and task not in WORST_OF:
        advice = f"a missing prediction of a {task} has no worst value: write refuse or ignore."
        keys.refuse("bad-value", ("predictions", "missing"), advice)
    usual = 0.5 if score or task == "multilabel" else None
    return PredictionColumns(
        keys.text(
            ("predictions", "case"), table, keys.text(("truth", "case"), keys.section("truth"), "case")
        ),
        label,
        scores,
        score,
        keys.text(("predictions", "value"), table),
        keys.text(("predictions", "risk"), table),
        keys.number(("predictions", "threshold"), table, usual),
        keys.choice(("predictions", "ties"), table, EQUAL, "first"),
        missing,
    )


def _ranking(keys: KeyReader, known: Sequence[str]) -> RankingRule:
    table = keys.section("ranking")
    by = keys.choice(("ranking", "by"), table, RANKINGS, "score")
    wanted = keys.texts(("ranking", "metrics"), table, 50)
    for name in wanted:
        if name not in known and all(problem.code != "unknown-metric" for problem in keys.problems):
            advice = f"{name!r} is none of the metrics: {', '.join(known)}.{near(name, known)}"
            keys.refuse("bad-value", ("ranking", "metrics"), advice)
    if by == "mean_rank" and len(wanted or known) < 2:
        keys.refuse("bad-value", ("ranking", "by"), "a mean of ranks needs two metrics or more.")
    return RankingRule(by, keys.choice(("ranking", "ties"), table, TIES, "min"), wanted)
