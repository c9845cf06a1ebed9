"""Models: pixels, categories, several photographs of a lesion, preflight and what is refused."""

import io
from collections.abc import Mapping

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from PIL import Image

from scoring import load_challenge
from scoring.single_image.image_prediction import predict
from scoring.single_image.model_inputs import model_task
from scoring.single_image.outputs_on_any_scale import raw_predictions
from scoring.single_image.photograph import received
from tests.inference import builders
from tests.support import category_tables
from tests.support.category_tables import CATEGORIES, IDS, LABELS
from tests.support.command_line import run
from tests.support.findings import codes, only, places, refused
from tests.support.lesion_tables import table
from tests.support.single_image import model as opened
from tests.support.single_image import times
from tests.support.thinned import some_rows

isic = load_challenge("isic")


def picture(seed: int, size: tuple[int, int] = (30, 20), kind: str = "PNG") -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), np.uint8)).save(
        buffer, kind
    )
    return buffer.getvalue()


def model(width: int = 3, side=(None, None), metadata: Mapping[str, str] | None = None, **more) -> bytes:
    made = onnx.load_from_string(builders.classifier(width=width, side=side, vector=False, **more))
    helper.set_model_props(made, dict(metadata or {}))
    return made.SerializeToString()


def shift(by: float) -> bytes:
    """Outputs beyond 0..1, by so much."""
    nodes = [
        helper.make_node("ReduceMean", ["image"], ["colour"], axes=[2, 3], keepdims=0),
        helper.make_node("Clip", ["colour", "low", "high"], ["kept"]),
        helper.make_node("Sub", ["kept", "kept"], ["zero"]),
        helper.make_node("Add", ["zero", "by"], ["scores"]),
    ]
    constants = [
        builders.initializer(name, np.array(value, np.float32))
        for name, value in (("low", 0), ("high", 1), ("by", [by, 0.5, 0.2]))
    ]
    return builders.build(
        nodes,
        [("image", TensorProto.FLOAT, ["N", 3, None, None])],
        [("scores", TensorProto.FLOAT, ["N", 3])],
        constants,
    )


FILES = {
    "truth.csv": category_tables.truth(),
    **{f"images/{name}.png": picture(i) for i, name in enumerate(IDS)},
}


def read(files: Mapping[str, bytes] = FILES, **options):
    return isic.read_truth(files, "set", **options)


def stretched(data: bytes, width: int, height: int) -> np.ndarray:
    image = Image.open(io.BytesIO(data)).convert("RGB")
    return np.asarray(
        image.resize((width, image.height), Image.Resampling.BILINEAR).resize(
            (width, height), Image.Resampling.BILINEAR
        )
    )


def by_hand(data: bytes, made: bytes, width: int, height: int) -> np.ndarray:
    colour = (stretched(data, width, height).astype(np.float32) / np.float32(255)).mean((0, 1))
    weights = onnx.numpy_helper.to_array(onnx.load_from_string(made).graph.initializer[0])
    logits = colour @ weights
    return np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()


@pytest.mark.parametrize(("side", "size"), [((None, None), (224, 224)), ((64, 48), (48, 64))])
def test_pixels_are_stretched_bilinearly_to_the_declared_size_or_224(side, size):
    made = model(side=side)
    found = isic.predict(made, read())
    expected = [by_hand(FILES[f"images/{name}.png"], made, *size) for name in IDS]
    assert found.outputs == pytest.approx(np.array(expected), abs=2e-5)
    stages, _ = isic.received(read(), 0, found.model)
    assert np.array_equal(
        np.asarray(Image.open(io.BytesIO(stages[-1].png))), stretched(FILES["images/ISIC_1.png"], *size)
    )


def test_table_and_card_of_a_model_name_its_categories():
    truth = read()
    predictions = isic.predict(model(), truth, name="m.onnx")
    written = isic.prediction_table(truth, predictions)
    assert written.splitlines()[0] == "image,MEL,NV,BCC"
    first = isic.score(truth, predictions, resamples=0)
    assert first.provenance["model_sha256"] == first.more["model"]["sha256"]
    assert first.more["model"]["categories"] == list(CATEGORIES)


def test_a_lesion_is_the_mean_of_the_photographs_in_its_folder():
    files = {
        "truth.csv": category_tables.truth(IDS[:2], LABELS[:2]).replace(b"image", b"lesion_id"),
        "a/ISIC_1/x.png": picture(1),
        "a/ISIC_1/y.png": picture(2),
        "a/ISIC_2/z.png": picture(3),
        "a/ISIC_3/z.png": picture(4),
    }
    made = model()
    single = [
        by_hand(files[name], made, 224, 224)
        for name in ("a/ISIC_1/x.png", "a/ISIC_1/y.png", "a/ISIC_2/z.png")
    ]
    truth = read(files)
    assert isic.predict(made, truth).outputs == pytest.approx(
        np.array([(single[0] + single[1]) / 2, single[2]]), abs=2e-5
    )
    assert isic.prediction_table(truth, isic.predict(made, truth)).startswith("lesion_id,")


def test_images_from_another_place_and_in_any_folder():
    images = {f"b/{'c/' if i % 2 else ''}{name}.JPG": picture(i, kind="JPEG") for i, name in enumerate(IDS)}
    assert isic.predict(model(), read({"truth.csv": category_tables.truth()}, images=images)).faults == ()


def test_missing_ambiguous_and_unreadable_images():
    files = {k: v for k, v in FILES.items() if "ISIC_1." not in k} | {
        "more/ISIC_2.jpg": picture(9, kind="JPEG")
    }
    found = refused(isic.predict, model(), read(files)).problems
    assert places(found) == [("image-missing", "ISIC_1"), ("ambiguous-image", "ISIC_2")]
    assert places(refused(isic.inspect, model(), read(files)).problems) == places(found)
    broken = isic.predict(model(), read(FILES | {"images/ISIC_3.png": b"\x89PNG\r\n\x1a\nnothing"}))
    assert places(broken.faults) == [("image-unreadable", "ISIC_3")]
    assert "validator" not in broken.faults[0].message
    assert places(refused(isic.score, read(), broken).problems) == [("image-unreadable", "ISIC_3")]


def test_no_image_at_all_is_one_entry():
    assert places(refused(isic.predict, model(), read({"truth.csv": category_tables.truth()})).problems) == [
        ("image-missing", "set")
    ]


@pytest.mark.parametrize(
    ("made", "code"),
    some_rows(
        [
            (model(width=4), "wrong-output"),
            (builders.classifier(width=3), "wrong-inputs"),
            (b"nothing", "model-unreadable"),
            (shift(1.01), "model-output"),
            (shift(float("nan")), "model-output"),
        ],
        3,
    ),
    ids=["width", "two inputs", "no model", "beyond 1", "NaN"],
)
def test_models_that_are_refused(made, code):
    assert codes(refused(isic.inspect, made, read()).problems) == [code]
    assert code in codes(refused(isic.predict, made, read()).problems)


def test_outputs_on_another_scale_are_kept_where_nothing_is_scored():
    """Single image knew nothing of a model of percentages: its run on the test set was refused."""
    made = shift(60)
    found = raw_predictions("isic", made, read())
    assert found.outputs == pytest.approx(np.array([[60, 0.5, 0.2]] * len(IDS)))
    assert found.faults == ()
    assert codes(refused(isic.predict, made, read()).problems) == ["model-output"]


def test_percent_are_to_be_divided():
    """A model of percent was told to end in a softmax, which it does."""
    for asked in (isic.inspect, isic.predict):
        for problem in refused(asked, times(model(), 100), read()).problems:
            assert problem.message.endswith("they are percent. Divide them by 100.")
            assert problem.fixes == ()


def test_outputs_a_millionth_beyond_are_clipped():
    assert isic.predict(shift(1 + 5e-7), read()).outputs.max() == 1
    assert isic.predict(shift(-5e-7), read()).outputs.min() == 0


@pytest.fixture(scope="module")
def as_given() -> np.ndarray:
    """Outputs of the model that names no categories."""
    return isic.predict(model(), read()).outputs


def test_outputs_are_put_in_the_order_of_the_truth_by_the_entry_of_the_model(as_given):
    plain, mixed = model(), model(metadata={"categories": "NV,BCC,MEL"})
    found = only(isic.inspect(mixed, read()).findings, "category-order")
    assert found.level == "note"
    assert "NV, BCC, MEL" in found.message
    assert "category-order" not in codes(
        isic.inspect(model(metadata={"categories": "MEL, NV, BCC"}), read()).findings
    )
    assert isic.predict(mixed, read()).outputs.tolist() == as_given[:, [2, 0, 1]].tolist()
    picture_of_nevus = received(FILES[f"images/{IDS[0]}.png"])
    answers = []
    for made in (plain, mixed):
        with opened(made, model_task("isic", CATEGORIES)) as found:
            answers.append(predict(found, picture_of_nevus).outputs)
            assert ("category-order" in codes(found.findings)) == (made is mixed)
    assert answers[1].tolist() == answers[0][[2, 0, 1]].tolist()


@pytest.mark.parametrize(
    "entries",
    [
        {"names": "{0: 'NV', 1: 'BCC', 2: 'MEL'}"},
        {"id2label": '{"0": "NV", "1": "BCC", "2": "MEL"}'},
        {"class_names": '["NV", "BCC", "MEL"]'},
        {"classes": "NV,BCC,MEL", "names": "{0: 'cat', 1: 'dog', 2: 'bird'}"},
        {"names": "{0: 'cat', 1: 'dog', 2: 'bird'}"},
    ],
)
def test_the_order_is_read_from_entries_of_other_exporters(entries, as_given):
    found, is_named = isic.predict(model(metadata=entries), read()), "NV" in str(entries)
    assert found.outputs.tolist() == (as_given[:, [2, 0, 1]] if is_named else as_given).tolist()
    assert ("category-order" in codes(found.findings)) == is_named


@pytest.mark.parametrize("entry", ["NV,MEL,SCC", "NV,MEL", "NV,MEL,MEL"])
def test_an_entry_that_names_other_categories_is_refused_everywhere(entry):
    made = model(metadata={"categories": entry})
    (problem,) = refused(isic.inspect, made, read()).problems
    assert problem.code == "wrong-output"
    assert "`categories` names" in problem.message
    assert codes(refused(isic.predict, made, read()).problems) == ["wrong-output"]

    def on_the_page():
        with opened(made, model_task("isic", CATEGORIES)):
            pass

    assert codes(refused(on_the_page).problems) == ["wrong-output"]


IMAGES = {f"{name}.png": picture(i) for i, name in enumerate(IDS[:2])}


@pytest.mark.parametrize(
    ("made", "categories", "expected"),
    some_rows(
        [
            (model(metadata={"categories": "A,B,C"}), None, ("A", "B", "C")),
            (model(metadata={"categories": "A,B,C"}), "X,Y,Z", ("X", "Y", "Z")),
            (model(width=7), None, ("MEL", "NV", "BCC", "AKIEC", "BKL", "DF", "VASC")),
            (model(width=8), None, ("MEL", "NV", "BCC", "AK", "BKL", "DF", "VASC", "SCC")),
            (model(width=9), None, ("MEL", "NV", "BCC", "AK", "BKL", "DF", "VASC", "SCC", "UNK")),
            (
                model(width=11),
                None,
                ("AKIEC", "BCC", "BEN_OTH", "BKL", "DF", "INF", "MAL_OTH", "MEL", "NV", "SCCKA", "VASC"),
            ),
        ],
        3,
    ),
)
def test_categories_without_a_truth(made, categories, expected):
    cases = isic.read_images(IMAGES, "pictures")
    written = isic.prediction_table(cases, isic.predict(made, cases, categories=categories)).splitlines()
    assert written[0] == ",".join(("image", *expected))
    assert [line.split(",")[0] for line in written[1:]] == list(IDS[:2])


@pytest.mark.parametrize(
    ("entry", "categories", "code", "words"),
    [
        ("", None, "bad-option", "the model gives 3 numbers per image, but no preset has so many categories"),
        ("", "A,B", "bad-option", "there are 2 different names, but 3 outputs per image"),
        ("", "A,A,B", "bad-option", "there are 2 different names, but 3 outputs per image"),
        (
            "A,B",
            None,
            "wrong-output",
            "the model gives 3 outputs per image, but its entry `categories` names 2",
        ),
    ],
)
def test_categories_that_cannot_be_are_refused_with_the_number_of_outputs(
    tmp_path, entry, categories, code, words
):
    (tmp_path / "m.onnx").write_bytes(model(metadata={"categories": entry} if entry else None))
    (tmp_path / "1.png").write_bytes(picture(0))
    arguments = ["--images", tmp_path, "--model", tmp_path / "m.onnx", "--output", "-"]
    arguments += ["--categories", categories] if categories else []
    finished = run("predict", "isic", *arguments)
    assert (finished.status, finished.out) == (2, "")
    assert f"error {code} " in finished.err
    assert words in finished.err


def test_a_table_gives_rows_and_order_to_images():
    files = {**IMAGES, "table.csv": table(("lesion_id", "note"), ("ISIC_2", "x"), ("ISIC_1", "y"))}
    cases = isic.read_images(files)
    assert cases.ids == ("ISIC_2", "ISIC_1")
    assert isic.prediction_table(cases, isic.predict(model(width=7), cases)).startswith("lesion_id,MEL")
    assert codes(
        refused(isic.read_images, {**IMAGES, "table.csv": table(("image",), ("a",), ("a.png",))}).problems
    ) == ["duplicate-case"]


def test_places_without_images():
    assert codes(refused(isic.read_images, {"a.txt": b""}).problems) == ["image-missing"]
    twice = isic.read_images({"a/x.png": picture(0), "b/x.png": picture(1)})
    assert codes(refused(isic.predict, model(width=7), twice).problems) == ["ambiguous-image"]


def test_thumbnails():
    assert isic.display.thumbnails(read(), [0])[0].startswith(b"\xff\xd8")
    assert isic.display.thumbnails(read({"truth.csv": category_tables.truth()}), [0]) == [None]


def test_the_command_line_predicts_and_scores(tmp_path):
    (tmp_path / "set").mkdir()
    for name, data in FILES.items():
        (tmp_path / "set" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "set" / name).write_bytes(data)
    (tmp_path / "m.onnx").write_bytes(model())
    written = run(
        *("predict", "isic", "--model", tmp_path / "m.onnx", "--images", tmp_path / "set", "--categories"),
        *("MEL,NV,BCC", "--output", tmp_path / "p.csv"),
    )
    assert written.status == 0, written.err
    by_file = run(
        *("score", "isic", "--truth", tmp_path / "set", "--predictions", tmp_path / "p.csv", "--resamples"),
        *(0, "--json", "-"),
    )
    by_model = run(
        *("score", "isic", "--truth", tmp_path / "set", "--model", tmp_path / "m.onnx", "--resamples", 0),
        *("--json", "-"),
    )
    assert by_file.json["cases"] == by_model.json["cases"]
    assert by_file.json["metrics"] == by_model.json["metrics"]
    checked = run("check", "isic", "--model", tmp_path / "m.onnx", "--truth", tmp_path / "set")
    assert (checked.status, checked.out) == (0, "would be scored\n")


def test_images_without_a_truth_are_predicted_and_not_scored(tmp_path):
    """A folder of images ended in "internal error: not enough values to unpack"."""
    for seed in range(24):
        (tmp_path / f"{seed}.png").write_bytes(picture(seed))
    (tmp_path / "m.onnx").write_bytes(model(width=7))
    arguments = ("--images", tmp_path, "--model", tmp_path / "m.onnx", "--output", tmp_path / "out.csv")
    finished = run("predict", "isic", *arguments)
    assert "internal error" not in finished.err
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 25
