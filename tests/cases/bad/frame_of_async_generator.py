# rule: interpreter-attribute
# class: traceback_frame
# success: file PWNED
def frame_of_async_generator(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    async def steps():
        yield times

    steps().ag_frame.f_builtins["open"]("PWNED", "w").close()
    return times
