"""Look-alike team names: skeletons by Unicode Technical Standard 39, section 4.

`team_entries.name_problems` refuses them.
"""

import unicodedata
from functools import cache, lru_cache
from pathlib import Path

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
    """Return what people see of a name: two names with the same skeleton look the same.

    Invisible characters are left out, others are replaced by those they look like, dashes by hyphens, and
    repeated blanks by one. Capital and small letters differ, but `m` is `rn`, and `1`, `I` and `l` are one.
    """
    dashed = "".join("-" if unicodedata.category(c) == "Pd" else c for c in name.replace(*BLANK))
    once = unicodedata.normalize("NFD", dashed).translate(_look_alike())
    twice = unicodedata.normalize("NFKD", once).translate(_look_alike())
    return " ".join(unicodedata.normalize("NFD", twice).split())
