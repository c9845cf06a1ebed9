"""Holds the JSON that the command line writes to the schemas in `docs/schema`."""

import json
from functools import cache

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from tests.support.command_line import ROOT

FOLDER = ROOT / "docs" / "schema"
SCHEMAS = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.schema.json")}


@cache
def validator(name: str) -> Draft202012Validator:
    """Return the validator of `scorecard`, `comparison`, `check` or `refusal`."""
    registry = Registry().with_resources(
        (name, Resource.from_contents(schema)) for name, schema in SCHEMAS.items()
    )
    return Draft202012Validator({"$ref": f"{name}.schema.json"}, registry=registry)


def problems(name: str, text: str) -> list[str]:
    """Return where a JSON text departs from a schema; NaN and Infinity are no JSON."""
    try:
        value = json.loads(text, parse_constant=_refuse)
    except ValueError as error:
        return [str(error)]
    return [f"{error.json_path}: {error.message[:200]}" for error in validator(name).iter_errors(value)]


def kind_of(answer: dict) -> str:
    """Return the name of the schema that an answer of `score` or `compare` must fit."""
    return "refusal" if "problems" in answer else "comparison" if "teams" in answer else "scorecard"


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON")
