"""Flows: from a table to a verified release. Read `groups` first."""
