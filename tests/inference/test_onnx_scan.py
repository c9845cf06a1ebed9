"""The static scan: what it refuses, in which words, and that honest models pass."""

import io
import pickle
import random
import zipfile

import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from scoring.inference.onnx_scan import ModelRefused, announced_size, inlined, scan, walk
from tests.inference import builders
from tests.support.soak import FACTOR


def refusal(data: bytes) -> ModelRefused:
    with pytest.raises(ModelRefused) as caught:
        scan(data)
    return caught.value


def attempt(data: bytes) -> tuple[dict | None, ModelRefused | None]:
    """Facts, or the refusal."""
    try:
        return scan(data), None
    except ModelRefused as refused:
        return None, refused


def zipped() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("archive/data.pkl", b"x")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "0 bytes"),
        (pickle.dumps({"weights": [1, 2]}), "Python pickle"),
        (zipped(), "PyTorch"),
        (b"\x89HDF\r\n\x1a\n" + b"\0" * 500, "HDF5"),
        (b"<!DOCTYPE html><html>404</html>", "web page"),
        (b"\n <html>", "web page"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "text placeholder"),
        (b"\x1f\x8b\x08\x00rest", "gzip"),
        (b"\x1c\0\0\0TFL3" + b"\0" * 100, "TensorFlow Lite"),
        (b"the weights are in the mail", "not an ONNX model"),
        (random.Random(0).randbytes(10_000), "not an ONNX model"),
        (onnx.ModelProto(ir_version=10).SerializeToString(), "holds no network"),
    ],
)
def test_what_is_no_model_is_named(data, words):
    refused = refusal(data)
    assert refused.code == "model-unreadable"
    assert words in refused.message


def test_a_model_cut_in_half_is_said_to_be_cut_off():
    model = builders.classifier()
    refused = refusal(model[: len(model) // 2])
    assert refused.code == "model-unreadable"
    assert f"{len(model) // 2:,} bytes are there" in refused.message


def test_a_model_cut_anywhere_is_refused_or_is_whole_without_the_rest():
    model = builders.classifier()
    for length in range(len(model)):
        facts, refused = attempt(model[:length])
        assert refused.code == "model-unreadable" if refused else facts["nodes"] == scan(model)["nodes"]


@given(st.integers(0, 2**31))
def test_announced_size_is_the_length_of_what_is_whole_and_more_than_that_of_what_is_not(seed):
    model = builders.classifier(width=seed % 20 + 1, vector=bool(seed % 2))
    assert announced_size(model) == len(model)
    graph_ends = len(model) - len(
        onnx.ModelProto(opset_import=[helper.make_opsetid("", 17)]).SerializeToString()
    )
    assert announced_size(model[: graph_ends - 1 - seed % 100]) > graph_ends - 1 - seed % 100


@pytest.mark.parametrize(
    "build",
    [
        builders.external_initializer,
        builders.external_constant,
        builders.external_in_branch,
        builders.external_in_function,
        builders.external_in_sparse,
        builders.external_in_training,
    ],
)
@pytest.mark.parametrize(
    "location",
    ["../../etc/passwd", "/etc/passwd", ".streamlit/secrets.toml", "weights.bin", "*/_ORT_MEM_ADDR_/*", ""],
)
def test_data_in_another_file_are_refused_wherever_they_hang(build, location):
    refused = refusal(build(location))
    assert refused.code == "external-data"
    assert "save_as_external_data=False" in refused.message


def test_external_entries_are_refused_also_where_the_tensor_does_not_say_external():
    model = builders.linear(builders.external("weights.bin"))
    model.graph.initializer[0].data_location = onnx.TensorProto.DEFAULT
    assert refusal(model.SerializeToString()).code == "external-data"


def test_negative_dimensions_are_refused():
    tensor = onnx.TensorProto(name="W", data_type=1, dims=[-1, 3])
    assert "negative" in refusal(builders.linear(tensor).SerializeToString()).message
    sparse = onnx.ModelProto.FromString(builders.sparse_bomb(4))
    sparse.graph.sparse_initializer[0].dims[:] = [-4, -4]
    assert "negative" in refusal(sparse.SerializeToString()).message


def test_sparse_tensors_may_unfold_to_256_mib_together_wherever_they_hang():
    at_most = (256 << 20) // 8
    assert scan(builders.sparse_bomb(at_most))["nodes"] == 2
    assert "unfold" in refusal(builders.sparse_bomb(at_most + 1)).message
    model = onnx.ModelProto.FromString(builders.sparse_bomb(at_most))
    model.graph.node.append(
        helper.make_node("Constant", [], ["again"], sparse_value=model.graph.sparse_initializer[0])
    )
    assert "unfold" in refusal(model.SerializeToString()).message


def test_too_many_nodes_are_refused_also_inside_subgraphs():
    assert scan(builders.chain(49_995))["nodes"] == 50_000
    assert "50,000 nodes" in refusal(builders.chain(49_996)).message


def test_operators_of_strangers_are_named():
    message = refusal(builders.custom_operator()).message
    assert "SkinAttention" in message
    assert "my.company" in message


def test_functions_are_counted_as_if_they_were_inlined():
    assert scan(builders.function_bomb(15))["nodes"] == 4 + 1 + 1 + 2 * 15
    assert "inlined" in refusal(builders.function_bomb(16)).message
    assert "4,194,30" in refusal(builders.function_bomb(22)).message


def test_functions_that_call_themselves_are_refused():
    assert "calls itself" in refusal(builders.recursive_function()).message


def test_a_function_of_the_default_domain_counts_under_both_of_its_names():
    model = onnx.ModelProto.FromString(builders.function_bomb(22))
    for function in model.functions:
        function.domain = "ai.onnx"
        for node in function.node:
            node.domain = "" if node.domain == "local" else node.domain
    model.graph.node[0].domain = ""
    assert "inlined" in refusal(model.SerializeToString()).message


def test_a_function_defined_twice_is_refused():
    model = onnx.ModelProto.FromString(builders.function_bomb(2))
    model.functions.append(model.functions[0])
    assert "defined twice" in refusal(model.SerializeToString()).message


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 3)), max_size=3), min_size=1, max_size=5)
)
def test_inlined_size_equals_that_of_really_inlining(levels):
    """Function i may call those below it only; -1 stands for a plain operator."""
    bodies = {
        ("", f"f{i}", ""): {("", f"f{below}" if below < i else "Relu", ""): times for below, times in calls}
        for i, calls in enumerate(levels)
    }

    def unfold(calls):
        return [
            leaf
            for key, times in calls.items()
            for _ in range(times)
            for leaf in (unfold(bodies[key]) if key in bodies else [key])
        ]

    top = {("", f"f{len(levels) - 1}", ""): 1, ("", "Add", ""): 2}
    assert inlined(top, bodies) == len(unfold(top))


def test_facts():
    facts = scan(builders.classifier(ir_version=9, opset=16))
    assert facts == {
        "ir_version": 9,
        "opset": 16,
        "opsets": {"ai.onnx": 16},
        "nodes": 5,
        "random": [],
        "from_0_to_1": True,
        "scalars": [],
        "metadata": {},
    }


def test_metadata_entries_are_cut_where_they_are_endless():
    model = onnx.load_from_string(builders.classifier())
    helper.set_model_props(
        model, {"categories": "MEL,NV", "notes": "x" * 20_000, **{f"entry {i}": "" for i in range(200)}}
    )
    metadata = scan(model.SerializeToString())["metadata"]
    assert metadata["categories"] == "MEL,NV"
    assert len(metadata["notes"]) == 10_000
    assert len(metadata) == 100


def test_a_name_in_a_message_is_plain_text():
    model = builders.linear(builders.external("x", "W\n\x1b[31m" + "é" * 1000))
    message = refusal(model.SerializeToString()).message
    assert message.isascii()
    assert message.isprintable()
    assert len(message) < 400


def test_names_that_are_no_utf_8_are_refused_like_others():
    assert (
        "domain 'my?company'"
        in refusal(builders.custom_operator().replace(b"my.company", b"my\xffcompany")).message
    )


def test_the_walk_meets_every_node_of_nested_graphs():
    model = onnx.ModelProto.FromString(builders.external_in_branch("x"))
    assert [m.op_type for m in walk(model) if isinstance(m, onnx.NodeProto)] == [
        "Constant",
        "If",
        "Constant",
        "Identity",
        "ReduceMean",
        "MatMul",
    ]


def test_mutated_models_are_refused_in_words_or_pass():
    """Bytes changed, cut, doubled, removed: the scan never ends otherwise than with facts or a refusal."""
    chance = random.Random(20261120)
    seeds = [
        builders.classifier(),
        builders.function_bomb(3),
        builders.sparse_bomb(4),
        builders.external_in_branch("x"),
        builders.endless_loop(),
    ]
    refused = 0
    for turn in range(1500 * FACTOR):
        data = bytearray(chance.choice(seeds))
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(data))
            match chance.randrange(4):
                case 0:
                    data[at] ^= 1 << chance.randrange(8)
                case 1:
                    data[at] = chance.randrange(256)
                case 2:
                    del data[at : at + chance.randint(1, 9)]
                case _:
                    data[at:at] = data[at : at + chance.randint(1, 9)]
            if not data:
                break
        _, refusal = attempt(bytes(data))
        refused += refusal is not None
        assert refusal is None or refusal.code in ("model-unreadable", "external-data"), turn
        assert refusal is None or refusal.message.isprintable(), turn
    assert refused > 100
