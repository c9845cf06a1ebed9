"""Names of metrics as people write them."""

USUAL = {
    "f1": "F1",
    "f2": "F2",
    "auc": "AUC",
    "c": "C",
    "gtvp": "GTVp",
    "gtvn": "GTVn",
    "dice": "Dice",
    "t": "T",
    "n": "N",
    "tp": "true positives",
    "fp": "false positives",
    "fn": "false negatives",
    "mib": "MiB",
    "ece": "expected calibration error",
    "agg": "aggregated",
}
"""Parts of the names of metrics that are not written as they are spelled there."""


def named(metric: str) -> str:
    """Return a key of `metrics` as people write it: "macro F1" for "macro_f1"."""
    return " ".join(USUAL.get(part, part) for part in metric.split("_")).replace("C index", "C-index")
