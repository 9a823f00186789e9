import random
import time

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def random_idle(robot: ReachyMini, seconds: float = 6.0, seed: int | None = None) -> list[str]:
    """Behave as if idle: glance, tilt, twitch or wait, by chance.

    Args:
        seconds: For how long.
        seed: The same seed gives the same behaviour.

    Returns:
        What was done.
    """
    rng = random.Random(seed) if seed is not None else random.Random()
    done: list[str] = []

    def glance():
        robot.goto_target(create_head_pose(yaw=rng.uniform(-20, 20), pitch=rng.uniform(-8, 8)), duration=0.6)

    def tilt():
        robot.goto_target(create_head_pose(roll=rng.gauss(0, 5)), duration=0.5)

    def twitch():
        robot.goto_target(antennas=[rng.uniform(-0.4, 0.4), rng.uniform(-0.4, 0.4)], duration=0.3)

    def wait():
        time.sleep(rng.expovariate(2.0))

    actions = {"glance": glance, "tilt": tilt, "twitch": twitch, "wait": wait}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        name = rng.choices(list(actions), weights=[3, 2, 2, 1])[0]
        actions[name]()
        done.append(name)
    return done
