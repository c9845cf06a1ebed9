"""Licences of the packages that the locks name: `make licences` prints them, and names what a distributed
copy could not hold."""

import re
import sys
from collections.abc import Iterator
from importlib import metadata

from tests.support.command_line import ROOT

STRONG = re.compile(r"(?<!L)(?<!Lesser )(AGPL|GPL|Affero|General Public License)", re.IGNORECASE)
"""Licences that an Apache-2.0 program would inherit. The LGPL, of what is linked, is not among them."""
UNDECLARED = {"pysimdjson": "MIT"}
"""Packages whose metadata names none, with what the LICENSE file in the wheel says."""


def locked() -> set[str]:
    """Return the packages that users install: of requirements.lock and requirements-server.lock."""
    texts = [(ROOT / name).read_text("utf-8") for name in ("requirements.lock", "requirements-server.lock")]
    return {match[1] for text in texts for match in re.finditer(r"^([A-Za-z0-9._-]+)==", text, re.MULTILINE)}


def licences() -> Iterator[tuple[str, str, str]]:
    """Yield package, version and licence of what is installed here of the locks."""
    for package in sorted(locked()):
        try:
            declared = metadata.distribution(package)
        except metadata.PackageNotFoundError:  # of another system
            continue
        fields = declared.metadata
        classes = [text.split("::")[-1].strip() for text in fields.get_all("Classifier") or ()]
        named = [
            fields.get("License-Expression") or (fields.get("License") or "").split("\n")[0],
            *(text for text in classes if "Licen" in text),
        ]
        licence = "; ".join(dict.fromkeys(filter(None, named))) or UNDECLARED.get(package, "")
        yield package, declared.version, licence


def is_strong(licence: str) -> bool:
    """Return whether a licence asks that the whole program is passed on under it, or is unknown."""
    return not licence or STRONG.search(licence) is not None


if __name__ == "__main__":
    rows = list(licences())
    print("\n".join(f"{package} {version}: {licence}" for package, version, licence in rows))
    strong = [package for package, _, licence in rows if is_strong(licence)]
    sys.exit(f"To be replaced or made an extra: {', '.join(strong)}" if strong else 0)
