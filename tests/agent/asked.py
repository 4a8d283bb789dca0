"""Commands of snug whose model is a list of replies, or a function: for tests that are no scenario."""
import json
import os
import pathlib
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
from driver import SECONDS, SNUG, Case, environment
from endpoint import Endpoint

RESULT = ("--answer", "result", "--no-evaluation")


def code(source):
    return f"```python\n{source}\n```"


def verdict(answer):
    return json.dumps({"verdict": "pass", "reason": "", "answer": answer})


def told(request):
    """The texts of all messages of a request."""
    return "\n".join(str(message["content"]) for message in request["messages"])


class Asked(Case):
    """Questions in a folder of the test's; each reply of the model is a text, or a dict as endpoint.py has it."""

    def setUp(self):
        super().setUp()
        self.folder = os.path.realpath(self.folder)
        self.requests, self.lock = [], threading.Lock()
        self.replies = iter(())
        self.endpoint = Endpoint(self.answer)
        self.addCleanup(self.endpoint.close)

    def answer(self, request, _):
        with self.lock:
            self.requests.append(request)
            reply = next(self.replies, None)
        if reply is None:
            return {"status": 404, "body": '{"error": {"message": "no more"}}'}
        return {"content": reply} if isinstance(reply, str) else reply

    def variables(self, **changes):
        return environment(**{"SNUG_MODEL": "openai:test", "OPENAI_API_KEY": "sk-of-no-one-0123456789",
                              "OPENAI_BASE_URL": self.endpoint.url + "/v1", "SNUG_CONFIG": "none",
                              "HOME": self.folder, "XDG_STATE_HOME": self.folder + "/state", **changes})

    def ask(self, replies, *args, **changes):
        """The ended command."""
        self.requests, self.replies = [], iter(replies)
        return subprocess.run([SNUG, "ask", *args], cwd=self.folder, env=self.variables(**changes), encoding="utf-8",
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)

    def reply(self, replies, *args, **changes):
        """What the command says of one question, answered or not."""
        done = self.ask(replies, "--format", "json", "--quiet", *args, **changes)
        self.assertTrue(done.stdout, done.stderr)
        return json.loads(done.stdout)

    def path(self, name):
        return pathlib.Path(self.folder, name)

    def write(self, name, text):
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return str(path)
