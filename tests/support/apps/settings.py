"""An app that serves a page, as the settings of official apps do, and speaks over an upgraded connection."""

import http.client
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class App:
    custom_app_url: str | None = "http://0.0.0.0:@PORT@"


class Page(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.headers.get("Upgrade") == "echo":
            self.send_response(101)
            self.send_header("Connection", "Upgrade")
            self.send_header("Upgrade", "echo")
            self.end_headers()
            self.connection.sendall(self.connection.recv(64).upper())
            self.close_connection = True
            return
        self.reply({"path": self.path, "headers": dict(self.headers)})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        robot = http.client.HTTPConnection("localhost", 8000)
        robot.request("POST", "/api/move/goto", body, {"Content-Type": "application/json"})
        self.reply({"robot": robot.getresponse().status})

    def reply(self, value):
        text = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


server = ThreadingHTTPServer(("0.0.0.0", @PORT@), Page)
print("READY", flush=True)
server.serve_forever()
