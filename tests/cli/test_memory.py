import json
import os
import signal
import sqlite3
import subprocess
import unittest

from asking import PASS, Asking, Endpoint, program
from driver import SNUG, environment, snug


def content(path):
    with open(path, "rb") as file:
        return file.read()


class Recorder:
    """Rules that answer nothing and keep the prompts."""

    def __init__(self):
        self.prompts = []

    def reply(self, prompt):
        self.prompts.append(prompt)


class Memory(Asking):
    first = [("Question:\nput 6", program("x = 6 * 7\nx")), ("Judge whether", PASS % "It is 42.")]

    def begin(self, *args):
        return self.reply(self.first, "--session", "a", *args, "put 6 times 7 into x")

    def test_conversation_and_names_are_there_in_the_next_process(self):
        self.assertEqual(self.begin()["stored"], {"skipped": [], "names": 1, "turns": 1, "error": None})
        reply = self.reply([("It is 42.", program("x + 1")), ("Judge whether", PASS % "43.")],
                           "--session", "a", "and one more?")
        self.assertEqual((reply["answer"], reply["stored"]["turns"]), ("43.", 2))

    def test_the_file_is_of_this_user_only(self):
        self.begin()
        self.assertEqual(os.stat(self.state("sessions/a.db")).st_mode & 0o777, 0o600)
        self.assertEqual(os.stat(self.state("sessions")).st_mode & 0o777, 0o700)
        self.assertEqual(os.listdir(self.state("sessions")), ["a.db"])

    def test_a_path_with_a_slash_is_a_file(self):
        self.reply(self.first, "--session", "./mine.db", "put 6 times 7 into x")
        self.assertIn("mine.db", os.listdir(self.folder))

    def test_what_could_not_be_kept_is_told_to_the_model(self):
        rules = [("Question:\nmake g", program("g = (i for i in range(3))\nx = 3\nx")),
                 ("Judge whether", PASS % "Made.")]
        stored = self.reply(rules, "--session", "a", "make g")["stored"]
        self.assertEqual([item["name"] for item in stored["skipped"]], ["g"])
        self.reply([("- g is not there any more: a generator cannot be saved", program("x")),
                    ("Judge whether", PASS % "3.")], "--session", "a", "what is x?")

    def test_a_failed_question_is_stored_too(self):
        done = self.ask([("Question:\nfail", program("1/0"))], "--session", "a", "--mode", "chain",
                        "--format", "json", "fail")
        self.assertEqual(json.loads(done.stdout)["stored"]["turns"], 1)
        self.reply([("division by zero", program("2")), ("Judge whether", PASS % "2.")],
                   "--session", "a", "and now?")

    def test_a_session_that_can_not_be_saved_keeps_the_last_one(self):
        self.begin()
        hangs = ("class C:\n    def __getstate__(self):\n        while True: pass\nc = C()\nx = 5\nx")
        reply = self.reply([("Question:\nhang", program(hangs)), ("Judge whether", PASS % "5.")],
                           "--session", "a", "--timeout", "1s", "hang")
        self.assertIn("the session is not saved", reply["stored"]["error"])
        self.assertEqual(reply["stored"]["turns"], 2)
        reply = self.reply([("those after question 1 of 2", program("x")),
                            ("Judge whether", PASS % "42.")], "--session", "a", "what is x?")
        self.assertEqual(reply["answer"], "42.")

    def test_a_session_that_can_not_be_restored_costs_the_names_and_stays(self):
        hangs = ("class C:\n    def __getstate__(self):\n        return {'a': 1}\n"
                 "    def __setstate__(self, state):\n        import time\n        end = time.monotonic() + 8\n"
                 "        while time.monotonic() < end: time.sleep(0.02)\nc = C()\nx = 5\nx")
        self.reply([("Question:\nhang", program(hangs)), ("Judge whether", PASS % "5.")], "--session", "a", "hang")
        rules = [("all variables of earlier questions are gone", program("'x' in globals()")),
                 ("Judge whether", PASS % "No.")]
        events, reply = self.events(rules, "--session", "a", "--timeout", "1s", "is x there?")
        self.assertEqual((reply["answer"], reply["stored"]["turns"]), ("No.", 2), reply["error"])
        self.assertIn("cannot be restored: restoring", reply["stored"]["error"])
        self.assertIn("; it stays as it was stored", reply["stored"]["error"])
        self.assertEqual([e["about"] for e in events if e["event"] == "without"], ["conversation"])
        reply = self.reply([("those after question 1 of 2", program("x")), ("Judge whether", PASS % "5.")],
                           "--session", "a", "what is x?")
        self.assertEqual((reply["attempts"][0]["output"], reply["stored"]["error"]), ("5", None))

    def test_a_killed_process_leaves_what_was_stored(self):
        self.begin()
        with Endpoint([("Question:\nwait", program("print('runs', flush=True)\nwhile True: pass"))]) as e:
            process = subprocess.Popen(
                [SNUG, "ask", "--session", "a", "--json", "wait"], cwd=self.folder,
                env=environment(**e.environment, XDG_STATE_HOME=self.folder),
                stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, encoding="utf-8")
            for line in process.stdout:
                if json.loads(line)["event"] == "output":
                    break
            process.send_signal(signal.SIGKILL)
            process.communicate()
        self.reply([("It is 42.", program("x")), ("Judge whether", PASS % "42.")],
                   "--session", "a", "what is x?")

    def test_a_long_conversation_is_summarised(self):
        fills = [("Question:\nfill", program("'" + "word " * 300 + "'")), ("Judge whether", PASS % "Filled.")]
        for _ in range(2):
            self.reply(fills, "--session", "a", "--history-tokens", "800", "fill")
        events, reply = self.events(
            [("Summarise this part", "The user filled twice, and likes 17."),
             ("Summary of what came before:\nThe user filled twice", program("17")),
             ("Judge whether", PASS % "17.")],
            "--session", "a", "--history-tokens", "800", "what do I like?")
        self.assertEqual(reply["answer"], "17.")
        self.assertIn("summarise", [event["event"] for event in events])
        self.assertEqual(reply["usage"]["requests"], 3)
        self.reply([("Summary of what came before:\nThe user filled twice", program("17")),
                    ("Judge whether", PASS % "17.")], "--session", "a", "again")

    def test_a_summary_that_can_not_be_had_costs_no_answer(self):
        fills = [("Question:\nfill", program("'" + "word " * 300 + "'")), ("Judge whether", PASS % "Filled.")]
        for _ in range(2):
            self.reply(fills, "--session", "a", "--history-tokens", "1600", "fill")
        events, reply = self.events([("Question:\nnow", program("17")), ("Judge whether", PASS % "17.")],
                                    "--session", "a", "--history-tokens", "500", "now")
        self.assertEqual((reply["answer"], reply["error"]), ("17.", None))
        self.assertEqual([e["about"] for e in events if e["event"] == "without"], ["summary"])

    def test_tools_are_not_told_as_lost(self):
        tool = ("--session", "a", "--mode", "act", "--no-evaluation", "--tool", "f=true")
        rules = [("Question:\n", program("x = 42\nprint(x)\nfinal_answer(x)"))]
        reply = self.reply(rules, *tool, "one")
        self.assertEqual((reply["answer"], reply["stored"]["skipped"]), ("42", []))
        with Endpoint([]) as endpoint:
            asked = endpoint.server.rules = Recorder()
            snug("ask", *tool, "two", cwd=self.folder,
                 env=environment(**endpoint.environment, XDG_STATE_HOME=self.folder))
        self.assertIn("Answer:\n42", asked.prompts[0])
        self.assertNotIn("not there any more", asked.prompts[0])

    def test_a_full_disk_costs_the_session_and_no_answer(self):
        rules = [("Question:\nfill", program("x = 'y' * 3_000_000\nlen(x)")),
                 ("Judge whether", PASS % "3000000")]
        done = self.ask(rules, "--session", "a", "--format", "json", "--quiet", "fill", full=True)
        reply = json.loads(done.stdout)
        self.assertEqual((reply["status"], reply["stored"]["turns"]), ("answered", 1))
        self.assertIn("the session is not saved", reply["stored"]["error"])
        self.reply([("all variables of earlier questions are gone", program("7")),
                    ("Judge whether", PASS % "7")], "--session", "a", "and now?")

    def test_forget_removes_it(self):
        self.begin()
        done = self.ask([], "--session", "a", "--forget")
        self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", ""))
        self.assertEqual(os.listdir(self.state("sessions")), [])
        self.assertEqual(self.ask([], "--session", "a", "--forget").returncode, 0)

    def test_bash_in_a_conversation_that_is_kept_is_refused(self):
        rules = [*self.first, ("prints 1", "```bash\necho 1\n```")]
        done = self.ask(rules, "--session", "a", "put 6 times 7 into x", "Write a bash script that prints 1")
        self.assertEqual((done.returncode, done.stdout), (1, "It is 42.\n"), done.stderr)
        self.assertIn("bash needs a session of its own (--language bash", done.stderr)

    def test_forget_removes_nothing_else(self):
        path = self.file("mine.db", "precious")
        done = self.ask([], "--session", path, "--forget")
        self.assertEqual(done.returncode, 2)
        self.assertIn("is not a snug conversation, and is left as it is", done.stderr)
        self.assertTrue(os.path.exists(path))

    # ---- files that are not right ----

    def fails(self, *args, says):
        done = self.ask([], "--session", "a", *args, "x")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(says, done.stderr)

    def test_a_file_that_is_another_is_left_alone(self):
        os.makedirs(self.state("sessions"))
        path = self.state("sessions/a.db")
        with sqlite3.connect(path) as db:
            db.execute("create table mine (x)")
        db.close()
        self.fails(says="chmod 600")
        os.chmod(path, 0o600)
        before = content(path)
        self.fails(says="is a database, and no conversation of snug")
        self.assertEqual(content(path), before)
        os.remove(path)
        self.file(path, "precious text\n" * 100)
        os.chmod(path, 0o600)
        self.fails(says="is not a snug database")
        os.remove(path)
        os.mkdir(path)
        self.fails(says="is a folder, and no conversation")

    def test_one_of_a_newer_snug_is_left_alone(self):
        self.begin()
        path = self.state("sessions/a.db")
        with sqlite3.connect(path) as db:
            db.execute("pragma user_version = 7")
        db.close()
        self.fails(says="is of a newer snug: it has the format 7")

    def test_damage_is_told_and_loses_no_more(self):
        self.begin()
        path = self.state("sessions/a.db")
        whole = content(path)
        told = 0
        for at in range(0, len(whole), len(whole) // 8):
            damaged = bytearray(whole)
            damaged[at:at + 64] = bytes(b ^ 0x55 for b in damaged[at:at + 64])
            with open(path, "wb") as out:
                out.write(damaged)
            done = self.ask([("Question:\nx", program("1"))], "--session", "a", "--mode", "chain",
                            "--answer", "result", "--quiet", "x")
            self.assertIn(done.returncode, (0, 2), (at, done.stderr))
            if done.returncode == 2:
                told += 1
                self.assertEqual(done.stderr.count("\n"), 1, (at, done.stderr))
                self.assertEqual(content(path), bytes(damaged), at)
        self.assertGreater(told, 0)

    def test_a_conversation_in_use_is_told(self):
        self.begin()
        db = sqlite3.connect(self.state("sessions/a.db"))
        db.execute("pragma locking_mode = exclusive")
        db.execute("begin exclusive")
        self.fails(says="is in use by another process")
        db.close()
        self.begin()


if __name__ == "__main__":
    unittest.main()
