"""The control set: small, trivially valid files of each format, with queries that any reader can answer."""
