"""Runs inside the environment of the peers: a list of requests as JSON in, what SimpleITK answers as JSON
out. Files travel as base64.

["read", ending, file]: shape [x, y, z], values with x fastest, affine from index to mm in RAS.
["write", ending, shape, values, pixel type, spacing, origin, direction, compressed]: the file.
"""

import base64
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import SimpleITK


def read(folder: Path, ending: str, file: str) -> dict:
    path = folder / f"mask{ending}"
    path.write_bytes(base64.b64decode(file))
    image = SimpleITK.ReadImage(path)
    affine = np.eye(4)
    affine[:3, :3] = np.reshape(image.GetDirection(), (3, 3)) * image.GetSpacing()
    affine[:3, 3] = image.GetOrigin()
    values = SimpleITK.GetArrayFromImage(image).ravel().tolist()
    return {"shape": image.GetSize(), "values": values, "affine": (np.diag([-1, -1, 1, 1]) @ affine).tolist()}


def write(
    folder: Path, ending: str, shape, values, kind: str, spacing, origin, direction, compressed: bool
) -> str:
    path = folder / f"mask{ending}"
    image = SimpleITK.GetImageFromArray(np.reshape(values, shape[::-1]).astype(kind))
    image.SetSpacing(spacing)
    image.SetOrigin(origin)
    image.SetDirection(direction)
    SimpleITK.WriteImage(image, path, compressed)
    return base64.b64encode(path.read_bytes()).decode()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        json.dump(
            [
                {"read": read, "write": write}[verb](Path(temporary), *rest)
                for verb, *rest in json.load(sys.stdin)
            ],
            sys.stdout,
        )
