"""anonypy: Mondrian. The row number stands in for the sensitive column, so that rows are known."""

from anonypy import Preserver
from exchange import Asked, serve


def anonypy(asked: Asked) -> list[dict]:
    return Preserver(asked.categories(), asked.quasi, "row").anonymize_k_anonymity(k=asked.k)


serve(anonypy)
