"""Trains convolutional.onnx with PyTorch: `python -m sample_data.models.train_cnn images*.npz convolutional.onnx`.

PyTorch is needed here only; the dashboard runs the ONNX file. The image is 160 x 160, so that the official second resize is exercised.
"""
import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from sample_data.models.training_set import SMALL_SIDE, Examples, forget_some, load

WIDTHS = (16, 32, 64, 96)
DEMOGRAPHIC_COLUMNS = 11  # age, whether it is known, two genders, seven locations
EPOCHS, BATCH, RATE, DECAY, SMOOTHING = 14, 64, 6e-3, 2e-2, 0.05
OPSET = 13


class Network(nn.Module):
    """Logits, batch x 11, of images (batch, 3, h, w) in 0..1 and demographic codes (batch, 3)."""

    def __init__(self):
        super().__init__()
        layers, before = [], 3
        for depth, width in enumerate(WIDTHS):
            stride = 1 if depth == len(WIDTHS) - 1 else 2
            layers += [nn.Conv2d(before, width, 3, stride=stride, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
            before = width
        self.features = nn.Sequential(*layers)
        self.person = nn.Sequential(nn.Linear(DEMOGRAPHIC_COLUMNS, 16), nn.ReLU())
        self.head = nn.Sequential(nn.Linear(2 * before + 16, 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 11))
        self.register_buffer("genders", torch.arange(2.0)[None])
        self.register_buffer("locations", torch.arange(1.0, 8.0)[None])

    def forward(self, image: torch.Tensor, codes: torch.Tensor) -> torch.Tensor:
        maps = self.features((image - 0.55) / 0.25)
        age, gender, location = codes[:, :1], codes[:, 1:2], codes[:, 2:3]
        one_hot = [functional.relu(1 - (code - values).abs()) for code, values in ((gender, self.genders), (location, self.locations))]
        person = self.person(torch.cat([age * 0.01, age.clamp(0, 1), *one_hot], 1))
        return self.head(torch.cat([maps.mean((2, 3)), maps.amax((2, 3)), person], 1))


class Probabilities(nn.Module):
    """The network as it is submitted: softmax included."""

    def __init__(self, network: Network):
        super().__init__()
        self.network = network

    def forward(self, image: torch.Tensor, demographics: torch.Tensor) -> torch.Tensor:
        return functional.softmax(self.network(image, demographics), 1)


def varied(image: torch.Tensor, random: torch.Generator) -> torch.Tensor:
    """The batch turned, mirrored and tinted: lesions have no upright, cameras no common white."""
    image = torch.rot90(image, int(torch.randint(0, 4, (1,), generator=random)), (2, 3))
    if torch.rand(1, generator=random) < 0.5:
        image = image.flip(3)
    return (image * (1 + 0.08 * torch.randn(len(image), 3, 1, 1, generator=random))).clamp(0, 1)


def train(examples: Examples, seed: int, epochs: int = EPOCHS) -> Network:
    """Stochastic gradient descent (AdamW, one cycle of the learning rate) on all examples, each time with other demographics forgotten."""
    torch.manual_seed(seed)
    random, forgetting = torch.Generator().manual_seed(seed), np.random.default_rng(seed)
    pictures, labels = torch.from_numpy(examples.small), torch.from_numpy(examples.labels)
    network, batches = Network(), len(labels) // BATCH
    optimiser = torch.optim.AdamW(network.parameters(), weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=epochs * batches)
    network.train()
    for epoch in range(epochs):
        codes, losses = torch.from_numpy(forget_some(examples.demographics, forgetting)), []
        for chosen in torch.randperm(len(labels), generator=random)[: batches * BATCH].split(BATCH):
            image = varied(pictures[chosen].permute(0, 3, 1, 2).float() / 255, random)
            loss = functional.cross_entropy(network(image, codes[chosen]), labels[chosen], label_smoothing=SMOOTHING)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1} of {epochs}: mean loss {np.mean(losses):.3f}", flush=True)
    return network.eval()


def export(network: Network, path: Path) -> None:
    """The network with softmax as ONNX, its batch axis free."""
    names = ["image", "demographics", "output"]
    example = torch.rand(2, 3, SMALL_SIDE, SMALL_SIDE), torch.tensor([[42.0, 1, 5], [60.0, 0, 2]])
    torch.onnx.export(
        Probabilities(network).eval(), example, str(path), input_names=names[:2], output_names=names[2:],
        dynamic_axes={name: {0: "batch"} for name in names}, opset_version=OPSET, dynamo=False,
    )


if __name__ == "__main__":
    torch.set_num_threads(2)
    export(train(load(sys.argv[1:-1]), seed=0), Path(sys.argv[-1]))
