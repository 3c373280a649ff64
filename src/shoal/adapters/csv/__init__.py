"""CSV files: whole tables, files read part by part, encodings, and types of columns."""
