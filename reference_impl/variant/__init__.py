"""Variant: semi-structured values, as two binaries or shredded into typed columns.

The package depends on bytes and columns, not on Parquet or ORC: VariantEncoding.md and VariantShredding.md of
parquet-format, and the draft of both from before their adoption.
"""
