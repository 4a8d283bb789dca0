"""What a fault of the worker costs a question: the program runs again in a new one."""
import os
import shutil
import unittest

from asking import Asking, program

ABORTED = "its worker was killed by signal 6 (Aborted)"
# Ends its process the first time only: a folder that is named outlives its worker.
ONCE = program("""\
import os
if not os.path.exists("once"):
    open("once", "w").close()
    getattr(os, "".join(["ab", "ort"]))()
n + 1""")
ALWAYS = program("""\
import os
with open("runs", "a") as runs:
    runs.write("x")
n = 0
getattr(os, "".join(["ab", "ort"]))()""")
# A call in C that neither allocates nor looks up.
ENDLESS = program('("a" * 4_000_000).rfind("ab" + "a" * 2_000_000)')
SHELL_KILLED = "the shell was killed by signal 9 (Killed)"
SHELL_ONCE = "if [[ ! -e once ]]; then touch once; kill -9 $$; fi\n"
PLAIN = ("--answer", "result", "--no-evaluation")


class Reruns(Asking):
    def setUp(self):
        super().setUp()
        os.mkdir(self.folder + "/work")
        self.options = (*PLAIN, "--full", "--profile", "data", "--workdir", self.folder + "/work")

    def test_a_worker_that_its_cell_has_ended_is_replaced_and_the_cell_runs_again(self):
        rules = [("Question:\nset it", program("n = 41\nn")), ("Question:\nonce", ONCE)]
        events, reply = self.events(rules, *self.options, "set it", "once")
        self.assertEqual((reply["status"], reply["answer"]), ("answered", "42"))
        self.assertEqual([one["reruns"] for one in reply["attempts"]], [[ABORTED]])
        told = [one for one in events if one.get("event") == "rerun"]
        self.assertEqual([(one["rerun"], one["of"], one["reason"]) for one in told], [(1, 3, ABORTED)])

    def test_the_first_program_runs_again_with_the_data_of_the_question(self):
        self.file("n", "41")
        reply = self.events([("Question:\nonce", ONCE.replace("n + 1", "int(n) + 1"))], *self.options, "--input",
                            "n=" + self.folder + "/n", "once")[1]
        self.assertEqual((reply["status"], reply["answer"]), ("answered", "42"), reply["error"])
        self.assertEqual(reply["attempts"][0]["reruns"], [ABORTED])

    def test_a_large_session_is_not_saved_and_is_lost_with_its_worker(self):
        rules = [("Question:\nset it", program("n = bytearray(40_000_000)\nlen(n)")), ("Question:\nalways", ALWAYS)]
        reply = self.reply_of_last(rules)
        self.assertEqual((reply["status"], reply["attempts"][0]["reruns"]), ("terminal_error", []))

    def test_the_steps_say_that_it_runs_again(self):
        rules = [("Question:\nset it", program("n = 41\nn")), ("Question:\nonce", ONCE)]
        done = self.ask(rules, *self.options, "--reruns", "7", "set it", "once")
        self.assertEqual((done.returncode, done.stdout), (0, "41\n42\n"))
        self.assertIn(f"- run again in a new worker, 1 of 7: {ABORTED}\n", done.stderr)

    def test_the_report_says_that_it_ran_again(self):
        rules = [("Question:\nset it", program("n = 41\nn")), ("Question:\nonce", ONCE)]
        done = self.ask(rules, *self.options, "--quiet", "--format", "markdown", "set it", "once")
        self.assertIn(f"- Attempt 1: passed\n  - Run again in a new worker, 1 time: {ABORTED}\n",
                      done.stdout)

    def test_a_program_that_ends_each_worker_is_repaired_where_the_last_question_left_off(self):
        rules = [("Question:\nset it", program("n = 41\nn")), ("Question:\nalways", ALWAYS),
                 ("each of the 3 times", program("n"))]
        done = self.reply_of_last(rules, "execution.max_retries=2")
        with open(self.folder + "/work/runs", encoding="ascii") as runs:
            self.assertEqual(runs.read(), "xxx")
        self.assertEqual((done["status"], done["answer"]), ("answered", "41"))
        self.assertEqual([len(one["reruns"]) for one in done["attempts"]], [2, 0])
        self.assertEqual(done["attempts"][0]["failure"]["message"], f"SystemError: {ABORTED}")

    def reply_of_last(self, rules, *args):
        return self.events(rules, *self.options, *args, "set it", "always")[1]

    def test_without_reruns_the_session_is_lost_with_its_worker(self):
        for how in ("--reruns=0", "execution.max_retries=0"):
            rules = [("Question:\nset it", program("n = 41\nn")), ("Question:\nalways", ALWAYS)]
            reply = self.reply_of_last(rules, how)
            self.assertEqual(reply["status"], "terminal_error")
            self.assertIn("the session was lost: SystemError: " + ABORTED, reply["error"])
            self.assertEqual(reply["attempts"][0]["reruns"], [])

    def test_a_program_that_took_too_long_is_repaired_and_not_run_again(self):
        rules = [("Question:\nset it", program("n = 41\nn")), ("Question:\nendless", ENDLESS),
                 ("The session is again what it was before", program("n"))]
        _, reply = self.events(rules, *PLAIN, "--isolation", "worker", "--timeout", "0.5", "set it", "endless")
        self.assertEqual((reply["status"], reply["answer"]), ("answered", "41"))
        self.assertEqual([one["reruns"] for one in reply["attempts"]], [[], []])

    # ---- bash

    def bash(self, rules, *args):
        fenced = [(word, f"```bash\n{source}\n```") for word, source in rules]
        return self.events(fenced, *PLAIN, "--language", "bash", "--workdir", self.folder + "/work", *args)

    @unittest.skipUnless(shutil.which("bwrap"), "bwrap is not installed")
    def test_a_program_in_bash_runs_again_from_what_the_session_had(self):
        events, reply = self.bash([("Question:\nset it", "n=41 list=(a 'b c'); f() { echo $((n + $1)); }; set -u; echo $n"),
                                   ("Question:\nonce", SHELL_ONCE + 'echo "$(f 1) ${list[1]} $-"')], "set it", "once")
        self.assertEqual(reply["status"], "answered", reply["error"])
        self.assertRegex(reply["answer"], r"^42 b c \w*u\w*$")
        self.assertEqual([one["reruns"] for one in reply["attempts"]], [[SHELL_KILLED]])
        self.assertEqual([(one["rerun"], one["of"], one["reason"]) for one in events if one.get("event") == "rerun"],
                         [(1, 3, SHELL_KILLED)])

    @unittest.skipUnless(shutil.which("bwrap"), "bwrap is not installed")
    def test_the_first_program_in_bash_runs_again_with_the_data_of_the_question(self):
        for mode in "solve", "act":
            with self.subTest(mode):
                self.file("n.txt", "41\n")
                program = SHELL_ONCE + ("cat n.txt" if mode == "solve" else 'final_answer "$(cat n.txt)"')
                reply = self.bash([("Question:\nonce", program)], "--mode", mode, "--input",
                                  "n.txt=" + self.folder + "/n.txt", "once")[1]
                self.assertEqual((reply["status"], reply["answer"]), ("answered", "41"), reply["error"])
                self.assertEqual(reply["attempts"][0]["reruns"], [SHELL_KILLED])
                for name in os.listdir(self.folder + "/work"):
                    os.remove(f"{self.folder}/work/{name}")

    @unittest.skipUnless(shutil.which("bwrap"), "bwrap is not installed")
    def test_a_program_that_ends_each_shell_is_repaired_where_the_last_question_left_off(self):
        rules = [("Question:\nset it", "n=41; echo $n"), ("Question:\nalways", "echo x >>runs; n=0; kill -9 $$"),
                 ("each of the 3 times", "echo $n")]
        reply = self.bash(rules, "--reruns", "2", "set it", "always")[1]
        with open(self.folder + "/work/runs", encoding="ascii") as runs:
            self.assertEqual(runs.read(), "x\n" * 3)
        self.assertEqual((reply["status"], reply["answer"]), ("answered", "41"), reply["error"])
        self.assertEqual(sorted(os.listdir(self.folder + "/work")), ["runs"])
        reply = self.bash(rules, "--reruns", "0", "set it", "always")[1]
        self.assertEqual((reply["status"], reply["attempts"][0]["reruns"]), ("terminal_error", []))

    def test_a_number_of_reruns_that_is_none_is_refused(self):
        for text in ("many", "-1", "1000", "1.5", ""):
            self.refused("ask", "--reruns=" + text, "?",
                         says=f'--reruns "{text}": expected a whole number from 0 to 999')


if __name__ == "__main__":
    unittest.main()
