"""The registry's metrics of classes and labels against scikit-learn, and what holds for every metric."""

import importlib
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.metrics import registry
from scoring.metrics.task_cases import LabelledCases, MultilabelCases, SurvivalCases, ValueCases

NAMES = ("a", "b", "c", "d")


def labelled(seed: int, n: int = 60, classes: int = 4, ties: bool = True) -> LabelledCases:
    """Random cases with unequal classes, and scores with ties that say something of the truth."""
    random = np.random.default_rng(seed)
    truth = random.choice(classes, n, p=np.arange(1, classes + 1) / sum(range(classes + 1)))
    truth[:classes] = np.arange(classes)
    scores = random.random((n, classes)) + 0.5 * (truth[:, None] == np.arange(classes))
    scores = scores.round(1) + 0.1 if ties else scores
    scores /= scores.sum(1, keepdims=True)
    return LabelledCases(truth, scores.argmax(1), scores, NAMES[:classes])


def draws(seed: int, n: int) -> np.ndarray:
    """The test set itself, three resamples and three rows of other weights; each class keeps a case."""
    random = np.random.default_rng(seed)
    weights = np.vstack([np.ones((1, n)), random.integers(0, 3, (3, n)), random.random((3, n))])
    weights[:, : len(NAMES)] += 1
    return weights


def positives(case) -> tuple[np.ndarray, np.ndarray]:
    return case.truth == 1, case.scores[:, 1]


def one_hot(case) -> np.ndarray:
    return case.truth[:, None] == np.arange(len(case.classes))


def over_classes(function, case, w, average) -> float:
    """A function of positives, scores and weights, of each class against the rest."""
    if average == "micro":
        return function(one_hot(case).ravel(), case.scores.ravel(), np.repeat(w, len(case.classes)))
    values = [function(one_hot(case)[:, k], case.scores[:, k], w) for k in range(len(case.classes))]
    return np.average(values, weights=w @ one_hot(case) if average == "weighted" else None)


def partial_auc(positive, score, w, least=0.8) -> float:
    """As the organizers of ISIC 2024 compute it: of the negatives, from below, scaled back."""
    most = 1 - least
    scaled = sk.roc_auc_score(~positive, -score, max_fpr=most, sample_weight=w)
    return 0.5 * most**2 + (most - 0.5 * most**2) / 0.5 * (scaled - 0.5)


def best_sensitivity(positive, score, w, least=0.9) -> float:
    fpr, tpr, _ = sk.roc_curve(positive, score, sample_weight=w, drop_intermediate=False)
    return tpr[1 - fpr >= least - 1e-9].max()


def best_specificity(positive, score, w, least=0.8) -> float:
    fpr, tpr, _ = sk.roc_curve(positive, score, sample_weight=w, drop_intermediate=False)
    return 1 - fpr[tpr >= least - 1e-9].min()


def auc(positive, score, w) -> float:
    return sk.roc_auc_score(positive, score, sample_weight=w)


def average_precision(positive, score, w) -> float:
    return sk.average_precision_score(positive, score, sample_weight=w)


def calibration_error(case, w, bins=10) -> float:
    total, top = 0.0, case.scores.max(1)
    for low in range(bins):
        inside = (top > low / bins) & (top <= (low + 1) / bins)
        right = case.scores.argmax(1)[inside] == case.truth[inside]
        total += abs(w[inside] @ (right - top[inside])) / w.sum()
    return total


OF_DECISIONS = {
    "accuracy": sk.accuracy_score,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "mcc": sk.matthews_corrcoef,
    "kappa": sk.cohen_kappa_score,
    "linear_kappa": lambda t, p, sample_weight: sk.cohen_kappa_score(
        t, p, weights="linear", sample_weight=sample_weight
    ),
    "quadratic_kappa": lambda t, p, sample_weight: sk.cohen_kappa_score(
        t, p, weights="quadratic", sample_weight=sample_weight
    ),
}
AVERAGED = {
    "recall": (sk.recall_score, {}, {}),
    "precision": (sk.precision_score, {}, {}),
    "f1": (sk.f1_score, {}, {}),
    "f2": (sk.fbeta_score, {}, {"beta": 2}),
    "f_beta": (sk.fbeta_score, {"beta": 0.5}, {"beta": 0.5}),
}
OF_SCORES = {
    "auc": auc,
    "partial_auc": partial_auc,
    "average_precision": average_precision,
    "sensitivity_at_specificity": best_sensitivity,
    "specificity_at_sensitivity": best_specificity,
}
OF_PROBABILITIES = {
    "log_loss": (lambda c, w: sk.log_loss(c.truth, c.scores, sample_weight=w), {}),
    "brier": (
        lambda c, w: sk.brier_score_loss(
            c.truth if len(c.classes) > 2 else c.truth == 1,
            c.scores if len(c.classes) > 2 else c.scores[:, 1],
            sample_weight=w,
        ),
        {},
    ),
    "calibration_error": (lambda c, w: calibration_error(c, w, 7), {"bins": 7}),
}


def held(task, name, case, expected, **parameters) -> None:
    """Hold a metric of all draws at once to a function of the weights of one."""
    weights = draws(len(name), len(case.truth))
    values = registry.find(task, name).compute(case, weights, **parameters)
    assert values == pytest.approx([expected(w) for w in weights], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("name", OF_DECISIONS)
def test_metrics_of_decisions(name, classes):
    case = labelled(1, classes=classes)
    held(
        "ordinal",
        name,
        case,
        lambda w: OF_DECISIONS[name](case.truth, case.predicted, sample_weight=w),
    )


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", None])
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("name", AVERAGED)
def test_averages_of_decisions(name, classes, average):
    function, given, theirs = AVERAGED[name]
    case = labelled(2, classes=classes)
    theirs = {**theirs, "average": average or ("macro" if classes > 2 else "binary")}
    held(
        "classification",
        name,
        case,
        lambda w: function(case.truth, case.predicted, sample_weight=w, **theirs),
        average=average,
        **given,
    )
    of_one = {**theirs, "labels": [1], "average": "macro"}
    held(
        "classification",
        name,
        case,
        lambda w: function(case.truth, case.predicted, sample_weight=w, **of_one),
        **{"class": "b", **given},
    )


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", None])
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("name", OF_SCORES)
def test_metrics_of_scores(name, classes, average):
    case = labelled(3, classes=classes)
    expected = (
        (lambda w: OF_SCORES[name](*positives(case), w))
        if classes == 2 and average is None
        else (lambda w: over_classes(OF_SCORES[name], case, w, average))
    )
    held("classification", name, case, expected, average=average)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("name", OF_PROBABILITIES)
def test_metrics_of_probabilities(name, classes):
    function, given = OF_PROBABILITIES[name]
    case = labelled(4, classes=classes)
    held("classification", name, case, lambda w: function(case, w), **given)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_top_k(k):
    case = labelled(5, ties=False)
    held(
        "classification",
        "top_k_accuracy",
        case,
        lambda w: sk.top_k_accuracy_score(case.truth, case.scores, k=k, sample_weight=w),
        k=k,
    )


def multilabel(seed: int, n: int = 50) -> MultilabelCases:
    random = np.random.default_rng(seed)
    truth = random.random((n, 3)) < [0.5, 0.3, 0.2]
    truth[:2] = [[True] * 3, [False] * 3]
    scores = (random.random((n, 3)) * 0.7 + 0.3 * truth).round(2)
    return MultilabelCases(truth, scores > 0.5, scores, NAMES[:3])


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("name", ["recall", "precision", "f1", "auc", "average_precision", "f2"])
def test_averages_over_labels(name, average):
    case = multilabel(6)
    if name in OF_SCORES:
        function = {"auc": sk.roc_auc_score, "average_precision": sk.average_precision_score}[name]

        def expected(w):
            return function(case.truth, case.scores, average=average, sample_weight=w)
    else:
        function, _, theirs = AVERAGED[name]

        def expected(w):
            return function(case.truth, case.predicted, average=average, sample_weight=w, **theirs)

    held("multilabel", name, case, expected, average=average)


def test_a_label_and_the_mean_of_the_others():
    case = multilabel(7)
    held(
        "multilabel",
        "log_loss",
        case,
        lambda w: np.mean(
            [sk.log_loss(t, s, sample_weight=w) for t, s in zip(case.truth.T, case.scores.T, strict=True)]
        ),
    )
    held(
        "multilabel",
        "mcc",
        case,
        lambda w: sk.matthews_corrcoef(case.truth[:, 2], case.predicted[:, 2], sample_weight=w),
        **{"class": "c"},
    )


def valued(seed: int, n: int = 40) -> ValueCases:
    random = np.random.default_rng(seed)
    truth = (60 + 12 * random.normal(size=n)).round()
    return ValueCases(truth, (0.7 * truth + 25 + 6 * random.normal(size=n)).round())


def weighted_pearson(x, y, w) -> float:
    return np.cov(x, y, aweights=w, ddof=0)[0, 1] / np.sqrt(
        np.prod(np.diag(np.cov(x, y, aweights=w, ddof=0)))
    )


def lin(x, y, w) -> float:
    (xx, xy), (_, yy) = np.cov(x, y, aweights=w, ddof=0)
    return 2 * xy / (xx + yy + (np.average(x, weights=w) - np.average(y, weights=w)) ** 2)


OF_VALUES = {
    "mae": lambda x, y, w: sk.mean_absolute_error(x, y, sample_weight=w),
    "rmse": lambda x, y, w: sk.root_mean_squared_error(x, y, sample_weight=w),
    "r2": lambda x, y, w: sk.r2_score(x, y, sample_weight=w),
    "pearson": weighted_pearson,
    "concordance": lin,
}


@pytest.mark.parametrize("name", OF_VALUES)
def test_metrics_of_values(name):
    case = valued(8)
    held("regression", name, case, lambda w: OF_VALUES[name](case.truth, case.predicted, w))
    ordered = labelled(8)
    held("ordinal", name, ordered, lambda w: OF_VALUES[name](ordered.truth, ordered.predicted, w))


def test_correlations_of_repeated_cases():
    case, weights = valued(9), draws(9, 40)[:4]
    for name, function in (("pearson", scipy.stats.pearsonr), ("spearman", scipy.stats.spearmanr)):
        expected = [
            function(*(np.repeat(v, w.astype(int)) for v in (case.truth, case.predicted))).statistic
            for w in weights
        ]
        values = registry.find("regression", name).compute(case, weights)
        assert values == pytest.approx(expected, abs=1e-9)


def test_a_number_that_does_not_vary_has_no_correlation():
    case = ValueCases(np.array([0.1, 0.1, 0.3]), np.array([0.3, 0.7, 0.7]))
    weights = np.array([[1.0, 3, 0], [0, 1, 2], [0, 0, 0]])
    undefined = {m.name: np.isnan(m.compute(case, weights)).tolist() for m in registry.of_task("regression")}
    always, truth_varies = [True] * 3, [True, False, True]
    nothing_only = [False, False, True]
    assert undefined == {
        "mae": nothing_only,
        "rmse": nothing_only,
        "r2": truth_varies,
        "pearson": always,
        "spearman": always,
        "concordance": nothing_only,
    }


def test_a_constant_is_told_from_a_rounding_error():
    case = ValueCases(np.array([0.1, 0.1, 0.1, 0.7]), np.array([0.0, 0.5, 1.0, 0.2]))
    for name in ("r2", "pearson", "spearman"):
        assert np.isnan(registry.find("regression", name).compute(case, np.array([[1.0, 1, 1, 0]]))[0]), name


def patients(seed: int, n: int = 30) -> SurvivalCases:
    random = np.random.default_rng(seed)
    risk = random.normal(size=n).round(1)
    time = np.ceil(random.exponential(9 * np.exp(-risk)))
    return SurvivalCases(time, random.random(n) < 0.5, risk)


METRICS = [(task, m.name) for task in registry.TASKS[:5] for m in registry.of_task(task)]
CASES = {
    "classification": labelled,
    "ordinal": labelled,
    "multilabel": multilabel,
    "regression": valued,
    "survival": patients,
}


@pytest.mark.parametrize(("task", "name"), METRICS)
@settings(max_examples=15)
@given(st.integers(0, 2**31), st.integers(4, 40))
def test_order_and_repeated_cases_change_nothing(task, name, seed, n):
    case, random = CASES[task](seed, n), np.random.default_rng(seed)
    weights, metric = random.integers(0, 3, (2, n)).astype(float), registry.find(task, name)
    values = metric.compute(case, weights)
    low, high = metric.range
    assert all(np.isnan(value) or low - 1e-12 <= value <= high + 1e-12 for value in values)
    order = random.permutation(n)
    again = metric.compute(rows(case, order), weights[:, order])
    assert again == pytest.approx(values, abs=1e-9, nan_ok=True)
    for row, value in zip(weights, values, strict=True):
        places = np.repeat(np.arange(n), row.astype(int))
        alone = metric.compute(rows(case, places), np.ones((1, len(places)))) if len(places) else [np.nan]
        assert alone == pytest.approx([value], abs=1e-9, nan_ok=True)


def rows(case, order: np.ndarray):
    """Some of the cases."""
    of_cases = {name: array[order] for name, array in vars(case).items() if isinstance(array, np.ndarray)}
    return replace(case, **of_cases)


@given(st.integers(0, 2**31), st.permutations(range(4)), st.sampled_from(["macro", "micro", "weighted"]))
def test_names_of_classes_change_no_mean(seed, order, average):
    case, weights = labelled(seed, 30, ties=False), np.ones((1, 30))
    place = np.argsort(order)
    other = LabelledCases(
        place[case.truth], place[case.predicted], case.scores[:, order], tuple(NAMES[k] for k in order)
    )
    for name in ("recall", "precision", "f1", "auc", "partial_auc", "average_precision"):
        metric = registry.find("classification", name)
        assert metric.compute(other, weights, average=average) == pytest.approx(
            metric.compute(case, weights, average=average), abs=1e-9
        )


def test_what_is_undefined_is_not_a_number():
    truth, ones = np.array([0, 0, 0]), np.ones((1, 3))
    case = LabelledCases(
        truth, np.array([0, 1, 0]), np.array([[0.9, 0.1], [0.4, 0.6], [0.7, 0.3]]), ("n", "p")
    )
    for name in ("recall", "auc", "partial_auc", "average_precision", "mcc", "sensitivity_at_specificity"):
        assert np.isnan(registry.find("classification", name).compute(case, ones)[0]), name
    never = LabelledCases(1 - truth, truth, None, ("n", "p"))
    assert registry.find("classification", "precision").compute(never, ones) == [0]
    for metric in registry.of_task("classification"):
        assert np.isnan(metric.compute(case, np.zeros((1, 3)))[0]), metric.name


def test_the_contract_of_names():
    of_classes = """accuracy balanced_accuracy recall precision f1 f2 f_beta mcc kappa linear_kappa
        quadratic_kappa auc partial_auc average_precision sensitivity_at_specificity
        specificity_at_sensitivity log_loss brier calibration_error top_k_accuracy"""
    names = {task: [m.name for m in registry.of_task(task)] for task in registry.TASKS}
    of_values = "mae rmse r2 pearson spearman concordance"
    assert names["classification"] == of_classes.split()
    assert names["ordinal"] == f"{of_classes} {of_values}".split()
    assert names["regression"] == of_values.split()
    assert names["survival"] == ["c_index", "uno_c_index"]
    of_masks = "dice iou hd95 nsd assd volume_difference lesion_f1 lesion_dice"
    more = {"false_positive_volume", "false_negative_volume"}
    assert set(names["segmentation"]) == set(of_masks.split()) | more
    assert names["points"] == ["f1", "froc", "average_precision"]
    assert names["boxes"] == ["ap", "coco_map", "froc"]
    labels = set(of_classes.split()) - {"linear_kappa", "quadratic_kappa", "top_k_accuracy"}
    assert set(names["multilabel"]) == labels
    assert all(len(set(of_task)) == len(of_task) for of_task in names.values())


@pytest.mark.parametrize("metric", registry.METRICS, ids=lambda m: f"{m.tasks[0]}-{m.name}")
def test_every_row_of_the_catalogue_is_whole(metric):
    assert metric.range[0] < metric.range[1]
    for text in (metric.title, metric.defined, metric.source, metric.pitfall):
        assert text == text.strip() != ""
    assert metric.defined.endswith(".")
    assert metric.pitfall.endswith(".")
    assert not metric.problems({name: p.default for name, p in metric.parameters.items()})
    for task in metric.tasks:  # an option means the same in every metric of a task, and is printed once
        for other in registry.of_task(task):
            for name in metric.parameters.keys() & other.parameters.keys():
                assert metric.parameters[name] == other.parameters[name]
    for path in filter(None, (metric.formula, metric.measures)):
        module, _, function = path.partition(":")
        assert callable(getattr(importlib.import_module(f"scoring.metrics.{module}"), function))


def test_a_wrong_name_or_parameter_is_said():
    with pytest.raises(KeyError, match="did you mean mae"):
        registry.find("regression", "MAE")
    with pytest.raises(KeyError, match="did you mean balanced_accuracy"):
        registry.find("classification", "balanced_acuracy")
    with pytest.raises(KeyError, match="did you mean recall"):
        registry.find("classification", "Sensitivity")
    with pytest.raises(KeyError, match="did you mean ordinal"):
        registry.of_task("ordinary")
    f_beta = registry.find("classification", "f_beta")
    assert f_beta.problems({"beta": True, "average": "makro", "radius": 3}) == {
        "beta": "must be a number, 0.01 to 100",
        "average": "must be one of macro, micro, weighted",
        "radius": "is not a parameter of f_beta, which has beta, average, class",
    }
    with pytest.raises(ValueError, match="beta must be a number"):
        f_beta.compute(labelled(1), np.ones((1, 60)), beta=0)
