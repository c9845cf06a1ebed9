"""Confined child processes that run untrusted ONNX models and read untrusted images and tables.

* scan of a model file before loading (operators, external files, sizes): `onnx_scan.scan`
* contract (inputs, outputs) and checks with trial runs: `model_contract.examine`, `preflight.inspect`
* convert inputs to other axes, types and batch sizes: `adapters.Adapter`; add operators to a model (softmax,
  order): `model_edits.edited_model`
* run of a model over a test set, one process per core: `run_model.run`, `model_pool.run_on_all`; on a
  cluster: `cluster`
* visitors' open models: `open_models.HeldModels`; fair turns, also if one model is slow:
  `fair_semaphore.FairSemaphore`
* start of a child process, with a time limit for every request: `timed_worker.WorkerProcess`
* confinement of the child process (no network, no files, memory): `image_worker.serve`, `sandbox.confine`
* reading of tables and documents in a confined process: `reader_pool.ReaderPool`
* decode pictures and DICOM without names and places: `image_sanitizer.upright`, in little memory: `bands`;
  cache of prepared images: `image_cache.PictureCache`; a region of a whole slide: `slide.region`
* images as tensors for models: `preprocessing.prepared`; for display: `thumbnails.thumbnails`
* what a challenge requires of a model: `challenge_task`, `single_image_task`; shared by classifiers:
  `classifiers`
* child process of a model or of images: `model_process.ModelProcess`, `model_process.ImageProcess`; inside
  one: `worker.main`, `image_worker.main`, `reader_worker.main`
* communication with the child process: `worker_protocol`, `worker_results`; missing layers of confinement:
  `sandbox_layers.check`
* processor or GPU: `devices`; resizing like Pillow: `resampling`; picture of a DICOM file: `dicom.picture`

Whether outputs are probabilities, logits or percent: `scoring.metrics.output_kinds.output_kind`,
`are_percent`.
"""
