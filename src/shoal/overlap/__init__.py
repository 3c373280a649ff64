"""Give each row a box of its own.

Boxes overlap, which loses less than groups and promises other things.
"""
