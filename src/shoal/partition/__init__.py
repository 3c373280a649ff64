"""3. Rows become groups. An algorithm is one file here: a `Method` with a name and a `_divide`."""
