"""One command, and a server of models at Ollama's port, in a network that has nothing else.

    unshare -n alone.py SNUG FOLDER WORD...

Runs SNUG ask WORD... in FOLDER with no more than PATH and HOME in its environment, and prints what came of it as JSON.
"""
import fcntl
import http.server
import json
import os
import socket
import struct
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "endpoint"))
from endpoint import Handler, Rules

PORT, SECONDS = 11434, 600


class Listing(Handler):
    """An endpoint that has a list of its models, too."""

    models = ()

    def do_GET(self):
        self.answer(200, "application/json", json.dumps({"data": [{"id": name} for name in self.models]}).encode())


class Local(Listing):
    models = ("nomic-embed-text:latest", "qwen3:8b")


def raise_loopback():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as some:
        fcntl.ioctl(some, 0x8914, struct.pack("16sh22x", b"lo", 0x1 | 0x40))  # SIOCSIFFLAGS: up, running


def main(program, folder, *words):
    raise_loopback()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Local)
    server.rules = Rules(json.loads(sys.stdin.read()))
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    done = subprocess.run([program, "ask", *words], cwd=folder, env={"PATH": os.environ["PATH"], "HOME": folder},
                          stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=SECONDS)
    print(json.dumps([done.returncode, done.stdout, done.stderr]))


if __name__ == "__main__":
    main(*sys.argv[1:])
