"""snug ask on a terminal, with a model whose replies are a list."""
import os
import pathlib
import re
import signal
import sys

from driver import SNUG, Case, Terminal, environment

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "agent"))
from endpoint import Endpoint

SEQUENCES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b\][^\x07]*\x07|\r")
PLAIN = ("--quiet", "--no-evaluation", "--answer", "result")
CTRL_C, CTRL_D = "\x03", "\x04"


def line(text):
    """A pattern: a line is that, also behind what the editor writes as it ends."""
    return rf"(?:\n|\x1b\[\?2004l){re.escape(text)}\r\n"


def program(source):
    return {"content": f"```python\n{source}\n```"}


class Talk(Terminal):
    """Its screen's text is without sequences."""

    def __init__(self, folder, *args, env, command="ask"):
        here = os.getcwd()
        os.chdir(folder)
        # Ignored by nohup, or in a job of a shell, they would be so in the program too.
        before = {one: signal.signal(one, signal.SIG_DFL) for one in (signal.SIGINT, signal.SIGHUP)}
        try:
            super().__init__(command, *args, env=env)
        finally:
            os.chdir(here)
            for one, handler in before.items():
                signal.signal(one, handler)

    def ready(self):
        """The prompt waits: what is pasted would come with marks."""
        self.wait(r"\x1b\[\?2004h")

    def say(self, line, *says):
        """Types a line, waits for what comes of it, and for the prompt."""
        self.type(line + "\r")
        for text in says:
            self.wait(text)
        self.ready()

    def leave(self):
        self.type(CTRL_D)
        return self.end()

    def shown(self):
        return SEQUENCES.sub("", self.out.text.decode())


class Talking(Case):
    def setUp(self):
        super().setUp()
        self.asked = []
        self.replies = []
        self.endpoint = Endpoint(self.answer)
        self.addCleanup(self.endpoint.close)

    def answer(self, request, headers):
        self.asked.append(request)
        return self.replies.pop(0) if self.replies else {"status": 400, "body": "no reply is left"}

    def env(self, **changes):
        wanted = {"TERM": "xterm", "NO_COLOR": "1", "LANG": "C.UTF-8", "COLUMNS": None, "SNUG_MODEL": "openai:test",
                  "OPENAI_BASE_URL": self.endpoint.url, "OPENAI_API_KEY": "sk-none", "HOME": self.folder,
                  "XDG_STATE_HOME": self.folder + "/state", **changes}
        return {name: value for name, value in environment(**wanted).items() if value is not None}

    def talk(self, *args, replies=(), plain=PLAIN, **changes):
        self.replies.extend(replies)
        terminal = Talk(self.folder, *plain, *args, env=self.env(**changes))
        self.addCleanup(terminal.close)
        return terminal
