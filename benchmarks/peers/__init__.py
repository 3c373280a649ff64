"""Other people's programs on the same rows, each in an environment of its own; none is required.

| file | holds |
|---|---|
| `environments` | installs a peer from PyPI into `build/peers`, once |
| `beside` | runs the peers and Shoal alike, and scores what each publishes |
| `exchange`, `by_anjana` and so on | what runs inside an environment: rows in, published rows out |
| `ByArx` | the same for ARX, a Java program; it runs where its jar is named |
"""
