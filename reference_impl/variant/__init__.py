"""Variant: semi-structured values in two binaries, and shredded into typed columns.

Knows bytes and columns, and nothing of Parquet or ORC: VariantEncoding.md and VariantShredding.md of
parquet-format, and the draft of both from before their adoption.
"""
