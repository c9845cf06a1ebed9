"""Blocks, tables and downloads as widgets; `finding_list` draws refusals with the buttons of their fixes."""
