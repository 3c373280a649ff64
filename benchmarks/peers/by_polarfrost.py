"""polarfrost: Mondrian over Polars. It joins the sensitive values of a group into one text; the row
number stands in for them, so that rows are known.
"""

import pandas as pd
import polars as pl
from exchange import Asked, serve
from polarfrost import mondrian_k_anonymity


def polarfrost(asked: Asked) -> object:
    texts = [name for name in asked.quasi if name != "age"]
    people = pl.from_dict({name: asked.frame[name].tolist() for name in asked.frame.columns})
    groups = mondrian_k_anonymity(people, asked.quasi, "row", asked.k, texts)
    released = pd.DataFrame(groups.to_dict(as_series=False))
    released["row"] = released["row"].str.split(",")
    return released.explode("row")


serve(polarfrost)
