import numpy as np

from reachy_mini import ReachyMini
from reachy_mini.motion.move import Move
from reachy_mini.utils import create_head_pose


class Nod(Move):
    """A nod as a function of time."""

    def __init__(self, depth: float, length: float) -> None:
        self.depth = depth
        self.length = length

    @property
    def duration(self) -> float:
        return self.length

    def evaluate(self, t: float):
        pitch = self.depth * np.sin(np.pi * t / self.length) ** 2
        antennas = np.array([-pitch, pitch]) / 60.0
        return create_head_pose(pitch=pitch), antennas, 0.0


def recorded_nod(robot: ReachyMini, depth: float = 12.0) -> float:
    """Play a nod as a move.

    Args:
        depth: How deep, in degrees.

    Returns:
        Its duration in seconds.
    """
    nod = Nod(depth, 1.5)
    robot.play_move(nod, initial_goto_duration=0.5)
    return nod.duration
