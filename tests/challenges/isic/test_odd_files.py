"""Random odd files: what a card says of the official scorer, against that scorer itself."""

from collections import Counter
from random import Random

import scoring
from scoring import InputRefused
from scoring.challenges.isic.official_float_parsing import ROUNDING
from tests.challenges.isic.peer import official
from tests.support import category_tables, odd_tables
from tests.support.category_tables import CATEGORIES
from tests.support.lesion_tables import table
from tests.support.officially import contradiction
from tests.support.soak import FACTOR

SEEDS = 100 if FACTOR == 1 else 250 * FACTOR
IDS = tuple(f"ISIC_{i:03}" for i in range(9))
LABELS = [CATEGORIES[i % 3] for i in range(9)]


def pair(random: Random) -> tuple[bytes, bytes, tuple[str, ...]]:
    """A truth and predictions, with a fault or two in one of them or in both, and their names."""
    truth = [["image", *CATEGORIES], *category_tables.truth_rows(IDS, LABELS)]
    if random.random() < 0.2:
        truth[0].append(random.choice(("score_weight", "validation_weight")))
        for row in truth[1:]:
            row.append(random.choice(("1.0", "0.5", "2.0")))
    rows = [
        ["image", *CATEGORIES],
        *([name, *(f"{random.random():.2f}" for _ in LABELS[:3])] for name in IDS),
    ]
    sides = random.choice(("truth", "predictions", "predictions", "both"))
    of_truth = of_rows = ()
    data, sent = table(*truth), table(*rows)
    if sides != "predictions":
        data, of_truth = odd_tables.odd(random, truth)
    if sides != "truth":
        sent, of_rows = odd_tables.odd(random, rows)
    return data, sent, (*of_truth, "|", *of_rows)


def test_of_odd_files_nothing_else_is_said_than_the_official_scorer_says():
    challenge, kinds = scoring.load_challenge("isic"), Counter[str]()
    drawn = [(*pair(Random(seed)), ("balanced_accuracy", "auc", "ap")[seed % 3]) for seed in range(SEEDS)]
    # 5.6.0, which runs here, does not know that name of the column of ids; 5.8.0 does
    drawn = [one for one in drawn if b"lesion_id" not in one[0] + one[1]]
    answers = official([(truth, sent, metric) for truth, sent, _, metric in drawn])
    for (truth, sent, faults, metric), said in zip(drawn, answers, strict=True):
        try:
            cases = challenge.read_truth(truth, "t.csv")
            read = challenge.read_predictions(sent, cases, "p.csv")
            card = challenge.score(cases, read, metric=metric, resamples=0)
        except InputRefused:
            kinds["refused"] += 1
            continue
        rounded = any(finding.code == ROUNDING for finding in card.findings)
        assert (faults, contradiction(card, said.get("overall"), rounded)) == (faults, ""), said
        kinds["same" if card.official.same else "other"] += 1
    assert min(kinds["same"], kinds["other"]) > SEEDS / 8, kinds


def test_a_first_row_that_is_longer_moves_the_columns_of_a_truth():
    head, first, *rest = category_tables.truth().decode().splitlines()
    truth = "\n".join([head, f"{first},", *rest, ""]).encode()
    for data in (truth, b"sep=,\n" + category_tables.truth()):
        challenge = scoring.load_challenge("isic")
        cases = challenge.read_truth(data, "t.csv")
        card = challenge.score(cases, challenge.read_predictions(category_tables.predictions(), cases))
        assert (card.score, card.official.same, card.official.score) == (1.0, False, None)
