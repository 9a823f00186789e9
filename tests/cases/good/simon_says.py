import random

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


class SimonSays:
    """A game of memory."""

    MOVES = ("left", "right", "up", "down")

    def __init__(self, robot: ReachyMini, seed: int) -> None:
        self.robot = robot
        self.rng = random.Random(seed)
        self.sequence: list[str] = []

    def extend(self) -> None:
        self.sequence.append(self.rng.choice(self.MOVES))

    def show(self) -> None:
        poses = {
            "left": create_head_pose(yaw=20),
            "right": create_head_pose(yaw=-20),
            "up": create_head_pose(pitch=-15),
            "down": create_head_pose(pitch=15),
        }
        for move in self.sequence:
            self.robot.goto_target(poses[move], duration=0.3)
            self.robot.goto_target(create_head_pose(), duration=0.3)


def simon_says(robot: ReachyMini, rounds: int = 3, seed: int = 1) -> list[str]:
    """Show a growing sequence of moves.

    Args:
        rounds: How long the sequence becomes.
        seed: Which sequence.

    Returns:
        The sequence.
    """
    game = SimonSays(robot, seed)
    for _ in range(rounds):
        game.extend()
        game.show()
    return game.sequence
