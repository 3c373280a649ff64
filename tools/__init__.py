"""Programs for whoever works on Shoal; nothing here is installed."""
