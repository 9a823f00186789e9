# rule: forbidden-builtin
# class: call_free_exec
# success: file PWNED
import json


def exec_by_json_hook(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    json.loads('{"a": 1}', object_pairs_hook=lambda pairs: open("PWNED", "w").close())
    return times
