"""snug with a real MCP server by streamable HTTP: server-everything of the protocol's authors, by npm.

usage: SNUG=PROGRAM run_web.py BUILD_DIR

As run.py, of the same packages.
"""
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "npm"))
import npm

HERE = pathlib.Path(__file__).parent
FOLDER = pathlib.Path(sys.argv[1], "tests/mcp")
SECONDS = 120

NODE = npm.install(HERE, FOLDER, "the server")
SERVER = FOLDER / "node_modules/@modelcontextprotocol/server-everything/dist/index.js"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Everything(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        port = free_port()
        server = subprocess.Popen([NODE, SERVER, "streamableHttp"], env={**os.environ, "PORT": str(port)},
                                  stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        cls.addClassCleanup(lambda: (server.kill(), server.communicate()))
        for line in server.stderr:
            if re.search("listening", line):
                break
        cells = {
            "text": "all.echo(message='hello')",
            "structured": "all.get_structured_content('Chicago')",
            "blocks": "all.get_tiny_image()",
            "wrong": "all.get_sum('x', 1)",
            "together": "import asyncio\nawait asyncio.gather(*[all.echo(str(n)) for n in range(8)])",
            "long": "all.trigger_long_running_operation(duration=2, steps=4)",
        }
        words = [word for source in cells.values() for word in ("-c", source.replace("all.", "every."))]
        done = subprocess.run([os.environ["SNUG"], "run", "--json", "--keep-going", "--upstream",
                               f"every=http://127.0.0.1:{port}/mcp", *words],
                              capture_output=True, text=True, encoding="utf-8", timeout=SECONDS)
        lines = done.stdout.splitlines()
        if len(lines) != len(cells):
            raise AssertionError(f"{len(lines)} answers; stderr: {done.stderr}")
        cls.results = dict(zip(cells, map(json.loads, lines)))

    def value(self, name):
        result = self.results[name]
        self.assertEqual(result["status"], "ok", result["error"])
        return result["value"]["json"]

    def test_text_is_a_string(self):
        self.assertEqual(self.value("text"), "Echo: hello")

    def test_structured_content_is_the_answer(self):
        self.assertIsInstance(self.value("structured")["temperature"], (int, float))

    def test_other_content_is_a_list_of_blocks(self):
        self.assertIn("image", [block["type"] for block in self.value("blocks")])

    def test_an_error_of_the_tool_is_an_exception(self):
        self.assertEqual(self.results["wrong"]["error"]["name"], "ToolError")

    def test_calls_are_awaited_side_by_side(self):
        self.assertEqual(self.value("together"), [f"Echo: {n}" for n in range(8)])

    def test_an_answer_behind_progress_comes(self):
        self.assertIn("completed", self.value("long"))


unittest.main(argv=sys.argv[:1])
