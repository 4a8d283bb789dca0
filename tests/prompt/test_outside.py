"""What comes to the prompt from outside: signals, the shell, terminals of other kinds, bytes that nobody types,
and a history file that is not as it should be."""
import fcntl
import os
import pathlib
import pty
import select
import signal
import stat
import sys
import termios
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from driver import SECONDS, SNUG, Case, Reader, Terminal, environment  # noqa: E402

import gate  # noqa: E402
import unittests  # noqa: E402

CTRL_C, CTRL_D, CTRL_Z, UP = "\x03", "\x04", "\x1a", "\x1b[A"


class Program(Terminal):
    """A program on a pseudo-terminal, whose modes can be asked for."""

    def __init__(self, argv, env):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                signal.signal(signal.SIGHUP, signal.SIG_DFL)  # which nohup has ignored
                os.execvpe(argv[0], argv, env)
            finally:
                os._exit(127)
        self.out = Reader(self.fd)
        self.status = None

    def modes(self):
        return termios.tcgetattr(self.fd)

    def write(self, data):
        while data:
            data = data[os.write(self.fd, data):]


def fresh_modes():
    master, slave = pty.openpty()
    modes = termios.tcgetattr(master)
    os.close(master)
    os.close(slave)
    return modes


class Outside(Case):
    def env(self, **changes):
        env = {"TERM": "xterm", "LANG": "C.UTF-8", "NO_COLOR": "1", "HOME": self.folder,
               "XDG_STATE_HOME": self.folder + "/state", **changes}
        return {name: value for name, value in environment(**env).items()
                if value is not None and name not in ("TMUX", "COLORFGBG", "SSH_CONNECTION", "SSH_TTY") or name in changes}

    def start(self, *argv, **changes):
        env = {name: value for name, value in self.env(**changes).items() if value is not None}
        terminal = Program(argv, env)
        self.addCleanup(terminal.close)
        return terminal

    def prompt(self, *args, **changes):
        terminal = self.start(SNUG, *args, **changes)
        terminal.wait(r"In \[1\]: ")
        return terminal

    def ask(self, terminal, text, says):
        terminal.type(text + "\r")
        return terminal.wait(says)

    def leave(self, terminal):
        terminal.type(CTRL_D)
        return terminal.end()

    # ---- the shell ----

    def shell(self):
        terminal = self.start("bash", "--norc", "--noprofile", "-i", PS1="sh$ ", HISTFILE="/dev/null")
        terminal.wait(r"sh\$ ")
        return terminal

    def modes_in_shell(self, terminal):
        terminal.type("stty -a; echo en''d\r")
        return terminal.wait(r"speed (.*)end\r\n.*sh\$ ")[1]

    def test_ctrl_z_goes_to_the_shell_and_fg_comes_back(self):
        terminal = self.shell()
        before = self.modes_in_shell(terminal)
        self.ask(terminal, SNUG, r"In \[1\]: ")
        for text in ("40", " + 2"):
            terminal.type(text + CTRL_Z)
            terminal.wait(r"\[1\]\+ +Stopped.*sh\$ ")
            self.assertEqual(self.modes_in_shell(terminal), before)
            self.ask(terminal, "fg", r"In \[1\]: 40")
        self.ask(terminal, "", r"Out\[1\]: 42")
        terminal.wait(r"In \[2\]: ")
        terminal.type(CTRL_D)
        terminal.wait(r"sh\$ ")
        self.assertEqual(self.modes_in_shell(terminal), before)

    # ---- signals ----

    def test_a_signal_that_ends_leaves_the_terminal_as_it_was(self):
        before = fresh_modes()
        for number in (signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number.name):
                terminal = self.prompt()
                terminal.type("x = (1,")
                terminal.wait(r"x = \(1,")
                self.assertNotEqual(terminal.modes(), before)
                os.kill(terminal.pid, number)
                self.assertEqual(terminal.end(), 128 + number)
                self.assertEqual(terminal.modes(), before)
                self.assertTrue(terminal.out.text.rstrip().endswith(b"\x1b[?2004l"), terminal.out.text[-80:])

    def test_ctrl_c_waits_for_a_call_in_c_and_a_second_one_does_not(self):
        for again, says, then in (("", r"In \[3\]: ", r"Out\[3\]: 42"),
                                  (CTRL_C, r"a new session takes its place.*In \[1\]: ", "NameError")):
            closed = gate.Gate(self.folder)
            pathlib.Path(self.folder, "closed.py").write_text(gate.CELL)
            terminal = self.prompt(*gate.OPTIONS, "--workdir", self.folder)
            self.ask(terminal, "x = 42", r"In \[2\]: ")
            self.ask(terminal, "%run closed.py", r"there")
            closed.wait()
            terminal.type(CTRL_C)
            terminal.wait("Ctrl-C again, or its time limit, ends the session and its names")
            if again:
                terminal.type(again)
            else:
                closed.open()
            terminal.wait(says)
            self.ask(terminal, "x", then)

    def test_a_worker_that_is_killed_while_a_cell_is_typed_costs_its_session(self):
        terminal = self.prompt("--isolation", "worker")
        self.ask(terminal, "x = 5", r"In \[2\]: ")
        terminal.type("6 * 7")
        terminal.wait(r"6 \* 7")
        for child in self.workers(terminal.pid):
            os.kill(child, signal.SIGKILL)
        self.ask(terminal, "", r"a new session takes its place.*In \[1\]: ")
        self.ask(terminal, "6 * 7", r"Out\[1\]: 42.*In \[2\]: ")
        self.assertEqual(self.leave(terminal), 0)
        self.assertEqual(terminal.modes(), fresh_modes())

    def workers(self, pid):
        """Processes below pid that run cells: the leaves."""
        children = pathlib.Path(f"/proc/{pid}/task").glob("*/children")
        found = [int(child) for path in children for child in path.read_text().split()]
        return [leaf for child in found for leaf in self.workers(child) or [child]]

    def test_a_terminal_that_goes_away_ends_the_prompt(self):
        terminal = self.prompt()
        terminal.type("1 +")
        terminal.wait(r"1 \+")
        os.close(terminal.fd)
        terminal.fd = os.open("/dev/null", os.O_RDONLY)
        process = os.pidfd_open(terminal.pid)
        self.assertTrue(select.select([process], [], [], SECONDS)[0], "it goes on")
        os.close(process)
        terminal.status = os.waitstatus_to_exitcode(os.waitpid(terminal.pid, 0)[1])
        self.assertEqual(terminal.status, 128 + signal.SIGHUP)

    def test_ctrl_c_before_the_cell_has_begun_is_not_lost(self):
        self.write_history(b"")
        terminal = self.prompt()
        with open(self.history(), "r+b") as held:
            fcntl.flock(held, fcntl.LOCK_EX)  # for which the prompt waits, and the cell with it
            terminal.type("exec('while True: pass')\r")
            until = time.monotonic() + SECONDS
            while not terminal.modes()[3] & termios.ISIG:
                self.assertLess(time.monotonic(), until)
            terminal.type(CTRL_C)
            terminal.wait(r"\^C")
        # The thread that takes signals may be later than the cell, which is then interrupted.
        number = terminal.wait(r"KeyboardInterrupt.*In \[([12])\]: ")[1].decode()
        self.ask(terminal, "6 * 7", rf"Out\[{number}\]: 42")

    # ---- terminals ----

    def test_a_terminal_is_asked_nothing(self):
        terminal = self.start(SNUG, NO_COLOR="")
        terminal.wait(r"In \[1\]:")
        self.ask(terminal, "def f(): return 6 * 7\r", r"In \[2\]:")
        self.ask(terminal, "f()", r"42\r\n")
        for question in (b"\x1b[c", b"\x1b]11"):
            self.assertNotIn(question, terminal.out.text)


    # ---- bytes ----

    def test_cr_and_lf_of_a_paste_are_one_line_end(self):
        terminal = self.prompt()
        terminal.write(b"\x1b[200~x = \"\"\"a\r\nb\"\"\"\r\nlen(x)\r\n\x1b[201~\r")
        terminal.wait(r"Out\[1\]: 3")

    def test_a_paste_of_10_mb_is_refused_and_the_prompt_lives_on(self):
        terminal = self.prompt()
        text = b"\x1b[200~" + b"x = 'spam'\r" * (10 * 1024 * 1024 // 11) + b"\x1b[201~"
        writer = threading.Thread(target=terminal.write, args=(text,))
        writer.start()
        terminal.wait(r"Nothing was pasted: it has \d{8} bytes")
        writer.join()
        self.ask(terminal, "6 * 7", r"Out\[1\]: 42")

    # ---- the history file ----

    def history(self):
        return pathlib.Path(self.folder, "state/snug/history")

    def write_history(self, data):
        self.history().parent.mkdir(parents=True, exist_ok=True)
        self.history().write_bytes(data)
        self.history().chmod(0o600)

    def test_a_history_that_cannot_be_kept_is_told_once(self):
        terminal = self.prompt("--prompt-history", "/proc/no/such/history")
        self.ask(terminal, "6 * 7", r"snug: [^\r]*/proc/no/such/history[^\r]*\r\n.*Out\[1\]: 42")
        self.ask(terminal, "2", r"Out\[2\]: 2")
        self.assertEqual(terminal.out.text.count(b"/proc/no"), 1)

    def test_two_prompts_lose_no_entry(self):
        terminals = [self.prompt() for _ in range(2)]
        for turn in range(8):
            for name, terminal in zip("ab", terminals):
                terminal.type(f"{name} = {turn}\r")
            for terminal in terminals:
                terminal.wait(r"In \[%d\]: " % (turn + 2))
        self.assertEqual(sorted(self.history().read_text().split("\n")[:-1]),
                         [f"{name} = {turn}" for name in "ab" for turn in range(8)])
        self.assertEqual(stat.S_IMODE(self.history().stat().st_mode), 0o600)


if __name__ == "__main__":
    unittests.main()
