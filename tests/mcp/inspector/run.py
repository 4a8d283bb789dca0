"""snug mcp with the inspector's command line, in both kinds of revisions, on stdio and by HTTP.

usage: SNUG=PROGRAM run.py BUILD_DIR

Installed as package-lock.json has it, with a Node.js that is new enough; exit status 77, skipped, where there is no npm
or no registry.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "npm"))
import npm

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = pathlib.Path(sys.argv[1], "tests/mcp-inspector").resolve()
SNUG = os.environ["SNUG"]
SECONDS = 600

npm.install(HERE, FOLDER, "the inspector")
NODE = next(FOLDER.glob("node_modules/node-linux-*/bin/node"), None) or npm.skip("there is no Node.js of npm for this machine")
INSPECTOR = FOLDER / "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"


class Inspector(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="snug-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.env = {**os.environ, "XDG_STATE_HOME": folder.name, "HOME": folder.name,
                   "PATH": f"{NODE.parent}:{os.environ['PATH']}"}
        server = subprocess.Popen([SNUG, "mcp", "--http", "0"], stderr=subprocess.PIPE, text=True, env=cls.env)
        cls.addClassCleanup(server.stderr.close)
        cls.addClassCleanup(server.wait, SECONDS)
        cls.addClassCleanup(server.terminate)
        cls.url = re.search(r"http://\S+", server.stderr.readline())[0]

    def everywhere(self, *asked):
        """What the inspector says of a method: by era and transport."""
        for era in ("legacy", "modern"):
            for name, target in (("stdio", [SNUG, "mcp"]), ("http", ["--server-url", self.url, "--transport", "http"])):
                with self.subTest(era=era, transport=name):
                    done = subprocess.run([NODE, INSPECTOR, "--cli", *target, "--protocol-era", era, *asked],
                                          capture_output=True, text=True, timeout=SECONDS, env=self.env)
                    self.assertEqual(done.returncode, 0, done.stderr[-2000:] + done.stdout[-500:])
                    yield json.loads(done.stdout)

    def test_the_tools_are_listed_and_no_schema_is_an_error(self):
        for listed in self.everywhere("--method", "tools/list", "--strict"):
            self.assertIn("run_python", [tool["name"] for tool in listed["tools"]])

    def test_a_program_is_run(self):
        for answer in self.everywhere("--method", "tools/call", "--tool-name", "run_python", "--tool-arg", "code=6*7"):
            self.assertEqual(answer["structuredContent"]["value"], "42")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
