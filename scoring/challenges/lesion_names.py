"""Names of skin lesions by class, as tables of the field write them beside the codes.

Sources: `dx` and the description of HAM10000 (Tschandl 2018, doi:10.1038/sdata.2018.161), the diagnoses of
the ISIC Archive, the class lists of ISIC 2018, 2019 and MILK10k; German names are those of clinical reports.
"""

from collections.abc import Mapping, Sequence

LESIONS: Mapping[str, tuple[str, ...]] = {
    "MEL": ("melanoma", "malignant melanoma", "melanoma metastasis", "melanom"),
    "NV": ("nevus", "naevus", "melanocytic nevus", "melanocytic nevi", "melanocytic nevus any type", "nävus"),
    "BCC": ("basal cell carcinoma", "basaliom", "basalzellkarzinom"),
    "AKIEC": (
        *("actinic keratosis", "actinic keratoses", "bowens disease", "aktinische keratose"),
        *("actinic keratoses and intraepithelial carcinoma", "actinic keratosis intraepidermal carcinoma"),
        "actinic keratosis/Bowen's disease",
    ),
    "AK": ("actinic keratosis", "actinic keratoses", "aktinische keratose"),
    "BKL": (
        *("benign keratosis", "benign keratosis like lesion", "benign keratosis like lesions"),
        *(
            "benign keratinocytic lesion",
            "seborrheic keratosis",
            "seborrhoische keratose",
            "benigne keratose",
        ),
        "pigmented benign keratosis",
    ),
    "DF": ("dermatofibroma", "dermatofibrom"),
    "VASC": (
        *("vascular lesion", "vascular lesions", "vascular", "vascular lesions and hemorrhage"),
        *("vaskuläre läsion", "gefäßläsion", "hämangiom", "hemangioma", "angioma"),
    ),
    "SCC": ("squamous cell carcinoma", "plattenepithelkarzinom", "spinaliom"),
    "SCCKA": (
        *("squamous cell carcinoma", "squamous cell carcinoma keratoacanthoma", "plattenepithelkarzinom"),
        *("spinaliom", "scc", "keratoacanthoma"),
    ),
    "BEN_OTH": (
        *("other benign proliferation", "other benign proliferations", "benign other", "other benign"),
        *("other benign proliferations including collisions", "sonstige benigne", "andere gutartige"),
    ),
    "MAL_OTH": (
        *("other malignant proliferation", "other malignant proliferations", "malignant other"),
        *("other malignant", "other malignant proliferations including collisions", "sonstige maligne"),
        "andere bösartige",
    ),
    "INF": (
        *("inflammatory", "inflammatory or infectious", "inflammatory and infectious", "inflammation"),
        *("entzündlich", "inflammatory or infectious diseases"),
    ),
    "UNK": ("unknown", "none of the others", "none of the above", "unbekannt"),
}
"""Class -> what it is called; comparing drops case, blanks and marks."""


def names_of(classes: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the names of each class, in the order of the classes."""
    return {name: LESIONS.get(name, ()) for name in classes}
