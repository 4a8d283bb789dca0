"""snug with a real MCP server: server-everything of the protocol's authors, by npm.

usage: SNUG=PROGRAM run.py BUILD_DIR

Installed into the build folder as package-lock.json has it. Exit status 77, skipped, where there
is no npm, no Node.js 20, or no registry.
"""
import json
import os
import pathlib
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
COMMAND = f"'{NODE}' '{SERVER}' stdio"


class Everything(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cells = {
            "names": "sorted(name for name in globals() if name.startswith('get_'))",
            "signature": "import inspect; str(inspect.signature(get_annotated_message))",
            "text": "echo(message='hello')",
            "numbers": "get_sum(a=2, b=40)",
            "structured": "get_structured_content('Chicago')",
            "left out": "get_annotated_message('error')",
            "blocks": "get_tiny_image()",
            "wrong": "get_sum('x', 1)",
            "together": "import asyncio\nasync def call(n): return await asyncio.to_thread(echo, str(n))\n"
                        "await asyncio.gather(*[call(n) for n in range(8)])",
        }
        words = [word for source in cells.values() for word in ("-c", source)]
        done = subprocess.run([os.environ["SNUG"], "run", "--json", "--keep-going", "--threads", "4",
                               "--mcp", COMMAND, *words],
                              capture_output=True, text=True, encoding="utf-8", timeout=SECONDS)
        lines = done.stdout.splitlines()
        if len(lines) != len(cells):
            raise AssertionError(f"{len(lines)} answers; stderr: {done.stderr}")
        cls.results = dict(zip(cells, map(json.loads, lines)))

    def value(self, name):
        result = self.results[name]
        self.assertEqual(result["status"], "ok", result["error"])
        return result["value"]["json"]

    def test_its_tools_are_functions_under_names_of_python(self):
        self.assertIn("get_structured_content", self.value("names"))

    def test_required_parameters_come_first(self):
        self.assertEqual(self.value("signature"),
                         "(messageType: str, includeImage: bool = False)")

    def test_text_is_a_string(self):
        self.assertEqual(self.value("text"), "Echo: hello")
        self.assertIn("42", self.value("numbers"))

    def test_structured_content_is_the_answer(self):
        self.assertIsInstance(self.value("structured")["temperature"], (int, float))

    def test_an_optional_argument_that_is_not_given_is_left_out(self):
        # The server would refuse null for a boolean.
        self.assertIn("Error", json.dumps(self.value("left out")))

    def test_other_content_is_a_list_of_blocks(self):
        kinds = [block["type"] for block in self.value("blocks")]
        self.assertIn("image", kinds)

    def test_an_error_of_the_tool_is_an_exception(self):
        result = self.results["wrong"]
        self.assertEqual(result["error"]["category"], "tool")
        self.assertEqual(result["error"]["name"], "ToolError")
        self.assertEqual([call["status"] for call in result["tool_calls"]], ["error"])

    def test_several_calls_can_be_under_way(self):
        self.assertEqual(self.value("together"), [f"Echo: {n}" for n in range(8)])


unittest.main(argv=sys.argv[:1])
