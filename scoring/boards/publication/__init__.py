"""Publication of a board. No case of a hidden truth is published.

* report for the public: `public_report.html`; BIAS checklist: `bias_checklist.bias_checklist`
* zip of both, with scores and metadata: `publication_archive.publication`
"""
