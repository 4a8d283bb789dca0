"""A conversation with snug ask at a terminal."""
import json
import os
import pathlib
import re
import signal
import subprocess
import threading
import time
import unittest

from driver import SECONDS, SNUG
from talking import CTRL_C, PLAIN, Talking, line, program

ALT_ENTER, UP = "\x1b\r", "\x1b[A"
PASTE = "\x1b[200~%s\x1b[201~"


class Talk(Talking):
    def questions(self):
        """The last line of each request's last message that has one."""
        return [str(request["messages"][-1]["content"]) for request in self.asked]

    # ---- questions ----

    def test_a_question_finds_the_names_of_the_one_before(self):
        talk = self.talk(replies=[program("x = 6\nx"), program("x * 7")])
        talk.wait(r"openai:test, Python in a worker; /help says more, Ctrl-D leaves")
        talk.say("Six?", line("6"))
        talk.say("Times seven?", line("42"))
        self.assertEqual(talk.leave(), 0)

    def test_lines_are_one_question(self):
        forms = [("one" + ALT_ENTER + "two", "one\ntwo"), ("one\\\rtwo", "one\ntwo"), ('"""one\rtwo"""', "one\ntwo"),
                 (PASTE % "one\rtwo\r", "one\ntwo"), (PASTE % ">>> one\r", ">>> one")]
        talk = self.talk(replies=[program("1")] * (len(forms) + 1))
        talk.ready()
        for keys, question in forms:
            with self.subTest(question):
                talk.say(keys, line("1"))
                self.assertIn(question, self.questions()[-1])
        talk.type("three\rfour")  # as a terminal pastes that has no marks
        talk.say("", line("1"))
        self.assertIn("three\nfour", self.questions()[-1])
        self.assertEqual(talk.leave(), 0)

    def test_a_terminal_without_sequences_has_a_prompt_too(self):
        talk = self.talk(replies=[program("6 * 7")], TERM="dumb")
        talk.wait("ask> ")
        talk.type("Six times seven?\n")
        talk.wait(r"\r\n42\r\n.*ask> ")
        talk.type("/quit\n")
        self.assertEqual(talk.end(), 0)

    def test_the_history_is_kept_in_a_file_of_its_own(self):
        talk = self.talk(replies=[program("1"), program("2"), program("3")])
        talk.ready()
        talk.say("What is up?", line("1"))
        talk.leave()
        kept = pathlib.Path(self.folder, "state/snug/ask-history")
        self.assertEqual(kept.read_text(), "What is up?\n")
        talk = self.talk()
        talk.ready()
        talk.say(UP, line("2"))
        talk.leave()
        self.assertIn("What is up?", self.questions()[1])
        talk = self.talk(SNUG_ASK_HISTORY="none")
        talk.ready()
        talk.say("Secret?", line("3"))
        talk.leave()
        self.assertEqual(kept.read_text(), "What is up?\n")
        self.assertEqual(os.listdir(self.folder), ["state"])

    def test_control_characters_of_a_program_do_nothing_to_the_terminal(self):
        talk = self.talk(replies=[program("x = '\x1b]0;title\x07'\nprint('\\x1b]0;title\\x07')")])
        talk.ready()
        talk.say("What?", r"\?\]0;title\?")
        talk.say("/code", r"\?\]0;title\?")
        self.assertNotIn(b"\x1b]0;", talk.out.text)

    def test_the_end_of_long_output_begins_with_a_whole_character(self):
        talk = self.talk("What?", replies=[program("print('\u20ac' * 20000, end='')")], plain=PLAIN[1:])
        self.assertEqual(talk.end(), 0)
        self.assertIn("kB more", talk.shown())

    # ---- words ----

    def test_the_words_of_the_prompt_say_what_there_is(self):
        talk = self.talk(replies=[program("rows = [1, 2, 3]\nopen('a.txt', 'w').write('one')\nlen(rows)")])
        talk.ready()
        talk.say("/code", "no program has run yet")
        talk.say("How many?", line("3"))
        talk.say("/code", r"1 rows = \[1, 2, 3\]\r\n +2 open\('a.txt', 'w'\)")
        for word in ("/help", "?", "help"):
            talk.say(word, *(name + " " for name in ("/help", "/model", "/code", "/undo", "/save", "/reset", "/quit")))
        for word in ("/quit", "exit", "quit"):
            other = self.talk()
            other.ready()
            other.type(word + "\r")
            self.assertEqual(other.end(), 0)
        self.assertEqual(len(self.asked), 1)

    def test_a_question_is_taken_back_with_what_it_did_to_names(self):
        talk = self.talk(replies=[program("x = 1\nx"), program("x = 2\nx"), program("x")])
        talk.ready()
        talk.say("/undo", "there is no question to take back")
        talk.say("One?", line("1"))
        talk.say("The green one?", line("2"))
        talk.say("/undo", "Taken back: The green one\\?")
        talk.say("/undo", "there is no question to take back")
        talk.say("And now?", line("1"))
        self.assertNotIn("green", self.questions()[-1])

    def test_what_is_taken_back_is_what_was_asked_and_not_what_could_not_be(self):
        talk = self.talk("--max-question", "20", replies=[program("x = 1\nx")])
        talk.ready()
        talk.say("One?", line("1"))
        talk.say("A question of more than that", "more than the 20 of its limit")
        talk.say("/undo", r"Taken back: One\?\r\n")
        self.assertEqual(talk.leave(), 0)

    def reset(self, talk, answer, says):
        talk.type("/reset\r")
        talk.wait(r"forget it there too\? \[y\]es, \[n\]o: ")
        talk.say(answer, says)

    def test_a_reset_begins_anew_and_asks_before_it_forgets_what_is_kept(self):
        talk = self.talk("--session", "sums", replies=[program("x = 1\nx"), program("'x' in globals()")])
        talk.ready()
        talk.say("One?", line("1"))
        self.reset(talk, "n", "Nothing was forgotten")
        self.reset(talk, "y", "begin again")
        talk.say("And now?", line("False"))
        self.assertNotIn("One?", self.questions()[-1])

    def test_another_model_goes_on_with_the_session(self):
        talk = self.talk(replies=[program("x = 6\nx"), program("x * 7")])
        talk.ready()
        talk.say("Six?", line("6"))
        talk.say("/model", "openai:test")
        talk.say("/model opnai:second", 'is it "openai"\\?')
        talk.say("/model a b", "the name of one model")
        talk.say("/model openai:second", "openai:second is asked from now on")
        talk.say("Times seven?", line("42"))
        self.assertEqual([request["model"] for request in self.asked], ["test", "second"])

    def test_another_providers_model_has_no_key_of_the_first_ones(self):
        heard = []
        self.endpoint.answer = lambda request, headers: heard.append(dict(headers)) or program("1")
        key = self.file("key", "sk-first")
        talk = self.talk("--key-file", key, "--header", "X-Team: first", "--base-url", self.endpoint.url,
                         OLLAMA_HOST=self.endpoint.url)
        talk.ready()
        talk.say("One?", line("1"))
        talk.say("/model ollama:second", "ollama:second is asked")
        talk.say("One?", line("1"))
        talk.say("/model openai:test", "openai:test is asked")
        talk.say("One?", line("1"))
        self.assertEqual(["sk-first" in str(headers) for headers in heard], [True, False, True])
        self.assertEqual(["X-Team" in headers for headers in heard], [True, False, True])

    def test_a_conversation_is_saved_though_it_is_not_kept(self):
        talk = self.talk(replies=[program("total = 45\ntotal"), program("total * 2")])
        talk.ready()
        talk.say("/save talk.md", "no question was asked yet")
        talk.say("Add it", line("45"))
        talk.say("Twice that?", line("90"))
        talk.say("/save", "wants a name that ends in .ipynb or .md")
        talk.say("/save talk.txt", "ends in .ipynb or .md")
        talk.say("/save talk.md", "2 questions saved to talk.md")
        talk.say("/save talk.md", "/save -f talk.md replaces it")
        talk.say("/save ~/at-home.md", "2 questions saved to [^\\n]*/at-home.md")
        talk.say("/save -f talk.md", "2 questions saved to talk.md")
        self.assertIn("## Add it\n\n```python\ntotal = 45\ntotal\n```", pathlib.Path(self.folder, "talk.md").read_text())

    def test_tab_completes_words_and_files(self):
        self.file("sales_north.csv", "a\n1\n")
        talk = self.talk(replies=[program("1")])
        talk.ready()
        talk.say("/co\t", "no program has run yet")
        talk.say("/sav\ttalk.md", "no question was asked yet")
        talk.say("What is in sal\t?", line("1"))
        self.assertIn("What is in sales_north.csv?", self.questions()[-1])

    # ---- slips ----

    def test_what_is_not_meant_for_the_model_is_asked_back_and_not_sent(self):
        slips = [("/halp", "did you mean /help?"), ("/help me plan a trip", "/help takes nothing"),
                 ("/plan a trip", "a blank before it makes"), ("/etc/hosts has how many lines?", "a blank before it makes"),
                 ("/", "not a word of this prompt")]
        talk = self.talk()
        talk.ready()
        for typed, says in slips:
            with self.subTest(typed):
                talk.say(typed, says.replace("?", r"\?").replace("[", r"\["))
        self.assertEqual(talk.leave(), 0)
        self.assertEqual(self.asked, [])

    def test_what_only_begins_so_is_a_question(self):
        lines = [" /help me plan a trip", "- one\\\r- two: which is more?", "--csv sales.csv", "x = 5"]
        talk = self.talk(replies=[program("1")] * len(lines))
        talk.ready()
        for typed in lines:
            with self.subTest(typed):
                talk.say(typed, line("1"))
        self.assertEqual(len(self.asked), len(lines))

    # ---- signals ----

    def test_ctrl_c_gives_the_question_up_and_keeps_the_session(self):
        talk = self.talk(replies=[program("x = 6\nx"), {"silent": True}, program("print('on', flush=True)\nwhile True: pass"),
                                  program("x * 7")], plain=("--no-evaluation", "--answer", "result"))
        talk.ready()
        talk.say("Six?", line("6"))
        talk.type("And who waits?\r")
        talk.wait("generate by openai:test, 1 s; Ctrl-C stops it")
        talk.type(CTRL_C)
        talk.wait("cancelled")
        talk.ready()
        talk.type("And what runs?\r")
        talk.wait(r"\| on\r\n")
        talk.type(CTRL_C)
        talk.wait("cancelled")
        talk.ready()
        talk.say("Times seven?", line("42"))
        self.assertEqual(talk.leave(), 0)

    def test_ctrl_c_clears_what_was_typed(self):
        talk = self.talk(replies=[program("1")])
        talk.ready()
        talk.type("What is" + CTRL_C)
        talk.ready()
        talk.type(CTRL_C)
        talk.ready()
        talk.say("One?", line("1"))
        self.assertNotIn("What is", self.questions()[-1])
        self.assertEqual(talk.leave(), 0)

    def interrupt(self, talk):
        """As Ctrl-C does, which would throw away what the terminal has not shown yet. Until it is taken."""
        os.kill(talk.pid, signal.SIGINT)
        status = pathlib.Path(f"/proc/{talk.pid}/status")
        while int(re.search(r"ShdPnd:\t(\w+)", status.read_text())[1], 16) & 1 << signal.SIGINT - 1:
            pass

    def fill(self, talk):
        """Until the terminal has no room: a busy machine shows little of a program's output in any time."""
        screen = os.open(f"/proc/{talk.pid}/fd/1", os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
        refused = 0
        while refused < 10:  # one may be refused because the program is writing at that moment
            try:
                os.write(screen, b".")
                refused = 0
            except BlockingIOError:
                refused += 1
                time.sleep(0.02)
        os.close(screen)

    def test_a_second_interrupt_while_it_ends_leaves_and_a_third_does_at_once(self):
        """It cannot end before somebody reads what it shows."""
        for interrupts in (2, 3):
            with self.subTest(interrupts):
                replies = [program("while True: print('on ' * 100, flush=True)")]
                talk = self.talk("--output", "1MiB", replies=replies, plain=("--no-evaluation", "--answer", "result"))
                talk.ready()
                talk.type("And what runs?\r")
                talk.wait(r"\| on")
                self.fill(talk)
                for _ in range(interrupts):
                    self.interrupt(talk)
                self.assertEqual(talk.end() if interrupts == 2 else talk.end_unread(), 128 + signal.SIGINT)

    def test_a_hang_up_ends_it(self):
        talk = self.talk()
        talk.ready()
        os.kill(talk.pid, signal.SIGHUP)
        self.assertEqual(talk.end(), 128 + signal.SIGHUP)

    # ---- one that is kept ----

    def test_twenty_questions_with_a_kill_and_an_undo_are_a_notebook_that_runs(self):
        first = [program(f"n{i} = {i}\nn{i}") for i in range(9)]
        talk = self.talk("--session", "twenty", replies=[*first, {"silent": True}])
        talk.ready()
        for i in range(9):
            talk.say(f"Number {i}?", line(f"{i}"))
        asked = len(self.asked)
        talk.type("Number nine, which never comes?\r")
        while len(self.asked) == asked:
            pass
        os.kill(talk.pid, signal.SIGKILL)
        self.assertEqual(talk.end(), -signal.SIGKILL)

        self.replies[:] = [program("n10 = sum([n0, n1, n2, n3, n4, n5, n6, n7, n8])\nn10"), program("n0 = 1000\nn0"),
                           *(program(f"n{i} = n{i - 1} + n0 + 1\nn{i}") for i in range(11, 21))]
        talk = self.talk("--session", "twenty")
        talk.wait("The conversation twenty goes on after 9 questions")
        talk.ready()
        talk.say("What is their sum?", line("36"))
        talk.say("A question that is wrong?", line("1000"))
        talk.say("/undo", "Taken back: A question that is wrong")
        for i in range(11, 21):
            talk.say(f"And number {i}?", line(f"{36 + i - 10}"))
        talk.say("/save twenty.ipynb", "20 questions saved to twenty.ipynb")
        self.assertEqual(talk.leave(), 0)

        book = json.loads(pathlib.Path(self.folder, "twenty.ipynb").read_text())
        self.assertEqual([cell["cell_type"] for cell in book["cells"]], ["markdown", "code", "markdown"] * 20)
        done = subprocess.run([SNUG, "run", "twenty.ipynb", "-c", "print(n20)"], cwd=self.folder, capture_output=True,
                              encoding="utf-8", env=self.env(), timeout=SECONDS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.endswith("\n46\n\n") or "\n46\n" in done.stdout, done.stdout)
        listed = subprocess.run([SNUG, "conversations"], capture_output=True, encoding="utf-8", env=self.env())
        self.assertRegex(listed.stdout, r"^twenty .* 20 questions  And number 20\?\n$")


class Asking(Talking):
    """--ask."""

    def ask(self, *args, replies, **changes):
        return self.talk("--ask", *args, replies=replies, plain=("--no-evaluation", "--answer", "result"), **changes)

    def answers(self, talk, *answers):
        for answer in answers:
            talk.wait(r"run this\? \[y\]es, \[n\]o, \[a\]lways: ")
            talk.type(answer + "\r")

    def test_a_program_that_is_refused_does_not_run(self):
        for how in ((), ("--mode", "act"), ("--isolation", "local"), ("--quiet",)):
            with self.subTest(how):
                talk = self.ask("--workdir", self.folder, *how, "Make it", replies=[program("open('made', 'w').close()")])
                talk.wait(r"open\('made', 'w'\)")
                self.answers(talk, "what", "", "n")
                talk.wait("refused: the program was not to run: nothing of it has run")
                self.assertEqual(talk.end(), 1)
                self.assertFalse(pathlib.Path(self.folder, "made").exists())

    def test_each_program_is_asked_for_until_somebody_says_always(self):
        plan = {"content": '["one", "two", "three"]'}
        talk = self.ask("--mode", "plan", "One?", replies=[plan, program("1"), program("2"), program("3")])
        self.answers(talk, "yes", "A")
        talk.wait(line("3"))
        self.assertEqual(talk.end(), 0)
        self.assertEqual(talk.out.text.count(b"run this?"), 2)

    def test_bash_is_asked_for_too(self):
        probe = subprocess.run([SNUG, "run", "--isolation", "bash", "-c", "true"], capture_output=True, env=self.env())
        if probe.returncode:
            self.skipTest("no session of bash can be opened here")
        talk = self.ask("--language", "bash", "--workdir", self.folder, "Make it", replies=[{"content": "```bash\ntouch made\n```"}])
        self.answers(talk, "n")
        talk.wait("refused: ")
        self.assertEqual(talk.end(), 1)
        self.assertFalse(pathlib.Path(self.folder, "made").exists())

    def test_what_begins_with_the_letter_of_an_answer_is_none(self):
        talk = self.ask("What?", replies=[program("6 * 7")])
        self.answers(talk, "A second question, please?", "y or n?", "always ask", "n")
        talk.wait("refused: ")
        self.assertEqual(talk.end(), 1)

    def test_what_was_typed_before_a_program_was_shown_is_no_answer_to_it(self):
        typed = threading.Event()

        class Held(list):
            """Gives no reply before that."""

            def pop(self, at):
                typed.wait(SECONDS)
                return super().pop(at)

        self.replies = Held([program("open('made', 'w').close()")])
        talk = self.ask("--workdir", self.folder, replies=[])
        talk.ready()
        talk.type("Make it?\r")
        talk.wait("generate by")
        talk.type("y\r")
        talk.wait("y\r\n")  # the terminal has it
        typed.set()
        self.answers(talk, "n")
        talk.wait("refused: ")
        talk.ready()
        self.assertEqual(talk.leave(), 0)
        self.assertFalse(pathlib.Path(self.folder, "made").exists())

    def test_in_a_conversation_the_prompt_comes_back(self):
        talk = self.ask(replies=[program("1"), program("2"), program("3")])
        talk.ready()
        talk.type("One?\r")
        self.answers(talk, "n")
        talk.wait("refused: ")
        talk.ready()
        talk.type("Two?\r")
        talk.wait(r"run this\?")
        talk.type(CTRL_C)
        talk.wait("cancelled")
        talk.ready()
        talk.type("Three?\r")
        self.answers(talk, "a")
        talk.wait(line("3"))
        talk.ready()
        self.assertEqual(talk.leave(), 0)

    def test_a_call_that_a_rule_asks_about_is_shown(self):
        rules = ("--tool", "upper=tr a-z A-Z", "--tool-rule", "*=ask")
        for isolation in "local", "worker":
            for typed, result in (("y", "'X'"), ("a", "'X'"), ("n", "refused it")):
                code = "try:\n    r = upper(text='x')['TEXT']\nexcept ToolRefused as e:\n    r = str(e)\nr"
                talk = self.talk(*rules, "--isolation", isolation, "What?", replies=[program(code)],
                                 plain=("--no-evaluation", "--answer", "result"))
                talk.wait(r'Call upper\(text="x"\)\? \[y\]es, \[a\]lways, \[n\]o: ')
                talk.type(typed + "\r")
                talk.wait(result)
                self.assertEqual(talk.end(), 0)

    def test_without_a_terminal_a_call_that_is_asked_about_is_refused_and_the_model_told(self):
        self.replies.extend([program("upper(text='x')"), program("'other'")])
        done = subprocess.run([SNUG, "ask", "--no-evaluation", "--answer", "result", "--tool", "upper=tr a-z A-Z", "--tool-rule", "*=ask",
                               "What?"], stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", env=self.env())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the session asks about its calls, and nobody answers", json.dumps(self.asked[-1]))

    def test_ctrl_c_is_no_refusal(self):
        for _ in range(8):
            talk = self.ask("What?", replies=[program("6 * 7")])
            talk.wait(r"run this\?")
            talk.type(CTRL_C)
            talk.wait("terminal_error: the question was cancelled")
            self.assertEqual(talk.end(), 128 + signal.SIGINT)

    def test_without_a_terminal_nobody_can_be_asked(self):
        done = subprocess.run([SNUG, "ask", "--ask", "What?"], input="", capture_output=True, encoding="utf-8", env=self.env())
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (2, "", "snug: --ask asks at a terminal, and stdin is not one\n"))


if __name__ == "__main__":
    unittest.main()
