"""Judgement: what differs, each difference once, and the answer that is made of it."""
