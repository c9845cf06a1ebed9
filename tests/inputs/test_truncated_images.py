"""Whether an image is whole is told as Pillow finds it, which the official programs open images with."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from scoring.inputs.truncated_images import is_whole


def written(mode: str, kind: str, **options: object) -> bytes:
    picture = Image.effect_noise((61, 47), 80).convert(mode)
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()


THUMBNAIL = Image.Exif()
THUMBNAIL[0x9286] = written("RGB", "JPEG").decode("latin-1")
FILES = {
    "rgb": written("RGB", "JPEG"),
    "grey": written("L", "JPEG"),
    "progressive": written("RGB", "JPEG", progressive=True, quality=95),
    "restarts": written("RGB", "JPEG", restart_marker_blocks=2),
    "jpeg within": written("RGB", "JPEG", exif=THUMBNAIL),
    "png": written("RGB", "PNG"),
    "palette": written("P", "PNG"),
}


def opens(data: bytes) -> bool:
    try:
        Image.open(io.BytesIO(data)).convert("RGB")
    except Exception:
        return False
    return True


@pytest.mark.parametrize("name", FILES)
@given(data=st.data())
def test_as_pillow_finds_it(name, data):
    whole = FILES[name]
    cut = whole[: data.draw(st.one_of(st.integers(4, len(whole)), st.integers(len(whole) - 20, len(whole))))]
    assert opens(cut) or not is_whole(cut)
    assert is_whole(whole) is is_whole(whole + b"\0" * 9) is opens(whole) is True


@pytest.mark.parametrize("name", FILES)
def test_half_a_file_is_not_whole(name):
    assert is_whole(FILES[name][: len(FILES[name]) // 2]) is False


@pytest.mark.parametrize(
    "data", [b"", b"no image", b"BM" + bytes(60), b"\xff\xd8\xff\x00", b"\x89PNG\r\n\x1a\n"]
)
def test_of_anything_else_nothing_is_known(data):
    assert not is_whole(data)
