"""The ten classes of nuclei, and every name under which files know them."""

CLASSES = (
    "tumor",
    "lymphocytes",
    "plasma_cells",
    "histiocytes",
    "melanophages",
    "neutrophils",
    "stromal_cells",
    "epithelium",
    "endothelium",
    "apoptotic_cells",
)
