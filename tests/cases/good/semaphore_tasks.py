import asyncio
from reachy_mini import ReachyMini


async def semaphore_tasks(robot: ReachyMini, workers: int = 3) -> str:
    """Let several tasks take turns with the antennas.

    Args:
        workers: How many tasks.

    Returns:
        Who came when.
    """
    lock = asyncio.Lock()
    order = []

    async def worker(number: int) -> int:
        async with lock:
            robot.goto_target(antennas=[0.1 * number, -0.1 * number], duration=0.3)
            order.append(number)
            await asyncio.sleep(0.1)
        return number**2

    tasks = [asyncio.create_task(worker(n)) for n in range(workers)]
    done, pending = await asyncio.wait(tasks, timeout=5.0)
    squares = sorted(task.result() for task in done)
    for task in pending:
        task.cancel()
    return f"{order=} {squares=}"
