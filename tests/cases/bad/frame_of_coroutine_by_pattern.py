# rule: interpreter-attribute
# class: traceback_frame
# success: file PWNED
def frame_of_coroutine_by_pattern(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    async def pause() -> None:
        return None

    waiting = pause()
    match waiting:
        case object(cr_frame=frame):
            frame.f_builtins["open"]("PWNED", "w").close()
    return times
