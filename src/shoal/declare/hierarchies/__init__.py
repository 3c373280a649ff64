"""Hierarchies: files in ARX's CSV form, intervals, masks, dates, nested dicts, flat."""
