"""One image and one model: its output, uncertainty, saliency and performance on similar cases, no diagnosis.

* own picture received, metadata removed: `photograph.received`; turned and cropped: `turn_and_crop.framed`
* output and seven turned or mirrored copies: `image_prediction.predict`, `image_prediction.turned`
* quality badges: `quality.photograph_chips`; too unlike the test images?: `out_of_distribution.known_images`
* reasons for no answer: `abstention.reasons_of`
* heat maps: `occlusion_saliency`, `random_mask_saliency`, together `explanation.explanation`;
  `whole_picture_test`
* similar cases, possible classes (prediction sets): `similar_cases.right_alike`, `similar_cases.class_set`
* how good the model is: `model_card.model_card`; threshold: `operating_threshold.operating_point`
* another age, sex or site: `other_demographics.sweep`; two photographs or models: `side_by_side`
* up to twenty images: `image_session.ImageQueue`;
  impressions with and without the model: `reader_study.compared`
* nuclei of a tile: `nuclei.detected`; sentences: `wording`; record to download: `image_record.document`
* the model, loaded and checked: `model.opened`; age, sex and site as its input: `model_inputs.vector`
* value of a heat map: `saliency.SaliencyMap`
* measures of the sample images, kept in files: `saved_measures.saved`
"""
