"""The Spark engine: a DataFrame in, a DataFrame out, divided in shards on the cluster."""
