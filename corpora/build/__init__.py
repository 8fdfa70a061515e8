"""The recipes of the checked-in corpora, which `colconf corpus build` writes for each format.

    areas/*   recipes of Parquet: a plan, its clause and its queries; orc/areas/* has the recipes of ORC
    formats   the differences between the formats
    make      turns a recipe into a file and its case
    store     writes the cases into a folder, or compares them with a folder

To add a case, yield a `Recipe` in the module of its area, then run `colconf corpus build` and
`colconf corpus lint`. The cases of broken rules come from `properties/corpus.py`.
"""
