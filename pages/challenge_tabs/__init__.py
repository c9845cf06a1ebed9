"""Tabs that one challenge alone has; `slice_viewer` opens the slices over CT and PET."""
