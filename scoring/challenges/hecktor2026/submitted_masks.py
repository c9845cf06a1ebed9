"""Finds the masks of a submission by patient, and opens them with `inputs.masks`."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import PurePosixPath

from scoring.challenges.hecktor2026.structures import by_subject, is_exchanged, join_structures, structure_of
from scoring.common.findings import Finding, InputRefused, error, warning
from scoring.common.fixes import ANY, renaming
from scoring.inputs.case_tables import OTHER_TABLES
from scoring.inputs.grand_challenge_jobs import LISTING, by_case
from scoring.inputs.masks.blocks import Opener
from scoring.inputs.masks.converted import AS_IS, MaskForm, converted_mask, form_of
from scoring.inputs.masks.detached import ENDINGS, attached
from scoring.inputs.masks.grid import Grid
from scoring.inputs.masks.joined import SWAPPED, relabelled_mask
from scoring.inputs.masks.nifti_and_metaimage import stem_of
from scoring.inputs.sources import TABLES, FixedSource, Source, SourceFiles, open_source

TABLES_BESIDE_MASKS = (".csv", *OTHER_TABLES, LISTING)
ANSWERS = {"t-stage.json": "t", "n-stage.json": "n", "rfs.json": "time"}
"""Name of a file with a single value that a container writes -> meaning."""
SEGMENTATION = "head-neck-tumor-segmentation"
IMAGES = ("CT", "PT")


@dataclass(frozen=True)
class Layout:
    """Files of a source, grouped by their purpose.

    Attributes:
        masks: Patient -> all files that look like a mask.
        images: CT and PET of each patient.
        answers: Meaning -> JSON file that a container wrote.
        tables: Tables at the top level.
        elsewhere: Files with the extension of a mask outside the folders for masks.
    """

    masks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    images: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    answers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    tables: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()

    @property
    def of_patients(self) -> tuple[str, ...]:
        """Files of patients: masks and JSON answers. Other findings report these if they are not used."""
        masks = (member for members in self.masks.values() for member in members)
        answers = (member for members in self.answers.values() for member in members.values())
        return (*masks, *answers)


@dataclass(frozen=True)
class SubmissionLayout:
    """An opened source.

    Attributes:
        layout: Files of the source, grouped by their purpose.
        digest: SHA-256 of the files that were read.
        joined: The files of GTVp and GTVn from which a mask is joined.
        swap: Whether labels 1 and 2 must be exchanged: "yes", "no", or "" if unknown.
        written: Names of the header and of the voxel file, for masks that consist of two files.
        forms: Masks whose headers declare another form than one label map on the grid of the truth.
    """

    files: SourceFiles
    layout: Layout
    digest: str | None = None
    joined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    swap: str = ""
    written: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    forms: Mapping[str, MaskForm] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name of the source in messages."""
        return self.files.name

    def digested(self, members: Iterable[str]) -> "SubmissionLayout":
        """Return a copy with the SHA-256 of the given members."""
        parts = (part for member in members for part in self.joined.get(member, (member,)))
        return replace(self, digest=self.files.digest_of(w for p in parts for w in self.written.get(p, (p,))))


def classify_members(files: SourceFiles, container: bool) -> Layout:
    """Group the files of a source by their purpose; unknown files are left out.

    Args:
        container: Whether to look for the output of a container.

    Raises:
        InputRefused: With `unreadable-file` for a single file that is not a table.
    """
    if files.kind == "file":
        if not files.name.lower().endswith(TABLES):
            sentence = "it is neither a folder, nor a zip, nor a table (.csv, .xlsx)."
            raise InputRefused([error("unreadable-file", files.name, sentence)])
        return Layout(tables=files.members)
    masks: dict[str, list[str]] = {}
    images: dict[str, dict[str, str]] = {}
    answers: dict[str, dict[str, str]] = {}
    tables, elsewhere = [], []
    inside = _enclosing(files.members)
    for member in files.members:
        parts = member.removeprefix(inside).split("/")
        stem = stem_of(parts[-1])
        if len(parts) == 1 and parts[0].lower().endswith(TABLES_BESIDE_MASKS):
            tables.append(member)
        elif container and parts[-1] in ANSWERS and _in_container(parts, ()):
            answers.setdefault(parts[0], {})[ANSWERS[parts[-1]]] = member
        elif stem is not None:
            patient, mark, kind = stem.rpartition("__")
            if mark and patient and kind in IMAGES:
                images.setdefault(patient, {})[kind] = member
            elif container and _in_container(parts, ("images", SEGMENTATION)):
                masks.setdefault(parts[0], []).append(member)
            elif parts[:-1] in ([], ["masks"], [stem]):
                masks.setdefault(stem, []).append(member)
            else:
                elsewhere.append(member)
    if container:
        elsewhere = elsewhere if masks else by_subject(elsewhere, masks)
        around = _enclosing([member.removeprefix(inside) for member in elsewhere])
        if around and not masks:
            inside += around
            for member in [m for m in elsewhere if "/" not in m.removeprefix(inside)]:
                masks.setdefault(stem_of(member.removeprefix(inside)) or "", []).append(member)
                elsewhere.remove(member)
        if not masks:
            masks, elsewhere = _of_center_folders(elsewhere, inside)
        elsewhere = _read_folders(elsewhere, inside, masks)
    return Layout(
        {patient: tuple(members) for patient, members in masks.items()},
        images,
        answers,
        tuple(tables),
        tuple(elsewhere),
    )


def _read_folders(elsewhere: list[str], inside: str, masks: dict[str, list[str]]) -> list[str]:
    """Add to the masks each file that is the only one in its folder, called by the patient, also below one of
    its center, unless it holds one structure; return the others."""
    folders = [member.removeprefix(inside).rpartition("/")[0] for member in elsewhere]
    count, others = Counter(folders), []
    patients = {folder.rpartition("/")[2] for folder in folders}
    is_of_centers = not masks and len(patients) == len(folders) > 1
    depth = 1 if is_of_centers and all(folder.count("/") == 1 for folder in folders) else 0
    for member, folder in zip(elsewhere, folders, strict=True):
        stem = stem_of(member.rpartition("/")[2]) or ""
        patient = folder.rpartition("/")[2]
        if count[folder] == 1 and folder.count("/") == depth and structure_of(stem) is None:
            masks.setdefault(patient, []).append(member)
        else:
            others.append(member)
    return others


def _of_center_folders(elsewhere: list[str], inside: str) -> tuple[dict[str, list[str]], list[str]]:
    """Return masks in a folder of each center, called by the patient, and the others: all or none of them."""
    stems = [stem_of(member.rpartition("/")[2]) or "" for member in elsewhere]
    folders = [member.removeprefix(inside).rpartition("/")[0] for member in elsewhere]
    is_structure = any(structure_of(stem) is not None for stem in stems)
    is_of_centers = len({*folders}) < len(folders) and not any("/" in folder for folder in folders)
    if not is_of_centers or len({*stems}) < len(stems) or is_structure:
        return {}, elsewhere
    return {stem: [member] for stem, member in zip(stems, elsewhere, strict=True)}, []


def separate_structures(contents: SubmissionLayout) -> list[Finding]:
    """Return a finding `separate-structures` if each mask contains only one structure."""
    layout = contents.layout
    members = [*layout.elsewhere, *(member for members in layout.masks.values() for member in members)]
    apart = [m for m in members if structure_of(stem_of(m.rpartition("/")[2]) or "") is not None]
    if not apart:
        return []
    message = (
        f"{len(apart)} mask{'s contain' if len(apart) > 1 else ' contains'} only GTVp or only GTVn "
        f"({', '.join(apart[:3])}{', ...' * (len(apart) > 3)}): join the masks of each patient to one "
        "PatientID.nii.gz in which GTVp is 1 and GTVn is 2."
    )
    return [error("separate-structures", contents.files.called(apart[0]), message)]


def _enclosing(members: Iterable[str]) -> str:
    """Return the one folder that holds everything, with `/`, to be looked through; "" if there is none, or
    it is a patient's in a container's layout."""
    places = [PurePosixPath(member).parts for member in members]
    first = {parts[0] for parts in places}
    if len(first) != 1 or any(len(parts) < 2 for parts in places):
        return ""
    below = {parts[1] for parts in places}
    return "" if below & {"output", "images", *ANSWERS} else f"{first.pop()}/"


def _in_container(parts: list[str], wanted: tuple[str, ...]) -> bool:
    """Return whether the folders of a member are a patient's and below it the wanted ones, directly or below
    `output`."""
    return len(parts) > 1 and tuple(parts[1:-1]) in (wanted, ("output", *wanted))


TABLE_BYTES = 20_000_000


def open_contents(source: Source, name: str | None, container: bool) -> SubmissionLayout:
    """Open a source. Masks are read piece by piece; tables may have at most 20 MB.

    Args:
        container: Whether to look for the output of a container.

    Raises:
        InputRefused: If the source cannot be opened.
    """
    files = open_source(source, name, streamed=ENDINGS, table_bytes=TABLE_BYTES, archives=True)
    files, written = attached(files)
    joined: Mapping[str, tuple[str, ...]] = {}
    swap = ""
    if container:
        files, _ = by_case(files)
        files, joined = join_structures(files)
        edits = dict(source.changes.edits) if isinstance(source, FixedSource) else {}
        swap = edits.get("swap_labels", "")
    layout = classify_members(files, container)
    masks = [member for members in layout.masks.values() for member in members]
    forms = {
        member: form
        for member in masks
        if (container or member.lower().endswith(".nrrd"))
        and (form := form_of(partial(files.open, member))) != MaskForm()
    }
    if 2 * sum(form.channels > 1 for form in forms.values()) <= len(masks):  # one among others is a mistake
        forms = {member: replace(form, channels=1) for member, form in forms.items()}
    return SubmissionLayout(files, layout, joined=joined, swap=swap, written=written, forms=forms)


def opener(contents: SubmissionLayout, patient: str, grid: Grid | None = None) -> Opener | None:
    """Return a function that opens the mask of a patient; None if the patient has no mask.

    Args:
        grid: Grid of the truth, for masks that were cropped from it.
    """
    members = contents.layout.masks.get(patient)
    if not members:
        return None
    written, form = partial(contents.files.open, members[0]), contents.forms.get(members[0], MaskForm())
    is_swapped = contents.swap == "yes" or (not contents.swap and is_exchanged(form.names))
    if form.channels > 1 or form.is_part:
        return partial(converted_mask, written, SWAPPED if is_swapped else AS_IS, grid)
    return partial(relabelled_mask, written, SWAPPED) if is_swapped else written


def repeated(contents: SubmissionLayout) -> list[Finding]:
    """Return a finding `duplicate-case` for every patient with several masks. Masks in a folder that is not
    used count too, if most patients have one there."""
    elsewhere: dict[str, list[str]] = {}
    for member in contents.layout.elsewhere:
        elsewhere.setdefault(stem_of(member.rpartition("/")[2]) or "", []).append(member)
    if 2 * len(elsewhere.keys() & contents.layout.masks.keys()) <= len(contents.layout.masks):
        elsewhere = {}
    return [
        error(
            "duplicate-case",
            contents.files.called(members[1]),
            f"patient {patient} has {len(members)} masks ({', '.join(members)}): keep one mask.",
        )
        for patient, several in contents.layout.masks.items()
        if len(members := (*several, *elsewhere.get(patient, ()))) > 1
    ]


def misplaced(contents: SubmissionLayout) -> list[Finding]:
    """Return a finding `mask-elsewhere` if there are no masks, but other files with the extension of a mask,
    such as CT and PET."""
    layout = contents.layout
    if not layout.masks and layout.images and not layout.elsewhere:
        kinds = sorted({kind for images in layout.images.values() for kind in images})
        first = next(iter(layout.images.values()))[kinds[0]] if len(kinds) == 1 else contents.name
        message = (
            f"no mask was found, but {len(layout.images)} patients have files with the names of their "
            f"{' and '.join(kinds)}: name masks PatientID.nii.gz, and leave images out."
        )
        fixes = [renaming("case", ((f"{ANY}__{kind}", ANY),)) for kind in kinds if len(kinds) == 1]
        return [warning("mask-elsewhere", first, message).with_fixes(*fixes)]
    if layout.masks or not layout.elsewhere:
        return []
    first = contents.files.called(layout.elsewhere[0])
    message = (
        f"no mask is in the folder of masks, but {len(layout.elsewhere)} masks are in other "
        "folders: move them to masks/PatientID.nii.gz."
    )
    return [warning("mask-elsewhere", first, message)]
