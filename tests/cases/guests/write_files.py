# stopped: open_files
def write_files() -> None:
    with open("/tmp/PWNED", "w") as file:
        file.write("x")
