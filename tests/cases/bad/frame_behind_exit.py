# rule: interpreter-attribute
# class: traceback_frame
# success: file PWNED


class Guard:
    """Looks at what went wrong."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, value: object, trace: object) -> bool:
        while trace.tb_next is not None:
            trace = trace.tb_next
        trace.tb_frame.f_builtins["open"]("PWNED", "w").close()
        return True


def frame_behind_exit(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    with Guard():
        raise ValueError(times)
    return times
