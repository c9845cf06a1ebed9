"""One image, one model: what the model says, how sure, what it looked at, and how it did on cases like this
one. Never a diagnosis.

Nothing here is kept: pixels belong to whoever calls, and no cache is written.
"""
