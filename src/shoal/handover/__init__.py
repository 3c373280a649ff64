"""Folder, figures and commands with which command line and studio hand a release over."""
