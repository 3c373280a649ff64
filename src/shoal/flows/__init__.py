"""Flows: from a table to a verified release. No flow knows an engine; `api/` hands one in.

| file | holds |
|---|---|
| `groups` | READ FIRST: rows become groups, one line for each stage, over any engine |
| `overlap`, `overlap_verified` | each row gets a box of its own; its certificate checked later |
| `distortion`, `distortion_attacks` | numbers are perturbed, and attacks try to undo it |
| `distortion_statements` | statements of a perturbed table that follow from others |
| `port` | what an engine must be able to do, and what travels between it and a flow |
| `limits` | what engines can't do, as data: refusals and documentation are made from it |
| `clock` | which stage is at work, its seconds, and the seed of a run |
| `declared` | a table in memory as rows on axes, once all that is wrong with it has been said |
| `repeated` | several rows about one person, looked for before the work |
| `preset_rules` | what a preset asks of columns, written into the recipe |
| `schemes` | a recipe that follows an earlier release, and the scheme of a release |
| `coded` | percentiles of a recipe as numbers, and notes about coded columns |
| `chosen_ladders` | bands that were chosen by the table, as far as a release shows them |
| `exposure` | what a table in memory shows, before and after |
| `staying` | what sticky groups would lose, where a release is refused beside earlier ones |
| `attacked` | the gate of attacks |
| `certified` | the two parts of a certificate |
"""
