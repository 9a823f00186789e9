# rule: interpreter-attribute
# class: traceback_frame
# success: file PWNED
import asyncio


async def stack_of_task(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    task = asyncio.current_task()
    task.get_stack()[0].f_builtins["open"]("PWNED", "w").close()
    return times
