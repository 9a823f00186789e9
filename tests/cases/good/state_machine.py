import time
from enum import Enum, auto

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


class State(Enum):
    IDLE = auto()
    LOOK = auto()
    NOD = auto()
    DONE = auto()


NEXT = {State.IDLE: State.LOOK, State.LOOK: State.NOD, State.NOD: State.DONE}


def state_machine(robot: ReachyMini) -> list[str]:
    """Go through the states of a small behaviour.

    Returns:
        The states that were passed.
    """
    state = State.IDLE
    passed: list[str] = []
    while state is not State.DONE:
        passed.append(state.name)
        if state is State.IDLE:
            time.sleep(0.5)
        elif state is State.LOOK:
            robot.goto_target(create_head_pose(yaw=25), duration=0.6)
        elif state is State.NOD:
            robot.goto_target(create_head_pose(yaw=25, pitch=10), duration=0.3)
            robot.goto_target(create_head_pose(), duration=0.8)
        state = NEXT[state]
    return passed
