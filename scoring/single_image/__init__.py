"""One image and one model: the output of the model, its uncertainty, saliency maps, and its results on
similar cases. It is no diagnosis.

* decode a visitor's picture and drop its metadata: `photograph.received`; turn and crop it:
  `turn_and_crop.framed`; a region of a whole slide: `whole_slide.opened`
* output for the picture and seven turned or mirrored copies: `image_prediction.predict`,
  `image_prediction.turned`
* quality badges: `quality.photograph_chips`, `likeness.likeness_chip`; difference from the test images:
  `out_of_distribution.known_images`
* reasons for no answer: `abstention.reasons_of`
* heat maps: `occlusion_saliency`, `random_mask_saliency`, together `explanation.explanation`;
  `whole_picture_test`
* outputs that an official challenge refuses for their scale: `outputs_on_any_scale.raw_predictions`
* similar cases, possible classes (prediction sets): `similar_cases.right_alike`, `similar_cases.class_set`;
  images of the same patient or lesion: `patients_and_lesions.patients_and_lesions`
* how good the model is: `model_card.model_card`; threshold: `operating_threshold.operating_point`
* output for another age, sex or body site: `other_demographics.sweep`; two photographs or two models:
  `side_by_side`
* up to twenty images: `image_session.ImageQueue`;
  a reader's assessments with and without the model: `reader_study.compared`
* nuclei of a tile: `nuclei.detected`; sentences of the page: `wording`; record of a result for download:
  `image_record.document`; parts of the record as JSON values: `image_record_parts.of_card`
* loading and checking the model: `model.opened`; age, sex and site as its input: `model_inputs.vector`
* a heat map: `saliency.SaliencyMap`
* stored measurements of the sample images: `saved_measures.saved`
"""
