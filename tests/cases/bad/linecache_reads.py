# rule: unlisted-import
# class: whitelisted_io
# success: returns /etc/hostname
import linecache


def linecache_reads(times: int = 2) -> str:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    return linecache.getline("/etc/hostname", 1)
