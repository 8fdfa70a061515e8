"""Smaller files with the same finding.

    subject (case, engine, signature) ──► search: reductions, coarse before fine ──► folder, smallest file
                                              │ candidate         ▲ same signature, nothing new broken
                                              └──► asking: engine and reference in their children, judged

* `subject`: what is asked about: a case, and of what an engine shows of it, one configuration and query.
* `asking`: what the engine shows of a candidate, judged by the same code as a run, whose signature it has.
* `plans`: smaller plans of generated files, which come first.
* `reductions`: all there are: `parquet`, `rows`, `values`, `orc`, `orc_rows`, `fields`, `names`, `raw`.
* `search`: which of them to try, and what to keep; the best so far is always on disk.
"""
