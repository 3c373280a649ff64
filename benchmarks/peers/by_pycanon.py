"""pyCANON: measures k alone. It gets a Parquet file and the quasi-identifiers, and prints JSON."""

import json
import sys
import time

import pandas as pd
from pycanon import anonymity

path, quasi = sys.argv[1], sys.argv[2].split(",")
frame = pd.read_parquet(path)
begun = time.process_time()
k = anonymity.k_anonymity(frame, quasi)
print(json.dumps({"seconds": time.process_time() - begun, "k": int(k)}))
