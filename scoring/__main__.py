"""The command line: `python -m scoring challenges | check | predict | score | compare`."""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType

from scoring import Comparison, Finding, InputRefused, ScoreCard, __version__, challenge_ids, load_challenge
from scoring import compare as compare_teams
from scoring.challenges import TITLES, option_name
from scoring.comparison.compare import of_team
from scoring.comparison.pairs import SCORE, Pairs
from scoring.findings import error, lines
from scoring.models.pool import Cancelled
from scoring.readers import entries
from scoring.readers.entries import Entry
from scoring.statistics.options import StatisticsOptions

DONE, BROKEN, REFUSED, INTERRUPTED = 0, 1, 2, 130


class _Parser(argparse.ArgumentParser):
    """Wrong arguments are refused in the same form as a wrong file."""

    def error(self, message: str):
        raise InputRefused(
            [error("bad-option", self.prog.removeprefix("python -m "), f"{message}. See {self.prog} --help.")]
        )


def parser() -> argparse.ArgumentParser:
    """The arguments of every command and challenge."""
    top = _Parser(
        prog="python -m scoring", description="Official challenge scores for cancer-imaging models."
    )
    top.add_argument("--version", action="version", version=__version__)
    commands = top.add_subparsers(dest="command", required=True, parser_class=_Parser)
    commands.add_parser("challenges", help="list the challenges")
    helps = {
        "check": "say what would be refused or noticed, without scoring",
        "predict": "run a model on images and write its predictions",
        "score": "the official score with its interval and everything behind it",
        "compare": "several teams on one truth: ranks, paired differences, and how certain they are",
    }
    for command, words in helps.items():
        per_challenge = commands.add_parser(command, help=words).add_subparsers(
            dest="challenge", required=True, metavar="CHALLENGE", parser_class=_Parser
        )
        for challenge_id in challenge_ids():
            _arguments(
                per_challenge.add_parser(challenge_id, help=TITLES[challenge_id]),
                command,
                load_challenge(challenge_id),
            )
    return top


def _arguments(one: argparse.ArgumentParser, command: str, challenge: ModuleType) -> None:
    one.add_argument("--json", metavar="FILE", help="write JSON there, - for standard output")
    one.add_argument(
        "--images",
        metavar="I",
        help="folder or zip of images" + ("" if command == "predict" else " (default: where the truth is)"),
    )
    if command == "predict":
        one.add_argument("--model", metavar="M.onnx", required=True)
        one.add_argument(
            "--output", metavar="FILE", required=True, help="prediction file, - for standard output"
        )
        for flag, settings in _of_prediction(challenge).items():
            one.add_argument(flag, **settings)
        return
    if command == "compare":
        one.add_argument(
            "teams",
            nargs="+",
            metavar="TEAM=P",
            help=(
                "a team and its prediction file or, ending in .onnx, its model; or a folder or zip with "
                "one entry per team"
            ),
        )
    else:
        what = one.add_mutually_exclusive_group(required=True)
        what.add_argument("--predictions", metavar="P", help="prediction file, folder or zip")
        what.add_argument("--model", metavar="M.onnx", help="model to run on the images")
    one.add_argument(
        "--truth",
        metavar="T",
        required=command != "check",
        help="test set: table, or folder or zip with table and images",
    )
    if command != "check":
        one.add_argument(
            "--resamples",
            type=int,
            default=1000,
            metavar="N",
            help="bootstrap replicates for the intervals, 0 = none (default 1000)",
        )
        one.add_argument(
            "--seed", type=int, default=0, metavar="N", help="seed of the replicates (default 0)"
        )
        one.add_argument(
            "--group", metavar="COLUMN", help="column whose values are resampled together; none = each row"
        )
        one.add_argument(
            "--interval", default="percentile", metavar="KIND", help="percentile, jackknife or bca"
        )
        one.add_argument("--metadata", metavar="FILE", help="table joined to the truth by case id")
    if command in ("score", "compare"):
        one.add_argument("--html", metavar="FILE", help="write a self-contained report there")
    if command == "score":
        for flag, (settings, _) in _outputs(challenge).items():
            one.add_argument(flag, **settings)
    if command == "compare":
        one.add_argument(
            "--pairs-metric",
            default="score",
            metavar="NAME",
            help=(
                "what pairs of teams are tested on: score (default), a metric with an interval, or "
                "MEASURE/CLASS"
            ),
        )
        for flag, settings in _of_comparison(challenge).items():
            one.add_argument(flag, **settings)
    if command == "check" and "group" in _of_truth(challenge):
        one.add_argument(
            "--group", metavar="COLUMN", help="column of the truth that names the unit, hence no category"
        )
    for flag, settings in challenge.ARGUMENTS.items():
        if command == "compare" and flag in _by_team(challenge):
            settings = {
                "action": "append",
                "metavar": f"[TEAM=]{settings['metavar']}",
                "help": settings["help"],
                "default": [],
            }
        one.add_argument(flag, **settings)


def main(arguments: list[str] | None = None) -> int:
    """Run one command; gives the exit status."""
    target = None
    try:
        target = _json_target(sys.argv[1:] if arguments is None else arguments)
        asked = parser().parse_args(arguments)
        return COMMANDS[asked.command](asked)
    except InputRefused as refused:
        return _refuse(refused, target)
    except (KeyboardInterrupt, Cancelled):
        print("cancelled", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        return DONE
    except Exception as bug:  # a traceback helps nobody who has only the README
        frame = bug.__traceback__
        while frame.tb_next:
            frame = frame.tb_next
        place = f"{Path(frame.tb_frame.f_code.co_filename).name}:{frame.tb_lineno}"
        print(f"internal error, please report it: {type(bug).__name__} at {place}: {bug}", file=sys.stderr)
        return BROKEN


def _json_target(arguments: list[str]) -> str | None:
    """Where JSON goes, known even when the other arguments are wrong."""
    for before, argument in zip(["", *arguments], arguments, strict=False):
        if before == "--json":
            return argument
        if argument.startswith("--json="):
            return argument.removeprefix("--json=")
    return None


def _refuse(refused: InputRefused, target: str | None) -> int:
    _tell([*refused.problems, *refused.findings])
    if target:
        try:
            _write(
                target,
                _as_json(
                    {
                        "problems": [p.as_dict() for p in refused.problems],
                        "findings": [f.as_dict() for f in refused.findings],
                    }
                ),
                "--json",
            )
        except InputRefused as unwritable:
            _tell(unwritable.problems)
    return REFUSED


def _tell(findings) -> None:
    for line in lines(findings):
        print(line, file=sys.stderr)


def _as_json(value) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _write(target: str, text: str, option: str) -> None:
    if target == "-":
        sys.stdout.write(text)
        return
    try:
        Path(target).write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
    except OSError as problem:
        raise InputRefused(
            [error("bad-option", option, f"{target} cannot be written: {problem.strerror}.")]
        ) from problem


class _Reading:
    """Reads several inputs and keeps problems and findings of all of them, so that one answer lists
    everything once."""

    def __init__(self):
        self.problems: list[Finding] = []
        self.findings: list[Finding] = []

    def attempt(self, read: Callable, *arguments, **options):
        """What `read` gives; where it refuses, what could be salvaged."""
        try:
            found = read(*arguments, **options)
        except InputRefused as refused:
            self.add(refused.problems, refused.findings)
            return refused.salvaged
        self.add((), found.findings)
        return found

    def add(self, problems: Iterable[Finding], findings: Iterable[Finding]) -> None:
        self.problems += problems
        known = set(self.findings)
        self.findings += [f for f in findings if f not in known]

    def raise_problems(self) -> None:
        if self.problems:
            raise InputRefused(self.problems, self.findings)


def _own_options(asked: argparse.Namespace, flags: Iterable[str]) -> dict:
    return {name: getattr(asked, name) for name in map(option_name, flags)}


def _of_truth(challenge: ModuleType) -> tuple[str, ...]:
    """Options that a challenge needs when it reads the truth already."""
    return getattr(challenge, "TRUTH_OPTIONS", ())


def _of_prediction(challenge: ModuleType) -> dict:
    """Options of `predict` that only some challenges have."""
    return getattr(challenge, "PREDICT_ARGUMENTS", {})


def _of_comparison(challenge: ModuleType) -> dict:
    """Options of `compare` that only some challenges have."""
    return getattr(challenge, "COMPARE_ARGUMENTS", {})


def _outputs(challenge: ModuleType) -> dict:
    """Further files that `score` can write: flag -> (argparse settings, scorecard -> text)."""
    return getattr(challenge, "OUTPUTS", {})


def _no_model(challenge: ModuleType, option: str) -> list[Finding]:
    """Why a challenge takes no models, where it takes none."""
    words = getattr(challenge, "NO_MODEL", None)
    return [error("bad-option", option, words)] if words else []


def _by_team(challenge: ModuleType) -> tuple[str, ...]:
    """Options that in a comparison may differ from team to team; they are numbers."""
    return getattr(challenge, "TEAM_ARGUMENTS", ())


def _handling(challenge: ModuleType, missing: str = "refuse") -> dict:
    """How cases without a usable prediction are taken, where the challenge leaves that open."""
    return {"missing": missing} if "--missing" in challenge.ARGUMENTS else {}


def _read_predictions(challenge: ModuleType, source, truth, options: Mapping, name: str | None = None):
    """Predictions with the options that reading them needs already."""
    chosen = {
        name: options[name]
        for name in ("missing", *getattr(challenge, "READ_OPTIONS", ()))
        if name in options
    }
    return challenge.read_predictions(source, truth, **chosen, **_called(name), **_counted(challenge))


def _counted(challenge: ModuleType) -> dict:
    """What counts on standard error while a challenge reads, where that takes long."""
    return {"progress": _progress(challenge.READING_COUNTS)} if hasattr(challenge, "READING_COUNTS") else {}


def _called(name: str | None) -> dict:
    """What messages call a source that has no name of its own."""
    return {"name": name} if name else {}


def _graded(
    challenge: ModuleType, predictions, missing: str | None
) -> tuple[Iterable[Finding], Iterable[Finding]]:
    """Faults of predictions as errors and warnings; none where the challenge scores whatever is missing by a
    rule of its own."""
    return (
        challenge.graded(predictions, **_handling(challenge, missing))
        if hasattr(challenge, "graded")
        else ((), ())
    )


def _read_truth(reading: _Reading, challenge: ModuleType, asked: argparse.Namespace):
    options = {name: getattr(asked, name) for name in _of_truth(challenge)} | _counted(challenge)
    return reading.attempt(challenge.read_truth, asked.truth, images=asked.images, **options)


def challenges(_asked: argparse.Namespace) -> int:
    """List the challenges: id and title."""
    for challenge_id, title in TITLES.items():
        print(f"{challenge_id:<14}{title}")
    return DONE


def check(asked: argparse.Namespace) -> int:
    """Print the findings and whether the input would be scored."""
    challenge, reading, model = load_challenge(asked.challenge), _Reading(), None
    options = _own_options(asked, challenge.ARGUMENTS)
    truth = _read_truth(reading, challenge, asked) if asked.truth else None
    if asked.model and _no_model(challenge, "--model"):
        reading.add(_no_model(challenge, "--model"), ())
    elif asked.model:
        inspected = reading.attempt(challenge.inspect, asked.model, truth, timings=True)
        model = inspected.model if inspected else None
    else:
        predictions = reading.attempt(_read_predictions, challenge, asked.predictions, truth, options)
        if predictions:
            reading.add(*_graded(challenge, predictions, options.get("missing")))
    reading.add(challenge.check_options(**options, has_model=asked.model is not None), ())
    if not asked.json:
        print("would be refused" if reading.problems else "would be scored")
    reading.raise_problems()
    _tell(reading.findings)
    if asked.json:
        _write(
            asked.json,
            _as_json(
                {
                    "challenge": asked.challenge,
                    "findings": [f.as_dict() for f in reading.findings],
                    "model": model,
                    "provenance": {"version": __version__, "options": options},
                }
            ),
            "--json",
        )
    return DONE


def predict(asked: argparse.Namespace) -> int:
    """Run a model and write its prediction file."""
    challenge = load_challenge(asked.challenge)
    if refused := _no_model(challenge, "predict"):
        raise InputRefused(refused)
    if not asked.images:
        raise InputRefused([error("bad-option", "--images", "say where the images are: a folder or a zip.")])
    cases = challenge.read_images(asked.images)
    predictions = challenge.predict(
        asked.model, cases, progress=_progress(), **_own_options(asked, _of_prediction(challenge))
    )
    hard, _ = challenge.graded(predictions, **_handling(challenge))
    findings = [*cases.findings, *predictions.findings]
    if hard:
        raise InputRefused(hard, findings)
    _tell(findings)
    _write(asked.output, challenge.prediction_table(cases, predictions), "--output")
    if asked.json:
        _write(
            asked.json,
            _as_json(
                {
                    "challenge": asked.challenge,
                    "findings": [f.as_dict() for f in findings],
                    "model": dict(predictions.model),
                    "provenance": {"version": __version__},
                }
            ),
            "--json",
        )
    return DONE


def score(asked: argparse.Namespace) -> int:
    """Score predictions or a model and show the result."""
    challenge, reading = load_challenge(asked.challenge), _Reading()
    options = _own_options(asked, challenge.ARGUMENTS)
    statistics = {
        "resamples": asked.resamples,
        "seed": asked.seed,
        "group": asked.group,
        "interval": asked.interval,
    }
    wrong_options = [
        *challenge.check_options(**options, has_model=asked.model is not None),
        *StatisticsOptions(**statistics).problems(),
    ]
    truth = _read_truth(reading, challenge, asked)
    if asked.model and _no_model(challenge, "--model"):
        reading.add(_no_model(challenge, "--model"), ())
    elif asked.model and (reading.problems or wrong_options):
        reading.attempt(challenge.inspect, asked.model, truth)
    elif asked.model:
        predictions = reading.attempt(challenge.predict, asked.model, truth, progress=_progress())
    else:
        predictions = reading.attempt(_read_predictions, challenge, asked.predictions, truth, options)
        if predictions and (reading.problems or wrong_options):
            reading.add(*_graded(challenge, predictions, options.get("missing")))
    reading.add(wrong_options, ())
    reading.raise_problems()
    card = challenge.score(truth, predictions, **options, **statistics, metadata=asked.metadata)
    _tell(card.findings)
    if asked.html:
        from scoring.report import html  # figures take a second to import

        _write(asked.html, html(card), "--html")
    for flag, (_, text) in _outputs(challenge).items():
        if target := getattr(asked, option_name(flag)):
            _write(target, text(card), flag)
    if asked.json:
        _write(asked.json, card.to_json(), "--json")
    else:
        print(summary(card))
    return DONE


def compare(asked: argparse.Namespace) -> int:
    """Compare teams on one truth."""
    challenge, reading = load_challenge(asked.challenge), _Reading()
    sources = _named(asked.teams, getattr(challenge, "STREAMED", ()), reading)
    by_team, everybody = _team_options(challenge, asked, sources, reading)
    statistics = {
        "resamples": asked.resamples,
        "seed": asked.seed,
        "group": asked.group,
        "interval": asked.interval,
    }
    truth = _read_truth(reading, challenge, asked)
    options, teams = StatisticsOptions(**statistics).problems(), {}
    for name, sent in sources.items():
        is_model = sent.is_model
        own = {**everybody, **by_team.get(name, {})}
        options += [p for p in challenge.check_options(**own, has_model=is_model) if p not in options]
        try:
            if is_model and _no_model(challenge, sent.name or sent.source):
                reading.add(of_team(name, _no_model(challenge, sent.name or sent.source)), ())
            elif is_model and not reading.problems and truth is not None:
                teams[name] = challenge.predict(
                    sent.source, truth, progress=_progress(), **_called(sent.name)
                )
            elif not is_model:
                teams[name] = _read_predictions(challenge, sent.source, truth, everybody, sent.name)
                reading.add(of_team(name, _graded(challenge, teams[name], everybody.get("missing"))[0]), ())
        except InputRefused as refused:
            reading.add(of_team(name, refused.problems), of_team(name, refused.findings))
    reading.add(options, ())
    reading.raise_problems()
    everybody |= _own_options(asked, _of_comparison(challenge))
    found = compare_teams(
        challenge,
        truth,
        teams,
        by_team,
        pairs_metric=asked.pairs_metric,
        **everybody,
        **statistics,
        metadata=asked.metadata,
    )
    _tell(found.noticed)
    if asked.html:
        from scoring.comparison.report import html

        _write(asked.html, html(found), "--html")
    if asked.json:
        _write(asked.json, found.to_json(), "--json")
    else:
        print(standings(found))
    return DONE


def _named(arguments: list[str], streamed: tuple[str, ...], reading: _Reading) -> dict[str, Entry]:
    """What each team sent, from TEAM=P arguments and from folders and zips of entries; names are unique and
    not empty."""
    sources: dict[str, Entry] = {}
    for argument in arguments:
        name, mark, source = argument.partition("=")
        if name.strip() and mark and source:
            found = {name: entries.of_path(source)}
            reading.add(entries.misnamed(name, "TEAM=P"), ())
        elif not mark and (
            Path(argument).is_dir() or (Path(argument).is_file() and argument.lower().endswith(".zip"))
        ):
            found = _entries(argument, streamed, reading)
        else:
            words = (
                "write TEAM=FILE: a name, an equals sign and the team's file; or name a folder or zip "
                "with one entry per team."
            )
            reading.add([error("bad-option", argument, words)], ())
            continue
        for team, one in found.items():
            if team in sources:
                reading.add(
                    [
                        error(
                            "bad-option",
                            argument,
                            f"team {team!r} is named twice: give each team its own name.",
                        )
                    ],
                    (),
                )
            else:
                sources[team] = one
    return sources


def _entries(source: str, streamed: tuple[str, ...], reading: _Reading) -> dict[str, Entry]:
    try:
        found, problems = entries.of_teams(source, streamed=streamed)
    except InputRefused as refused:
        found, problems = {}, refused.problems
    reading.add(problems, ())
    return found


def _team_options(
    challenge: ModuleType, asked: argparse.Namespace, teams: Iterable[str], reading: _Reading
) -> tuple[dict, dict]:
    """Options by team, and those that hold for everybody."""
    everybody, by_team = _own_options(asked, challenge.ARGUMENTS), {}
    for flag in _by_team(challenge):
        name = option_name(flag)
        everybody[name] = None
        for value in getattr(asked, name):
            team, mark, number = value.rpartition("=")
            try:
                (by_team.setdefault(team, {}) if mark else everybody)[name] = float(number)
            except ValueError:
                reading.add([error("bad-option", flag, f"{value!r} is no number, nor TEAM=number.")], ())
            if mark and team not in teams:
                reading.add([error("bad-option", flag, f"{team!r} is none of the teams.")], ())
    return by_team, everybody


COMMANDS = {"challenges": challenges, "check": check, "predict": predict, "score": score, "compare": compare}


def standings(found: Comparison) -> str:
    """A comparison as a short table for a terminal, best first."""
    rows = [f"{'rank':>5}  {'team':<24}{'score':>10}   95% interval       rank interval"]
    several = sum(found.result.tied_for_first or ()) > 1
    for team in found.as_dict()["teams"]:
        span = "{:.4f} to {:.4f}".format(*team["interval"]) if team["interval"] else "-"
        low, high = team["rank_interval"] or ("-", "-")
        places = f"{low}" if low == high else f"{low} to {high}"
        number = "-" if team["score"] is None else f"{team['score']:.6f}"
        rows.append(
            f"{team['rank']:>5}  {team['team'][:24]:<24}{number:>10}   {span:<18} "
            f"{places}{', tied for first' if several and team['tied_for_first'] else ''}"
        )
    return "\n".join([*rows, *_pairs(found.pairs)])


def _pairs(pairs: Pairs) -> list[str]:
    """The pairs of another metric than the score, a line each."""
    if pairs.metric == SCORE:
        return []
    rows = ["", f"Pairs by {pairs.metric} ({pairs.test}), p adjusted for all of them:"]
    for pair in pairs.of:
        p = "-" if pair.p_adjusted is None else f"{pair.p_adjusted:.4f}"
        rows.append(
            f"  {pairs.teams[pair.a][:24]:<24} - "
            f"{pairs.teams[pair.b][:24]:<24}{pair.difference:>+9.4f}   p {p}"
        )
    return rows


def summary(card: ScoreCard) -> str:
    """The scorecard as a short table for a terminal."""

    def value(x) -> str:
        return "-" if x is None or x != x else f"{x:.4f}" if isinstance(x, float) else str(x)

    def row(name, x, interval) -> str:
        return f"{name:<{names}}{value(x):>12}" + (
            f"   {interval[0]:.4f} to {interval[1]:.4f}" if interval else ""
        )

    names, width = (
        max(28, 2 + max(map(len, card.metrics), default=0)),
        max(map(len, card.per_class), default=0) + 2,
    )

    def class_table(columns: Sequence[str], names: Sequence[str]) -> list[str]:
        head = " " * width + "".join(f"{c:>{max(11, len(c) + 2)}}" for c in columns)
        rows = (
            f"{name:<{width}}"
            + "".join(f"{value(card.per_class[name][c]):>{max(11, len(c) + 2)}}" for c in columns)
            for name in names
        )
        return [head, *rows, ""]

    return "\n".join(
        [
            f"{card.challenge}: score {card.score!r}, n = {card.n_cases}",
            "",
            row("score (0..1)", card.score, card.intervals.get("score")),
            *(row(name, x, card.intervals.get(name)) for name, x in card.metrics.items()),
            "",
            *(line for columns, names in _alike(card.per_class) for line in class_table(columns, names)),
            f"Intervals: 95 %, {card.provenance['interval']}, {card.provenance['resamples']} "
            f"replicates of {card.provenance['n_units']} units ({card.provenance['unit']}), "
            f"seed {card.provenance['seed']}"
            if card.intervals
            else "No intervals (--resamples 0).",
        ]
    )


SHOWN_OF_CLASSES = (
    "support",
    "predicted",
    "f1",
    "precision",
    "recall",
    "auc",
    "n_patients",
    "mean_dice",
    "dice_agg",
)


def _alike(per_class: Mapping[str, Mapping]) -> list[tuple[list[str], list[str]]]:
    """Classes that have the same columns, with those of them that a terminal shows: stages and structures
    stand in tables of their own."""
    groups: dict[tuple, list[str]] = {}
    for name, entry in per_class.items():
        groups.setdefault(tuple(c for c in SHOWN_OF_CLASSES if c in entry), []).append(name)
    return [(list(columns), names) for columns, names in groups.items()]


def _progress(counted: str = "images") -> Callable[[int, int], None] | None:
    """Counts images, or what else is counted, on standard error where that is a terminal."""
    if not sys.stderr.isatty():
        return None
    start = time.monotonic()

    def show(done: int, total: int) -> None:
        left = (time.monotonic() - start) / done * (total - done) if done else 0
        print(
            f"\r{done} of {total} {counted}, about {left:.0f} s left ",
            end="\n" if done == total else "",
            file=sys.stderr,
            flush=True,
        )

    return show


if __name__ == "__main__":
    sys.exit(main())
