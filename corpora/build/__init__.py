"""What the checked-in corpus is made from: `python -m corpora.build` writes `corpora/parquet`.

    areas/*   recipes: a plan, the clause it is about, what is asked of it
    make      a recipe becomes a file and its case
    store     cases become files, or are compared with those that are there

To add a case, yield a `Recipe` in the module of its area, run `colconf corpus build`, then `colconf corpus lint`.
"""
