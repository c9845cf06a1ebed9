"""Tabs with widgets for single challenges: `tricorder3`, `melanoma`, `isic`, `puma`, `hecktor2026`.

* declared challenges: `declared.tabs`; choice of cases and thresholds: `shared_widgets`
* slices over CT and PET: `shared_widgets.slices`
"""
