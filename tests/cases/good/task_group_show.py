import asyncio

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


async def task_group_show(robot: ReachyMini, beats: int = 4) -> list[str]:
    """Let three tasks share the robot, and collect what they did.

    Args:
        beats: How many beats.

    Returns:
        The order of events.
    """
    events: list[str] = []
    ready = asyncio.Event()

    async def conductor() -> None:
        for beat in range(beats):
            events.append(f"beat {beat}")
            await asyncio.sleep(0.25)
        ready.set()

    async def dancer() -> None:
        side = 1
        while not ready.is_set():
            robot.set_target(head=create_head_pose(roll=8 * side))
            side = -side
            await asyncio.sleep(0.25)
        events.append("dancer rests")

    async def audience() -> None:
        await ready.wait()
        events.append("applause")

    async with asyncio.TaskGroup() as group:
        group.create_task(conductor())
        group.create_task(dancer())
        group.create_task(audience())
    return events
