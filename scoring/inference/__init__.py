"""Untrusted ONNX models run, and untrusted images and tables read, in confined child processes.

* model file scanned before it is loaded (operators, external files, sizes): `onnx_scan.scan`
* contract (inputs, outputs) and preflight with trial runs: `model_contract.examine`, `preflight.inspect`
* axes, types and batch adapted: `adapters.Adapter`;
  operators added (softmax, order): `model_edits.edited_model`
* model run over a test set, a process per core: `run_model.run`, `model_pool.run_on_all`;
  on a cluster: `cluster`
* places of visitors' models; a slow one that blocks nobody: `open_models.HeldModels`,
  `fair_semaphore.FairSemaphore`
* child process started, and a time limit for every request to it: `timed_worker.WorkerProcess`
* child process confined (no network, no files, memory), by itself: `worker.main`, `sandbox.confine`
* tables and documents read in a confined process: `reader_pool.ReaderPool`
* pictures and DICOM decoded, freed of names and places: `image_sanitizer.upright`;
  cached: `image_cache.PictureCache`
* images as tensors for models: `preprocessing.prepared`; for people: `thumbnails.thumbnails`
* what a challenge wants of a model: `challenge_task`, `single_image_task`;
  of one that classifies: `classifiers`
* child process of a model: `model_process.ModelProcess`; inside it: `worker.main`, `reader_worker.main`
* channel to it: `worker_protocol`, `worker_results`; layers that are missing: `sandbox_layers.check`
* processor or GPU: `devices`; resizing as Pillow: `resampling`; picture of a DICOM file: `dicom.picture`

Are outputs probabilities, logits or percent?: `scoring.metrics.output_kinds.output_kind`, `are_percent`.
"""
