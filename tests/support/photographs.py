"""Photographs as phones write them: with position, camera, names and whatever else a file can hold."""

import io

import numpy as np
import pillow_heif
from PIL import Image, TiffImagePlugin
from PIL.PngImagePlugin import PngInfo

SECRETS = (b"Jane", b"Doe", b"GPS", b"Hasselphone", b"2026:11:20", b"xpacket", b"SN-4711")
"""Bytes that must never come out again."""


def quarters(width: int = 640, height: int = 560) -> np.ndarray:
    """Four colours, so that every way of turning shows: red, green above, blue, grey below."""
    pixels = np.full((height, width, 3), (150, 150, 150), np.uint8)
    pixels[: height // 2, : width // 2] = (220, 40, 40)
    pixels[: height // 2, width // 2 :] = (40, 200, 40)
    pixels[height // 2 :, : width // 2] = (40, 40, 220)
    return pixels


def encoded(pixels: np.ndarray, kind: str = "PNG", mode: str = "RGB", **options) -> bytes:
    """Return a picture as a file; HEIC by another library than the app's, which only reads it."""
    buffer, picture = io.BytesIO(), Image.fromarray(pixels).convert(mode)
    if kind == "HEIF":
        pillow_heif.from_pillow(picture).save(buffer, **options)
    else:
        picture.save(buffer, kind, **options)
    return buffer.getvalue()


def exif(orientation: int = 1) -> Image.Exif:
    """EXIF as of a phone, with a person's name and where she was."""
    block = Image.Exif()
    block[0x0112] = orientation
    block[0x010F], block[0x0110] = "Hasselphone", "Hasselphone 9"
    block[0x010E], block[0x013B] = "Jane Doe, left arm", "Jane Doe"
    block[0x0132] = "2026:11:20 14:00:00"
    block.get_ifd(0x8769)[0xA431] = "SN-4711"
    block.get_ifd(0x8769)[0x9003] = "2026:11:20 14:00:00"
    position = block.get_ifd(0x8825)
    position[1], position[2] = "N", tuple(TiffImagePlugin.IFDRational(n) for n in (48, 8, 14))
    position[0x1B] = b"ASCII\0\0\0GPS of Jane"
    return block


def phone(pixels: np.ndarray | None = None, orientation: int = 6, **options) -> bytes:
    """A JPEG with EXIF, GPS, a comment, XMP, a colour profile and a tail after its end."""
    found = encoded(
        quarters() if pixels is None else pixels,
        "JPEG",
        quality=92,
        exif=exif(orientation),
        comment=b"Jane Doe, 1980",
        xmp=b"<?xpacket begin?><x:xmpmeta>Jane</x:xmpmeta>",
        icc_profile=b"profile of Jane",
        **options,
    )
    return found + b"a film of Jane"


def noted_png(pixels: np.ndarray) -> bytes:
    """A PNG with texts."""
    notes = PngInfo()
    notes.add_text("Author", "Jane Doe")
    notes.add_itxt("XML:com.adobe.xmp", "<?xpacket begin?>Jane")
    return encoded(pixels, "PNG", pnginfo=notes, exif=exif(1))


def animated(kind: str) -> bytes:
    """Three pictures, one after the other."""
    buffer = io.BytesIO()
    frames = [Image.fromarray(np.roll(quarters(64, 48), 9 * i, 1)) for i in range(3)]
    frames[0].save(buffer, kind, save_all=True, append_images=frames[1:])
    return buffer.getvalue()


def sixteen_bits(kind: str) -> bytes:
    """Grey values of 16 bits."""
    buffer = io.BytesIO()
    Image.fromarray(np.arange(64 * 64, dtype=np.uint16).reshape(64, 64) * 16).save(buffer, kind)
    return buffer.getvalue()
