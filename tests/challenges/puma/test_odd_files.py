"""Random odd files: what a card says of the evaluator, against the evaluator restated."""

import io
import zipfile
from collections import Counter
from random import Random

import scoring
from scoring import InputRefused
from tests.challenges.puma import restated
from tests.support import odd_nuclei
from tests.support.officially import contradiction
from tests.support.soak import FACTOR

SEEDS = 120 if FACTOR == 1 else 300 * FACTOR
RULES = ("grand-challenge", "grand-challenge", "description", "pooled")
CHANGED = ({}, {}, {}, {"radius": 5.0}, {"radius": 25.0}, {"min_confidence": 0.4})


def test_of_odd_files_nothing_else_is_said_than_the_evaluator_does():
    challenge, kinds = scoring.load_challenge("puma"), Counter[str]()
    for seed in range(SEEDS):
        random = Random(seed)
        truth, sent, faults = odd_nuclei.odd(random)
        options = {"rules": random.choice(RULES), **random.choice(CHANGED)}
        unknown = {"unknown_classes": random.choice(("ignore", "refuse"))}
        try:
            cases = challenge.read_truth({f"{c}.json": data for c, data in truth.items()}, **unknown)
            read = challenge.read_predictions(
                {f"{c}.json": data for c, data in sent.items()}, cases, **unknown
            )
            card = challenge.score(cases, read, resamples=0, **options, **unknown)
        except InputRefused:
            kinds["refused"] += 1
            continue
        if card.official.converted:
            _, data = challenge.changed_file(cases, read, {}, "sent.zip")
            archive = zipfile.ZipFile(io.BytesIO(data))
            sent = {name.removesuffix(".json"): archive.read(name) for name in archive.namelist()}
            kinds["converted"] += 1
        try:
            there = restated.macro_f1(truth, sent)
        except restated.Stops:
            there = None
        assert (seed, faults, options, contradiction(card, there, True)) == (seed, faults, options, "")
        said = "same" if card.official.same else "none" if card.official.score is None else "another"
        kinds[said] += 1
    assert kinds.pop("converted")
    assert min(kinds.values()) > SEEDS / 20, kinds
    assert len(kinds) == 4
