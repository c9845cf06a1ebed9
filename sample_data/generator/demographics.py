"""Age, gender and body location, invented class by class with the tendencies that textbooks describe."""

from dataclasses import dataclass

import numpy as np

LOCATIONS = ("Arm", "Feet", "Genitalia", "Hand", "Head", "Leg", "Torso")
YOUNGEST, OLDEST = 6, 93


@dataclass(frozen=True)
class Tendency:
    """Mean and standard deviation of age (years), share of men, and shares of the seven locations in the
    order of LOCATIONS."""

    age: float
    spread: float
    men: float
    locations: tuple[float, ...]


TENDENCIES = {
    "AKIEC": Tendency(72, 9, 0.62, (0.12, 0.01, 0.01, 0.22, 0.52, 0.07, 0.05)),
    "BCC": Tendency(68, 12, 0.58, (0.08, 0.01, 0.005, 0.025, 0.56, 0.08, 0.24)),
    "BEN_OTH": Tendency(48, 18, 0.47, (0.15, 0.05, 0.03, 0.07, 0.38, 0.12, 0.20)),
    "BKL": Tendency(64, 13, 0.52, (0.12, 0.02, 0.02, 0.05, 0.34, 0.13, 0.32)),
    "DF": Tendency(46, 14, 0.33, (0.24, 0.03, 0.005, 0.015, 0.01, 0.55, 0.15)),
    "INF": Tendency(47, 19, 0.48, (0.20, 0.06, 0.05, 0.10, 0.19, 0.22, 0.18)),
    "MAL_OTH": Tendency(67, 14, 0.60, (0.14, 0.06, 0.02, 0.04, 0.42, 0.16, 0.16)),
    "MEL": Tendency(60, 16, 0.57, (0.16, 0.05, 0.01, 0.02, 0.17, 0.19, 0.40)),
    "NV": Tendency(40, 16, 0.46, (0.14, 0.06, 0.02, 0.04, 0.12, 0.17, 0.45)),
    "SCCKA": Tendency(74, 10, 0.64, (0.16, 0.02, 0.01, 0.16, 0.46, 0.14, 0.05)),
    "VASC": Tendency(52, 18, 0.48, (0.12, 0.06, 0.02, 0.07, 0.27, 0.14, 0.32)),
}


@dataclass(frozen=True)
class Demographics:
    """age: whole years. gender: "m" or "f". location: one of LOCATIONS."""

    age: int
    gender: str
    location: str

    def encoded(self) -> tuple[float, float, float]:
        """The three numbers that the official pipeline gives a model: age, male 1 and female 0, location
        1..7."""
        return float(self.age), float(self.gender == "m"), float(LOCATIONS.index(self.location) + 1)


def draw(random: np.random.Generator, symbol: str) -> Demographics:
    """A person who never lived, with a lesion of class `symbol`."""
    tendency = TENDENCIES[symbol]
    shares = np.array(tendency.locations)
    age = int(np.clip(round(random.normal(tendency.age, tendency.spread)), YOUNGEST, OLDEST))
    gender = "m" if random.random() < tendency.men else "f"
    return Demographics(age, gender, LOCATIONS[int(random.choice(len(shares), p=shares / shares.sum()))])
