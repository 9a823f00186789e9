# stopped: memory_bytes
def allocate() -> int:
    kept = [0]
    while True:
        kept = kept * 2
