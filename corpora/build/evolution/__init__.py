"""Tables whose schema changes from file to file, and the ways to read them: made from a seed.

`members` has the schema of a table at some time, `steps` changes it, `history` makes files of each time,
`reads` the schemas that readers ask with, `cases` puts them together.
"""
