"""Trains a convolutional network with PyTorch: `python -m sample_data.models.train_cnn TASK images*.npz
convolutional.onnx`.

PyTorch is needed here only; the dashboard runs the ONNX file. The eleven-class network takes 160 x 160, so
that the official second resize is exercised.
"""

import sys
from pathlib import Path

import numpy as np
import onnx
import torch
from torch import nn
from torch.nn import functional

from sample_data.models.graph import note_categories
from sample_data.models.task import TASKS, Task
from sample_data.models.training_set import Examples, forget_some, labelled, load

WIDTHS = (16, 32, 64, 96)
DEMOGRAPHIC_COLUMNS = 11  # age, whether it is known, two genders, seven locations
LARGEST_SIDE = 160  # px; larger images are halved first
EPOCHS, BATCH, RATE, DECAY, SMOOTHING = 14, 64, 6e-3, 2e-2, 0.05
OPSET = 13


class Network(nn.Module):
    """Logits, batch x columns, of images (batch, 3, h, w) in 0..1 and, where the task has them, demographic
    codes (batch, 3)."""

    def __init__(self, task: Task):
        super().__init__()
        side = task.small.steps[-1][0]
        layers, before = [nn.AvgPool2d(2)] if side > LARGEST_SIDE else [], 3
        for depth, width in enumerate(WIDTHS):
            stride = 1 if depth == len(WIDTHS) - 1 else 2
            layers += [
                nn.Conv2d(before, width, 3, stride=stride, padding=1, bias=False),
                nn.BatchNorm2d(width),
                nn.ReLU(),
            ]
            before = width
        self.features = nn.Sequential(*layers)
        person = 16 if task.demographics else 0
        self.person = (
            nn.Sequential(nn.Linear(DEMOGRAPHIC_COLUMNS, person), nn.ReLU()) if task.demographics else None
        )
        self.head = nn.Sequential(
            nn.Linear(2 * before + person, 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, task.columns)
        )
        self.register_buffer("genders", torch.arange(2.0)[None])
        self.register_buffer("locations", torch.arange(1.0, 8.0)[None])

    def forward(self, image: torch.Tensor, codes: torch.Tensor | None = None) -> torch.Tensor:
        maps = self.features((image - 0.55) / 0.25)
        known = [] if self.person is None else [self.person(self.described(codes))]
        return self.head(torch.cat([maps.mean((2, 3)), maps.amax((2, 3)), *known], 1))

    def described(self, codes: torch.Tensor) -> torch.Tensor:
        """Batch x DEMOGRAPHIC_COLUMNS: age in centuries, whether it is known, gender and location one-hot."""
        age, gender, location = codes[:, :1], codes[:, 1:2], codes[:, 2:3]
        one_hot = [
            functional.relu(1 - (code - values).abs())
            for code, values in ((gender, self.genders), (location, self.locations))
        ]
        return torch.cat([age * 0.01, age.clamp(0, 1), *one_hot], 1)


class Probabilities(nn.Module):
    """The network as it is submitted: softmax included, or a sigmoid for a single column."""

    def __init__(self, network: Network):
        super().__init__()
        self.network = network

    def forward(self, image: torch.Tensor, demographics: torch.Tensor | None = None) -> torch.Tensor:
        scores = self.network(image, demographics)
        return torch.sigmoid(scores) if scores.shape[1] == 1 else functional.softmax(scores, 1)


def mistake(scores: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Cross-entropy with smoothed labels, of one column or several."""
    if scores.shape[1] > 1:
        return functional.cross_entropy(scores, labels, label_smoothing=SMOOTHING)
    return functional.binary_cross_entropy_with_logits(
        scores[:, 0], SMOOTHING / 2 + (1 - SMOOTHING) * labels.float()
    )


def varied(image: torch.Tensor, random: torch.Generator) -> torch.Tensor:
    """The batch turned, mirrored and tinted: lesions have no upright, cameras no common white."""
    image = torch.rot90(image, int(torch.randint(0, 4, (1,), generator=random)), (2, 3))
    if torch.rand(1, generator=random) < 0.5:
        image = image.flip(3)
    return (image * (1 + 0.08 * torch.randn(len(image), 3, 1, 1, generator=random))).clamp(0, 1)


def train(examples: Examples, task: Task, seed: int, epochs: int = EPOCHS) -> Network:
    """Stochastic gradient descent (AdamW, one cycle of the learning rate) on all examples, each time with
    other demographics forgotten."""
    torch.manual_seed(seed)
    random, forgetting = torch.Generator().manual_seed(seed), np.random.default_rng(seed)
    known, numbers = labelled(examples, task)
    pictures, labels = torch.from_numpy(known.small), torch.from_numpy(numbers)
    network, batches = Network(task), len(labels) // BATCH
    optimiser = torch.optim.AdamW(network.parameters(), weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=epochs * batches)
    network.train()
    for epoch in range(epochs):
        codes, losses = torch.from_numpy(forget_some(known.demographics, forgetting)), []
        for chosen in torch.randperm(len(labels), generator=random)[: batches * BATCH].split(BATCH):
            image = varied(pictures[chosen].permute(0, 3, 1, 2).float() / 255, random)
            loss = mistake(network(image, codes[chosen]), labels[chosen])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1} of {epochs}: mean loss {np.mean(losses):.3f}", flush=True)
    return network.eval()


def export(network: Network, task: Task, path: Path) -> None:
    """The network with its last step to probabilities as ONNX, its batch axis free."""
    side = task.small.steps[-1][0]
    inputs = {"image": torch.rand(2, 3, side, side)}
    if task.demographics:
        inputs["demographics"] = torch.tensor([[42.0, 1, 5], [60.0, 0, 2]])
    torch.onnx.export(
        Probabilities(network).eval(),
        tuple(inputs.values()),
        str(path),
        input_names=list(inputs),
        output_names=["output"],
        dynamic_axes={name: {0: "batch"} for name in (*inputs, "output")},
        opset_version=OPSET,
        dynamo=False,
    )
    model = onnx.load(str(path))
    note_categories(model, task.categories)
    onnx.save(model, str(path))


if __name__ == "__main__":
    torch.set_num_threads(2)
    chosen_task = TASKS[sys.argv[1]]
    export(train(load(sys.argv[2:-1]), chosen_task, seed=0), chosen_task, Path(sys.argv[-1]))
