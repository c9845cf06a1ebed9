"""Draws heads and necks on PET/CT with a primary tumour and lymph nodes, their stages and the course of the
disease.

Volumes are arrays x, y, z. Points and distances are mm to the right, to the front and upwards from the middle
of the volume.
"""
