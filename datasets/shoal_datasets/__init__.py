"""The public tables of Shoal's tests and benchmarks; `shoal.datasets` reads them.

`index.toml` names the creators, source, licence and changes of each.
"""

from pathlib import Path

FOLDER = Path(__file__).parent
"""Where the tables, hierarchies, licences and the index are."""
