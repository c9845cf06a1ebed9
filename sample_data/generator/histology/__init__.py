"""Draws tiles that look like melanoma stained with haematoxylin and eosin, 0.23 um per px, with the outline
and class of every nucleus.

Coordinates are (x, y) in px from the upper left corner of the tile, so the middle of its first pixel is (0.5,
0.5).
"""
