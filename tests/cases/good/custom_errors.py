from reachy_mini import ReachyMini


class TooTiredError(Exception):
    """The robot wants to rest."""

    def __init__(self, energy: int) -> None:
        super().__init__(f"energy is only {energy} %")
        self.energy = energy


def _exercise(robot: ReachyMini, energy: int) -> int:
    if energy < 20:
        raise TooTiredError(energy)
    robot.goto_target(antennas=[0.5, -0.5], duration=0.3)
    robot.goto_target(antennas=[-0.5, 0.5], duration=0.3)
    return energy - 15


def custom_errors(robot: ReachyMini, energy: int = 50) -> str:
    """Exercise until tired.

    Args:
        energy: Per cent of energy at the start, between 0 and 100.

    Returns:
        Why it ended.
    """
    rounds = 0
    try:
        while True:
            energy = _exercise(robot, energy)
            rounds += 1
    except TooTiredError as tired:
        return f"{rounds} rounds, then {tired} ({tired.energy})"
    finally:
        robot.goto_target(antennas=[0.0, 0.0], duration=0.3)
