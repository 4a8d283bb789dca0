"""Modules that programs want and do not get: what is said of them, and --install."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

from driver import SECONDS, SNUG, Case, Terminal, environment, snug
import unittests
from test_packages import HAS_PIP, wheel

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "agent"))
from endpoint import Endpoint

WANTS = "import one.part\nprint(one.value)"
HINT = ("one is not installed here: if the package one is the one that is meant, snug packages install one --into DIR "
        "gets it, and --full --packages DIR --allow one gives it to programs")


class Missing(Case):
    def setUp(self):
        super().setUp()
        self.folder = os.path.realpath(self.folder)
        self.wheels = os.path.join(self.folder, "wheels")
        os.mkdir(self.wheels)
        self.requests = []

    def endpoint(self, *programs):
        """The programs one after the other, and the last one again and again."""
        def answer(request, _):
            self.requests.append(request)
            return {"content": f"```python\n{programs[min(len(self.requests), len(programs)) - 1]}\n```"}

        endpoint = Endpoint(answer)
        self.addCleanup(endpoint.close)
        return environment(OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY="sk-none", HOME=self.folder,
                           XDG_STATE_HOME=self.folder + "/state", SNUG_MODEL="openai:m", SNUG_CONFIG="none",
                           TERM="xterm", NO_COLOR="1")

    def ask(self, *args, programs=(WANTS, "print(41)")):
        self.requests.clear()
        return subprocess.run([SNUG, "ask", "--no-evaluation", "--answer", "result", *args, "What is it?"],
                              cwd=self.folder, env=self.endpoint(*programs), stdin=subprocess.DEVNULL,
                              capture_output=True, encoding="utf-8", timeout=SECONDS)

    def make_wheel(self):
        wheel(self.wheels, "one", "1.0", {"one/__init__.py": "value = 42\n", "one/part.py": ""})

    def install(self):
        self.make_wheel()
        into = os.path.join(self.folder, "env")
        done = snug("packages", "install", "--into", into, "--wheels", self.wheels, "one")
        self.assertEqual(done.returncode, 0, done.stderr)
        return into


class Hints(Missing):
    def test_what_is_not_installed_is_told_in_the_steps_and_at_the_end(self):
        done = self.ask()
        self.assertEqual((done.returncode, done.stdout), (0, "41\n"), done.stderr)
        self.assertIn("- missing: " + HINT + "\n", done.stderr)
        self.assertTrue(done.stderr.endswith("\nsnug: " + HINT + "\n"), done.stderr)
        self.assertEqual(done.stderr.count("missing:"), 1)

    def test_a_package_may_have_another_name(self):
        nothing = os.path.join(self.folder, "nothing")  # the system's packages may have it
        os.mkdir(nothing)
        done = self.ask("--packages", nothing, programs=["import sklearn.notthere", "1"])
        self.assertIn("not installed here: snug packages install scikit-learn --into DIR gets it", done.stderr)

    def test_no_package_is_made_up_of_a_name(self):
        done = snug("run", "-c", "import quux_zork")
        self.assertNotIn("quux_zork --into", done.stderr)
        done = snug("run", "-c", "import numpy")
        self.assertEqual(done.stderr.count("Hint: "), 1, done.stderr)

    def test_nothing_is_said_twice_or_where_it_was_not_asked_for(self):
        done = self.ask("--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "41\n", ""))
        done = self.ask("--quiet", programs=[WANTS])
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("snug: " + HINT + "\n"), 1, done.stderr)

    def test_an_event_says_it(self):
        done = self.ask("--json")
        self.assertEqual(done.stderr, "")
        events = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([event for event in events if event.get("event") == "missing"],
                         [{"event": "missing", "n": 0, "module": "one", "message": HINT}])

    def test_a_module_that_is_missing_when_it_runs_is_told(self):
        done = self.ask(programs=["__import__('on' + 'e')", "print(41)"])
        self.assertEqual((done.returncode, done.stdout), (0, "41\n"), done.stderr)
        self.assertIn("- missing: " + HINT + "\n", done.stderr)

    def test_a_module_of_python_is_no_package(self):
        done = self.ask(programs=["import os, socket", "print(41)"])
        self.assertIn("not allowed in this session", done.stderr)
        self.assertNotIn("missing", done.stderr)

    def packages(self, **sources):
        """A folder that has these, as an installer leaves them."""
        folder = pathlib.Path(self.folder, "there")
        for name, source in sources.items():
            info = folder / f"{name}-1.0.dist-info"
            info.mkdir(parents=True)
            (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
            (info / "RECORD").write_text(f"{name}/__init__.py,,\n")
            (folder / name).mkdir()
            (folder / name / "__init__.py").write_text(source)
        return str(folder)

    def test_data_is_one_word_for_what_is_installed_of_it(self):
        into = self.packages(sympy="value = 40\n", scipy="value = 2\n", other="value = 0\n")
        program = "import sympy, scipy\nprint(sympy.value + scipy.value)"
        done = self.ask("--data", "--packages", into, programs=[program])
        self.assertEqual((done.returncode, done.stdout), (0, "42\n"), done.stderr)
        for name in ("numpy", "other"):
            done = self.ask("--data", "--packages", into, programs=[f"import {name}", "print(41)"])
            self.assertEqual(done.stdout, "41\n", done.stderr)
        done = snug("run", "--data", "--packages", into, "-c", "import sympy, os; sympy.value")
        self.assertIn("Out[1]: 40", done.stdout)

    def test_data_has_the_toolkits_of_matplotlib(self):
        into = self.packages(mpl_toolkits="value = 42\n")
        done = snug("run", "--data", "--packages", into, "-c", "import mpl_toolkits; mpl_toolkits.value")
        self.assertIn("Out[1]: 42", done.stdout)

    def test_a_program_that_wants_data_is_told_the_word(self):
        into = self.packages(sympy="value = 42\n")
        done = self.ask("--packages", into, programs=["import sympy", "print(41)"])
        self.assertIn("- missing: sympy is installed here: --data gives it to programs\n",
                      done.stderr)
        done = snug("run", "--packages", into, "-c", "import sympy")
        self.assertIn("Hint: sympy is installed here: --data gives it", done.stderr)

    def test_data_is_a_full_session(self):
        done = snug("run", "--data", "--isolation", "worker", "-c", "1")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "snug: --data is a full session, and --isolation says another\n"))

    @unittest.skipUnless(HAS_PIP, "there is no pip")
    def test_what_is_installed_is_told_with_the_options_that_give_it(self):
        into = self.install()
        done = self.ask("--packages", into)
        self.assertIn("- missing: one is installed here: --full --allow one gives it to programs\n", done.stderr)
        done = self.ask("--packages", into, "--full")
        self.assertIn("- missing: one is installed here: --allow one gives it to programs\n", done.stderr)
        done = self.ask("--packages", into, "--full", "--allow", "one")
        self.assertEqual((done.returncode, done.stdout), (0, "42\n"), done.stderr)
        self.assertNotIn("missing", done.stderr)


@unittest.skipUnless(HAS_PIP, "there is no pip")
class Install(Missing):
    def terminal(self, *args, programs=(WANTS, WANTS)):
        terminal = Terminal("ask", "--no-evaluation", "--answer", "result", "--wheels", self.wheels, "--install", "ask",
                            *args, "What is it?", env=self.endpoint(*programs))
        self.addCleanup(terminal.close)
        return terminal

    def test_the_question_goes_on_after_an_install(self):
        self.make_wheel()
        done = self.ask("--install", "yes", "--wheels", self.wheels, programs=[WANTS])
        self.assertEqual((done.returncode, done.stdout), (0, "42\n"), done.stderr)
        self.assertEqual(len(self.requests), 2)
        self.assertNotIn("The conversation so far", self.requests[1]["messages"][-1]["content"])
        self.assertIn("\ninstalled into " + self.folder + "/state/snug/packages/", done.stderr)

    def test_a_folder_that_was_named_is_not_changed(self):
        self.make_wheel()
        os.mkdir(self.folder + "/env")
        done = self.ask("execution.install=yes", "--wheels", self.wheels, "--packages", self.folder + "/env")
        self.assertEqual((done.returncode, done.stdout), (0, "41\n"), done.stderr)
        self.assertIn("snug: nothing is installed into the folder of --packages\n", done.stderr)
        self.assertEqual(os.listdir(self.folder + "/env"), [])

    def test_what_is_installed_needs_no_pip(self):
        into = self.install()
        done = self.ask("--install", "yes", "--packages", into, "--wheels", "/nowhere", programs=[WANTS])
        self.assertEqual((done.returncode, done.stdout), (0, "42\n"), done.stderr)

    def test_nothing_is_installed_without_consent(self):
        self.make_wheel()
        for args in ([], ["--install", "no"], ["--install", "ask"]):
            done = self.ask("--wheels", self.wheels, *args)
            self.assertEqual((done.returncode, done.stdout), (0, "41\n"), done.stderr)
            self.assertIn("- missing: " + HINT, done.stderr)
            self.assertEqual(os.listdir(self.folder + "/state") if os.path.exists(self.folder + "/state") else [], [])

    def test_what_can_not_be_installed_is_done_without(self):
        done = self.ask("--install", "yes", "--wheels", self.wheels)
        self.assertEqual((done.returncode, done.stdout), (0, "41\n"), done.stderr)
        self.assertEqual(len(self.requests), 2)

    def test_a_terminal_is_asked(self):
        self.make_wheel()
        terminal = self.terminal()
        terminal.wait(r"The program wants one \(the package one\): .*\[y\]es, \[n\]o: ")
        terminal.type("y\n")
        terminal.wait(r"installed into .*\n42\r\n")
        self.assertEqual(terminal.end(), 0)

    def talk(self, *args, programs):
        terminal = Terminal("ask", "--no-evaluation", "--answer", "result", "--wheels", self.wheels, *args,
                            env=self.endpoint(*programs))
        self.addCleanup(terminal.close)
        terminal.wait(r"\x1b\[\?2004h")
        terminal.type("What is it?\r")
        return terminal

    def test_in_a_conversation_somebody_is_asked_without_the_option(self):
        self.make_wheel()
        terminal = self.talk(programs=(WANTS, WANTS))
        terminal.wait(r"The program wants one \(the package one\): go on in a full session.*\[y\]es, \[n\]o: ")
        terminal.type("y\n")
        terminal.wait(r"installed into .*\n42\r\n.*\x1b\[\?2004h")
        terminal.type("\x04")
        self.assertEqual(terminal.end(), 0)

    def test_in_a_conversation_a_no_leaves_the_question_to_another_program(self):
        terminal = self.talk(programs=(WANTS, "print(41)"))
        terminal.wait(r"\[y\]es, \[n\]o: ")
        terminal.type("n\n")
        terminal.wait(r"\n41\r\n.*\x1b\[\?2004h")
        terminal.type("\x04")
        self.assertEqual(terminal.end(), 0)
        terminal = self.talk("--install", "no", programs=(WANTS, "print(41)"))
        terminal.wait(r"\n41\r\n.*\x1b\[\?2004h")
        self.assertEqual(terminal.out.text.count(b"[y]es"), 0)

    def test_a_no_leaves_the_question_to_another_program(self):
        self.make_wheel()
        terminal = self.terminal(programs=[WANTS, "print(41)"])
        terminal.wait(r"\[y\]es, \[n\]o: ")
        terminal.type("n\n")
        terminal.wait(r"\n41\r\n")
        self.assertEqual(terminal.end(), 0)


if __name__ == "__main__":
    unittests.main(in_parts=True)
