# stopped: output_bytes
def print_a_gigabyte() -> None:
    for _ in range(1 << 20):
        print("x" * 1023)
