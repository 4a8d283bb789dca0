"""Questions to a model that answers by rules, as the command asks them."""
import json
import os
import sys

from driver import Case, environment, snug

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "endpoint"))
from endpoint import Endpoint

PASS = '{"verdict": "pass", "reason": "", "answer": "%s"}'


def program(source):
    return f"```python\n{source}\n```"


class Asking(Case):
    """Questions to a model that answers by rules; the state folder is the test's."""

    def ask(self, rules, *args, **kw):
        with Endpoint(rules) as endpoint:
            return snug("ask", *args, cwd=self.folder,
                        env=environment(**endpoint.environment, XDG_STATE_HOME=self.folder), **kw)

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
