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
    "sens": "sensitivity",
    "ppv": "PPV",
    "npv": "NPV",
    "til": "TIL",
    "iou": "IoU",
    "pq": "panoptic quality",
    "sq": "segmentation quality",
    "rq": "recognition quality",
    "brier": "Brier",
    "consistency": "distance of weighted and unweighted score",
}
"""Parts of the names of metrics that are not written as they are spelled there."""


def class_named(name: str) -> str:
    """Return the name of a class as people write it: "plasma cells" for "plasma_cells", codes as they are."""
    return name.replace("_", " ") if name.islower() else name


def named(metric: str) -> str:
    """Return a key of `metrics` as people write it: "macro F1" for "macro_f1", "missing masks, count" for
    "n_missing_masks"."""
    if metric.startswith("n_"):
        return f"{named(metric.removeprefix('n_'))}, count"
    return spelled(metric).replace("C index", "C-index")


def spelled(key: str) -> str:
    """Return a key as people write it, word by word: "Dice GTVp" for "dice_gtvp"."""
    return " ".join(USUAL.get(part, part) for part in key.split("_"))
