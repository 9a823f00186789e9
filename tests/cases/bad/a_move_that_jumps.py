# layer: rehearsal
# class: robot_motion_abuse
# success: out of range
from reachy_mini import ReachyMini
from reachy_mini.motion.move import Move
from reachy_mini.utils import create_head_pose


class Jump(Move):
    """Jumps about."""

    @property
    def duration(self) -> float:
        return 2.0

    def evaluate(self, t: float) -> tuple:
        side = 1 if int(50 * t) % 2 else -1
        return create_head_pose(x=80 * side, z=60 * side, pitch=70 * side, mm=True), [9.0 * side, 9.0], 9.0 * side


def a_move_that_jumps(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    robot.play_move(Jump())
    return times
