"""What the Melanoma challenge tells from the rest, in the words of figures."""

from scoring.figures.binary import risk_labels
from scoring.figures.thresholds import Condition

MELANOMA = Condition("melanoma", "melanomas")
CALIBRATION = risk_labels(MELANOMA)
