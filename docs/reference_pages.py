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
LEVELS = ("error", "warning", "note")


def on_config(config):
    """Put a page per challenge into the navigation."""
    pages = [{row.short_name: f"challenges/{challenge_id}.md"} for challenge_id, row in REGISTRY.items()]
    entry = next(entry for entry in config.nav if "Challenges" in entry)
    entry["Challenges"] = [{"All": "challenges/index.md"}, *pages]
    return config


def on_files(files: Files, config) -> Files:
    """Add the pages that are made from code, and those from files outside this folder."""
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
    """Let links to files outside `docs/` point to the file's page on the site, or make them plain text."""
    markdown = re.sub(r"\]\(\.\./examples/(\w+)\.ipynb\)", r"](examples/\1.md)", markdown)
    for place, own in PLACES.items():
        markdown = markdown.replace(f"]({place})", f"]({own})")
    return re.sub(r"\[([^\]]+)\]\(\.\./(?!schema/|own-)[^)]*\)", r"\1", markdown)


def moved(name: str) -> str:
    """Return a page from the project's main folder, with its links changed to work on the site."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return text.replace("](docs/", "](").replace("](CHANGELOG", "](changelog")


def challenge_list() -> str:
    lines = ["# Challenges", "", "| challenge | id | score |", "|---|---|---|"]
    for challenge_id in REGISTRY:
        words = scoring.load_challenge(challenge_id).words
        lines.append(f"| [{words.title}]({challenge_id}.md) | `{challenge_id}` | {formula(words.formula)} |")
    return "\n".join(lines)


def formula(given) -> str:
    """Return the formula of the score in one line, with default options."""
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
        f"* Models: {one.words.no_model or 'ONNX files, which Benchside runs on the images of the test set'}",
        "",
        *sample_files(challenge_id),
        "## Options",
        "",
    ]
    lines += ["| option | meaning | default |", "|---|---|---|"]
    for option in one.options:
        unsaid = any(value not in option.help for value in option.values)
        values = f" One of {', '.join(f'`{value}`' for value in option.values)}." * unsaid
        usual = "" if option.default is None else f"`{option.default}`"
        lines.append(f"| `{option.flag}` | {option.help}.{values} | {usual} |".replace("..", "."))
    lines += ["", f"`benchside score {challenge_id} --help` lists all options.", ""]
    cited = "\n".join(citation.bibtex() for citation in one.words.citations)
    return "\n".join([*lines, *(["## Citation", "", "```bibtex", cited, "```"] if cited else ())])


def sample_files(challenge_id: str) -> Iterator[str]:
    """Yield the beginning of the sample's truth and of its first submission: the first lines of a table, or
    the names of the first files in a folder or zip."""
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
        start = "\n".join(lines)
        yield f"The {title} of the sample, `{path.name}`, begins with:\n\n```text\n{start}\n...\n```\n"


def findings() -> str:
    """Return a table of the codes of findings, with the messages that the code contains for each."""
    sentences: dict[tuple[str, str], set[str]] = {}
    for path in sorted((ROOT / "scoring").rglob("*.py")):
        for level, code, sentence in _raised(ast.parse(path.read_text(encoding="utf-8"))):
            sentences.setdefault((code, level), set()).update({sentence} if sentence else ())
    lines = [
        "# Findings",
        "",
        "A finding has a code, a place in the file, and a message that says what to change. If there is an "
        "error, Benchside refuses the file. It shows warnings and notes with the result. In the messages "
        "below, … stands for a name or number, and “it” is the file or place that the finding names.",
        "",
        "| code | level | messages (at most four) |",
        "|---|---|---|",
    ]
    for (code, level), texts in sorted(sentences.items()):
        told = "<br>".join(text.replace("|", "\\|") for text in sorted(texts)[:4])
        lines.append(f"| `{code}` | {level} | {told} |")
    return "\n".join(lines)


def _raised(tree: ast.Module) -> Iterator[tuple[str, str, str]]:
    """Yield level, code and message of every finding that a module creates."""
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
