"""Pages: draw the steps, one step a file; each has `show(desk)`."""
