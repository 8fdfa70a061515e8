"""What the checked-in corpus is made from: `colconf corpus build` writes `corpora/parquet`.

    areas/*   recipes: a plan, the clause it is about, what is asked of it
    make      a recipe becomes a file and its case
    store     cases become files, or are compared with those that are there

To add a case, yield a `Recipe` in the module of its area, then run `colconf corpus build` and
`colconf corpus lint`. The cases of broken rules come from `properties/corpus.py`.
"""
