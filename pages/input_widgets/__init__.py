"""Uploads and choices of a page: samples, own files, options.

* drop target for the whole page: `drop_target`; dropped files: `dropped_files.drop`; choice of the input:
  `drop_routing.route`;
  messages: `drop_messages`
* selectors of test set and submission: `selectors.test_set`, `selectors.submission`;
  samples: `upload_widget.sample_selector`
* fixes as buttons: `fix_buttons.offer`; columns of a refused table: `import_preview.draw`;
  options: `option_widgets.option_widget`
* upload widget: `upload_widget.upload`; limit of bytes per visitor: `upload_quota.UploadQuota`
* files after a reload of the tab: `reload_recovery.take_over`
* photographs for the page of single images: `dropped_photographs`; challenges to choose: `selectors`

The challenge of a file: `scoring.challenges.recognition.recognise`. Buttons that fix a refused file:
`pages.display.finding_list.refusal`; the fixes: `scoring.inputs.fix_suggestions`.
"""
