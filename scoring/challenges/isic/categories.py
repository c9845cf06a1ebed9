"""Diagnosis categories of the ISIC Challenges of each year, their names, and which of them are malignant.

Source: the evaluation page of 2019, the task pages of 2018 and MILK10k; `isic-challenge-scoring` 5.8.0 for
`EXCLUDED`.
"""

from collections.abc import Iterable, Sequence

from scoring.inputs import case_ids

ID = "isic"
UNKNOWN = "UNK"
PRESETS = {
    "2018": ("MEL", "NV", "BCC", "AKIEC", "BKL", "DF", "VASC"),
    "2019": ("MEL", "NV", "BCC", "AK", "BKL", "DF", "VASC", "SCC", UNKNOWN),
    "milk10k": ("AKIEC", "BCC", "BEN_OTH", "BKL", "DF", "INF", "MAL_OTH", "MEL", "NV", "SCCKA", "VASC"),
}
MALIGNANT = ("MEL", "BCC", "AK", "AKIEC", "SCC", "SCCKA", "MAL_OTH")
NAMES = {
    "MEL": "Melanoma",
    "NV": "Melanocytic nevus",
    "BCC": "Basal cell carcinoma",
    "AK": "Actinic keratosis",
    "AKIEC": "Actinic keratosis/intraepidermal carcinoma",
    "BKL": "Benign keratosis",
    "DF": "Dermatofibroma",
    "VASC": "Vascular lesion",
    "SCC": "Squamous cell carcinoma",
    "SCCKA": "Squamous cell carcinoma/keratoacanthoma",
    "BEN_OTH": "Other benign proliferation",
    "INF": "Inflammatory or infectious",
    "MAL_OTH": "Other malignant proliferation",
    UNKNOWN: "None of the others",
}
EXCLUDED = "ISIC_0035068"
ID_COLUMNS = ("image", "lesion_id", "lesion")
OFFICIAL_ID_COLUMNS = ("image", "lesion_id")
SCORE_WEIGHT, VALIDATION_WEIGHT = WEIGHTS = ("score_weight", "validation_weight")
SLICES = {
    "age": ("age_approx", "age"),
    "sex": ("sex", "gender"),
    "site": ("anatom_site_general", "anatom_site", "site", "location"),
}
"""Attribute that defines subgroups -> possible headers of its column."""
PICTURE_ENDINGS = (".jpg", ".jpeg", ".png")


def preset(categories: Iterable[str]) -> str | None:
    """Return the year of the challenge with exactly these categories, in any order; None if there is no such
    year. The year 2019 is also returned if only the category UNK is missing."""
    wanted = set(categories)
    return next(
        (name for name, members in PRESETS.items() if wanted in (set(members), set(members) - {UNKNOWN})),
        None,
    )


def of_width(width: int) -> tuple[str, ...] | None:
    """Return the categories of the challenge year with this number of outputs; None if there is no such year.
    8 outputs stand for 2019 without UNK."""
    candidates = [*PRESETS.values(), tuple(c for c in PRESETS["2019"] if c != UNKNOWN)]
    return next((members for members in candidates if len(members) == width), None)


def malignant(categories: Sequence[str], wanted: str | Iterable[str] | None) -> tuple[str, ...]:
    """Return the malignant categories in column order.

    Args:
        wanted: The malignant categories as a list or as text with commas; None: the default. Unknown names
            are put at the end.
    """
    if wanted is None:
        return tuple(c for c in categories if c in MALIGNANT)
    names = [name.strip() for name in (wanted.split(",") if isinstance(wanted, str) else wanted)]
    return tuple(
        dict.fromkeys(
            [c for c in categories if c in names]
            + [name for name in names if name and name not in categories]
        )
    )


def compared(ids: Sequence[str]) -> tuple[str, ...]:
    """Return ids in the form in which they are compared: without spaces around them, folders, and an image
    extension."""
    joined = "\n".join(ids)
    if not any(mark in joined for mark in "./\\ \t\xa0") and len(joined.split()) == len(ids):
        return tuple(ids)
    return tuple(_compared(name) for name in ids)


def _compared(name: str) -> str:
    base = case_ids.base_name(name).strip()
    ending = next((e for e in PICTURE_ENDINGS if base.lower().endswith(e)), "")
    return base.removesuffix(base[len(base) - len(ending) :]) if ending else base
