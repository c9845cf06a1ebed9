"""The catalogue of metrics: of classes, of labels, of values and of survival.

Pitfalls after Reinke et al., "Understanding metric-related pitfalls in image analysis validation", Nature
Methods 2024, and Maier-Hein et al., "Metrics Reloaded", Nature Methods 2024.
"""

import math
from dataclasses import replace

from scoring.metrics.catalogue_of_images import OF_MASKS, OF_OBJECTS
from scoring.metrics.metric import Parameter, Row, metrics

CLASSES = ("classification", "ordinal")
ORDERED = ("ordinal", "regression")
SHARE, CORRELATION, ANY_SIZE = (0.0, 1.0), (-1.0, 1.0), (0.0, math.inf)
SKLEARN = "scikit-learn"

AVERAGE = Parameter(
    str,
    None,
    ("macro", "micro", "weighted"),
    "Mean over the classes: plain, of all decisions as one, or weighted by true cases. Without it: of two "
    "classes the positive one, of more macro. A class with neither a case nor a prediction leaves the mean.",
)
ONE_CLASS = Parameter(str, None, (), "Name of the one class (of masks: structure) that counts.")
AVERAGES = {"average": AVERAGE, "class": ONE_CLASS}
OVER_LABELS = Parameter(
    str,
    "macro",
    ("macro", "micro", "weighted"),
    "Mean over the labels: plain, of each case with each label as a case of its own, or weighted by "
    "positives. A label for which the metric is undefined leaves the mean.",
)
MIN_SENSITIVITY = Parameter(float, 0.8, SHARE, "Sensitivity that is at least reached, 0 to 1.")
MIN_SPECIFICITY = Parameter(float, 0.9, SHARE, "Specificity that is at least reached, 0 to 1.")
BETA = Parameter(float, 1.0, (0.01, 100), "How many times as much recall counts as precision.")

ABSENT = "A class without a case in the truth has no value and leaves the mean: teams are compared on fewer."
ONE_OPERATING_POINT = "It says nothing about thresholds other than the one that made the predicted classes."
FEW_POSITIVES = "With few positives it is uncertain, and it says nothing about probabilities or a threshold."
PREVALENCE = "It depends on how frequent the classes are: do not compare it between test sets."

OF_CLASSES = (
    *metrics(
        "labelled",
        CLASSES,
        "higher",
        SHARE,
        "labels",
        Row(
            "accuracy",
            "Accuracy",
            "With at least one case.",
            f"{SKLEARN}: accuracy_score",
            "Under imbalance the frequent classes decide: always saying the most frequent one may win.",
            ("proportion correct",),
        ),
        Row(
            "balanced_accuracy",
            "Balanced accuracy",
            "With at least one case.",
            f"{SKLEARN}: balanced_accuracy_score",
            f"A rare class counts as much as a frequent one, however few its cases. {ABSENT}",
            ("mean recall", "macro recall"),
        ),
        Row(
            "recall",
            "Recall",
            "Of one class where it has a case.",
            f"{SKLEARN}: recall_score",
            "Alone it rewards calling every case positive: show it beside specificity or precision.",
            ("sensitivity", "true positive rate"),
            AVERAGES,
        ),
        Row(
            "precision",
            "Precision",
            "Of one class where it has a case or is predicted.",
            f"{SKLEARN}: precision_score",
            f"{PREVALENCE} Alone it rewards calling only the surest case positive.",
            ("positive predictive value",),
            AVERAGES,
        ),
        Row(
            "f1",
            "F1",
            "Of one class where it has a case or is predicted.",
            f"{SKLEARN}: f1_score",
            f"It leaves true negatives out. {PREVALENCE}",
            ("Dice similarity coefficient of decisions",),
            AVERAGES,
        ),
        Row(
            "f2",
            "F2",
            "Of one class where it has a case or is predicted.",
            f"{SKLEARN}: fbeta_score",
            f"A miss costs as much as four false alarms: state why. {PREVALENCE}",
            (),
            AVERAGES,
        ),
        Row(
            "f_beta",
            "F-beta",
            "Of one class where it has a case or is predicted.",
            f"{SKLEARN}: fbeta_score",
            f"Beta is a judgement on what a miss costs: state why. {PREVALENCE}",
            (),
            {"beta": BETA, **AVERAGES},
        ),
    ),
    *metrics(
        "labelled",
        CLASSES,
        "higher",
        CORRELATION,
        "labels",
        Row(
            "mcc",
            "Matthews' correlation coefficient",
            "Where the truth has at least two classes; 0 where one class is always predicted.",
            f"Gorodkin 2004; {SKLEARN}: matthews_corrcoef",
            f"{PREVALENCE} Its size has no plain meaning in words.",
            ("phi coefficient", "R_K"),
        ),
        Row(
            "kappa",
            "Cohen's kappa",
            "Unless truth and prediction are one and the same class throughout.",
            f"Cohen 1960; {SKLEARN}: cohen_kappa_score",
            "The same errors give a lower kappa where one class prevails: compare no two test sets by it.",
            ("Cohen kappa",),
        ),
        Row(
            "linear_kappa",
            "Linearly weighted kappa",
            "Unless truth and prediction are one and the same class throughout.",
            f"Cohen 1968; {SKLEARN}: cohen_kappa_score, weights linear",
            "It needs classes in their order, at equal steps, and depends on how frequent the classes are.",
            ("linear weighted kappa",),
        ),
        Row(
            "quadratic_kappa",
            "Quadratically weighted kappa",
            "Unless truth and prediction are one and the same class throughout.",
            f"Cohen 1968; {SKLEARN}: cohen_kappa_score, weights quadratic",
            "Few large errors decide it, it depends on how frequent the classes are, and it grows with their "
            "number.",
            ("quadratic weighted kappa", "qwk"),
        ),
    ),
    *metrics(
        "labelled",
        CLASSES,
        "higher",
        SHARE,
        "scores",
        Row(
            "auc",
            "Area under the ROC curve",
            "Of one class where the truth has a case of it and one of another.",
            f"{SKLEARN}: roc_auc_score, each class against the rest",
            FEW_POSITIVES,
            ("roc auc", "auroc", "c statistic"),
            AVERAGES,
        ),
        Row(
            "partial_auc",
            "Area under the ROC curve above a sensitivity",
            "Of one class where the truth has a case of it and one of another.",
            "ISIC 2024 (Kaggle)",
            "Its largest value is 1 - min_sensitivity, and with few positives a single one decides it.",
            ("pauc",),
            {"min_sensitivity": MIN_SENSITIVITY, **AVERAGES},
        ),
        Row(
            "average_precision",
            "Average precision",
            "Of one class where it has a case.",
            f"{SKLEARN}: average_precision_score",
            f"By chance it is the prevalence. {PREVALENCE}",
            ("area under the precision-recall curve", "auprc"),
            AVERAGES,
        ),
        Row(
            "sensitivity_at_specificity",
            "Sensitivity at a specificity",
            "Of one class where the truth has a case of it and one of another.",
            f"The highest point of {SKLEARN}'s roc_curve that reaches it",
            "The threshold is chosen on the test set itself: at one fixed before it would be lower.",
            ("tpr at fpr",),
            {"min_specificity": MIN_SPECIFICITY, **AVERAGES},
        ),
        Row(
            "specificity_at_sensitivity",
            "Specificity at a sensitivity",
            "Of one class where the truth has a case of it and one of another.",
            f"The highest point of {SKLEARN}'s roc_curve that reaches it",
            "The threshold is chosen on the test set itself: at one fixed before it would be lower.",
            (),
            {"min_sensitivity": MIN_SENSITIVITY, **AVERAGES},
        ),
    ),
    *metrics(
        "labelled",
        CLASSES,
        "lower",
        ANY_SIZE,
        "probabilities",
        Row(
            "log_loss",
            "Log loss",
            "With at least one case; probabilities below 1e-15 count as 1e-15.",
            f"{SKLEARN}: log_loss",
            "One sure and wrong probability can decide it; what is good depends on the prevalence.",
            ("cross entropy", "logarithmic score"),
        ),
    ),
    *metrics(
        "labelled",
        CLASSES,
        "lower",
        (0.0, 2.0),
        "probabilities",
        Row(
            "brier",
            "Brier score",
            "With at least one case: of two classes that of the positive one, 0 to 1, else the sum, 0 to 2.",
            f"{SKLEARN}: brier_score_loss",
            "It mixes calibration and discrimination, and is low where a rare class is said never to come.",
            ("mean squared error of probabilities",),
        ),
    ),
    *metrics(
        "labelled",
        CLASSES,
        "lower",
        SHARE,
        "probabilities",
        Row(
            "calibration_error",
            "Expected calibration error",
            "With at least one case: of the largest probability.",
            "Guo et al. 2017",
            "It depends on the number of bins and of cases, and is 0 for who always says the prevalence.",
            ("ece",),
            {"bins": Parameter(int, 10, (2, 100), "Number of equal bins.")},
        ),
    ),
    *metrics(
        "labelled",
        CLASSES,
        "higher",
        SHARE,
        "scores",
        Row(
            "top_k_accuracy",
            "Top-k accuracy",
            "With at least one case; of equal scores the class listed first is the higher.",
            f"{SKLEARN}: top_k_accuracy_score",
            "Under imbalance the frequent classes decide; it nears 1 where k nears the number of classes.",
            (),
            {"k": Parameter(int, 2, (1, 1000), "How many of the highest scores count.")},
        ),
    ),
)
OF_LABELS = tuple(
    replace(
        metric,
        tasks=("multilabel",),
        parameters={**metric.parameters, "average": OVER_LABELS, "class": ONE_CLASS},
    )
    for metric in OF_CLASSES
    if metric.name not in ("linear_kappa", "quadratic_kappa", "top_k_accuracy")
)
OF_VALUES = (
    *metrics(
        "values",
        ORDERED,
        "lower",
        ANY_SIZE,
        "values",
        Row(
            "mae",
            "Mean absolute error",
            "With at least one case; of ordered classes in steps.",
            f"{SKLEARN}: mean_absolute_error",
            "It has the unit of the values, and hides whether few errors are large or many are small.",
            ("mean absolute deviation",),
        ),
        Row(
            "rmse",
            "Root mean squared error",
            "With at least one case; of ordered classes in steps.",
            f"{SKLEARN}: root_mean_squared_error",
            "It has the unit of the values, and few large errors decide it.",
            ("root mean square error",),
        ),
    ),
    *metrics(
        "values",
        ORDERED,
        "higher",
        (-math.inf, 1.0),
        "values",
        Row(
            "r2",
            "Coefficient of determination",
            "Where the truth varies.",
            f"{SKLEARN}: r2_score",
            "It depends on how far the truth spreads: do not compare it between test sets.",
            ("r squared", "explained variance"),
        ),
    ),
    *metrics(
        "values",
        ORDERED,
        "higher",
        CORRELATION,
        "values",
        Row(
            "pearson",
            "Pearson's correlation",
            "Where truth and prediction vary.",
            "SciPy: pearsonr",
            "Predictions that are all too high, or in another unit, can have a correlation of 1.",
            ("pearson correlation coefficient", "plcc"),
        ),
        Row(
            "spearman",
            "Spearman's rank correlation",
            "Where truth and prediction vary.",
            "SciPy: spearmanr",
            "It sees the order of the predictions only, not how far they are off.",
            ("spearman correlation coefficient", "srcc"),
        ),
        Row(
            "concordance",
            "Lin's concordance correlation",
            "Unless truth and prediction are one and the same number throughout.",
            "Lin 1989",
            "It depends on how far the truth spreads: do not compare it between test sets.",
            ("concordance correlation coefficient", "ccc"),
        ),
    ),
)
OF_RISKS = (
    *metrics(
        "values",
        ("survival",),
        "higher",
        SHARE,
        "risks",
        Row(
            "c_index",
            "Harrell's C-index",
            "Where one patient certainly had the event before another.",
            "Harrell et al. 1996; lifelines: concordance_index",
            "It depends on who is censored when, and says nothing about whether the risks are calibrated.",
            ("concordance index", "harrell"),
            {
                "missing": Parameter(
                    str,
                    "non-concordant",
                    ("non-concordant", "half", "exclude"),
                    "How a pair with a patient without a risk counts.",
                )
            },
        ),
        Row(
            "uno_c_index",
            "Uno's C-index",
            "Where one patient certainly had the event before another, and G is not 0 then.",
            "Uno et al. 2011; scikit-survival: concordance_index_ipcw",
            "Late events weigh much where few are left under observation: state a horizon.",
            ("ipcw c-index", "concordance index ipcw"),
            {
                "horizon": Parameter(
                    float, None, ANY_SIZE, "Time before which events count; without it all do."
                )
            },
        ),
    ),
)
METRICS = OF_CLASSES + OF_LABELS + OF_VALUES + OF_RISKS + OF_MASKS + OF_OBJECTS
