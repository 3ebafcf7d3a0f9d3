"""A file system that keeps the promises: cores without I/O and the drivers around them.

Imports neither the specification nor the model, so that agreement with them means something.
"""
