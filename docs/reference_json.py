"""The reference page of the JSON files, from their schemas."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reference_python import cell

FOLDER = Path(__file__).parent / "schema"
SHARED = json.loads((FOLDER / "common.schema.json").read_text(encoding="utf-8"))["$defs"]
Schema = dict[str, Any]


def json_files() -> str:
    """Return a page with the keys of every JSON file that Benchside writes."""
    lines = [
        "# JSON files",
        "",
        "Numbers are not rounded. A number without a value, such as the recall of a class without cases, is "
        "`null`. In a key, `[]` stands for each entry of a list, and `*` for each name, such as each team. "
        "The heading of a file links to its JSON schema.",
    ]
    for path in sorted(FOLDER.glob("*.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        title = path.name.replace(".schema", "")
        lines += [
            "",
            f"## [{title}](../schema/{path.name})",
            "",
            schema.get("description", schema.get("title", "")),
        ]
        parts = [*_keys(schema, ""), *_definitions(schema)]
        lines += _table(parts)
        for challenge_id, branch in _branches(schema):
            lines += ["", f"### {title} of {challenge_id}", "", *_table(list(_keys(branch, "")))]
    return "\n".join(lines)


def _table(rows: list[str]) -> list[str]:
    return ["", "| key | type | meaning |", "|---|---|---|", *rows] if rows else []


def _definitions(schema: Schema) -> Iterator[str]:
    for name, part in schema.get("$defs", {}).items():
        if part.get("description"):
            yield f"| `{name}` | {kind(part)} | {cell(part['description'])} |"
        yield from _keys(part, f"{name}.")


def _branches(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """Yield the id of each challenge that adds its own keys to a file, with the schema of these keys."""
    for rule in schema.get("allOf", ()):
        named = rule.get("if", {}).get("properties", {}).get("challenge", {}).get("const")
        if named:
            yield named, rule["then"]


def _keys(schema: Schema, prefix: str) -> Iterator[str]:
    """Yield one row of the table per key, also for keys of nested objects and lists."""
    for key, entry in schema.get("properties", {}).items():
        if not isinstance(entry, dict):
            continue
        about = entry.get("description") or _shared(entry).get("description", "")
        if about or kind(entry) not in ("object", "array", "any"):
            yield f"| `{prefix}{key}` | {kind(entry)} | {cell(about)} |"
        yield from _inside(entry, f"{prefix}{key}")


def _inside(entry: Schema, place: str) -> Iterator[str]:
    yield from _keys(entry, f"{place}.")
    for part in entry.get("anyOf", ()):
        yield from _inside(part, place)
    for key, mark in (("items", "[]"), ("additionalProperties", ".*")):
        if isinstance(entry.get(key), dict):
            yield from _inside(entry[key], place + mark)


def _shared(entry: Schema) -> Schema:
    """Return the definition that a schema refers to, if several files share it; otherwise an empty one."""
    found: Schema = SHARED.get(entry.get("$ref", "").rpartition("/")[2], {})
    return found


def kind(entry: Schema) -> str:
    """Return the type of a value in a schema."""
    if "const" in entry:
        return f"`{json.dumps(entry['const'])}`"
    if "enum" in entry:
        return " or ".join(f"`{json.dumps(value)}`" for value in entry["enum"])
    if "anyOf" in entry:
        return " or ".join(map(kind, entry["anyOf"]))
    shared = kind(_shared(entry)) if "$ref" in entry else "any"
    if shared in ("object", "array", "array or null", "any"):
        shared = entry.get("$ref", "any").rpartition("/")[2]
    given = entry.get("type", shared)
    return " or ".join(given) if isinstance(given, list) else str(given)
