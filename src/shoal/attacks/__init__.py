"""What an adversary gets out of a release: every attack beside the same guess without it. A new
attack is one file here.
"""
