"""Files of nuclei rewritten as supported JSON: with class names, or as one list of features."""

import json

from scoring.common.findings import InputRefused
from scoring.common.isolation import isolated
from scoring.inputs.nuclei import strict
from scoring.inputs.nuclei.contents import NUCLEI, too_large


@isolated
def of_types(data: bytes, name: str, types: bytes) -> bytes | None:
    """Return a file with type numbers replaced by their names, None for another file.

    Args:
        data: The file.
        name: Its name in messages.
        types: The names of the types, {number: name} or {number: [name, colour]}.
    """
    document, named = (strict.document(part, name)[0] for part in (data, types))
    if not isinstance(document, dict) or not isinstance(named, dict):
        return None
    names = {
        number: entry[0] if isinstance(entry, list) else entry for number, entry in named.items() if entry
    }
    are_names = all(number.isdecimal() and isinstance(entry, str) for number, entry in names.items())
    return json.dumps({"type_map": names, **document}).encode() if names and are_names else None


@isolated
def of_lines(data: bytes, name: str) -> bytes | None:
    """Return features, one per line, as GeoJSON; None for other lines.

    Args:
        data: The file.
        name: Its name in messages.

    Raises:
        InputRefused: If a line is not JSON, or there are too many.
    """
    lines = [(number, line) for number, line in enumerate(data.splitlines(), 1) if line.strip()]
    if len(lines) > NUCLEI:
        raise InputRefused([too_large(name, len(lines))])
    features = []
    for number, line in lines:
        feature, problem = strict.document(line, f"{name}:{number}")
        if problem:
            raise InputRefused([problem])
        if not isinstance(feature, dict) or "geometry" not in feature:
            return None
        features.append(feature)
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()
