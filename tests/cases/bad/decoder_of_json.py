# rule: unlisted-attribute
# class: stdlib_leak
# success: file PWNED
import json


def decoder_of_json(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(json.decoder.scanner.re.enum.sys.modules['posix'].mkdir('PWNED'))
    return times
