"""anonymity-api: Mondrian that cuts numbers alone; texts are generalized by their hierarchies."""

from anonymity_api.anonymity import k_anonymity
from exchange import Asked, serve


def anonymity_api(asked: Asked) -> object:
    trees = {name: path for name, path in asked.trees.items() if name != "age"}
    return k_anonymity(asked.frame, asked.quasi, asked.k, taxonomies=trees)


serve(anonymity_api)
