# stopped: open_files
def open_files() -> str:
    with open("/etc/hostname") as file:
        return file.read()
