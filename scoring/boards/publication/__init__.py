"""Publication of a board, without any case of a hidden truth.

* report for the public: `public_report.html`; BIAS checklist: `bias_checklist.bias_checklist`
* zip of both with numbers and metadata: `publication_archive.publication`
"""
