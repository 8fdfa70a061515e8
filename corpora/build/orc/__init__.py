"""The recipes of the checked-in ORC corpus; `corpora/build` explains them."""
