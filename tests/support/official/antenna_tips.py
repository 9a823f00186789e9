"""Prints, by the official URDF, how far each antenna's centre of mass lies from the head's middle plane, in metres.

Arguments: angles in radians, the same for each antenna with the sign of its motor. Output: {"right": [...], "left": [...]},
one distance for each angle; right and left distances are both positive away from the head.
"""

import importlib.util
import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

# Only its files are needed, and importing the package would start with what is not installed here.
package = Path(importlib.util.find_spec("reachy_mini").origin).parent
description = package / "descriptions/reachy_mini/urdf/robot.urdf"
robot = ElementTree.parse(description).getroot()
above = {joint.find("child").get("link"): joint for joint in robot.findall("joint")}


def numbers(element: ElementTree.Element, key: str) -> list[float]:
    return [float(number) for number in element.get(key, "0 0 0").split()]


def rotation(axis: np.ndarray, angle: float) -> np.ndarray:
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def placed(origin: ElementTree.Element) -> np.ndarray:
    frame = np.eye(4)
    roll, pitch, yaw = numbers(origin, "rpy")
    x, y, z = np.eye(3)
    frame[:3, :3] = rotation(z, yaw) @ rotation(y, pitch) @ rotation(x, roll)
    frame[:3, 3] = numbers(origin, "xyz")
    return frame


def world(link: str, moved: str, angle: float) -> np.ndarray:
    if link not in above:
        return np.eye(4)
    joint = above[link]
    frame = placed(joint.find("origin"))
    if joint.get("name") == moved:
        turn = np.eye(4)
        turn[:3, :3] = rotation(np.array(numbers(joint.find("axis"), "xyz")), angle)
        frame = frame @ turn
    return world(joint.find("parent").get("link"), moved, angle) @ frame


links = {link.get("name"): link for link in robot.findall("link")}
distances = {}
for side, outwards in (("right", -1.0), ("left", 1.0)):
    name = f"{side}_antenna"
    link = next(link for link, joint in above.items() if joint.get("name") == name)
    centre = placed(links[link].find("inertial").find("origin"))
    # y points to the robot's left.
    distances[side] = [
        outwards * float((world(link, name, float(angle)) @ centre)[1, 3]) for angle in sys.argv[1:]
    ]
print(json.dumps(distances))
