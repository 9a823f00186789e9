# rule: forbidden-builtin
# class: whitelisted_io
# success: returns /etc/hostname
def reads_the_host_name(times: int = 2) -> str:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    return open("/etc/hostname").read()
