"""3. Rows become groups. A new algorithm is one file here: a `Method` with a name and a `_divide`."""
