"""Inference: untrusted ONNX models run and untrusted images are decoded in confined child processes."""
