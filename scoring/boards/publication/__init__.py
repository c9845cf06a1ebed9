"""Publication of a board: report for the public (`public_report.html`), `bias_checklist`, zip
(`publication_archive.publication`)."""
