"""Formal specification and verification of the operators of SONNX, the safety-related profile of ONNX."""

__version__ = "0.1.0"
