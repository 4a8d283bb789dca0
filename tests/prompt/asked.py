"""Questions on a terminal, in tmux: what a slow model says, and what the screen shows meanwhile.

usage: asked.py [NAME...]

A file of asked/ has scripts as run.py has them, and these steps beside its own:

    reply WORD        the lines behind it, each behind "| ", answer a request whose last message has the word; <wait>
                      in them holds the rest back until
    go                lets it go on
    ask ARGUMENTS     of `snug ask`
    touch NAME        makes a file in the work directory (--workdir @/work)
    styled TEXT       waits until a row has it with its colours; ^ is the escape
"""
import concurrent.futures
import os
import pathlib
import shutil
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "endpoint"))
sys.path.insert(0, str(HERE))
import endpoint  # noqa: E402
import run  # noqa: E402

GATE = "<wait>"


class Handler(endpoint.Handler):
    """Sends no more of a stream than its gates let through."""

    def answer(self, status, kind, body):
        if kind != "text/event-stream":
            super().answer(status, kind, body)
            return
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.close_connection = True
        for event in body.decode().split("\n\n")[:-1]:
            if GATE in event:
                self.server.gate.acquire()
                event = event.replace(GATE, "")
            self.wfile.write((event + "\n\n").encode())
            self.wfile.flush()


def pieces(text, size=24):
    """A gate begins a piece."""
    return [piece for part, gate in zip(text.split(GATE), [""] + [GATE] * text.count(GATE))
            for piece in [part_of for part_of in whole(gate, part, size)]]


def whole(gate, part, size):
    first, *rest = [part[at:at + size] for at in range(0, len(part), size)] or [""]
    return [gate + first, *rest]


class Screen(run.Screen):
    """snug ask in a tmux of its own, with a model that answers by rules."""

    def __init__(self, folder):
        super().__init__(folder)
        self.rules, self.model, self.size = [], None, "80x40"  # a question scrolls nothing away
        os.mkdir(folder + "/work")

    def step(self, line):
        verb, _, rest = line.partition(" ")
        if verb == "reply":
            self.rules.append([rest, ""])
        elif verb == "|":
            self.rules[-1][1] += rest + "\n"
        elif verb == "go":
            self.model.server.gate.release()
        elif verb == "touch":
            pathlib.Path(self.folder, "work", rest).touch()
        elif verb == "ask":
            self.ask(rest)
        elif verb == "styled":
            self.until(rest, lambda _: rest.replace("^", "\x1b") in self.tmux("capture-pane", "-e", "-p").stdout)
        else:
            super().step(line)

    def ask(self, arguments):
        endpoint.Handler, endpoint.pieces = Handler, pieces
        self.model = endpoint.Endpoint([(word, text) for word, text in self.rules])
        self.model.server.gate = threading.Semaphore(0)
        self.model.server.daemon_threads = True
        self.model.__enter__()
        self.env = {"PATH": os.environ["PATH"], "SNUG_CONFIG": "none", **self.model.environment, **self.env}
        self.options = "ask " + arguments.replace("@", self.folder)
        self.begins = ""
        self.open()

    def close(self):
        super().close()
        if self.model:
            for _ in range(100):
                self.model.server.gate.release()
            self.model.__exit__()


def main():
    if not shutil.which("tmux"):
        print("skipped: there is no tmux")
        return 77
    chosen = [(name, lines) for name, lines in run.scripts(HERE / "asked")
              if not sys.argv[1:] or any(word in name for word in sys.argv[1:])]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        failed = [text for text in pool.map(lambda one: run.run(*one, Screen), chosen) if text]
    print("\n\n".join(failed) if failed else f"{len(chosen)} sessions")
    return bool(failed)


if __name__ == "__main__":
    raise SystemExit(main())
