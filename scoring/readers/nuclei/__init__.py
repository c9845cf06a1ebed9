"""Detected or annotated nuclei: QuPath GeoJSON, Multiple polygons JSON and lists of centroids, as arrays."""

from scoring.readers.nuclei.arrays import Nuclei

__all__ = ["Nuclei"]
