import random
from enum import Enum

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


class Hand(Enum):
    ROCK = "rock"
    PAPER = "paper"
    SCISSORS = "scissors"

    def beats(self, other: "Hand") -> bool:
        """Whether this hand wins."""
        return (self, other) in {
            (Hand.ROCK, Hand.SCISSORS),
            (Hand.PAPER, Hand.ROCK),
            (Hand.SCISSORS, Hand.PAPER),
        }


def rock_paper_scissors(robot: ReachyMini, choice: str = "rock") -> str:
    """Play one round of rock, paper, scissors.

    Args:
        choice: rock, paper or scissors.

    Returns:
        Who won.
    """
    try:
        yours = Hand(choice.lower())
    except ValueError:
        return f"{choice!r} is no hand"
    mine = random.choice(list(Hand))
    for _ in range(3):
        robot.goto_target(create_head_pose(pitch=10), duration=0.25)
        robot.goto_target(create_head_pose(pitch=-5), duration=0.25)
    if mine is yours:
        return f"a draw, both {mine.value}"
    if mine.beats(yours):
        robot.goto_target(antennas=[-1.0, 1.0], duration=0.4)
        return f"I win with {mine.value}"
    robot.goto_target(create_head_pose(pitch=20), antennas=[-2.0, 2.0], duration=0.8)
    return f"you win, I had {mine.value}"
