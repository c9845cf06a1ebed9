"""Challenge: one typed object with everything that a challenge offers. Read this module first.

Each package below `scoring/challenges` makes one `CHALLENGE`, a value of the class `Challenge`. The command
line, pages, reports and comparisons use only this value. `scoring/challenges/__init__.py` lists all
challenges; docs/adding-a-challenge.md explains step by step how to add a challenge.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Literal

from scoring.common.citation import Citation
from scoring.common.findings import Finding, InputRefused, error
from scoring.core import applied_fixes, card_contract, submitted_part
from scoring.core import options as of_options
from scoring.core.challenge_parts import (
    Inputs,
    Lazy,
    OtherNames,
    Predictions,
    Sample,
    ScoreSettings,
    Scoring,
    Truth,
)
from scoring.core.options import Formula, Option, Stage, Values
from scoring.core.scorecard import ScoreCard
from scoring.inputs.grand_challenge_jobs import with_table
from scoring.inputs.sources import FixedSource, Source, open_source
from scoring.statistics.interval_options import StatisticsOptions

if TYPE_CHECKING:  # what only some commands need is not loaded for all
    from scoring.common.arrays import Floats
    from scoring.core.comparison_spec import ComparisonSpec
    from scoring.core.file_contents import Candidate, FileContents
    from scoring.core.views import Views
    from scoring.inference.preflight import Inspection
    from scoring.inference.preprocessing import ImageInfo
    from scoring.inference.single_image_task import ModelTask, TileSupport
    from scoring.inference.thumbnails import Stage as PictureStage
    from scoring.inputs.column_guess import TableForm

WITH_COLUMNS = Lazy("scoring.core.import_preview:with_columns")
WITH_SCORES = Lazy("scoring.core.import_preview:with_scores")
RUNS = Lazy("scoring.core.model_readings:Runs")
MOVED_POLYGONS = Lazy("scoring.inputs.nuclei.tiles:moved_polygons")
READ_MODEL = Lazy("scoring.inference.challenge_task:read_model")
Model = str | os.PathLike[str] | bytes | FixedSource
Progress = Callable[[int, int], object]  # done, total
Cancelled = Callable[[], bool]


@dataclass(frozen=True)
class Context:
    """Settings for reading a file or running a model.

    Attributes:
        name: Name of the source in messages; None uses the source's own name.
        cancelled: Function that says whether to stop, see `scoring.inference.model_pool.Cancelled`.
        any_scale: Whether a model's outputs are returned unchanged, on any scale; never for a score.
    """

    name: str | None = None
    options: Values = field(default_factory=dict)
    progress: Progress | None = None
    cancelled: Cancelled | None = None
    any_scale: bool = False


@dataclass(frozen=True)
class ModelSupport(Generic[Truth, Predictions]):
    """Functions of a challenge for ONNX models.

    Attributes:
        read_images: (source, name) -> the cases, without labels.
        inspect: (model, truth, name, timings) -> the check before the run.
        predict: (model, cases, context) -> predictions, as if they were read from a file.
        table: (cases, predictions) -> the prediction file for the official program, text or a zip.
        received: (truth, index of a case, inspected model) -> the pixels that a model receives.
        suffix: Extension of the prediction file, without dot.
        sweep: (model, truth, index) -> metadata field -> outputs [n, K] for n values of this field; None if
            the model uses no metadata.
    """

    read_images: Callable[[Source, str | None], Truth]
    inspect: Callable[[Model, Truth | None, str | None, bool], "Inspection"]
    predict: Callable[[Model, Truth, Context], Predictions]
    table: Callable[[Truth, Predictions], str | bytes]
    received: Callable[[Truth, int, Mapping[str, Any] | None], "tuple[list[PictureStage], ImageInfo]"]
    suffix: str = "csv"
    sweep: "Callable[[Model, Truth, int], dict[str, Floats]] | None" = None


@dataclass(frozen=True)
class SingleImage:
    """Functions of a challenge for the page of single images.

    Attributes:
        kind: "photograph" of skin, which a classifier labels; "tile" of tissue, in which nuclei are found.
        task: (classes that the test set names, or None) -> the contract of a model; None for tiles.
        categories: (test set) -> the classes that it names, or None.
        tile: Facts about tiles, such as their size; None for photographs.
    """

    kind: Literal["photograph", "tile"]
    task: "Callable[[Sequence[str] | None], ModelTask] | None" = None
    categories: Callable[[Any], Sequence[str] | None] = field(default=lambda _truth: None)
    tile: "Callable[[], TileSupport] | None" = None


@dataclass(frozen=True, kw_only=True)
class Words:
    """Name and explanation of a challenge.

    Attributes:
        formula: The score in one line; `Challenge.formula` adapts it to the chosen options.
        rule: The complete scoring rule, as Markdown with a table.
        citations: References for papers that use the challenge or its data.
        official_source: The program that computes the official score, as the end of a sentence: "as the
            validator does".
        no_model: Reason why the challenge accepts no models; empty if it accepts them.
        reading: Badge of the score if no official program computes it: "by our interpretation; ...".
    """

    title: str
    about: str
    formula: Formula
    rule: str
    citations: tuple[Citation, ...] = ()
    official_source: str = "as the official program computes it"
    no_model: str = ""
    reading: str = ""


@dataclass(frozen=True, kw_only=True)
class Readers(Generic[Truth, Predictions]):
    """Functions that read the files of a challenge.

    Attributes:
        truth: (source, place of the images, context) -> the test set.
        predictions: (source, truth, context) -> the predictions, matched to the truth by case id. Job folders
            arrive as one table, unless a submission may consist of several files.
        faults: Problems of predictions as errors and warnings, depending on the options.
        counts: Word for what the progress bar counts while files are read ("images"), if reading takes long.
        missing_columns: (truth, metadata) -> `missing-column` for columns that scoring needs and that neither
            file has.
        other_names: What unknown class names can stand for; None: the challenge accepts no other names.
        form: (truth, or None) -> the required columns of a prediction table; None: columns are not guessed.
    """

    truth: Callable[[Source, Source | None, Context], Truth]
    predictions: Callable[[Source, Truth | None, Context], Predictions]
    faults: Callable[[Predictions, Values], tuple[list[Finding], list[Finding]]] = field(
        default=lambda _predictions, _options: ([], [])
    )
    counts: str | None = None
    missing_columns: Callable[[Truth, Source | None], list[Finding]] = field(
        default=lambda _truth, _metadata: []
    )
    recognise: "Callable[[FileContents], Iterable[Candidate]]" = field(default=lambda _contents: ())
    other_names: OtherNames | None = None
    form: "Callable[[Truth | None], TableForm] | None" = None


@dataclass(frozen=True, kw_only=True)
class Display(Generic[Truth]):
    """How a challenge shows its cases and scorecards.

    Attributes:
        views: Function that returns the sections of a scorecard for page, report and notebook. None: they
            show only names and numbers.
        thumbnails: Function that returns a small JPEG picture per case index; None for a case without a
            picture.
        single_image: Functions for the page of single images; None if the page does not offer the challenge.
        class_risks: Class -> "malignant", "medium" or "benign", if classes have a risk group.
        condition: Name of the condition that a risk score detects, in the singular and plural.
    """

    views: Callable[[ScoreCard], "Views"] | None = None
    thumbnails: Callable[[Truth, Sequence[int]], list[bytes | None]] | None = None
    single_image: SingleImage | None = None
    class_risks: Mapping[str, str] = field(default_factory=dict)
    condition: tuple[str, str] = ("positive case", "positive cases")


@dataclass(frozen=True, kw_only=True)
class Challenge(Generic[Truth, Predictions]):
    """A challenge: its readers, formula, displays, and support for models and comparisons.

    Attributes:
        samples: Sample test sets; the page opens with the first.
        model: Functions for ONNX models; None: `words.no_model` gives the reason.
    """

    id: str
    words: Words
    options: tuple[Option, ...]
    inputs: Inputs
    readers: Readers[Truth, Predictions]
    scoring: Scoring[Truth, Predictions]
    comparison: "ComparisonSpec"
    samples: tuple[Sample, ...] = ()
    model: ModelSupport[Truth, Predictions] | None = None
    display: Display[Truth] = field(default_factory=Display)

    def options_of(self, *stages: Stage) -> tuple[Option, ...]:
        """Return the options that one or more stages use, such as "truth" or "score"."""
        return of_options.of_stage(self.options, *stages)

    def option(self, name: str) -> Option:
        """Return the option with a name. Raises StopIteration if there is none."""
        return next(option for option in self.options if option.name == name)

    def needed(self, stage: Stage, values: Values) -> dict[str, Any]:
        """Return those of the option values that a stage needs, by option name."""
        return {o.name: values[o.name] for o in self.options_of(stage) if o.name in values}

    def formula(self, values: Values | None = None) -> str:
        """Return the score formula in one line for the given options; missing options have their default."""
        said = self.words.formula
        return said if isinstance(said, str) else said(values or {})

    def check_options(self, values: Values, has_model: bool = False) -> list[Finding]:
        """Return a finding `bad-option` for every option value that is not allowed, whatever files are
        scored."""
        return of_options.check(self.options, values, has_model)

    def read_truth(
        self,
        source: Source,
        name: str | None = None,
        images: Source | None = None,
        *,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
        **options: Any,
    ) -> Truth:
        """Read a test set.

        Args:
            source: A path, bytes, or `{relative name: bytes}` (a folder).
            images: Folder or zip of the images, if they are not beside the truth.
            progress: Function progress(done, total), called if reading takes long.
            cancelled: Function that says whether to stop.
            **options: Options of the stage "truth".

        Raises:
            InputRefused: If the files have problems; its `salvaged` holds the part that could be read.
        """
        values = of_options.complete(self.options_of("truth"), options)
        how = Context(name, values, progress, cancelled)
        return applied_fixes.with_note(self.readers.truth(source, images, how), source)

    def read_predictions(
        self,
        source: Source,
        truth: Truth | None = None,
        name: str | None = None,
        *,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
        **options: Any,
    ) -> Predictions:
        """Read predictions and match them to the cases of `truth`, if it is given. The other arguments are
        those of `read_truth`, with options of the stage "predictions". Raises InputRefused if the files have
        problems."""
        values = of_options.complete(self.options_of("predictions"), options)
        how = Context(name, values, progress, cancelled)
        read_again = partial(self.read_predictions, truth=truth, name=name)
        opened = source if self.inputs.submission.several else with_table(source, name, self.inputs.answers)
        try:
            read = self.readers.predictions(opened, truth, how)
            submitted_part.require_some(read, truth, name)
        except InputRefused as refused:
            if self.readers.form is None:
                raise
            refused = WITH_COLUMNS(refused, opened, self, truth, name)
            raise WITH_SCORES(refused, source, self, truth, read_again) from refused
        is_table = bool(self.words.reading) or applied_fixes.is_one_table(source, opened)
        read = WITH_SCORES(read, source, self, truth, read_again)
        return applied_fixes.with_note(read, source, is_table, not self.words.reading)

    def submitted_part(self, truth: Truth, source: Source, name: str | None = None, **options: Any) -> Truth:
        """Return a test set with only the cases that a submission (`source`) contains, so that only these are
        scored; the whole test set if it contains all or none. Options are as in `read_predictions`."""
        try:
            read: object = self.read_predictions(source, truth, name, **options)
        except InputRefused as refused:
            read = refused
        reduced: Truth = submitted_part.part_of(truth, read, name or open_source(source).name)
        return reduced

    def read_images(self, source: Source, name: str | None = None) -> Truth:
        """Read cases without labels, for `predict`. Raises InputRefused if they have problems, or if the
        challenge accepts no models."""
        return self.models("predict").read_images(source, name)

    def inspect(
        self, model: Model, truth: Truth | None = None, name: str | None = None, timings: bool = False
    ) -> "Inspection":
        """Check a model before it runs. `timings` says whether the time per image is measured. Raises
        InputRefused if the model has problems, or if the challenge accepts no models."""
        return self.models("--model").inspect(model, truth, name, timings)

    def predict(
        self,
        model: Model,
        cases: Truth,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
        name: str | None = None,
        **options: Any,
    ) -> Predictions:
        """Run a model on every case. Raises InputRefused if the model cannot be used or the challenge accepts
        no models; scoring.inference.model_pool.Cancelled if `cancelled` returns True."""
        values = of_options.complete(self.options_of("predict"), options)
        runs = RUNS(partial(self.predict, cancelled=cancelled, name=name), progress)
        try:
            how = Context(name, values, runs.progress, cancelled)
            read = self.models("--model").predict(model, cases, how)
        except InputRefused as refused:
            raise WITH_SCORES(refused, model, self, cases, runs) from refused
        read = WITH_SCORES(read, model, self, cases, runs)
        return applied_fixes.with_note(read, model)

    def prediction_table(self, cases: Truth, predictions: Predictions) -> str | bytes:
        """Return predictions as the file that the official program reads. Raises InputRefused if the
        challenge accepts no models."""
        return self.models("predict").table(cases, predictions)

    def changed_file(
        self, cases: Truth, predictions: Predictions, source: Source, name: str
    ) -> tuple[str, bytes]:
        """Return file name and bytes of a submission (`source`) with all its changes, in the form that the
        official program reads."""
        if getattr(predictions, "model", None) is not None:
            return f"{name.removesuffix('.onnx')}-changed.onnx", bytes(READ_MODEL(source).data)
        is_table = not self.inputs.submission.several
        whole = is_table and self.model is not None and not getattr(predictions, "labels_only", True)
        whole = whole or getattr(predictions, "is_foreign", False)
        table = self.prediction_table(cases, predictions) if whole else None
        return applied_fixes.changed_file(source, name, table, is_table, MOVED_POLYGONS)

    def received(
        self, truth: Truth, index: int, model: Mapping[str, Any] | None = None
    ) -> "tuple[list[PictureStage], ImageInfo]":
        """Return the pixels that a model receives for a case.

        Args:
            model: The inspected model (`Inspection.model`). None: a model for any image size.

        Raises:
            InputRefused: If the case has no image.
            scoring.inference.preprocessing.ImageUnreadable: If the image cannot be read.
        """
        return self.models("--model").received(truth, index, model)

    def models(self, where: str) -> ModelSupport[Truth, Predictions]:
        """Return the challenge's functions for models. Raises InputRefused if it takes no models."""
        if self.model is None:
            raise InputRefused([error("bad-option", where, self.words.no_model)])
        return self.model

    def score(
        self,
        truth: Truth,
        predictions: Predictions,
        *,
        metadata: Source | None = None,
        with_curves: bool = True,
        **options: Any,
    ) -> ScoreCard:
        """Score predictions on the truth that they were matched to.

        Args:
            truth: Result of `read_truth`.
            predictions: Result of `read_predictions` or `predict`.
            metadata: A table joined to the truth by case id.
            with_curves: Whether the card contains curves with bands.
            **options: `resamples`, `seed`, `group` and `interval` of
                `scoring.statistics.interval_options.StatisticsOptions`, and the challenge's own options.

        Raises:
            InputRefused: If predictions or options have problems; the exception lists all of them.
        """
        statistics = StatisticsOptions.taken(options)
        values = of_options.complete(self.options_of("score"), options)
        problems = (*self.check_options(values), *statistics.problems())
        settings = ScoreSettings(values, statistics, metadata, with_curves, problems, self.scoring.ranges)
        card = self.scoring.score(truth, predictions, settings)
        if problems:  # a scorer refuses them together with its own
            raise InputRefused(problems, [*truth.findings, *predictions.findings])
        card = card_contract.with_fingerprint(card, predictions)
        metrics = (*self.comparison.metrics, *self.scoring.parts)
        lacking = tuple(card_contract.lacking(card, self.id, metrics, self.scoring.quantity))
        if lacking:
            raise InputRefused(lacking)
        return submitted_part.marked(applied_fixes.with_provenance(card, self.words.reading), truth)
