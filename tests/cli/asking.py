"""Questions to a model that answers by rules, as the command asks them."""
import json
import os
import subprocess
import sys

from driver import SECONDS, SNUG, Case, environment

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "endpoint"))
from endpoint import Endpoint, Rules

PASS = '{"verdict": "pass", "reason": "", "answer": "%s"}'


def program(source):
    return f"```python\n{source}\n```"


class Asking(Case):
    """Questions to a model that answers by rules, at one address; the state folder is the test's."""

    def setUp(self):
        super().setUp()
        self.endpoint = Endpoint([])
        self.endpoint.__enter__()
        self.addCleanup(self.endpoint.__exit__)

    def ask(self, rules, *args, full=False):
        """full: no file may have more than a megabyte, which a worker has."""
        self.endpoint.server.rules = Rules(rules)
        env = environment(**self.endpoint.environment, XDG_STATE_HOME=self.folder)
        command = ["sh", "-c", 'trap "" XFSZ; ulimit -f 2048; exec "$0" "$@"'] if full else []
        args = ["--isolation", "local", *args] if full else args
        return subprocess.run([*command, SNUG, "ask", *args], cwd=self.folder, env=env, input="",
                              capture_output=True, encoding="utf-8", timeout=SECONDS)

    def reply(self, rules, *args):
        done = self.ask(rules, "--format", "json", "--quiet", *args)
        self.assertEqual(done.stderr, "", done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout)
        return json.loads(done.stdout)

    def events(self, rules, *args):
        done = self.ask(rules, "--json", *args)
        self.assertEqual(done.stderr, "")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return lines[:-1], lines[-1]

    def state(self, name):
        return os.path.join(self.folder, "snug", name)
