"""Split of a test set into a shown part and a part that is withheld until the end.

All cases of a unit, such as a patient, are in the same part. Nobody learns before the end which cases are in
the shown part. Both parts have equal shares of classes, so that a person who knows the seed could infer
labels.
"""

import secrets
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from sqlalchemy import select

from scoring.access.roles import Role
from scoring.boards.board import OpenBoard, opened
from scoring.boards.hidden_truth.disclosure_rules import HiddenRules, kept_rules
from scoring.boards.ranking.decision_rule import note_change
from scoring.common.arrays import Floats, Ints
from scoring.common.findings import Finding, InputRefused, error
from scoring.common.text import shortened
from scoring.core.submitted_part import of_cases
from scoring.inputs.case_tables import UNIT_COLUMNS, find_units, joined_columns
from scoring.store import schema
from scoring.store.database import Store
from scoring.store.schema import Hidden

LARGEST_SEED = 2**31 - 1


def split_board(
    store: Store,
    board_id: str,
    share: float | None = None,
    cases: Sequence[str] = (),
    seed: int | None = None,
) -> OpenBoard:
    """Split the test set of a board without submissions into a shown and a withheld part. The truth is hidden
    from then on.

    Args:
        share: Share of cases in the shown part. These cases are drawn at random so that both parts are alike
            in class, event, stage and value. None: the shown part consists of `cases`.
        seed: Seed of the draw; None: a secret random seed.

    Raises:
        InputRefused: With `forbidden` unless the actor is an organizer; with `bad-split` if the split is
            impossible or the board has submissions.
    """
    store.actor.require(Role.ORGANIZER)
    board = opened(store, board_id)
    problems = (
        [] if (share is None) == bool(cases) else [_bad("--share", "give a share, or a list of cases.")]
    )
    if share is not None and not 0 < share < 1:
        problems.append(_bad("--share", f"{share:g} is not a share between 0 and 1."))
    if seed is not None and not 0 <= seed <= LARGEST_SEED:
        problems.append(_bad("--seed", f"write a whole number from 0 to {LARGEST_SEED}."))
    if problems:
        raise InputRefused(problems)
    truth, units = board.truth, units_of(board)
    if share is None:
        seed, chosen = None, _listed(truth.ids, cases)
    else:
        seed = secrets.randbelow(LARGEST_SEED) if seed is None else seed
        chosen = _drawn(_classes(truth), units, _keys(truth, units), share, seed)
    of_cases(truth, chosen)  # refused where the challenge cannot
    problems = list(_faults(chosen, _classes(truth), units))
    if problems:
        raise InputRefused(problems)
    shown_cases = [str(truth.ids[index]) for index in chosen]
    values: dict[str, Any] = {"share": share, "seed": seed, "created": schema.now()}
    with store.write() as session:
        session.get(schema.Board, board_id, with_for_update=True)
        sent = select(schema.Submission.id).where(schema.Submission.board_id == board_id)
        if session.scalars(sent).first() is not None:
            message = "a team has already submitted, so the test set cannot be split: open another board."
            raise InputRefused([_bad(board_id, message)])
        session.merge(schema.Split(board_id=board_id, cases=shown_cases, **values))
        if kept_rules(session, board_id) is None:
            usual = HiddenRules()
            columns = {"detail": usual.detail, "step": usual.step, "refused_per_day": usual.refused_per_day}
            session.add(Hidden(board_id=board_id, decimals=usual.decimals, spent=0.0, **columns))
        note_change(session, board_id)
    return opened(store, board_id)


def _bad(where: str, message: str) -> Finding:
    return error("bad-split", where, message)


def units_of(board: OpenBoard) -> Ints:
    """Return the number of the unit, such as a patient, of each case [N]. Units come from the column that the
    board names, else from the column of the challenge, else from a column with a usual name."""
    group = board.row.options["statistics"].get("group") or board.challenge.scoring.unit
    wanted = None if group is None or group.lower() == "none" else group
    columns = joined_columns(board.truth, board.metadata, repeated=True)
    truth = board.truth
    return find_units(columns, len(truth), UNIT_COLUMNS, truth.id_column, wanted)[1]


def _classes(truth: Any) -> Ints:
    """Return the class of each case [N]; the same class for all cases if the truth has no classes."""
    labels = getattr(truth, "labels", None)
    return np.zeros(len(truth), int) if labels is None else np.asarray(labels)


def _listed(ids: Sequence[str], cases: Sequence[str]) -> Ints:
    """Return the indices of the cases that an organizer lists. Raises InputRefused."""
    known = {str(case): index for index, case in enumerate(ids)}
    if strange := [case for case in dict.fromkeys(cases) if case not in known]:
        listing = ", ".join(shortened(case, 40) for case in strange[:3])
        words = "1 listed case is" if len(strange) == 1 else f"{len(strange)} listed cases are"
        raise InputRefused([_bad("--cases", f"{words} not in the test set: {listing}.")])
    return np.array(sorted({known[case] for case in cases}), int)


def _keys(truth: Any, units: Ints) -> Floats:
    """Return for each unit its values besides classes, such as event, stage or value [U, K]; K may be 0. A
    unit of several cases has their largest value. Columns with fewer different values come first; equal ones
    are ordered by their sum, smallest first."""
    keys = np.asarray(getattr(truth, "strata", np.zeros((len(units), 0))), float)
    of_units = [np.fmax.reduce(keys[units == unit]) for unit in np.unique(units)]
    filled: Floats = np.nan_to_num(np.array(of_units), nan=-1.0)
    columns = [(len(np.unique(column)), column.sum(), place) for place, column in enumerate(filled.T)]
    return np.take(filled, np.array([place for _, _, place in sorted(columns)], int), axis=1)


def _drawn(classes: Ints, units: Ints, keys: Floats, share: float, seed: int) -> Ints:
    """Return the cases of the shown part: about the given share of the units of each class. If a class has
    two or more units, each part gets at least one. A unit counts for the rarest of its classes. Units of a
    class are drawn from blocks of similar keys."""
    random = np.random.default_rng(seed)
    counts = {name: int(np.sum(classes == name)) for name in np.unique(classes).tolist()}
    of_unit: dict[int, int] = {}
    for name in sorted(counts, key=lambda name: (counts[name], name)):
        for unit in np.unique(units[classes == name]).tolist():
            of_unit.setdefault(unit, name)
    names, visible = np.unique(units), set[int]()
    for name in counts:
        own = np.array([unit for unit in sorted(of_unit) if of_unit[unit] == name], int)
        number = round(share * len(own))
        if len(own) > 1:
            number = min(max(number, 1), len(own) - 1)
        own = random.permutation(own)
        own = own[np.lexsort((*keys[np.searchsorted(names, own)].T[::-1], np.zeros(len(own))))]
        fewer = min(number, len(own) - number)  # blocks of two or more, so that no unit is sure of its part
        ends = np.linspace(0, len(own), fewer + 1).astype(int)
        drawn = {int(random.choice(own[start:end])) for start, end in pairwise(ends)}
        visible |= drawn if fewer == number else set(own.tolist()) - drawn
    return np.flatnonzero(np.isin(units, sorted(visible)))


def _faults(chosen: Ints, classes: Ints, units: Ints) -> list[Finding]:
    """Return why these cases cannot be the shown part."""
    is_shown = np.isin(np.arange(len(classes)), chosen)
    if not is_shown.any() or is_shown.all():
        return [_bad("split", "one of the two parts has no case: choose a larger or smaller shown part.")]
    torn = np.intersect1d(units[is_shown], units[~is_shown])
    if len(torn):
        return [
            _bad(
                "--cases",
                f"{len(torn)} units (such as patients) have cases in both parts: put all cases of a unit in "
                "one part.",
            )
        ]
    lacking = [part for part in (is_shown, ~is_shown) if set(classes[part]) != set(classes)]
    return (
        [_bad("split", "all cases of a class are in the same part: choose other cases for the shown part.")]
        if lacking
        else []
    )
