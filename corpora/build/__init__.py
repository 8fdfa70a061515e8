"""What the checked-in corpora are made from: `colconf corpus build` writes them, by format.

    areas/*   recipes: a plan, the clause it is about, what is asked of it; of ORC, orc/areas/*
    formats   what differs between the two
    make      a recipe becomes a file and its case
    store     cases become files, or are compared with those that are there

To add a case, yield a `Recipe` in the module of its area, then run `colconf corpus build` and
`colconf corpus lint`. The cases of broken rules come from `properties/corpus.py`.
"""
