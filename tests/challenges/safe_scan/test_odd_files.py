"""Random odd test sets: what a card says of the validator, against the validator restated."""

import posixpath
from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import pytest

import scoring
from scoring import InputRefused
from tests.challenges.safe_scan import restated
from tests.support import odd_tables
from tests.support.lesion_tables import CLASSES, TRUTH_HEADER, prediction_rows, table, truth_rows
from tests.support.officially import contradiction
from tests.support.photographs import encoded, quarters
from tests.support.soak import FACTOR

SEEDS = 40 if FACTOR == 1 else 75 * FACTOR
IDS = tuple(f"c{i}.jpg" for i in range(12))
LABELS = [CLASSES[i % 11] for i in range(12)]
GUESSED = [LABELS[i] if i % 3 else CLASSES[(i + 3) % 11] for i in range(12)]
SIZE = 60.0
PICTURE = encoded(quarters(8, 8))
TRUTHS = {
    "tricorder3": [TRUTH_HEADER, *truth_rows(IDS, LABELS)],
    "melanoma": [("filename", "label"), *([name, str(i % 3 == 0)] for i, name in enumerate(IDS))],
}
PREDICTED = {
    "tricorder3": [("filename", *CLASSES), *prediction_rows(IDS, GUESSED)],
    "melanoma": [("filename", "score"), *([name, str(i * 7 % 10 / 10)] for i, name in enumerate(IDS))],
}
OPTIONS: Mapping[str, Mapping[str, Any]] = {"tricorder3": {"model_size_mib": SIZE}, "melanoma": {}}


def stem(path: str) -> str:
    """The case of a path: its name without folder and ending."""
    name = posixpath.basename(path.strip().replace("\\", "/"))
    return name.rpartition(".")[0] or name


class Outputs(dict):
    """Outputs of a model by the case of a path."""

    def get(self, path, default=None):
        return super().get(stem(path), default)


def outputs(challenge_id: str) -> Outputs:
    rows = {stem(name): [float(cell) for cell in cells] for name, *cells in PREDICTED[challenge_id][1:]}
    return Outputs(rows if challenge_id == "tricorder3" else {case: row[0] for case, row in rows.items()})


def as_named(path: str) -> bool:
    """Without the images: they are taken to be where the table says, under names that files have."""
    return bool(path) and path == path.strip() and "\\" not in path and not path.startswith("/")


def there(challenge_id: str, data: bytes, exists: Callable[[str], bool]) -> float | None:
    try:
        if challenge_id == "melanoma":
            return restated.melanoma(data, outputs(challenge_id), exists)
        return restated.tricorder3(data, outputs(challenge_id), SIZE, exists)
    except restated.Stops:
        return None


@pytest.mark.parametrize("with_images", [False, True])
@pytest.mark.parametrize("challenge_id", TRUTHS)
def test_of_odd_test_sets_nothing_else_is_said_than_the_validator_does(challenge_id, with_images):
    challenge, kinds = scoring.load_challenge(challenge_id), Counter[str]()
    for seed in range(SEEDS):
        data, faults = odd_tables.odd(Random(f"{seed} {with_images}"), TRUTHS[challenge_id])
        pictures = dict.fromkeys(IDS, PICTURE)
        try:
            truth = challenge.read_truth({"labels.csv": data, **pictures} if with_images else data)
            predicted = challenge.read_predictions(table(*PREDICTED[challenge_id]), truth)
            card = challenge.score(truth, predicted, resamples=0, **OPTIONS[challenge_id])
        except InputRefused:
            kinds["refused"] += 1
            continue
        exists = as_named if not with_images else lambda path: path.removeprefix("./") in IDS
        given = there(challenge_id, data, exists)
        assert (seed, faults, contradiction(card, given)) == (seed, faults, "")
        kinds["same" if card.official.same else "other"] += 1
    assert min(kinds["same"], kinds["other"]) > SEEDS / 8, kinds
