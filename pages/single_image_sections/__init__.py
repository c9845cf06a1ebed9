"""Sections of the page of single images; `scoring.single_image` computes their content.

No data of a visitor's image outlive the session (`session_state`).

* choice of the image: `image_upload.chosen_source`, `case_of_test_set.chosen`; crop: `turn_and_crop.framed`;
  region of a slide: `slide_region.shown`; both with a `draggable_frame.draw`
* model and test set: `model_and_test_set.model_and_test_set`; processes of models: `model_processes.worker`
* answer with its cautions: `prediction.show`; layout: `photograph_layout.show`, `tile_layout.show`
* age, sex, site: `demographics.fields`; heat maps: `saliency_maps.made`; performance of the model:
  `performance.operating`
* session of images: `session_queue.take`, `reader_session.show`;
  two photographs, two models: `side_by_side.show`
* record to download: `record.show`
* shared by sections: `query.Query`, `chosen_image`; further photographs: `further_photographs`;
  tiles: `tile_nuclei`
"""
