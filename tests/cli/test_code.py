import json
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "endpoint"))

from driver import Case, environment, snug
from endpoint import Endpoint


def program(source):
    return f"One sentence.\n```python\n{source}\n```"


JUDGED = ("Judge whether", '{"verdict": "pass", "reason": "", "answer": ""}')
SLOW = "total = 0\nfor i in range(400_000):\n    total += i\ntotal"
SLOWER = "for i in range(1_600_000):\n    pass\n" + SLOW
FAST = "n = 400_000\ntotal = n * (n - 1) // 2\ntotal"


class Code(Case):
    def ask(self, source, rules, *options):
        """The reply, and the rules that were not used."""
        path = self.file("given.py", source)
        with Endpoint(rules) as endpoint:
            done = snug("ask", "--json", "--code", path, *options,
                        env=environment(**endpoint.environment))
            self.left = endpoint.server.rules.rules
        self.assertEqual(done.stderr, "")
        self.lines = [json.loads(line) for line in done.stdout.splitlines()]
        return self.lines[-1]

    def given(self, reply, **expected):
        for name, value in expected.items():
            self.assertEqual(reply["given"][name], value, name)

    # ---- fix_errors

    def test_a_program_that_passes_is_answered_unchanged_without_a_request(self):
        reply = self.ask("def f(x):\n    return x + 1\n", [], "--check", "assert f(1) == 2")
        self.assertEqual((reply["status"], reply["usage"]["requests"]), ("answered", 0))
        self.assertEqual(reply["answer"], "The program passes. It is unchanged.\n\n"
                                          "```python\ndef f(x):\n    return x + 1\n```")
        self.assertEqual(reply["given"], {"original_ms": None, "improved_ms": None, "speedup": None,
                                          "changed": False})

    def test_a_program_that_fails_a_check_is_repaired(self):
        reply = self.ask("def f(x):\n    return x", [("AssertionError", program("def f(x):\n    return x + 1"))],
                         "--check", "assert f(1) == 2")
        self.assertEqual((reply["status"], len(reply["attempts"])), ("answered", 2))
        self.assertTrue(reply["answer"].startswith("The program is repaired.\n\n```python\n"), reply["answer"])
        self.given(reply, changed=True)

    def test_with_a_question_a_model_judges_it(self):
        reply = self.ask("print(1)", [("Judge whether", '{"verdict": "fail", "reason": "say two"}'),
                                      ("say two", program("print(2)")), JUDGED], "Print two.")
        self.assertEqual((reply["status"], reply["attempts"][-1]["code"]), ("answered", "print(2)"))

    def test_what_the_scan_finds_is_repaired_and_nothing_has_run(self):
        reply = self.ask("import socket", [("refused before it ran", program("1"))])
        self.assertEqual((reply["status"], reply["attempts"][0]["result"]), ("answered", None))

    def test_a_long_program_may_be_given(self):
        reply = self.ask("x = 1\n" * 300, [], "--max-code-lines", "10")
        self.assertEqual(reply["status"], "answered")

    def test_one_that_is_not_repaired_has_no_answer(self):
        reply = self.ask("1/0", [("Your program failed", program("1/0"))] * 2)
        self.assertEqual((reply["status"], reply["answer"]), ("max_attempts", None))

    def test_it_is_for_the_mode_solve_and_a_file_of_text(self):
        path = self.file("given.py", "1")
        for mode in "chain", "act", "plan":
            self.refused("ask", "--model", "ollama:x", "--mode", mode, "--code", path,
                         says="is for the mode solve")
        self.refused("ask", "--model", "ollama:x", "--code", self.folder + "/none", says="none")
        self.refused("ask", "--model", "ollama:x", "--code", self.file("a", b"1\0"), says="NUL byte")
        self.refused("ask", "--model", "ollama:x", "--code", self.file("a", b"x = '\xe4'"),
                     says="the program that is given is not UTF-8: 0xe4 at byte 6")
        self.refused("ask", "--model", "ollama:x", "--code", self.file("a", ""), says="is empty")

    def test_a_stored_result_does_not_take_the_place_of_a_run(self):
        options = ["--cache-file", self.folder + "/cache.db", "--cache-results", "--focus", "optimize"]
        for _ in range(2):
            reply = self.ask(SLOW, [("shall be faster", program(FAST))], *options)
            self.assertIsNotNone(reply["attempts"][0]["result"])
            self.given(reply, changed=True)

    # ---- optimize

    def test_a_version_that_is_measured_to_be_faster_is_taken(self):
        reply = self.ask(SLOW, [("shall be faster", program(FAST))], "--focus", "optimize")
        given = reply["given"]
        self.assertEqual((reply["status"], given["changed"]), ("answered", True))
        self.assertGreater(given["original_ms"], given["improved_ms"])
        self.assertAlmostEqual(given["speedup"], given["original_ms"] / given["improved_ms"])
        self.assertGreater(given["speedup"], 1.1)
        self.assertRegex(reply["answer"], r"^The program passes. It is [\d.]+ times as fast: .* ms instead of "
                                          r".* ms.\n\n```python\nn = 400_000\n")

    def test_a_version_that_is_no_faster_is_not_taken(self):
        reply = self.ask(SLOW, [("shall be faster", program(SLOWER)),
                                ("not faster by 10 %", program(SLOWER + "  # again"))],
                         "--focus", "optimize", "--max-attempts", "2")
        self.assertEqual((reply["status"], self.left), ("answered", []))
        self.given(reply, changed=False, improved_ms=None, speedup=None)
        self.assertGreater(reply["given"]["original_ms"], 0)
        self.assertEqual(reply["answer"], "The program passes. No version was faster by 10 % or more. "
                                          f"It is unchanged.\n\n```python\n{SLOW}\n```")
        self.assertEqual([line["taken"] for line in self.lines if line.get("event") == "improve"],
                         [False, False])

    def test_a_version_that_gives_something_else_is_not_taken(self):
        reply = self.ask(SLOW, [("shall be faster", program("1")), ("does not give what", program("1/0")),
                                ("ZeroDivisionError", program("import socket"))], "--focus", "optimize")
        self.assertEqual((reply["status"], self.left), ("answered", []))
        self.given(reply, changed=False)
        self.assertEqual([a["failure"] and a["failure"]["class"] for a in reply["attempts"]],
                         [None, "logical", "runtime", "import"])

    def test_a_version_that_fails_a_check_is_not_taken(self):
        reply = self.ask(SLOW, [("shall be faster", program("total = 0\ntotal"))], "--focus", "optimize",
                         "--check", "assert total > 1", "--max-attempts", "1")
        self.given(reply, changed=False)
        self.assertEqual(reply["evaluation"]["verdict"], "pass")

    def test_with_checks_a_version_may_show_something_else(self):
        reply = self.ask(SLOW, [("shall be faster", program(FAST + "\nprint('fast')"))], "--focus", "optimize",
                         "--check", "assert total == 79999800000")
        self.given(reply, changed=True)

    def test_a_program_that_fails_is_repaired_first(self):
        reply = self.ask(SLOW + "l", [("Your program failed", program(SLOW)), ("shall be faster", program(FAST))],
                         "--focus", "optimize")
        self.assertTrue(reply["answer"].startswith("The program is repaired. It is "), reply["answer"])

    def test_without_output_or_checks_no_version_is_asked_for(self):
        reply = self.ask("x = 1", [], "--focus", "optimize")
        self.assertIn("no version can be told to be right. It is unchanged.", reply["answer"])

    def test_where_no_version_can_be_had_the_program_is_still_there(self):
        reply = self.ask(SLOW, [], "--focus", "optimize")
        self.assertEqual(reply["status"], "terminal_error")
        self.assertIn(SLOW, reply["answer"])

    def test_versions_start_from_the_data_and_names_as_they_were(self):
        path = self.file("rows.json", json.dumps(list(range(1000, 0, -1))))
        slow = "rows.sort()\nfor i in range(2_000_000):\n    pass\nseen = 'best' in globals()\nbest = rows.pop(0)\n(best, len(rows), seen)"
        fast = slow.replace("for i in range(2_000_000):\n    pass\n", "")
        reply = self.ask(slow, [("shall be faster", program(fast))], "--focus", "optimize", "--input", "rows=" + path)
        self.given(reply, changed=True)
        self.assertEqual(reply["attempts"][1]["output"], "(1, 999, False)")

    def test_the_session_is_left_as_the_answer_leaves_it(self):
        path = self.file("given.py", "who = 'given'\nwho")
        rules = [("shall be faster", program("for i in range(1_000_000):\n    pass\nwho = 'version'\nother = 1\n'given'")),
                 ("Which?", "```python\n(who, 'other' in globals())\n```")]
        with Endpoint(rules) as endpoint:
            done = snug("ask", "--code", path, "--focus", "optimize", "--max-attempts", "1", "--quiet",
                        "--no-evaluation", "--answer", "result", "", "Which?",
                        env=environment(**endpoint.environment))
        self.assertEqual(done.stdout.splitlines()[-1], "('given', False)")

    # ---- robustness and style

    def test_the_first_version_that_gives_the_same_is_taken(self):
        source = "def mean(rows):\n    return sum(rows) / len(rows)\nmean([1, 2])"
        better = source.replace("len(rows)", "len(rows) if rows else 0")
        for focus, words, said in (("robustness", "shall hold for more", "more inputs"),
                                   ("style", "shall be in better style", "better style")):
            with self.subTest(focus):
                reply = self.ask(source, [(words, program("1")), ("does not give what", program(source)),
                                          ("it is the same program", program(better))], "--focus", focus)
                self.assertEqual((reply["status"], self.left), ("answered", []))
                self.given(reply, changed=True, original_ms=None)
                self.assertTrue(reply["answer"].startswith(
                    f"The program passes. A version for {said} gives the same.\n"), reply["answer"])
                self.assertEqual([line["taken"] for line in self.lines if line.get("event") == "improve"],
                                 [False, False, True])

    def test_where_no_version_passes_the_program_is_unchanged(self):
        reply = self.ask("6 * 7", [("better style", program("1"))], "--focus", "style", "--max-attempts", "1")
        self.assertIn("No version was better. It is unchanged.", reply["answer"])

    # ---- explain, formats

    def test_the_explanation_is_a_request_of_its_own(self):
        path = self.file("given.py", "1 + 1")
        with Endpoint([("Explain a Python program", "It adds.")] * 3) as endpoint:
            env = environment(**endpoint.environment)
            plain = snug("ask", "--explain", "--quiet", "--code", path, env=env).stdout
            report = snug("ask", "--explain", "--quiet", "--code", path, "--format", "markdown", env=env).stdout
            reply = json.loads(snug("ask", "--explain", "--quiet", "--code", path, "--format", "json", env=env).stdout)
        self.assertEqual(plain, "The program passes. It is unchanged.\n\n```python\n1 + 1\n```\n\nIt adds.\n")
        self.assertIn("## Explanation\n\nIt adds.\n", report)
        self.assertEqual((reply["explanation"], reply["status"]), ("It adds.", "answered"))

    def test_without_an_explanation_there_is_still_an_answer(self):
        reply = self.ask("1 + 1", [], "--explain")
        self.assertEqual((reply["status"], reply["explanation"], reply["error"]), ("answered", None, None))

    def test_an_answer_to_a_question_is_explained_too(self):
        with Endpoint([("What is", program("6 * 7")), ("Explain", "It multiplies.")]) as endpoint:
            done = snug("ask", "--explain", "--quiet", "--no-evaluation", "--answer", "result", "What is 6 * 7?",
                        env=environment(**endpoint.environment))
        self.assertEqual(done.stdout, "42\n\nIt multiplies.\n")

    def test_the_report_has_the_version_as_improved_code(self):
        path = self.file("given.py", SLOW)
        with Endpoint([("shall be faster", program(FAST))]) as endpoint:
            done = snug("ask", "--quiet", "--code", path, "--focus", "optimize", "--format", "markdown",
                        env=environment(**endpoint.environment))
        self.assertIn(f"## Generated Code\n\n```python\n{SLOW}\n```\n", done.stdout)
        self.assertIn(f"## Improved Code\n\n```python\n{FAST}\n```\n", done.stdout)


if __name__ == "__main__":
    unittest.main()
