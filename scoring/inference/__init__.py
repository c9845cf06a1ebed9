"""Run untrusted ONNX models and decode untrusted images, in a confined child process."""
