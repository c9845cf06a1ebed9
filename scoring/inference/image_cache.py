"""Cache of decoded and resized images, for a second model on the same images."""

import hashlib
import os
import threading
from collections import OrderedDict

from scoring.inference.preprocessing import Recipe
from scoring.inference.worker_results import PreparedImage

Key = tuple[str, Recipe]


def key(data: bytes, recipe: Recipe) -> Key:
    """Return the key of a prepared image, made of the file's SHA-256 and the recipe. The file's name is not
    part of the key."""
    return hashlib.sha256(data).hexdigest(), recipe


class PictureCache:
    """Cache of prepared images, which threads can share. If all images together exceed `most_bytes`, the
    least recently used ones are removed."""

    def __init__(self, most_bytes: int):
        self.most_bytes = most_bytes
        self._pictures: OrderedDict[Key, PreparedImage] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    @property
    def held_bytes(self) -> int:
        return self._bytes

    def get(self, key: Key) -> PreparedImage | None:
        with self._lock:
            if key in self._pictures:
                self._pictures.move_to_end(key)
            return self._pictures.get(key)

    def put(self, key: Key, picture: PreparedImage) -> None:
        """Cache an image, unless it is larger than the whole cache. Raises ValueError if the pixels are
        writable."""
        if picture.pixels.flags.writeable:
            raise ValueError("cached pixels are read-only")
        if picture.pixels.nbytes > self.most_bytes:
            return
        with self._lock:
            before = self._pictures.pop(key, None)
            self._bytes += picture.pixels.nbytes - (before.pixels.nbytes if before else 0)
            self._pictures[key] = picture
            while self._bytes > self.most_bytes:
                _, oldest = self._pictures.popitem(last=False)
                self._bytes -= oldest.pixels.nbytes

    def clear(self) -> None:
        with self._lock:
            self._pictures.clear()
            self._bytes = 0


def fair_share(most_bytes: int = 1 << 30) -> int:
    """Return how many bytes the cache may use: `most_bytes`, or an eighth of the machine's memory if this is
    less; a quarter of `most_bytes` if the memory is unknown."""
    try:
        return min(most_bytes, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 8)
    except (AttributeError, ValueError, OSError):
        return most_bytes // 4


PICTURES = PictureCache(fair_share())
