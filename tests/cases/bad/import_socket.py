# rule: unlisted-import
# class: unlisted_import
# success: none
import socket


def import_socket(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(socket.create_connection(("127.0.0.1", 1)))
    return times
