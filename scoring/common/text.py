"""Text of others made safe for where it is shown, and names of metrics as people write them."""

import csv
import difflib
import io
import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

LIMIT = 200
"""Characters of a foreign text that a page shows at most."""
SEPARATORS = "/_-. "
"""After which names of cases are cut."""
WORTH_CUTTING = 5
"""Characters from which on what names have in common is worth leaving out."""
WORD_JOINER = "\u2060"
_AUTOLINK = re.compile(r"(?i)(://|www\.|@)")
_MARKS = re.compile(r"""([\\`*_{}\[\]()#+\-.!|<>~:$&@^=/"'])""")
_HIDDEN = {"Cc", "Cf", "Cs", "Co"}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def as_json(value: Any) -> str:
    """Return a value as JSON text of a file, which holds no NaN."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def shortened(text: object, limit: int = LIMIT) -> str:
    """Return a text as one line: white space becomes one blank, control and hidden characters go.

    Args:
        limit: Characters at most; an ellipsis marks the cut.
    """
    whole = str(text)
    visible = whole[: 10 * limit]
    if not (visible.isascii() and visible.isprintable()):
        visible = "".join(
            c if unicodedata.category(c) not in _HIDDEN else " " if c.isspace() else "" for c in visible
        )
    line = " ".join(visible.split())
    return line if len(line) <= limit and len(whole) <= 10 * limit else line[: limit - 1].rstrip() + "…"


def nearest(written: object, known: Iterable[str], alike: float = 0.6) -> str:
    """Return the known word that is most similar, whatever its case; "" if none is.

    Args:
        alike: How similar it is at least, 0 to 1.
    """
    words = {word.lower(): word for word in known}
    near = difflib.get_close_matches(str(written).lower(), words, 1, alike)
    return words[near[0]] if near else ""


def did_you_mean(word: str) -> str:
    """Return " Did you mean ...?", "" without a word."""
    return f" Did you mean {word!r}?" if word else ""


def common_start(names: Sequence[str]) -> str:
    """Return what all names begin with, up to a separator: "ISIC_" of "ISIC_0012" and "ISIC_0034".

    Returns:
        The beginning; "" where there is none, or it is too short to be worth cutting off.
    """
    if len(names) < 2:
        return ""
    first, last = min(names), max(names)  # what these two have in common, all in between have
    same = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    cut = max(first.rfind(mark, 0, same) for mark in SEPARATORS) + 1
    return first[:cut] if WORTH_CUTTING <= cut < len(first) else ""


def markdown(text: object, limit: int = LIMIT) -> str:
    """Return Markdown that shows a text as it was typed: no image, link, colour, formula or icon survives.

    Backslashes alone do not stop automatic links (`www.x`, `http://x`, `a@b`), so a word joiner is put into
    those.

    Args:
        limit: Characters at most, as of `shortened`.
    """
    line = _AUTOLINK.sub(lambda match: match[0][0] + WORD_JOINER + match[0][1:], shortened(text, limit))
    return _MARKS.sub(r"\\\1", line)


def stopped(sentence: str) -> str:
    """Return a sentence with a full stop, which a name at its end may have already."""
    return sentence if sentence.endswith(".") else f"{sentence}."


def file_name(text: object, limit: int = 60) -> str:
    """Return a stem for a download: letters, digits, hyphen and underscore, never empty, never starting with
    a hyphen.

    Args:
        limit: Characters at most.
    """
    plain = unicodedata.normalize("NFKD", str(text)[: 10 * limit]).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9_]+", "-", plain).strip("-_")[:limit].rstrip("-_") or "benchside"


def uploaded_name(text: str, limit: int = 255) -> str:
    """Return a name that came with an upload, "folder/file" included: without parts that leave the folder,
    without backslashes and control characters.

    Args:
        text: The name as the browser, or whatever sent it, has it.
        limit: Characters of each part at most; its end is kept.
    """
    parts = [part[-limit:].strip() for part in text.replace("\\", "_").split("/")[-64:]]
    safe = [part for part in parts if part not in ("", ".", "..")]
    name = "/".join(safe) or "file"
    return "".join("_" if unicodedata.category(c) == "Cc" else c for c in name)


def csv_text(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV; numbers are unrounded, so that reading it gives the same."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue()


def csv_cell(value: object) -> object:
    """Return a value for a table that a spreadsheet opens: text that it would take for a formula gets a quote
    in front; numbers stay."""
    return f"'{value}" if isinstance(value, str) and is_formula(value) else value


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet takes a text for a formula: by its first character behind a byte order
    mark, also one of full width such as ＝, which some take for the same."""
    return unicodedata.normalize("NFKC", text.lstrip("\ufeff")[:1]).startswith(_FORMULA)


USUAL = {
    "f1": "F1",
    "f2": "F2",
    "auc": "AUC",
    "hd95": "HD95",
    "assd": "ASSD",
    "nsd": "NSD",
    "mae": "MAE",
    "rmse": "RMSE",
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
UNITS = {"hd95": "mm", "assd": "mm", "false_positive_volume": "ml", "false_negative_volume": "ml"}
"""Beginnings of the names of metrics that have a unit."""
TOLERANCE = re.compile(r"^nsd_([\d.]+)")


def class_named(name: str) -> str:
    """Return the name of a class as people write it: "plasma cells" for "plasma_cells", codes as they are."""
    return name.replace("_", " ") if name.islower() else name


def named(metric: str) -> str:
    """Return a key of `metrics` as people write it: "macro F1" for "macro_f1", "missing masks, count" for
    "n_missing_masks", "HD95 spleen (mm)" for "hd95_spleen"."""
    if metric.startswith("n_"):
        return f"{named(metric.removeprefix('n_'))}, count"
    words = spelled(TOLERANCE.sub(r"nsd_at_\1_mm", metric)).replace("C index", "C-index")
    return f"{words} ({unit})" if (unit := unit_of(metric)) else words


def unit_of(metric: str) -> str:
    """Return the unit of a metric, "" where it has none of its own."""
    return next((unit for name, unit in UNITS.items() if metric.startswith(name)), "")


def spelled(key: str) -> str:
    """Return a key as people write it, word by word: "Dice GTVp" for "dice_gtvp"."""
    return " ".join(USUAL.get(part, part) for part in key.split("_"))
