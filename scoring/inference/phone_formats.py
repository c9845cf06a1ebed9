"""Let Pillow open HEIC and AVIF. Imported by the workers that get such a file, before they are confined; one
thread decodes, because a confined process may start few."""

import pillow_heif
from PIL import AvifImagePlugin

FORMATS = ("HEIF", "AVIF")

pillow_heif.register_heif_opener()
pillow_heif.options.DECODE_THREADS = 1
AvifImagePlugin.DEFAULT_MAX_THREADS = 1
