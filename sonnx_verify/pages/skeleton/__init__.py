"""The first page and formal text of an operator, from what ONNX says of its signature alone."""
