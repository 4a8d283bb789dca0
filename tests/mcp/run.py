"""snug with a real MCP server: server-everything of the protocol's authors, by npm.

usage: SNUG=PROGRAM run.py BUILD_DIR stdio|web

Installed into the build folder as package-lock.json has it. Exit status 77, skipped, where there
is no npm, no Node.js 20, or no registry.
"""
import json
import os
import pathlib
import socket
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "npm"))
import npm

HERE = pathlib.Path(__file__).parent
FOLDER = pathlib.Path(sys.argv[1], "tests/mcp")
IS_WEB = sys.argv[2] == "web"
SECONDS = 600

NODE = npm.install(HERE, FOLDER, "the server")
SERVER = FOLDER / "node_modules/@modelcontextprotocol/server-everything/dist/index.js"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Everything(unittest.TestCase):
    CELLS = {
        "text": "every.echo(message='hello')",
        "numbers": "every.get_sum(a=2, b=40)",
        "structured": "every.get_structured_content('Chicago')",
        "left out": "every.get_annotated_message('error')",
        "blocks": "every.get_tiny_image()",
        "wrong": "every.get_sum('x', 1)",
        "awaited": "import asyncio\nawait asyncio.gather(*[every.echo(str(n)) for n in range(8)])",
        "threads": "import asyncio\nasync def call(n): return await asyncio.to_thread(every.echo, str(n))\n"
                   "await asyncio.gather(*[call(n) for n in range(8)])",
        "long": "every.trigger_long_running_operation(duration=2, steps=4)",
        "names": "sorted(name for name in dir(every) if name.startswith('get_'))",
        "signature": "import inspect; str(inspect.signature(every.get_annotated_message))",
    }

    @classmethod
    def place(cls):
        """Where the server is, started if it is not for snug to do."""
        if not IS_WEB:
            return f"'{NODE}' '{SERVER}' stdio"
        port = free_port()
        server = subprocess.Popen([NODE, SERVER, "streamableHttp"], env={**os.environ, "PORT": str(port)},
                                  stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        cls.addClassCleanup(lambda: (server.kill(), server.communicate()))
        next(line for line in server.stderr if "listening" in line)
        return f"http://127.0.0.1:{port}/mcp"

    @classmethod
    def setUpClass(cls):
        words = [word for source in cls.CELLS.values() for word in ("-c", source)]
        done = subprocess.run([os.environ["SNUG"], "run", "--json", "--keep-going", "--threads", "4",
                               "--upstream", "every=" + cls.place(), *words],
                              capture_output=True, text=True, encoding="utf-8", timeout=SECONDS)
        lines = done.stdout.splitlines()
        if len(lines) != len(cls.CELLS):
            raise AssertionError(f"{len(lines)} answers; stderr: {done.stderr}")
        cls.results = dict(zip(cls.CELLS, map(json.loads, lines)))

    def value(self, name):
        result = self.results[name]
        self.assertEqual(result["status"], "ok", result["error"])
        return result["value"]["json"]

    def test_its_tools_are_functions_under_names_of_python(self):
        self.assertIn("get_structured_content", self.value("names"))

    def test_required_parameters_come_first(self):
        self.assertEqual(self.value("signature"), "(messageType: str, includeImage: bool = False)")

    def test_text_is_a_string(self):
        self.assertEqual(self.value("text"), "Echo: hello")
        self.assertIn("42", self.value("numbers"))

    def test_structured_content_is_the_answer(self):
        self.assertIsInstance(self.value("structured")["temperature"], (int, float))

    def test_an_optional_argument_that_is_not_given_is_left_out(self):
        # The server would refuse null for a boolean.
        self.assertIn("Error", json.dumps(self.value("left out")))

    def test_other_content_is_a_list_of_blocks(self):
        self.assertIn("image", [block["type"] for block in self.value("blocks")])

    def test_an_error_of_the_tool_is_an_exception(self):
        result = self.results["wrong"]
        self.assertEqual(result["error"]["category"], "tool")
        self.assertEqual(result["error"]["name"], "ToolError")
        self.assertEqual([call["status"] for call in result["tool_calls"]], ["error"])

    def test_calls_run_side_by_side(self):
        for name in ("awaited", "threads"):
            self.assertEqual(self.value(name), [f"Echo: {n}" for n in range(8)])

    def test_an_answer_behind_progress_comes(self):
        self.assertIn("completed", self.value("long"))


unittest.main(argv=sys.argv[:1])
