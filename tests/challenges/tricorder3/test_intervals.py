"""Intervals of TRICORDER-3: every replicate equals the plain metrics on the repeated cases; units, methods,
findings."""

import numpy as np
import pytest
import scipy.stats

import scoring
from tests.support import restated
from tests.support.findings import codes, only, places
from tests.support.lesion_tables import CLASSES, RISKS, TRUTH_HEADER, table
from tests.support.soak import FACTOR

CHALLENGE = scoring.load_challenge("tricorder3")
N = 36
SIZE = 73.456789


def drawn(n: int = N, seed: int = 0, classes: int = 11, **columns: list[str]):
    """Truth and outputs (probabilities in fiftieths, so with ties) of n random cases, and both read by the
    challenge."""
    dice = np.random.default_rng(seed)
    true = [CLASSES[k] for k in dice.integers(0, classes, n)]
    outputs = dice.dirichlet(np.ones(11), n) + np.eye(11)[[CLASSES.index(y) for y in true]] * dice.random(
        (n, 1)
    )
    outputs = dice.multinomial(50, outputs / outputs.sum(1, keepdims=True)) / 50
    rows = [
        [f"c{i}", y, str(20 + 5 * (i % 12)), "Arm", "mf"[i % 2], *(column[i] for column in columns.values())]
        for i, y in enumerate(true)
    ]
    cases = CHALLENGE.read_truth(table((*TRUTH_HEADER, *columns), *rows))
    found = CHALLENGE.read_predictions(
        table(("case", *CLASSES), *([f"c{i}", *map(repr, row)] for i, row in enumerate(outputs.tolist()))),
        cases,
    )
    return true, outputs, cases, found


def plain(true: list[str], outputs: np.ndarray, kept: list[int]) -> dict[str, float | None]:
    """Every metric that has an interval on the cases `kept`, repeated ones repeated, nothing rounded."""
    true, outputs = [true[i] for i in kept], outputs[kept]
    predicted = [CLASSES[k] for k in outputs.argmax(1)]
    found = restated.label_metrics(true, predicted, SIZE) | restated.output_metrics(true, predicted, outputs)
    found["prediction_score"] = 0.5 * found["accuracy"] + 0.5 * found["weighted_f1"]
    found["score"] = 0.9 * found["prediction_score"] + 0.1 * found["efficiency_score"]
    return found


def multinomial(n: int, resamples: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=resamples)


def repeated(counts, units=None) -> list[int]:
    units = range(len(counts)) if units is None else units
    return [i for i, unit in enumerate(units) for _ in range(counts[unit])]


def quantiles(values: list[float | None]) -> list[float] | None:
    defined = [v for v in values if v is not None]
    return (
        [float(v) for v in np.quantile(defined, [0.025, 0.975])]
        if 2 * len(defined) >= len(values) and defined
        else None
    )


HAVE_INTERVALS = {
    *("score", "accuracy", "weighted_f1", "f1_malignant", "f1_medium", "f1_benign", "macro_auc"),
    *("prediction_score", "precision_weighted", "recall_weighted", "f1_support_weighted"),
    *("balanced_accuracy", "macro_f1_present", "weighted_f1_present", "malignant_sensitivity"),
    *("malignant_specificity", "log_loss", "brier_score"),
}


@pytest.mark.parametrize("seed", range(10 * FACTOR))
def test_replicates_equal_the_metrics_on_the_repeated_cases(seed):
    # The interval of two replicates tells both, so that ten draws of two check twenty.
    true, outputs, cases, found = drawn(classes=6)
    card = CHALLENGE.score(cases, found, model_size_mib=SIZE, resamples=2, seed=seed, interval="percentile")
    replicates = [plain(true, outputs, repeated(counts)) for counts in multinomial(N, 2, seed)]
    assert set(card.intervals) == HAVE_INTERVALS
    for name, interval in card.intervals.items():
        assert interval == pytest.approx(quantiles([r[name] for r in replicates]), abs=1e-12), name
    for name in CLASSES:
        of_class = [
            dict(
                zip(
                    ("f1", "auc"),
                    (
                        restated.f1_scores(
                            [true[i] for i in kept], [CLASSES[outputs[i].argmax()] for i in kept]
                        )[name],
                        restated.area_under_curve([true[i] for i in kept], outputs[kept], name),
                    ),
                    strict=True,
                )
            )
            for kept in map(repeated, multinomial(N, 2, seed))
        ]
        entry = card.per_class[name]
        assert entry["f1_interval"] == pytest.approx(quantiles([r["f1"] for r in of_class]), abs=1e-12)
        expected = quantiles([r["auc"] for r in of_class]) if entry["auc"] is not None else None
        assert entry["auc_interval"] == (expected if expected is None else pytest.approx(expected, abs=1e-12))


def test_cases_of_a_unit_are_drawn_together():
    patients = [f"p{i % 10}" for i in range(N)]
    true, outputs, cases, found = drawn(Patient_ID=patients)
    options = {"model_size_mib": SIZE, "resamples": 20, "interval": "percentile"}
    card = CHALLENGE.score(cases, found, **options)
    assert (card.provenance["unit"], card.provenance["n_units"]) == ("patient_id", 10)
    units = [i % 10 for i in range(N)]
    replicates = [plain(true, outputs, repeated(counts, units)) for counts in multinomial(10, 20, 0)]
    for name in ("score", "accuracy", "macro_auc", "log_loss"):
        assert card.intervals[name] == pytest.approx(quantiles([r[name] for r in replicates]), abs=1e-12)
    ungrouped = CHALLENGE.score(cases, found, **options, group="none")
    assert (ungrouped.provenance["unit"], ungrouped.provenance["n_units"]) == ("case", N)
    assert ungrouped.intervals == CHALLENGE.score(*drawn()[2:], **options).intervals


def test_units_from_a_table_beside_the_truth():
    lesions = [f"l{i // 4}" for i in range(N)]
    cases, found = drawn()[2:]
    beside = table(
        ("case", "Lesion-ID"), *([f"c{i}", lesion] for i, lesion in reversed(list(enumerate(lesions))))
    )
    card = CHALLENGE.score(cases, found, resamples=20, metadata=beside)
    within = CHALLENGE.score(*drawn(lesion_id=lesions)[2:], resamples=20)
    assert (card.provenance["unit"], card.provenance["n_units"], card.intervals) == (
        "lesion_id",
        N // 4,
        within.intervals,
    )


def test_the_id_column_is_never_the_unit():
    rows = [[f"l{i}", "MEL"] for i in range(4)]
    cases = CHALLENGE.read_truth(table(("lesion_id", "label"), *rows))
    card = CHALLENGE.score(
        cases, CHALLENGE.read_predictions(table(("lesion_id", "pred"), *rows), cases), resamples=2
    )
    assert card.provenance["unit"] == "case"


def wilson(share: np.ndarray, answers: float, quantile: float) -> tuple[np.ndarray, np.ndarray]:
    middle = (answers * share + quantile**2 / 2) / (answers + quantile**2)
    reach = np.sqrt(answers * share * (1 - share) + quantile**2 / 4) * quantile / (answers + quantile**2)
    return middle - reach, middle + reach


@pytest.fixture(scope="module")
def by_loops():
    """Metrics without each case, and of the repeated cases."""
    true, outputs, *_ = drawn()
    left_out = [plain(true, outputs, [i for i in range(N) if i != out]) for out in range(N)]
    return left_out, [plain(true, outputs, repeated(counts)) for counts in multinomial(N, 30, 0)]


@pytest.mark.slow
@pytest.mark.parametrize("interval", ["jackknife", "bca", "auto"])
def test_other_intervals_restated(interval, by_loops):
    *_, cases, found = drawn()
    card = CHALLENGE.score(cases, found, model_size_mib=SIZE, resamples=30, interval=interval)
    left_out, replicates = by_loops
    for name in (
        *("score", "accuracy", "weighted_f1", "f1_medium", "macro_auc", "balanced_accuracy", "brier_score"),
    ):
        point = card.score if name == "score" else card.metrics[name]
        without = np.array([values[name] for values in left_out])
        d = without.mean() - without
        error = np.sqrt((N - 1) / N * np.sum(d**2))
        reach = scipy.stats.t.ppf(0.975, N - 1) * error
        if interval == "jackknife":
            expected = [point - reach, point + reach]
        elif interval == "auto" and name == "brier_score":  # from 0 on without end
            centers = [point, N * point - (N - 1) * without.mean()]
            varying = min(int(3 * np.sum(d**2) ** 2 / np.sum(d**4)), N)
            factor = np.exp(scipy.stats.t.ppf(0.975, varying - 1) * error / point)
            expected = [min(centers) / factor, max(centers) * (1 + (error / point) ** 2) * factor]
        elif interval == "auto" and name == "accuracy":
            centers = np.array([point, N * point - (N - 1) * without.mean()])
            answers = point * (1 - point) / error**2
            lower, upper = wilson(centers, answers, scipy.stats.t.ppf(0.975, N - 1))
            expected = [min(*lower, point), max(*upper, point)]
        elif (
            interval == "auto"
        ):  # with what few cases of a class may hide: tests/statistics/test_interval_basis.py
            continue
        else:
            values = np.round([r[name] for r in replicates], 12)
            bias = scipy.stats.norm.ppf(
                (np.sum(values < round(point, 12)) + 0.5 * np.sum(values == round(point, 12))) / len(values)
            )
            acceleration = np.sum(d**3) / (6 * np.sum(d**2) ** 1.5)
            z = bias + scipy.stats.norm.ppf([0.025, 0.975])
            expected = list(np.quantile(values, scipy.stats.norm.cdf(bias + z / (1 - acceleration * z))))
        assert card.intervals[name] == pytest.approx(expected, abs=1e-9), name
    assert card.provenance["options"]["interval"] == interval
    assert card.provenance["interval"] == ("wilson t" if interval == "auto" else interval)


def test_slices_use_the_replicates_of_the_whole():
    true, outputs, cases, found = drawn()
    card = CHALLENGE.score(cases, found, resamples=20, interval="percentile")
    women = [i for i in range(N) if i % 2]
    right = [true[i] == CLASSES[outputs[i].argmax()] for i in range(N)]
    expected = quantiles(
        [
            sum(counts[i] * right[i] for i in women) / sum(counts[i] for i in women)
            for counts in multinomial(N, 20, 0)
        ]
    )
    assert card.more["slices"]["gender"]["female"]["accuracy_interval"] == pytest.approx(expected, abs=1e-12)


def test_without_replicates_there_is_no_interval_and_nothing_said_of_any():
    card = CHALLENGE.score(*drawn()[2:], resamples=0)
    assert card.intervals == {}
    assert not {"few-units", "few-cases-in-class", "few-replicates", "undefined-replicates"} & set(
        codes(card.findings)
    )
    assert not any(key.endswith("_interval") for entry in card.per_class.values() for key in entry)


def test_what_makes_intervals_doubtful():
    card = CHALLENGE.score(*drawn(classes=3)[2:], resamples=20, interval="bca")
    support = {name: entry["support"] for name, entry in card.per_class.items()}
    small = [("few-cases-in-class", name) for name in CLASSES if 1 <= support[name] <= 14]
    assert small
    assert [place for place in places(card.findings) if place[0] == "few-cases-in-class"] == small
    assert "36 units" in only(card.findings, "few-units").message
    assert only(card.findings, "few-replicates").level == "note"


@pytest.mark.parametrize(("n", "has_interval"), [(11, False), (12, True)])
def test_the_macro_f1_of_present_classes_has_an_interval_from_twelve_units_on(n, has_interval):
    card = CHALLENGE.score(*drawn(n, classes=4)[2:], resamples=50)
    assert card.intervals["score"]
    assert bool(card.intervals["macro_f1_present"]) == has_interval
    said = ("few-cases-in-class", "macro_f1_present") in places(card.findings)
    assert said != has_interval


@pytest.mark.soak
def test_the_interval_of_the_weighted_f1_covers_the_truth_as_often_as_it_says():
    dice = np.random.default_rng(1)
    share = dice.dirichlet(np.full(11, 30))
    n, rounds = int(np.ceil(15 / share.min())), 300
    chance = 0.55 * np.eye(11) + 0.45 * dice.dirichlet(np.ones(11), 11)
    joint = share[:, None] * chance
    f1 = {c: 2 * joint[k, k] / (joint[k].sum() + joint[:, k].sum()) for k, c in enumerate(CLASSES)}
    sought, covered = (
        restated.weighted_f1(
            {risk: sum(f1[c] for c in members) / len(members) for risk, members in RISKS.items()}
        ),
        0,
    )
    for _ in range(rounds):
        cells = dice.choice(121, n, p=joint.ravel())
        cases = CHALLENGE.read_truth(
            table(("image", "label"), *([f"c{i}", CLASSES[cell // 11]] for i, cell in enumerate(cells)))
        )
        found = CHALLENGE.read_predictions(
            table(("image", "pred"), *([f"c{i}", CLASSES[cell % 11]] for i, cell in enumerate(cells))), cases
        )
        low, high = CHALLENGE.score(cases, found, resamples=500, group="none").intervals["weighted_f1"]
        covered += low <= sought <= high
    assert 0.92 <= covered / rounds <= 0.98
