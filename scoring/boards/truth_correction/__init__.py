"""Correction of a truth: `correction_preview.correction` previews it, `rescoring.rescore` scores every
submission again."""
