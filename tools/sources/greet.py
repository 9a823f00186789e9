from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def greet(robot: ReachyMini, waves: int = 2) -> str:
    """Greet somebody: raise the head a little, wave both antennas, and nod once.

    Args:
        robot: The robot.
        waves: How often the antennas wave, between 1 and 6.

    Returns:
        What was done.

    Raises:
        ValueError: If waves is out of range.
    """
    if not 1 <= waves <= 6:
        raise ValueError("waves must be between 1 and 6")
    robot.goto_target(head=create_head_pose(z=8, pitch=-6, mm=True), duration=0.6, body_yaw=None)
    for _ in range(waves):
        robot.goto_target(antennas=[-0.7, 0.2], duration=0.35, body_yaw=None)
        robot.goto_target(antennas=[-0.2, 0.7], duration=0.35, body_yaw=None)
    robot.goto_target(head=create_head_pose(pitch=12), antennas=[-0.1745, 0.1745], duration=0.5, body_yaw=None)
    robot.goto_target(head=create_head_pose(), duration=0.5, body_yaw=None)
    return f"greeted with {waves} waves"
