"""Untrusted ONNX models run, and untrusted images and tables read, in confined child processes.

A model file: `onnx_scan` before it is loaded, `model_contract` (inputs, outputs), `preflight` (all checks and
trial runs), `run_model` over a test set by `model_pool`. Confinement: `sandbox`; time limits: `timed_worker`;
tables and documents: `reader_pool`. Images: `image_sanitizer` decodes uploads,
`preprocessing` is for models, `thumbnails` for people.
"""
