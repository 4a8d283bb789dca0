"""Sessions of the prompt in tmux: what is typed, and what the screen then shows.

usage: run.py [--long] [NAME...]

A file of sessions/ has scripts, each behind a line "== a sentence"; a line of it is a step:

    options --isolation worker    before the first step: arguments of snug
    size 40x12                    the screen; 80x24 otherwise
    env NAME=VALUE
    long                          only with --long
    type TEXT                     as it stands; keys in angle brackets: <Enter> <C-r> <Up>
    paste TEXT                    by tmux, with marks around it; \\n is a line's end
    see TEXT                      waits until a row of the screen has it
    row TEXT                      waits until a row of the screen is it
    gone TEXT                     waits until no row has it
    below TEXT                    waits until the row of the cursor begins so
    resize 60x20
    ended                         waits until snug has left
"""
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
SNUG = os.path.abspath(os.environ["SNUG"])
SECONDS = 600  # past this a wait is a failure
KEYS = re.compile(r"<([A-Za-z0-9_-]+)>")


class Failure(Exception):
    pass


def scripts(folder=HERE / "sessions"):
    """(name, lines) of each script."""
    for path in sorted(folder.glob("*.txt")):
        name, lines = None, []
        for line in path.read_text().splitlines():
            if line.startswith("== "):
                if name:
                    yield name, lines
                name, lines = f"{path.stem}: {line[3:]}", []
            elif line.strip() and not line.startswith("#"):
                lines.append(line)
        if name:
            yield name, lines


class Screen:
    """snug in a tmux of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.socket = folder + "/tmux"
        self.options, self.size, self.env = "", "80x24", {}
        self.begins = "In [1]:"
        self.is_open = False

    def tmux(self, *args, **kw):
        return subprocess.run(["tmux", "-S", self.socket, "-f", "/dev/null", *args], capture_output=True,
                              encoding="utf-8", timeout=SECONDS, **kw)

    def open(self):
        if self.is_open:
            return
        self.is_open = True
        columns, rows = self.size.split("x")
        env = {"PATH": os.environ["PATH"], "HOME": self.folder, "LANG": "C.UTF-8", "TERM": "screen-256color",
               "XDG_STATE_HOME": self.folder + "/state", "TMPDIR": self.folder, "LC_ALL": "C.UTF-8", **self.env}
        # The pane outlives snug, so that its last screen can be seen.
        command = "trap : INT; env -i " + shlex.join(f"{k}={v}" for k, v in env.items()) + \
                  f" {shlex.quote(SNUG)} {self.options}; s=$?; echo; echo status $s; exec sleep 1000"
        done = self.tmux("-u", "new-session", "-d", "-x", columns, "-y", rows, command,
                         env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": self.folder})
        if done.returncode:
            raise Failure("tmux does not start: " + done.stderr)
        self.until(self.begins, lambda rows: any(row.startswith(self.begins) for row in rows))

    def rows(self):
        return [row.rstrip() for row in self.tmux("capture-pane", "-p").stdout.split("\n")]

    def until(self, what, holds):
        end = time.monotonic() + SECONDS
        while not holds(rows := self.rows()):
            if time.monotonic() > end:
                raise Failure(f"{what!r} did not come:\n  " + "\n  ".join(rows).rstrip())

    def type(self, text):
        at = 0
        for found in [*KEYS.finditer(text), None]:
            plain = text[at:found.start() if found else None]
            if plain:
                self.tmux("send-keys", "-l", plain)
            if found:
                before = self.seen()
                self.tmux("send-keys", found[1])
                at = found.end()
                # What comes at once with a line's end is taken for a paste.
                if found[1] == "Enter" and at < len(text):
                    self.until("what Enter does", lambda _: self.seen() != before)

    def seen(self):
        return self.rows(), self.tmux("display-message", "-p", "#{cursor_x} #{cursor_y}").stdout

    def paste(self, text):
        self.tmux("set-buffer", "--", text.replace("\\n", "\n"))
        self.tmux("paste-buffer", "-p")

    def step(self, line):
        verb, _, rest = line.partition(" ")
        if verb == "options":
            self.options = rest
            return
        if verb == "size":
            self.size = rest
            return
        if verb == "env":
            name, _, value = rest.partition("=")
            self.env[name] = value.replace("@", self.folder)
            return

        self.open()
        if verb == "type":
            self.type(rest)
        elif verb == "paste":
            self.paste(rest)
        elif verb == "see":
            self.until(rest, lambda rows: any(rest in row for row in rows))
        elif verb == "row":
            self.until(rest, lambda rows: rest.rstrip() in rows)
        elif verb == "gone":
            self.until("not " + rest, lambda rows: not any(rest in row for row in rows))
        elif verb == "below":
            self.until(rest, lambda rows: rows[self.cursor_row()].startswith(rest))
        elif verb == "resize":
            columns, rows = rest.split("x")
            self.tmux("resize-window", "-x", columns, "-y", rows)
        elif verb == "ended":
            self.until("the end", lambda rows: any(row.startswith("status ") for row in rows))
        else:
            raise Failure(f"{line!r} is not a step")

    def cursor_row(self):
        return int(self.tmux("display-message", "-p", "#{cursor_y}").stdout)

    def close(self):
        if self.is_open:
            self.tmux("kill-server")


def run(name, lines, kind=Screen):
    """None, or what has failed."""
    with tempfile.TemporaryDirectory(prefix="snug-prompt-") as folder:
        screen = kind(folder)
        try:
            for line in lines:
                if line != "long":
                    screen.step(line)
        except (Failure, subprocess.TimeoutExpired) as failure:
            return f"{name}\n  at: {line}\n  {failure}"
        finally:
            screen.close()
    return None


def main():
    is_long = "--long" in sys.argv
    wanted = [arg for arg in sys.argv[1:] if not arg.startswith("--") and arg != str(HERE)]
    if not shutil.which("tmux"):
        print("skipped: there is no tmux")
        return 77
    chosen = [(name, lines) for name, lines in scripts()
              if (is_long or "long" not in lines) and (not wanted or any(word in name for word in wanted))]
    if not chosen:
        raise SystemExit("no script has that name")
    if subprocess.run([SNUG, "run", "--isolation", "bash", "-c", "true"], capture_output=True).returncode:
        print("skipped: sessions of bash, which this machine refuses")
        chosen = [(name, lines) for name, lines in chosen if "options --isolation bash" not in lines]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        failed = [text for text in pool.map(lambda one: run(*one), chosen) if text]
    print("\n\n".join(failed) if failed else f"{len(chosen)} sessions")
    return bool(failed)


if __name__ == "__main__":
    raise SystemExit(main())
