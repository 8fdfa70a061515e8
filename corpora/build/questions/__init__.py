"""Probes derived from a file: queries whose constants stand in the file's own statistics, indexes and values.

| module           | holds                                                                       |
|------------------|-----------------------------------------------------------------------------|
| `columns`        | `ColumnFacts`: what is known of a column that a predicate can test          |
| `parquet_facts`  | facts of Parquet files: statistics, page index, Bloom filters, dictionaries |
| `orc_facts`      | facts of ORC files: statistics of file and stripes, row index, filters      |
| `marks`          | properties of columns that readers are known to fail on, with their weights |
| `constants`      | neighbours of a value in its type's order, special values                   |
| `of_column`      | the queries of one column, the most telling first                           |
| `of_file`        | queries of two columns, projections, row groups, batches                    |
| `answers`        | how large the answer of a query is                                          |
| `budget`         | which of all queries are asked                                              |
| `derive`         | a file's probes                                                             |
"""
