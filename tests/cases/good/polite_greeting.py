from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def polite_greeting(robot: ReachyMini, name: str = "friend") -> str:
    """Greet somebody with a small bow.

    Args:
        name: Who is greeted.

    Returns:
        The greeting.
    """
    robot.goto_target(head=create_head_pose(pitch=18), antennas=[-0.3, 0.3], duration=0.8, body_yaw=None)
    robot.goto_target(head=create_head_pose(), antennas=[0.0, 0.0], duration=0.8, body_yaw=None)
    return f"Good day, {name.strip().title()}!"
