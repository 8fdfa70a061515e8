"""What the checked-in corpus of ORC is made from; `corpora/build` says how."""
