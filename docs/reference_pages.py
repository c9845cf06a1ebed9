"""Reference pages of the documentation site, made from the code: challenges, command line, Python, JSON files
and findings."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

from mkdocs.structure.files import File, Files
from notebook_pages import NOTEBOOKS, notebook
from reference_command_line import command_line
from reference_json import json_files
from reference_metrics import metrics
from reference_python import python

import scoring
from scoring.challenges import REGISTRY, samples

ROOT = Path(__file__).parents[1]
PLACES = {
    "../CONTRIBUTING.md": "contributing.md",
    "../scoring/metrics/catalogue.toml": "reference/metrics.md",
}
"""File that a page links to -> its page on the site."""
LEVELS = {"error": "refuses", "warning": "warning", "note": "note"}


def on_config(config):
    """Put a page per challenge into the navigation."""
    pages = [{row.short_name: f"challenges/{challenge_id}.md"} for challenge_id, row in REGISTRY.items()]
    entry = next(entry for entry in config.nav if "Challenges" in entry)
    entry["Challenges"] = [{"All": "challenges/index.md"}, *pages]
    return config


def on_files(files: Files, config) -> Files:
    """Add the pages that are made, and those that lie outside this folder."""
    pages = {
        "reference/command-line.md": command_line(),
        "reference/python.md": python(),
        "reference/json.md": json_files(),
        "reference/findings.md": findings(),
        "reference/metrics.md": metrics(),
        "contributing.md": moved("CONTRIBUTING.md"),
        "changelog.md": moved("CHANGELOG.md"),
        "challenges/index.md": challenge_list(),
        **{f"challenges/{challenge_id}.md": challenge(challenge_id) for challenge_id in REGISTRY},
        **{f"examples/{name}.md": notebook(path) for name, path in NOTEBOOKS.items()},
    }
    for place, content in pages.items():
        files.append(File.generated(config, place, content=content))
    for path in NOTEBOOKS.values():
        files.append(File.generated(config, f"examples/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Link to the page of what lies outside `docs/`, and only name what has no page."""
    markdown = re.sub(r"\]\(\.\./examples/(\w+)\.ipynb\)", r"](examples/\1.md)", markdown)
    for place, own in PLACES.items():
        markdown = markdown.replace(f"]({place})", f"]({own})")
    return re.sub(r"\[([^\]]+)\]\(\.\./(?!schema/|own-)[^)]*\)", r"\1", markdown)


def moved(name: str) -> str:
    """Return a page of the project's own folder with its links as seen from the site."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return text.replace("](docs/", "](").replace("](CHANGELOG", "](changelog")


def challenge_list() -> str:
    lines = ["# Challenges", "", "| challenge | id | score |", "|---|---|---|"]
    for challenge_id in REGISTRY:
        words = scoring.load_challenge(challenge_id).words
        lines.append(f"| [{words.title}]({challenge_id}.md) | `{challenge_id}` | {formula(words.formula)} |")
    return "\n".join(lines)


def formula(given) -> str:
    """Return a formula in one line, with the usual options."""
    return given({}) if callable(given) else given


def challenge(challenge_id: str) -> str:
    """Return the page of a challenge: score, files, options, citation."""
    one = scoring.load_challenge(challenge_id)
    lines = [f"# {one.words.title}", "", one.words.about, ""]
    lines += [
        f"**Score:** {formula(one.words.formula)}, {one.words.official_source}.",
        "",
        one.words.rule,
        "",
    ]
    lines += [
        "## Files",
        "",
        f"* Test set: {one.inputs.truth.words}",
        f"* Submission: {one.inputs.submission.words}",
    ]
    lines += [
        f"* Models: {one.words.no_model or 'ONNX, run on the images of the test set'}",
        "",
        *sample_files(challenge_id),
        "## Options",
        "",
    ]
    lines += ["| option | what it does | usual |", "|---|---|---|"]
    for option in one.options:
        unsaid = any(value not in option.help for value in option.values)
        values = f" One of {', '.join(f'`{value}`' for value in option.values)}." * unsaid
        usual = "" if option.default is None else f"`{option.default}`"
        lines.append(f"| `{option.flag}` | {option.help}.{values} | {usual} |".replace("..", "."))
    lines += ["", f"All arguments: `benchside score {challenge_id} --help`.", ""]
    cited = "\n".join(citation.bibtex() for citation in one.words.citations)
    return "\n".join([*lines, *(["## Citation", "", "```bibtex", cited, "```"] if cited else ())])


def sample_files(challenge_id: str) -> Iterator[str]:
    """Yield how the sample's truth and its first submission begin: tables by their first lines, folders and
    zips by the names of their first files."""
    sample = next(iter(samples.test_sets(challenge_id).values()))
    folder = sample.path if next(sample.path.glob("*.csv"), None) else sample.path.parent
    submission = next(entry.path for entry in sample.submissions.values() if not entry.is_model)
    own = (path for path in sorted(folder.glob("*.csv")) if path.name not in ("drawing.csv", "metadata.csv"))
    for title, path in (("test set", next(own, sample.path)), ("submission", submission)):
        if path.suffix == ".csv":
            lines = path.read_text(encoding="utf-8").splitlines()[:3]
        elif path.is_dir():
            lines = sorted(entry.name for entry in path.iterdir())[:3]
        else:
            lines = ZipFile(path).namelist()[:3]
        yield f"The sample's {title} `{path.name}` begins:\n\n```text\n" + "\n".join(lines) + "\n...\n```\n"


def findings() -> str:
    """Return every code of a finding with the sentences that it comes with, read from the code."""
    sentences: dict[tuple[str, str], set[str]] = {}
    for path in sorted((ROOT / "scoring").rglob("*.py")):
        for level, code, sentence in _raised(ast.parse(path.read_text(encoding="utf-8"))):
            sentences.setdefault((code, level), set()).update({sentence} if sentence else ())
    lines = [
        "# Findings",
        "",
        "A finding has a code, a place and a sentence that says what to change. Errors refuse the input; "
        "warnings and notes travel with the result. An … stands for what the sentence names in your file.",
        "",
        "| code | level | what it says |",
        "|---|---|---|",
    ]
    for (code, level), texts in sorted(sentences.items()):
        told = "<br>".join(text.replace("|", "\\|") for text in sorted(texts)[:4])
        lines.append(f"| `{code}` | {LEVELS[level]} | {told} |")
    return "\n".join(lines)


def _raised(tree: ast.Module) -> Iterator[tuple[str, str, str]]:
    """Yield level, code and sentence of every finding that a module makes."""
    assigned = {
        node.targets[0].id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in LEVELS):
            continue
        code = node.args[0] if node.args else None
        if isinstance(code, ast.Constant) and isinstance(code.value, str):
            yield node.func.id, code.value, _sentence(node.args[2], assigned) if len(node.args) > 2 else ""


def _sentence(value: ast.expr, assigned: dict[str, ast.expr]) -> str:
    if isinstance(value, ast.Name) and value.id in assigned:
        value = assigned[value.id]
    if isinstance(value, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.Constant) else "…" for part in value.values)
        return " ".join("".join(map(str, parts)).split())
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""
