"""CSV files: whole tables, files read part by part, their encodings, and the types of their
columns.
"""
