"""6. Measure what was done: recount promises, losses and risks, certify, and report.

| file or folder | holds |
|---|---|
| `prechecks/` | refusals before rows are divided |
| `gate`, `recount`, `promised`, `coverage`, `requirements` | promises recounted from cells alone |
| `coded_levels` | no cell of a hierarchy is finer or coarser than its recipe allows |
| `coded_ends` | nothing is published beyond the ends of a coded column, or off its step |
| `nesting` | any two values of a column are equal, nested or disjoint, where it is promised |
| `kept_columns`, `kept_counts`, `kept_risks`, `identifiers` | columns published as they are |
| `counterfeits` | rows of nobody, counted group by group; people without them |
| `overlap_gate` | the gate for rows with boxes of their own |
| `fingerprint` | one hash of the rows of a release, as a set |
| `losses/`, `loss_by_column` | what was lost; a new loss is one file |
| `optimality_gap`, `squared_error_bound` | how far that is above what is proven of all groupings |
| `risks/`, `sources`, `population_matches`, `weights` | who can be found; a new risk is one file |
| `exposed_rows` | the rows that are easiest to find, and the columns that give them away |
| `effects/` | what a distortion does to values and clusters; a new effect is one file |
| `what_is_left` | shares of cells that are exact, widened or lost, by column |
| `release_summary`, `audit_screen`, `inspection_screen` | results in a few lines for people |
| `partial_counts` | counts of parts of a release, and their sums |
| `across_releases` | a release together with earlier ones, as its certificate states it |
| `certificate_format` | every field of a certificate, declared once |
| `certificate_format_1` | the fields of format 1, which is read and no longer written |
| `certificate`, `measured_model` | the two parts of a certificate, and figures as they state them |
| `certificate_reading`, `certificate_schema` | certificates from JSON, and their JSON Schemas |
| `certificate_check`, `overlap_check`, `distortion_check` | a release against its certificate |
| `certificate_values` | figures and lists that no certificate can have |
| `origin` | whether a release was made from an original |
| `verdict` | what became of a certificate and its signature, in one line |
| `audit`, `wildcard` | any table, measured from its published values |
| `inspection`, `inspected_column` | suggested roles, and the columns that single people out |
| `vocabulary` | roles that names of columns tell |
| `person_columns` | columns that say whose row it is, by their names |
| `suggested_command` | what an inspection suggests, as a command and as a call of Python |
| `report/`, `charts` | pages and pictures for people |
"""
