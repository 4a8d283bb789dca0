"""snug mcp with the protocol's own clients: the older one (2025-11-25) and that of 2026-07-28, on stdio and by HTTP.

usage: SNUG=PROGRAM run.py BUILD_DIR

Installed into the build folder as package-lock.json has them. Exit status 77, skipped, where there is no npm, no
Node.js 20, or no registry.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "npm"))
import npm

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = pathlib.Path(sys.argv[1], "tests/mcp-official")
SNUG = os.environ["SNUG"]
SECONDS = 600
ASKED = ("--tool", "upper=tr a-z A-Z", "--tool-rule", "*=ask")

NODE = npm.install(HERE, FOLDER, "the clients")
shutil.copy(HERE / "client.mjs", FOLDER)


class Clients:
    """What each of them sees."""
    client = None
    version = None

    @classmethod
    def run_client(cls, *target):
        done = subprocess.run([NODE, str(FOLDER / "client.mjs"), cls.client, *target], capture_output=True, text=True,
                              timeout=SECONDS, env={**os.environ, "XDG_STATE_HOME": cls.state.name})
        if done.returncode:
            raise AssertionError(f"the client ended with {done.returncode}: {done.stderr[-2000:]}")
        cls.seen = json.loads(done.stdout)

    @classmethod
    def setUpClass(cls):
        cls.state = tempfile.TemporaryDirectory(prefix="snug-test-")
        cls.addClassCleanup(cls.state.cleanup)
        cls.begin()

    def step(self, name):
        seen = self.seen[name]
        if isinstance(seen, dict) and "failed" in seen:
            self.fail(seen["failed"])
        return seen

    def test_the_tools_are_there_with_schemas(self):
        tools = {tool["name"]: tool for tool in self.step("tools")}
        for name in ("run_python", "list_variables", "list_files", "read_file", "write_file", "reset_session",
                     "save_session", "restore_session", "close_session"):
            self.assertEqual(tools[name]["inputSchema"]["type"], "object")
        self.assertIn("outputSchema", tools["run_python"])

    def test_the_server_says_what_it_is(self):
        self.assertIn("tools", self.step("server")["capabilities"])

    def test_names_stay_from_call_to_call_by_the_sessions_name(self):
        self.assertTrue(self.step("first")["structuredContent"]["session"].startswith("py_"))
        self.assertEqual(self.step("second")["structuredContent"]["value"], "21")

    def test_what_a_program_does_wrong_is_an_answer(self):
        error = self.step("error")
        self.assertTrue(error["isError"])
        self.assertIn("ZeroDivisionError", error["content"][0]["text"])

    def test_pictures_are_images(self):
        images = [one for one in self.step("picture")["content"] if one["type"] == "image"]
        self.assertEqual([one["mimeType"] for one in images], ["image/png"])

    def test_output_is_told_while_the_cell_runs(self):
        told = self.step("progress")
        self.assertGreater(len(told), 1)
        self.assertIn("step 0", json.dumps(told))

    def test_a_cancel_ends_the_cell_and_leaves_the_session(self):
        cancel = self.step("cancel")
        self.assertIsNotNone(cancel["error"])
        self.assertEqual(cancel["after"], 22)
        self.assertLess(cancel["ms"], 20_000)

    def test_variables_are_listed(self):
        self.assertIn('"x"', json.dumps(self.step("variables")["structuredContent"]))

    def test_files_are_written_and_read(self):
        file = self.step("file")
        self.assertIn("made.txt", file["made"]["content"][0]["text"])
        self.assertEqual(file["read"]["structuredContent"]["text"], "made")

    def test_a_session_that_is_nobodys_is_refused(self):
        self.assertTrue(self.step("stranger").get("isError") or self.step("stranger").get("thrown"))

    def test_an_unknown_tool_is_an_error_of_the_protocol(self):
        self.assertEqual(self.step("unknown").get("code"), -32602, self.step("unknown"))

    def test_who_cannot_be_asked_about_a_call_is_told(self):
        unasked = self.step("unasked")
        self.assertTrue(unasked["isError"])
        self.assertIn("does not take elicitation", unasked["content"][0]["text"])

    def test_calls_are_asked_about(self):
        seen = self.step("approval")
        self.assertEqual(len(seen["once"]["asked"]), 2)
        self.assertIn('upper(text="a")', seen["once"]["asked"][0])
        self.assertEqual(len(seen["always"]["asked"]), 1)
        for word in "once", "always":
            self.assertEqual(seen[word]["result"]["structuredContent"]["value"], "['A', 'B']")
        for word in "refuse", "decline":
            self.assertTrue(seen[word]["result"]["isError"])
            self.assertIn("ToolRefused", seen[word]["result"]["content"][0]["text"])

    def test_a_session_can_be_closed(self):
        self.assertFalse(self.step("close").get("isError"))


class Stdio(Clients):
    @classmethod
    def begin(cls):
        cls.run_client("stdio", SNUG, "mcp", *ASKED)


class Http(Clients):
    @classmethod
    def begin(cls):
        server = subprocess.Popen([SNUG, "mcp", "--http", "0", *ASKED], stderr=subprocess.PIPE, text=True,
                                  env={**os.environ, "XDG_STATE_HOME": cls.state.name})
        cls.addClassCleanup(server.stderr.close)
        cls.addClassCleanup(server.wait, SECONDS)
        cls.addClassCleanup(server.terminate)
        line = server.stderr.readline()
        found = re.search(r"http://\S+", line)
        if not found:
            raise AssertionError(f"the server did not start: {line}")
        cls.run_client("http", found[0])


class OlderOnStdio(Stdio, unittest.TestCase):
    client = "sdk"


class OlderByHttp(Http, unittest.TestCase):
    client = "sdk"


class NewerOnStdio(Stdio, unittest.TestCase):
    client = "client"


class NewerByHttp(Http, unittest.TestCase):
    client = "client"


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
