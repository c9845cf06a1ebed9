"""One image and one model: its output, uncertainty, saliency and performance on similar cases; never a
diagnosis.

Nothing here is kept: pixels belong to whoever calls, and no cache is written.
"""
