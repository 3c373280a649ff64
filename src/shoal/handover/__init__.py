"""What the command line and the studio share when a release is handed over: folder, figures,
commands.
"""
