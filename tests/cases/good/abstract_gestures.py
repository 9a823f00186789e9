from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


class Gesture(ABC):
    """Something to show."""

    @abstractmethod
    def show(self, robot: ReachyMini) -> None:
        """Show it."""


@dataclass
class Path(Gesture):
    """A way through several angles."""

    angles: list[np.ndarray]
    duration: float = 0.5

    def show(self, robot: ReachyMini) -> None:
        for yaw, pitch in self.angles:
            robot.goto_target(create_head_pose(yaw=float(yaw), pitch=float(pitch)), duration=self.duration)


class Twitch(Gesture):
    """A twitch of the antennas."""

    def show(self, robot: ReachyMini) -> None:
        robot.goto_target(antennas=np.array([0.3, -0.3]), duration=0.2)
        robot.goto_target(antennas=np.zeros(2), duration=0.2)


def abstract_gestures(robot: ReachyMini, size: float = 10.0) -> list[str]:
    """Show a few gestures, each in its own way.

    Args:
        size: How large, in degrees.

    Returns:
        What was shown.
    """
    square = [size * np.array(corner) for corner in [(1, 0.5), (1, -0.5), (-1, -0.5), (-1, 0.5), (0, 0)]]
    gestures: list[Gesture] = [Twitch(), Path(square, duration=0.4), Twitch()]
    for gesture in gestures:
        gesture.show(robot)
    return [f"{type(gesture).__name__}, a path: {isinstance(gesture, Path)}" for gesture in gestures]
