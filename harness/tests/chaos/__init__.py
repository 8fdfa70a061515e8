"""A campaign of kills and damage (`tox -e chaos`): each trial ends with equal results or a named refusal."""
