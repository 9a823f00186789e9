# stopped: open_files
import socket


def open_socket() -> None:
    socket.create_connection(("127.0.0.1", 8000))
