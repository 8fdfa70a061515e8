"""Smaller files with the same finding.

    subject (case, engine, signature) ──► search: reductions, coarse before fine ──► folder, smallest file
                                              │ candidate         ▲ same signature, nothing new broken
                                              └──► requests: engine and reference in their children, judged

* `subject`: the finding: a case, and the configuration and query of an engine that show the problem.
* `requests`: the observations of a candidate, judged by the code of a run, which also gives the signature.
* `plans`: smaller plans of generated files, which come first.
* `reductions`: all reductions: `parquet`, `rows`, `values`, `orc`, `orc_rows`, `fields`, `names`, `raw`.
* `search`: the order of reductions and the choice of candidates; the best file so far is always on disk.
"""
