"""Makes text from files and visitors safe to display. Also finds names that look alike, and names of metrics
for readers.

Skeletons of names follow Unicode Technical Standard 39, section 4.
"""

import csv
import difflib
import io
import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal

LIMIT = 200
"""Maximum number of characters of a visitor's text on a page."""
SEPARATORS = "/_-. "
"""Characters at which a common start of case names may end."""
WORTH_CUTTING = 5
"""A common start of names is left out only if it has at least this length."""
WORD_JOINER = "\u2060"
_AUTOLINK = re.compile(r"(?i)(://|www\.|@)")
MOST_MARKS = 30
"""Maximum number of combining marks in a row (Unicode Standard Annex 15, section 13)."""
_MARKS = re.compile(r"""([\\`*_{}\[\]()#+\-.!|<>~:$&@^=/"'])""")
_HIDDEN = {"Cc", "Cf", "Cs", "Co"}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def as_json(value: Any) -> str:
    """Return a value as JSON text for a file, without NaN."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def shortened(text: object, limit: int = LIMIT) -> str:
    """Return a text on one line. White space is replaced by one blank; control and hidden characters are
    removed.

    Args:
        limit: Maximum number of characters; an ellipsis shows that the text is cut.
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
    """Return the most similar known word, ignoring case; "" if none is similar. `alike` is the minimum
    similarity, 0 to 1."""
    spelling = {word.lower(): word for word in known}
    near = difflib.get_close_matches(str(written).lower(), spelling, 1, alike)
    return spelling[near[0]] if near else ""


def did_you_mean(word: str) -> str:
    """Return " Did you mean ...?"; "" without a word."""
    return f" Did you mean {word!r}?" if word else ""


def common_start(names: Sequence[str]) -> str:
    """Return the common start of all names, up to a separator: "ISIC_" for "ISIC_0012" and "ISIC_0034".

    Returns:
        The start; "" if there is none or it is too short to leave out.
    """
    if len(names) < 2:
        return ""
    first, last = min(names), max(names)  # what these two have in common, all in between have
    same = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    cut = max(first.rfind(mark, 0, same) for mark in SEPARATORS) + 1
    return first[:cut] if WORTH_CUTTING <= cut < len(first) else ""


def markdown(text: object, limit: int = LIMIT) -> str:
    """Return Markdown that shows a text as it was typed, so that nothing in it becomes an image, link,
    colour, formula or icon.

    Backslashes alone do not prevent automatic links (`www.x`, `http://x`, `a@b`), so that an invisible word
    joiner is inserted.

    Args:
        limit: Maximum characters, as in `shortened`.
    """
    line = _AUTOLINK.sub(lambda match: match[0][0] + WORD_JOINER + match[0][1:], shortened(text, limit))
    return _MARKS.sub(r"\\\1", line)


def stopped(sentence: str) -> str:
    """Return a sentence with a full stop at its end."""
    return sentence if sentence.endswith(".") else f"{sentence}."


def normalized(form: Literal["NFC", "NFD", "NFKD"], text: str) -> str:
    """Return a text in a Unicode normal form (`unicodedata.normalize`). Of more than 30 combining marks in a
    row, only the first 30 are kept, as in Unicode's stream-safe text format, because the time to normalize a
    text grows with the square of their number."""
    if text.isascii():
        return text
    kept, marks = [], 0
    for character in text:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks <= MOST_MARKS:
            kept.append(character)
    return unicodedata.normalize(form, "".join(kept))


def file_name(text: object, limit: int = 60) -> str:
    """Return a file name stem for a download: letters, digits, hyphen and underscore, never empty, never
    starting with a hyphen."""
    plain = normalized("NFKD", str(text)[: 10 * limit]).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9_]+", "-", plain).strip("-_")[:limit].rstrip("-_") or "benchside"


def uploaded_name(text: str, limit: int = 255) -> str:
    """Return the name of an upload, such as "folder/file", without parts that leave the folder, backslashes
    and control characters.

    Args:
        text: The name as the browser sent it.
        limit: Maximum number of characters of each part. Of a longer part, the end is kept.
    """
    parts = [part[-limit:].strip() for part in text.replace("\\", "_").split("/")[-64:]]
    safe = [part for part in parts if part not in ("", ".", "..")]
    name = "/".join(safe) or "file"
    return "".join("_" if unicodedata.category(c) == "Cc" else c for c in name)


def csv_text(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV with unrounded numbers, so that reading it returns the same numbers."""
    return delimited_text(header, rows, ",")


def delimited_text(header: Iterable[str], rows: Iterable[Iterable[object]], delimiter: str) -> str:
    """Return rows as text like `csv_text`, with another separator between cells."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows([header, *rows])
    return text.getvalue()


def csv_cell(value: object) -> object:
    """Return the value of a cell that is safe to open in a spreadsheet program: a text that the program would
    read as a formula gets an apostrophe in front. Numbers stay unchanged."""
    return f"'{value}" if isinstance(value, str) and is_formula(value) else value


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet treats a text as a formula. The first character decides; a byte order mark
    is ignored. Full-width characters such as ＝ count too, because some programs treat them as =."""
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
"""Part of a metric's name -> its special spelling."""
UNITS = {"hd95": "mm", "assd": "mm", "false_positive_volume": "ml", "false_negative_volume": "ml"}
"""Prefix of a metric's name -> unit."""
TOLERANCE = re.compile(r"^nsd_([\d.]+)")


def class_named(name: str) -> str:
    """Return the readable name of a class: "plasma cells" for "plasma_cells"; codes stay unchanged."""
    return name.replace("_", " ") if name.islower() else name


def named(metric: str) -> str:
    """Return the readable name of a metric's key: "macro F1" for "macro_f1", "missing masks, count" for
    "n_missing_masks", "HD95 spleen (mm)" for "hd95_spleen"."""
    if metric.startswith("n_"):
        return f"{named(metric.removeprefix('n_'))}, count"
    words = spelled(TOLERANCE.sub(r"nsd_at_\1_mm", metric)).replace("C index", "C-index")
    return f"{words} ({unit})" if (unit := unit_of(metric)) else words


def unit_of(metric: str) -> str:
    """Return the unit of a metric; "" if it has none."""
    return next((unit for name, unit in UNITS.items() if metric.startswith(name)), "")


def spelled(key: str) -> str:
    """Return a key in readable form, word by word: "Dice GTVp" for "dice_gtvp"."""
    return " ".join(USUAL.get(part, part) for part in key.split("_"))


TABLE = Path(__file__).with_name("confusables.txt")
BLANK = ("\u2800", " ")
"""A Braille character that looks like a blank."""


@cache
def _look_alike() -> dict[int, str]:
    """Return code points of characters -> what they look like."""
    table: dict[int, str] = {}
    for line in TABLE.read_text(encoding="ascii").splitlines():
        look, colon, ranges = line.partition(":")
        if colon and not line.startswith("#"):
            seen = "".join(chr(int(point, 16)) for point in look.split())
            for first, _, last in (run.partition("..") for run in ranges.split()):
                table |= dict.fromkeys(range(int(first, 16), int(last or first, 16) + 1), seen)
    return table


@lru_cache(4096)
def name_skeleton(name: str) -> str:
    """Return the skeleton of a name. Names that look the same have the same skeleton.

    Invisible characters are left out, and look-alike characters are replaced. Dashes become hyphens, repeated
    blanks become one blank, `m` becomes `rn`, and `1`, `I` and `l` become the same character. Names in upper
    and lower case have different results.
    """
    dashed = "".join("-" if unicodedata.category(c) == "Pd" else c for c in name.replace(*BLANK))
    once = normalized("NFD", dashed).translate(_look_alike())
    twice = normalized("NFKD", once).translate(_look_alike())
    return " ".join(normalized("NFD", twice).split())
