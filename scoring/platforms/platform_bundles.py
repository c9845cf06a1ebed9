"""Writes bundles to upload to Grand Challenge, Codabench and EvalAI, with program, settings, truth and
container."""

import io
import json
import re
import tarfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from gzip import GzipFile
from importlib.metadata import version
from pathlib import Path
from string import Template
from typing import Any

from markupsafe import escape
from PIL import Image

import scoring
from scoring.boards.serialization import packed
from scoring.common import rendered_markdown
from scoring.common.direction_and_range import SCORE
from scoring.common.file_opening import zipped
from scoring.common.findings import Finding, InputRefused, error, writing
from scoring.common.text import shortened
from scoring.common.toml_text import hidden_characters
from scoring.inputs.sources import Source
from scoring.platforms.evaluation import FILE, PlatformSettings
from scoring.platforms.submission_page import IN_ALL, PER_DAY, SubmissionPage, submission_page

NEEDED = (
    "alembic",
    "fsspec",
    "jinja2",
    "markupsafe",
    "nibabel",
    "numpy",
    "onnx",
    "onnxruntime",
    "pandas",
    "pi-heif",
    "pillow",
    "platformdirs",
    "plotly",
    "pydicom",
    "pysimdjson",
    "rich",
    "scikit-learn",
    "scipy",
    "shapely",
    "sqlalchemy",
    "threadpoolctl",
    "tifffile",
    "zlib-ng",
)
"""Packages that the evaluation program needs; pyproject.toml gives the reasons."""
LEADERBOARD_DECIMALS = 6
TITLE = 80
"""Maximum number of characters of a title."""
CODABENCH_COLUMN, CODABENCH_IMAGE = 36, 128
"""Maximum number of characters of a leaderboard column, and of a container's name, on Codabench."""
Made = tuple[dict[str, bytes], tuple[str, ...]]
"""Two values: name of a file -> its content; and the next steps of the organizer, as sentences."""
_PART = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_IMAGE = re.compile(
    rf"(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?(?::\d+)?/)?{_PART}(?:/{_PART})*"
    r"(?::[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,127})?(?:@sha256:[0-9a-f]{64})?",
    re.ASCII,
)
"""Name of a container image, REGISTRY/PATH:TAG@DIGEST. The next steps contain it in shell commands."""
_TEMPLATES = Path(__file__).parent / "templates"
_USER = "RUN useradd --create-home --uid 10001 benchside\nUSER benchside"


@dataclass(frozen=True)
class Order:
    """What the organizer provides for a bundle.

    Attributes:
        truth_name: Name of the test set, if its source has no name.
        metadata: A table that is joined to the test set by case id.
        image: Name of the container image, if the platform needs one.
        start: First day of the challenge.
    """

    settings: PlatformSettings
    truth: Source
    title: str
    image: str = "benchside-evaluation:latest"
    start: date | None = None
    metadata: Source | None = None
    truth_name: str | None = None


def write_bundle(platform: str, order: Order, folder: Path) -> tuple[str, ...]:
    """Write the files that set up a challenge on a platform into a new folder.

    Args:
        platform: One of `PLATFORMS`.
        folder: The folder to write; it must be empty or not exist yet.

    Returns:
        The organizer's next steps, one sentence each.

    Raises:
        InputRefused: If truth, settings or folder have problems; it lists all of them. Nothing is written
            then.
    """
    problems = []
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        message = f"{folder.name} is there already: name a new folder."
        problems.append(error("bad-option", "--output", message))
    files, steps = bundle_files(platform, order, problems)
    with writing(folder, "--output"):
        for member, content in files.items():
            (folder / member).parent.mkdir(parents=True, exist_ok=True)
            (folder / member).write_bytes(content)
    return steps


def bundle_files(platform: str, order: Order, problems: Sequence[Finding] = ()) -> Made:
    """Return the files that set up a challenge on a platform, and the organizer's next steps. Raises
    InputRefused with every problem of truth and settings."""
    problems = [*order.settings.problems(), *problems]
    if not order.title.strip() or len(order.title) > TITLE:
        problems.append(error("bad-option", "--title", f"write 1 to {TITLE} characters."))
    problems += [error("bad-option", "--title", message) for _, message in hidden_characters(order.title)]
    if not _IMAGE.fullmatch(order.image):
        fault = f"{shortened(order.image)!r} is no name of a container image"
        message = f"{fault}: write REGISTRY/PATH:TAG, such as ghcr.io/me/lesions:1."
        problems.append(error("bad-option", "--image", message))
    if platform == "codabench":
        problems += _codabench_problems(order)
    try:
        name, data = packed(order.truth, order.truth_name)
        held, challenge = {name: data}, order.settings.challenge
        truth = challenge.read_truth(data, name=name, **challenge.needed("truth", order.settings.options))
        if order.metadata is not None:
            table, content = packed(order.metadata)
            order = replace(order, settings=replace(order.settings, metadata=f"metadata-{table}"))
            held[f"metadata-{table}"] = content
    except InputRefused as refused:
        problems += refused.problems
    if problems:
        raise InputRefused(problems)
    page = submission_page(order.settings, truth, platform)
    _try(order, truth, page)
    files, steps = PLATFORMS[platform](order, held, page)
    return files | page.files(), steps


def _try(order: Order, truth: Any, page: SubmissionPage) -> None:
    """Score the example. Raises InputRefused with what would refuse every submission."""
    settings, challenge, problems = order.settings, order.settings.challenge, []
    if page.example is None:
        problems = challenge.readers.missing_columns(truth, order.metadata)
    else:
        name, data = page.example
        sent = challenge.read_predictions(
            data, truth, name, **challenge.needed("predictions", settings.options)
        )
        drawn = {**settings.options, **settings.statistics, "resamples": 0}
        card = challenge.score(truth, sent, **drawn, metadata=order.metadata)
        unknown = (name for name in settings.metrics if name not in card.metrics)
        listed = ", ".join(card.metrics)
        problems = [error("bad-option", "--metrics", f"{name} is not one of {listed}.") for name in unknown]
        if card.score is None:
            message = "the score is undefined on this truth: every submission would be refused."
            problems.append(error("undefined-score", "--truth", message))
    if problems:
        raise InputRefused(problems)


Held = Mapping[str, bytes]
"""Name of a file of the truth -> its content."""


def _grand_challenge(order: Order, held: Held, _page: SubmissionPage) -> Made:
    command = ("python", "-m", "scoring", "platform", "grand-challenge", "--settings", "benchside.json")
    files = {
        **_container(f"COPY program/ ./\n{_USER}\nENTRYPOINT {json.dumps(command)}"),
        **_below("program", _program(order.settings)),
        "ground_truth.tar.gz": _tar(held),
    }
    return files, (
        f"Build the container in this folder: {_build(order)}",
        f"Save it: docker save {order.image} | gzip > evaluation.tar.gz",
        "Upload evaluation.tar.gz as the evaluation method of the phase, and ground_truth.tar.gz as its "
        "truth.",
        "Publish what-to-submit.md and the example for participants.",
        'In the phase\'s scoring, write "score" as the path of the score, in '
        f"{_order(order.settings)} order.",
        *_own_order(order.settings, "grand-challenge"),
    )


def _codabench_problems(order: Order) -> list[Finding]:
    """Return `bad-option` for what the platform's database would refuse after the upload."""
    problems, image = [], order.image
    if "/" not in image:
        message = "Codabench fetches the container from a registry: write ACCOUNT/NAME, such as me/lesions:1."
        problems.append(error("bad-option", "--image", message))
    if len(image) > CODABENCH_IMAGE:
        message = f"Codabench accepts {CODABENCH_IMAGE} characters, but this name has {len(image)}."
        problems.append(error("bad-option", "--image", message))
    for name in _columns(order.settings):
        if len(name) > CODABENCH_COLUMN:
            message = (
                f"{name}: Codabench accepts {CODABENCH_COLUMN} characters for a column name, but this name "
                f"has {len(name)}."
            )
            problems.append(error("bad-option", "--metrics", message))
    return problems


def _codabench(order: Order, held: Held, page: SubmissionPage) -> Made:
    """Return the files of a competition bundle for Codabench."""
    program = {
        **_program(order.settings),
        "evaluate.py": _template("codabench_evaluate.txt"),
        "metadata.yaml": b"command: python3 /app/program/evaluate.py /app/input /app/output\n",
    }
    columns = "".join(
        f"      - {{title: {json.dumps(column)}, key: {json.dumps(column)}, index: {index}, sorting: {way}, "
        f"precision: {_decimals(order.settings)}}}\n"
        for index, column in enumerate(_columns(order.settings))
        for way in [_order(order.settings, column).removesuffix("ending")]
    )
    texts = {"columns": columns, "image": json.dumps(order.image)}
    bundle = {
        "competition.yaml": _template("competition.yaml", **_common(order), **texts),
        "logo.png": _logo(),
        "overview.md": _rule(order),
        **_below("starting_kit", page.files()),
        "terms.md": _template("terms.md"),
        **_below("scoring_program", program),
        **_below("reference_data", held),
    }
    # The folders in which submissions are scored belong to the worker's user, so that there is no USER here.
    files = {**_container(""), "competition.zip": zipped(bundle.items())}
    return files, (
        f"Build the container in this folder: {_build(order)}",
        f"Push it to a registry that the workers reach: docker push {order.image}",
        "Upload competition.zip to Codabench (Benchmarks, Management, Upload).",
        *_own_order(order.settings, "codabench"),
    )


def _evalai(order: Order, held: Held, page: SubmissionPage) -> Made:
    script = {
        "__init__.py": b"from .main import evaluate  # noqa: F401\n",
        "main.py": _template("evalai_main.txt"),
    }
    texts = {
        "schema": json.dumps(_schema(order.settings)),
        "descending": str(_order(order.settings) == "descending"),
        "decimals": str(_decimals(order.settings)),
    }
    pages = ("description", "evaluation_details", "phase_description")
    bundle = {
        "challenge_config.yaml": _template("challenge_config.yaml", **_common(order), **texts),
        "logo.png": _logo(),
        **{f"templates/{page}.html": _html(order) for page in pages},
        "templates/submission_guidelines.html": page.html(),
        "templates/terms_and_conditions.html": b"<p>" + _template("terms.md").strip() + b"</p>\n",
        "evaluation_script.zip": zipped(script.items()),
        "annotations/none.txt": b"The test set is with the worker of the organizers.\n",
    }
    command = json.dumps(("python", "worker.py"))
    files = {
        **_container(f"COPY program/ ./\n{_USER}\nENTRYPOINT {command}"),
        **_below("program", _program(order.settings) | {"worker.py": _template("evalai_worker.txt")}),
        **_below("truth", held),
        "challenge_config.zip": zipped(bundle.items()),
    }
    names = " ".join(f"--env {name}" for name in ("AUTH_TOKEN", "QUEUE_NAME", "CHALLENGE_PK"))
    return files, (
        "Upload challenge_config.zip to EvalAI (Host challenge); the zip does not contain the test set.",
        "Publish the example submission with your data. The guidelines page shows its first lines.",
        f"Build the worker in this folder: {_build(order)}",
        "Set AUTH_TOKEN (your profile on EvalAI), QUEUE_NAME and CHALLENGE_PK (Manage) in the shell.",
        "Run the worker while the challenge is open: docker run --detach --restart unless-stopped "
        f'{names} --volume "$PWD/truth:/opt/benchside/truth:ro" {order.image}',
        *_own_order(order.settings, "evalai"),
    )


PLATFORMS: Mapping[str, Callable[[Order, Held, SubmissionPage], Made]] = {
    "grand-challenge": _grand_challenge,
    "codabench": _codabench,
    "evalai": _evalai,
}


def _own_order(settings: PlatformSettings, platform: str) -> list[str]:
    """Return how the platform orders where the challenge orders by several metrics, as a step; nothing if
    the score orders."""
    own = settings.challenge.comparison.ranked_by
    if own is None:
        return []
    told = f"{own.words} The platform ranks only by the score"
    if platform != "grand-challenge" or own.in_cases:
        return [f"{told} and shows these metrics. For the challenge's order, use a board of Benchside."]
    first, *others = (f"metrics.{name} ({_order(settings, name)})" for name in own.metrics)
    columns = f", and add the columns {', '.join(others)}" if others else ""
    step = f"To rank by the mean of these ranks, choose Mean as scoring method, {first} as path of the score"
    return [f"{told}. {step}{columns}."]


def _program(settings: PlatformSettings) -> dict[str, bytes]:
    """Return the settings and this library."""
    root = Path(scoring.__file__).parent
    files = (path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    library = {f"scoring/{path.relative_to(root).as_posix()}": path.read_bytes() for path in sorted(files)}
    return {FILE: settings.to_json().encode(), **library}


def _build(order: Order) -> str:
    return f"docker build --platform linux/amd64 --file Containerfile --tag {order.image} ."


def _container(end: str) -> dict[str, bytes]:
    """Return a container with the packages that the library needs. end: further lines."""
    pins = "".join(f"{name}=={version(name)}\n" for name in NEEDED)
    return {"Containerfile": _template("Containerfile", end=end), "requirements.txt": pins.encode()}


def _below(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {f"{folder}/{name}": data for name, data in files.items()}


def _columns(settings: PlatformSettings) -> list[str]:
    return [SCORE, *(name for name in settings.metrics if name != SCORE)]


def _order(settings: PlatformSettings, column: str = SCORE) -> str:
    """Return in which order the best value of a column comes first: "descending" or "ascending"."""
    better = settings.challenge.scoring.quantity(column).better
    return "descending" if better == "higher" else "ascending"


def _schema(settings: PlatformSettings) -> dict[str, object]:
    """Return EvalAI's schema of the leaderboard."""
    columns = _columns(settings)
    orders = {column: {"sort_ascending": _order(settings, column) == "ascending"} for column in columns}
    return {"labels": columns, "default_order_by": SCORE, "metadata": orders}


def _decimals(settings: PlatformSettings) -> int:
    return LEADERBOARD_DECIMALS if settings.decimals is None else settings.decimals


def _common(order: Order) -> dict[str, str]:
    first = order.start or datetime.now(UTC).date()
    return {
        "title": json.dumps(order.title),
        "about": json.dumps(order.settings.challenge.words.about),
        "start": first.isoformat(),
        "end": (first + timedelta(days=365)).isoformat(),
        "per_day": str(PER_DAY),
        "in_all": str(IN_ALL),
    }


def _rule(order: Order) -> bytes:
    challenge = order.settings.challenge
    formula = challenge.formula(order.settings.options)
    return f"# {order.title}\n\n{formula}\n\n{challenge.words.rule.strip()}\n".encode()


def _html(order: Order) -> bytes:
    """Return the rule as HTML: the platform reads no Markdown."""
    _, _, rule = _rule(order).decode().partition("\n\n")
    return f"<h1>{escape(order.title)}</h1>\n{rendered_markdown.html(rule)}\n".encode()


def _template(name: str, **values: str) -> bytes:
    text = (_TEMPLATES / name).read_text(encoding="utf-8")
    return Template(text).substitute(values).encode()


def _logo() -> bytes:
    target = io.BytesIO()
    Image.new("RGB", (300, 300), "#1f4e79").save(target, "PNG")
    return target.getvalue()


def _tar(files: Held) -> bytes:
    target = io.BytesIO()
    with (
        GzipFile(filename="", mode="wb", fileobj=target, mtime=0) as smaller,
        tarfile.open(fileobj=smaller, mode="w") as written,
    ):
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            written.addfile(member, io.BytesIO(data))
    return target.getvalue()
