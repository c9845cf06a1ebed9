"""Images of cases: which files of a folder or zip belong to which case, judged by their names."""

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

from scoring.common.findings import InputRefused, error
from scoring.inputs.case_ids import as_written, base_name, stem
from scoring.inputs.case_tables import IMAGE_ENDINGS
from scoring.inputs.sources import SourceFiles


class HasImages(Protocol):
    """Cases with at most one image each."""

    @property
    def images(self) -> Sequence[str | None]: ...
    @property
    def pictures(self) -> SourceFiles: ...


def picture(cases: HasImages, index: int) -> bytes | None:
    """Return the encoded image of a case; None if there is none. Raises InputRefused if the image file cannot
    be read."""
    member = cases.images[index]
    return None if member is None else cases.pictures.read(member)


def image_members(files: SourceFiles) -> tuple[str, ...]:
    """Return the names of the images in a folder or zip without a table. Raises InputRefused if there are
    none."""
    members = tuple(member for member in files.members if member.lower().endswith(IMAGE_ENDINGS))
    if not members:
        sentence = f"it holds no image ({', '.join(IMAGE_ENDINGS)}) and no table."
        raise InputRefused([error("image-missing", files.name, sentence)])
    return members


def images_by_name(pictures: SourceFiles, ids: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the members that may be the image of each case. These are the files with the path of the case;
    if there are none, files with the same name in any folder; if there are none, files with the same name and
    another extension."""
    if pictures.kind == "file":
        return ((),) * len(ids)
    by_path: dict[str, list[str]] = defaultdict(list)
    by_base: dict[str, list[str]] = defaultdict(list)
    by_stem: dict[str, list[str]] = defaultdict(list)
    for member in (m for m in pictures.members if m.lower().endswith(IMAGE_ENDINGS)):
        by_path[member].append(member)
        by_base[base_name(member)].append(member)
        by_stem[stem(member)].append(member)
    ways = ((by_path, as_written), (by_base, base_name), (by_stem, base_name), (by_stem, stem))
    return tuple(
        next((tuple(known[way(name)]) for known, way in ways if way(name) in known), ()) for name in ids
    )


class ImagesByName:
    """Cases whose images are found by file name."""

    ids: tuple[str, ...]
    pictures: SourceFiles

    @cached_property
    def photographs(self) -> tuple[tuple[str, ...], ...]:
        """Names in `pictures` that may be the image of each case; several if the names do not decide."""
        return images_by_name(self.pictures, self.ids)

    @property
    def ambiguous(self) -> frozenset[int]:
        """Cases with several images."""
        return frozenset(i for i, members in enumerate(self.photographs) if len(members) > 1)

    @property
    def images(self) -> tuple[str | None, ...]:
        """The image of each case, None unless there is exactly one."""
        return tuple(members[0] if len(members) == 1 else None for members in self.photographs)

    picture = picture
