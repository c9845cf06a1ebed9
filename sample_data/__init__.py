"""Small generated test sets, teams and models, and the generator that made them.

Everything is computer-generated; no picture shows a person.
"""
