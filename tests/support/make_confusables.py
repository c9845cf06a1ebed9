"""Generator of `scoring/common/confusables.txt` from ICU's data: `python -m tests.support.make_confusables
LIBICUUC LIBICUI18N`, the shared libraries of ICU with their data beside them, as wheels of icu4py hold them.
"""

import ctypes
import sys
import unicodedata
from collections import defaultdict
from pathlib import Path

from scoring.common.text import TABLE

IGNORABLE = 5
"""ICU's number of the property Default_Ignorable_Code_Point."""
HEADER = """\
# Characters that look like others, by Unicode Technical Standard 39, Unicode {unicode} (ICU {icu}).
# A line: what they look like, a colon, the characters, all as code points; first those that are not seen.
# Written by tests/support/make_confusables.py. Data (c) Unicode, Inc., Unicode License v3 (Unicode-3.0).
"""


def table(common: ctypes.CDLL, i18n: ctypes.CDLL, icu: int) -> str:
    """Return the text of the file."""
    look = defaultdict[str, list[int]](list)
    is_ignorable = getattr(common, f"u_hasBinaryProperty_{icu}")
    status, buffer = ctypes.c_int(0), (ctypes.c_uint16 * 64)()
    checker = ctypes.c_void_p(getattr(i18n, f"uspoof_open_{icu}")(ctypes.byref(status)))
    skeleton = getattr(i18n, f"uspoof_getSkeleton_{icu}")
    for point in range(sys.maxunicode + 1):
        character = chr(point)
        if 0xD800 <= point < 0xE000 or unicodedata.normalize("NFD", character) != character:
            continue
        if is_ignorable(point, IGNORABLE):
            look[""].append(point)
            continue
        units = character.encode("utf-16-le")
        text = (ctypes.c_uint16 * (len(units) // 2)).from_buffer_copy(units)
        length = skeleton(checker, 0, text, len(text), buffer, 64, ctypes.byref(status))
        seen = bytes(buffer)[: 2 * length].decode("utf-16-le")
        assert status.value <= 0
        if seen != character:
            look[seen].append(point)
    lines = (f"{' '.join(f'{ord(c):04X}' for c in seen)}: {_ranges(look[seen])}\n" for seen in sorted(look))
    version = (ctypes.c_uint8 * 4)()
    getattr(common, f"u_getUnicodeVersion_{icu}")(version)
    return HEADER.format(unicode=f"{version[0]}.{version[1]}", icu=icu) + "".join(lines)


def _ranges(points: list[int]) -> str:
    """Return rising code points as text, those that follow each other as first..last."""
    runs: list[list[int]] = []
    for point in points:
        if runs and runs[-1][1] == point - 1:
            runs[-1][1] = point
        else:
            runs.append([point, point])
    return " ".join(f"{a:04X}" if a == b else f"{a:04X}..{b:04X}" for a, b in runs)


if __name__ == "__main__":
    common, i18n = (ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL) for path in sys.argv[1:])
    icu = int(Path(sys.argv[1]).name.partition(".so.")[2].partition(".")[0])
    getattr(i18n, f"uspoof_open_{icu}").restype = ctypes.c_void_p
    getattr(common, f"u_hasBinaryProperty_{icu}").restype = ctypes.c_int8
    TABLE.write_text(table(common, i18n, icu), encoding="utf-8")
