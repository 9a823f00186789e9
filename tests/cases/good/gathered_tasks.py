import asyncio

from reachy_mini import ReachyMini


async def gathered_tasks(robot: ReachyMini, seconds: float = 0.2) -> float:
    """Move the antennas while counting.

    Args:
        seconds: How long, between 0.1 and 5.

    Returns:
        The seconds that passed.
    """
    loop = asyncio.get_running_loop()
    start = loop.time()

    async def wave() -> None:
        robot.set_target(antennas=[0.2, -0.2])
        await asyncio.sleep(seconds)

    async with asyncio.TaskGroup() as group:
        group.create_task(wave())
        group.create_task(asyncio.sleep(seconds))
    return loop.time() - start
