"""The numpy evaluator: an operator specification, run on arrays by a program that is made of its terms."""
