"""Tabs with widgets that one challenge alone has: `tricorder3`, `melanoma`, `isic`, `puma`, `hecktor2026`.

* declared challenges: `declared.tabs`; chosen cases, thresholds: `shared_widgets`
* slices over CT and PET: `slice_viewer.draw`
"""
