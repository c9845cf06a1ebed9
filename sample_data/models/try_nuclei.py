"""What dense.onnx reaches on the PUMA sample: `python -m sample_data.models.try_nuclei [dense.onnx]`.

Its peaks are written as a team would hand them in, and scored as any submission.
"""

import json
import sys
from pathlib import Path

import numpy as np
import onnxruntime
from PIL import Image

from sample_data.generator.histology.nuclei import CLASSES
from scoring.challenges.puma import CHALLENGE
from scoring.challenges.puma import dense_models as of_map
from scoring.core.scorecard import ScoreCard

FOLDER = Path(__file__).parents[1] / "puma"
"""The sample."""


def probabilities(model: Path, picture: np.ndarray) -> np.ndarray:
    """The model's answer to a uint8 picture, h x w x 3: (1 + classes) x rows x columns."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    return session.run(None, {"image": picture.transpose(2, 0, 1)[None] / np.float32(255)})[0][0]


def peaks(answer: np.ndarray, stride: float) -> list[dict]:
    """The peaks of (1 + classes) x rows x columns probabilities in the short form."""
    found = of_map.peaks(answer, stride)
    return [
        {"centroid": [round(x, 1), round(y, 1)], "class": CLASSES[kind], "confidence": round(confidence, 3)}
        for (x, y), kind, confidence in zip(
            found.centroids.tolist(), found.classes.tolist(), found.confidences.tolist(), strict=True
        )
    ]


def trial(model: Path, cases: list[str]) -> ScoreCard:
    """The scorecard of the model's peaks on these cases of the sample."""
    submitted, expected = {}, {}
    for case in cases:
        picture = np.asarray(Image.open(FOLDER / "truth" / f"{case}.tif").convert("RGB"))
        answer = probabilities(model, picture)
        submitted[f"{case}.json"] = json.dumps(
            {"nuclei": peaks(answer, picture.shape[0] / answer.shape[1])}
        ).encode()
        expected[f"{case}_nuclei.geojson"] = (FOLDER / "truth" / f"{case}_nuclei.geojson").read_bytes()
    truth = CHALLENGE.read_truth(expected)
    return CHALLENGE.score(truth, CHALLENGE.read_predictions(submitted, truth), resamples=0)


if __name__ == "__main__":
    chosen = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER / "models" / "dense.onnx"
    card = trial(chosen, sorted(path.stem for path in (FOLDER / "truth").glob("*.tif")))
    for name in ("macro_f1", "macro_f1_pooled", "micro_f1"):
        print(name, round(card.metrics[name], 3))
    print({name: round(row["f1_pooled"], 2) for name, row in card.per_class.items()})
