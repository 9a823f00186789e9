from dataclasses import dataclass
from typing import Literal

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose

Mood = Literal["happy", "sad", "curious", "sleepy"]


@dataclass
class Pose:
    pitch: float = 0.0
    roll: float = 0.0
    antennas: tuple[float, float] = (0.0, 0.0)
    duration: float = 0.7


def mood_display(robot: ReachyMini, mood: Mood = "curious") -> str:
    """Show a mood.

    Args:
        mood: Which one.

    Returns:
        What was shown.
    """
    match mood:
        case "happy":
            poses = [Pose(pitch=-8, antennas=(0.5, -0.5), duration=0.4), Pose(pitch=4, antennas=(-0.2, 0.2), duration=0.4)] * 2
        case "sad":
            poses = [Pose(pitch=20, antennas=(-2.2, 2.2), duration=1.2)]
        case "curious":
            poses = [Pose(roll=15, antennas=(0.4, 0.1)), Pose(roll=-15, antennas=(-0.1, -0.4))]
        case "sleepy":
            poses = [Pose(pitch=p, antennas=(-0.1 * p, 0.1 * p), duration=0.9) for p in (5, 10, 15)]
        case _:
            raise ValueError(f"no such mood: {mood}")
    for pose in poses:
        robot.goto_target(
            create_head_pose(pitch=pose.pitch, roll=pose.roll), antennas=list(pose.antennas), duration=pose.duration
        )
    robot.goto_target(create_head_pose(), antennas=[0, 0], duration=1.0)
    return mood.upper()
