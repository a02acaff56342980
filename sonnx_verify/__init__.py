"""Formal specifications of ONNX operators, and their verification by SMT solvers."""

__version__ = "0.1.0"
