"""Minismith, the controller of the Reachy Mini robot, as a Python package that holds its programs."""
