# stopped: memory_bytes
def return_a_gigabyte() -> str:
    return "x" * (1 << 30)
