"""Looks for robots on the local network with the official SDK, and prints what it finds as one JSON document.

usage: find_robots.py SECONDS
"""

import json
import sys

from reachy_mini.utils.discovery import find_robots

found = [vars(robot) for robot in find_robots(float(sys.argv[1]))]
print(json.dumps(found, default=str))
