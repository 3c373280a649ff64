"""Each row gets a box of its own, and boxes overlap: less loss than groups, and other promises."""
