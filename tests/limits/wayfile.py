"""One way of going over a limit: a file whose first comment says all that the driver has to know.

    # Fills pipes with 64 KiB each and keeps them.
    # limit: memory
    # forms: full bash
    # options: --threads 4
    # after: 3
    <the first cell>
    # %% cell
    <the next one>

README.md beside this has the words of the comment and of the lines that begin with `# %%`.
"""
import json
import os
import re
import shlex

FORMS = ("local", "worker", "full", "bash")
WORDS = {"limit", "forms", "options", "after", "rounds", "quick"}
STEPS = {"cell", "reset", "close", "wait", "complete", "inspect", "send", "session", "at once"}
HEAD = re.compile(r"^# %% *(at once|\w+) ?(.*)$")


class Way:
    def __init__(self, path):
        self.path = path
        self.name, self.language = os.path.splitext(os.path.basename(path))
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.about, self.head = "", {}
        while lines and lines[0].startswith("#") and not HEAD.match(lines[0]):
            self._comment(lines.pop(0)[1:].strip())
        self.limits = self.head.get("limit", "").split()
        self.forms = self.head.get("forms", "bash" if self.language == ".sh" else "local worker full").split()
        self.options = shlex.split(self.head.get("options", ""))
        self.after_s = float(self.head.get("after", 1))
        self.rounds = int(self.head.get("rounds", 1))
        self.is_quick = "quick" in self.head
        self.steps = list(split(lines))
        self.sessions = max([int(argument) for kind, argument, _ in self.steps if kind == "at once"], default=1)
        self._judge()

    def _comment(self, line):
        word, colon, rest = line.partition(":")
        if colon and word in WORDS:
            self.head[word] = rest.strip()
        else:
            self.about += (" " if self.about else "") + line

    def _judge(self):
        unknown = [form for form in self.forms if form not in FORMS]
        if not self.about or not self.limits or unknown:
            raise ValueError(f"{self.path}: needs a sentence and a limit; forms are of {FORMS}")
        if self.language == ".sh" and self.forms != ["bash"]:
            raise ValueError(f"{self.path}: a shell's cells are for bash")

    def requests(self, form, folder, session="a"):
        """What is done, in order: ("ask", requests that are sent together) or ("wait", seconds)."""
        names = [session]
        for kind, argument, text in self.steps:
            code = self._code(form, text)
            if kind == "wait":
                yield "wait", float(argument or 1)
            elif kind == "session":
                names = [argument]
            elif kind == "at once":
                yield "ask", [{"session": f"{session}{i}", "code": code} for i in range(int(argument))]
            elif kind == "send":
                made = eval(argument or text, {"session": names[0], "form": form, "folder": folder})
                yield "ask", made if isinstance(made, list) else [made]
            elif kind in ("complete", "inspect"):
                yield "ask", [{"session": names[0], "op": kind, "code": argument}]
            elif kind == "reset":
                yield "ask", [{"session": names[0], "op": "reset"}]
            elif kind == "close":
                yield "ask", [{"session": names[0], "close": True}]
            elif text.strip():
                yield "ask", [{"session": names[0], "code": code}]

    def _code(self, form, text):
        if form != "bash" or self.language == ".sh":
            return text
        return "python3 - <<'END_OF_CELL'\n" + text + "END_OF_CELL\n"


def split(lines):
    """(kind, argument, text below it) of each part."""
    kind, argument, text = "cell", "", []
    for line in lines:
        match = HEAD.match(line)
        if not match:
            text.append(line)
            continue
        if match[1] not in STEPS:
            raise ValueError(f"no such step: {line}")
        yield kind, argument, "".join(part + "\n" for part in text)
        kind, argument, text = match[1], match[2].strip(), []
    yield kind, argument, "".join(part + "\n" for part in text)


def read_all(folder):
    return [Way(os.path.join(folder, name)) for name in sorted(os.listdir(folder))
            if name.endswith((".py", ".sh"))]


def line_of(request):
    return json.dumps(request).encode("utf-8") + b"\n"
