"""Trains dense.onnx, which says of every few pixels of a tile which nucleus's middle is there: `python -m
sample_data.models.train_nuclei tiles*.npz dense.onnx`.

PyTorch is needed here only. The network looks at four scales and adds what it sees (Lin and others 2017,
"Feature pyramid networks").
"""

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
import torch
from torch import nn
from torch.nn import functional

from sample_data.generator.histology.nuclei import CLASSES
from sample_data.models.graph import note_categories
from sample_data.models.nuclei_set import NEITHER, STRIDE, Tiles, load

STEM, WIDTHS = 12, (24, 32, 48, 64)  # channels at half the resolution, and at a quarter, an eighth ...
OUTPUTS = 1 + len(CLASSES)
CROP, BATCH, EPOCHS, RATE, DECAY, SMOOTHING = 384, 8, 7, 6e-3, 1e-2, 0.02
CROPS_PER_TILE = 5
OPSET = 13


def block(before: int, after: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(before, after, 3, stride=stride, padding=1, bias=False), nn.BatchNorm2d(after), nn.ReLU()
    )


class Network(nn.Module):
    """Logits, batch x OUTPUTS x height/STRIDE x width/STRIDE, of images (batch, 3, height, width) in 0..1."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(block(3, STEM, 2), block(STEM, WIDTHS[0], 2), block(WIDTHS[0], WIDTHS[0]))
        self.down = nn.ModuleList(
            nn.Sequential(block(fine, coarse, 2), block(coarse, coarse)) for fine, coarse in pairwise(WIDTHS)
        )
        self.across = nn.ModuleList(nn.Conv2d(coarse, fine, 1) for fine, coarse in pairwise(WIDTHS))
        self.smooth = nn.ModuleList(block(width, width) for width in WIDTHS[:-1])
        self.head = nn.Conv2d(WIDTHS[0], OUTPUTS, 1)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        maps = [self.stem((image - 0.75) / 0.2)]
        for down in self.down:
            maps.append(down(maps[-1]))
        seen = maps.pop()
        for across, smooth, fine in zip(
            reversed(self.across), reversed(self.smooth), reversed(maps), strict=True
        ):
            seen = smooth(fine + functional.interpolate(across(seen), size=fine.shape[2:], mode="nearest"))
        return self.head(seen)


class Probabilities(nn.Module):
    """The network as it is used: the first channel is background."""

    def __init__(self, network: Network):
        super().__init__()
        self.network = network

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return self.network(image).softmax(1)


def importance(labels: np.ndarray) -> torch.Tensor:
    """Of each output: rare ones count more, by the root of how rare they are, mean 1."""
    counts = np.bincount(labels[labels != NEITHER], minlength=OUTPUTS)
    weights = (np.maximum(counts, 1) / counts.sum()) ** -0.5
    return torch.tensor(weights / weights.mean(), dtype=torch.float32)


def crops(tiles: Tiles, chosen: np.ndarray, random: np.random.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """A piece of each chosen tile, batch x 3 x CROP x CROP in 0..1, and its labels: turned, mirrored, in
    other stains."""
    pictures, answers = [], []
    for index in chosen:
        top, left = random.integers(0, (tiles.pictures.shape[1] - CROP) // STRIDE + 1, 2) * STRIDE
        picture = tiles.pictures[index, top : top + CROP, left : left + CROP].astype(np.float32) / 255
        answer = tiles.labels[
            index, top // STRIDE : (top + CROP) // STRIDE, left // STRIDE : (left + CROP) // STRIDE
        ]
        turns, mirrored = int(random.integers(4)), random.random() < 0.5
        picture, answer = np.rot90(picture, turns), np.rot90(answer, turns)
        if mirrored:
            picture, answer = picture[:, ::-1], answer[:, ::-1]
        # A power of the light is a factor of the optical density: more or less of every dye.
        pictures.append(np.maximum(picture, 0.01) ** random.normal(1, 0.10, 3).astype(np.float32))
        answers.append(answer.astype(np.int64))
    return torch.from_numpy(np.stack(pictures)).permute(0, 3, 1, 2), torch.from_numpy(np.stack(answers))


def train(tiles: Tiles, seed: int, epochs: int = EPOCHS) -> Network:
    """Stochastic gradient descent (AdamW, one cycle of the learning rate) on random pieces of all tiles."""
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    # Channels last is what convolutions on a processor are fastest with.
    network, weights = Network().to(memory_format=torch.channels_last), importance(tiles.labels)
    optimiser = torch.optim.AdamW(network.parameters(), weight_decay=DECAY)
    batches = CROPS_PER_TILE * len(tiles.labels) // BATCH
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=epochs * batches)
    network.train()
    for epoch in range(epochs):
        order, losses = (
            random.permutation(np.arange(batches * BATCH) % len(tiles.labels)).reshape(batches, BATCH),
            [],
        )
        for chosen in order:
            image, answer = crops(tiles, chosen, random)
            loss = functional.cross_entropy(
                network(image), answer, weights, ignore_index=NEITHER, label_smoothing=SMOOTHING
            )
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1} of {epochs}: mean loss {np.mean(losses):.3f}", flush=True)
    return network.eval()


def export(network: Network, path: Path) -> None:
    """The network as ONNX: any batch, any height and width."""
    torch.onnx.export(
        Probabilities(network).eval(),
        (torch.rand(2, 3, 128, 192),),
        str(path),
        input_names=["image"],
        output_names=["probabilities"],
        dynamic_axes={
            "image": {0: "batch", 2: "height", 3: "width"},
            "probabilities": {0: "batch", 2: "rows", 3: "columns"},
        },
        opset_version=OPSET,
        dynamo=False,
    )
    model = onnx.load(str(path))
    note_categories(model, ("background", *CLASSES))
    onnx.save(model, str(path))


if __name__ == "__main__":
    torch.set_num_threads(2)
    export(train(load(sys.argv[1:-1]), seed=0), Path(sys.argv[-1]))
