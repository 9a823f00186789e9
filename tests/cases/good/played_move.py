from reachy_mini import ReachyMini
import numpy as np
from reachy_mini.motion.move import Move
from reachy_mini.utils import create_head_pose


class Sway(Move):
    """Sway."""

    @property
    def duration(self) -> float:
        """Seconds."""
        return 2.0

    def evaluate(self, t: float) -> tuple[np.ndarray, np.ndarray, float]:
        """Where to be at a time."""
        return create_head_pose(yaw=10 * np.sin(t)), np.array([0.1, -0.1]), 0.0


def played_move(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    robot.play_move(Sway(), initial_goto_duration=0.5)
    return times
