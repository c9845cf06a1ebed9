"""One image and one model: its output, uncertainty, saliency and performance on similar cases, no diagnosis.

* a visitor's picture without metadata: `photograph.received`; turning and cropping: `turn_and_crop.framed`;
  a region of a slide: `whole_slide.opened`
* output for the picture and seven turned or mirrored copies: `image_prediction.predict`,
  `image_prediction.turned`
* quality badges: `quality.photograph_chips`, `likeness.likeness_chip`; difference from the test images:
  `out_of_distribution.known_images`
* reasons for no answer: `abstention.reasons_of`
* heat maps: `occlusion_saliency`, `random_mask_saliency`, together `explanation.explanation`;
  `whole_picture_test`
* outputs that an official challenge refuses for their scale: `outputs_on_any_scale.raw_predictions`
* similar cases, possible classes (prediction sets): `similar_cases.right_alike`, `similar_cases.class_set`
* how good the model is: `model_card.model_card`; threshold: `operating_threshold.operating_point`
* another age, sex or site: `other_demographics.sweep`; two photographs or two models: `side_by_side`
* up to twenty images: `image_session.ImageQueue`;
  impressions with and without the model: `reader_study.compared`
* nuclei of a tile: `nuclei.detected`; sentences: `wording`; record to download: `image_record.document`
* loading and checking the model: `model.opened`; age, sex and site as its input: `model_inputs.vector`
* a heat map: `saliency.SaliencyMap`
* stored measurements of the sample images: `saved_measures.saved`
"""
