"""What the Melanoma challenge tells from the rest, in the words of figures."""

from scoring.presentation.figures.binary import risk_labels
from scoring.presentation.figures.thresholds import Condition

MELANOMA = Condition("melanoma", "melanomas")
CALIBRATION = risk_labels(MELANOMA)
