"""Untrusted ONNX models and untrusted images: looked at and run in a confined child process, never in the
server itself."""
