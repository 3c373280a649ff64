"""Pages: one step a file; each is `show(desk)`."""
