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
                                          "faults_before": None, "faults_after": None,
                                          "style_before": None, "style_after": None, "changed": False})

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
        self.assertEqual(reply["answer"], "The program passes. No version was faster by 10 % or more beyond "
                                          f"noise. It is unchanged.\n\n```python\n{SLOW}\n```")
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

    def test_each_measured_run_has_the_data_that_the_first_one_had(self):
        path = self.file("rows.json", json.dumps([2] * 200_000))
        slow = "total = 0\nwhile rows:\n    total += rows.pop()\ntotal"
        reply = self.ask(slow, [("shall be faster", program("total = sum(rows)\nrows.clear()\ntotal"))],
                         "--focus", "optimize", "--input", "rows=" + path)
        self.given(reply, changed=True)
        self.assertGreater(reply["given"]["original_ms"], 5 * reply["given"]["improved_ms"])

    def test_a_version_that_stores_what_it_found_is_not_faster(self):
        # At first it does more than the original: the same would be faster now and then.
        work = "for i in range(800_000):\n    pass\ntotal = 0\nfor i in range(400_000):\n    total += i"
        indented = work.replace("\n", "\n    ")
        names = f"if 'kept' not in globals():\n    {indented}\n    kept = total\nkept"
        module = f"import math\nif not hasattr(math, 'kept'):\n    {indented}\n    math.kept = total\nmath.kept"
        for source in names, module:
            with self.subTest(source[:12]):
                reply = self.ask(SLOW, [("shall be faster", program(source))], "--focus", "optimize",
                                 "--max-attempts", "1")
                self.given(reply, changed=False, improved_ms=None)
        self.assertIn("faster only when it is run again", [line["reason"] for line in self.lines
                                                           if line.get("event") == "improve"][0])

    def test_the_session_is_left_as_the_answer_leaves_it(self):
        path = self.file("given.py", "who = 'given'\nwho")
        rules = [("shall be faster", program("who = 'version'\nother = 1\n'given'")),
                 ("Which?", "```python\n(who, 'other' in globals())\n```")]
        with Endpoint(rules) as endpoint:
            done = snug("ask", "--code", path, "--focus", "optimize", "--max-attempts", "1", "--quiet",
                        "--no-evaluation", "--answer", "result", "", "Which?",
                        env=environment(**endpoint.environment))
        self.assertEqual(done.stdout.splitlines()[-1], "('given', False)")

    # ---- robustness

    MEAN = "def mean(rows):\n    return sum(rows) / len(rows)\nmean([1, 2])"
    FAULTS = ("shall hold for", "List inputs")
    TRIALS = ("List inputs", '```json\n[{"before": "", "after": "mean([])"}, {"after": "mean([3])"}, '
                             '"mean([None, 1])"]\n```')

    def test_a_version_that_holds_for_more_is_taken(self):
        better = "def mean(rows):\n    rows = [r for r in rows if r is not None]\n    return sum(rows) / len(rows) if rows else 0\nmean([1, 2])"
        reply = self.ask(self.MEAN, [self.TRIALS, ("mean([])\n-> ZeroDivisionError", program(better))],
                         "--focus", "robustness")
        self.assertEqual(reply["status"], "answered", reply["error"])
        self.given(reply, changed=True, faults_before=2, faults_after=0, original_ms=None)
        self.assertTrue(reply["answer"].startswith(
            "The program passes. It holds for 3 of 3 fault inputs, and held for 1.\n"), reply["answer"])

    def test_a_version_that_swallows_all_exceptions_is_not_taken(self):
        for handler in "except:", "except Exception:", "except (ValueError, BaseException) as e:":
            worse = f"m = None\ntry:\n    def mean(rows):\n        try:\n            return sum(rows) / len(rows)\n        {handler}\n            pass\nfinally:\n    m = mean([1, 2])\nm"
            with self.subTest(handler):
                reply = self.ask(self.MEAN, [self.TRIALS, ("shall hold for more", program(worse))],
                                 "--focus", "robustness", "--max-attempts", "1")
                self.given(reply, changed=False, faults_before=2, faults_after=2)
                self.assertEqual([line["reason"] for line in self.lines if line.get("event") == "improve"],
                                 ["it swallows all exceptions: name those that are expected"])

    def test_versions_are_asked_for_until_none_fails(self):
        half = "def mean(rows):\n    return sum(rows) / len(rows) if rows else 0\nmean([1, 2])"
        reply = self.ask(self.MEAN, [self.TRIALS, ("shall hold for more", program(half)),
                                     ("if rows else 0", program(self.MEAN)),
                                     ("fails for 2 of the 3", program("mean"))], "--focus", "robustness")
        self.assertEqual(self.left, [])
        self.given(reply, changed=True, faults_before=2, faults_after=1)
        self.assertIn("if rows else 0", reply["answer"])

    def test_a_program_that_holds_for_all_is_unchanged(self):
        reply = self.ask("def mean(rows):\n    return 1", [self.TRIALS], "--focus", "robustness")
        self.given(reply, changed=False, faults_before=0, faults_after=0)
        self.assertIn("It holds for all of 3 fault inputs. It is unchanged.", reply["answer"])

    def test_fault_inputs_may_change_files_and_leave_none_changed(self):
        self.file("n.csv", "1\n2\n")
        trials = ('[{"before": "open(\'n.csv\', \'w\').write(\'x\')"}, {"before": "import os\\nos.remove(\'n.csv\')"},'
                  ' {"after": "total"}]')
        source = "total = sum(map(int, open('n.csv')))\ntotal"
        better = ("try:\n    total = sum(map(int, open('n.csv')))\nexcept (OSError, ValueError):\n    total = 0\ntotal")
        reply = self.ask(source, [("List inputs", trials), ("shall hold for more", program(better))],
                         "--focus", "robustness", "--profile", "data", "--input", "n.csv=" + self.folder + "/n.csv")
        self.given(reply, faults_before=2, faults_after=0, changed=True)
        self.assertEqual(reply["attempts"][-1]["output"], "3")

    def test_data_that_can_not_be_put_back_costs_the_versions_only(self):
        self.file("n.csv", "1" * 1000)
        trials = '[{"before": "import os\\nos.remove(\'n.csv\')\\nopen(\'b\', \'w\').write(\'x\' * 5000)\\nos.mkdir(\'n.csv\')"}]'
        reply = self.ask("len(open('n.csv').read())", [("List inputs", trials)], "--focus", "robustness",
                         "--profile", "data", "--input", "n.csv=" + self.folder + "/n.csv")
        self.assertEqual(reply["status"], "terminal_error")
        self.assertIn("the data could not be put back: ", reply["error"])
        self.assertIn("len(open('n.csv').read())", reply["answer"])

    def test_no_fault_inputs_is_said(self):
        reply = self.ask(self.MEAN, [("List inputs", "I know of none.")], "--focus", "robustness")
        self.assertIn("The model named no fault inputs. It is unchanged.", reply["answer"])

    # ---- style

    UGLY = "import math, json\ndef Area(r):\n    if r == None: r = 1\n    return math.pi*r;\nround(Area(2), 3)"
    BETTER = ('import math\n\n\ndef Area(r):\n    """Half of the round of a circle."""\n    return math.pi * (1 if r is None else r)\n'
              "\n\nround(Area(2), 3)")

    def test_a_version_in_better_style_is_taken(self):
        best = self.BETTER.replace("Area(2)", "area(2)").replace("def Area", "def area")
        reply = self.ask(self.UGLY, [("line 1: several modules in one import", program(self.BETTER)),
                                     ("line 4: a name that is neither", program(best))], "--focus", "style")
        self.assertEqual((reply["status"], self.left), ("answered", []))
        self.given(reply, changed=True, style_before=7, style_after=0, original_ms=None, faults_before=None)
        self.assertTrue(reply["answer"].startswith(
            "The program passes. It departs from the style guides in 0 places, and did in 7.\n"), reply["answer"])
        self.assertIn(best, reply["answer"])
        self.assertEqual([line["style_after"] for line in self.lines if line.get("event") == "improve"], [1, 0])

    def test_a_version_in_no_better_style_or_with_another_result_is_not_taken(self):
        other = "1.0"
        reply = self.ask(self.UGLY, [("better style", program(self.UGLY.replace("r = 1", "r = 1;"))),
                                     ("departs from the style guides in 8 places", program(other))],
                         "--focus", "style", "--max-attempts", "2")
        self.given(reply, changed=False, style_before=7, style_after=7)
        self.assertIn("No version departed from the style guides in fewer places than 7.", reply["answer"])
        self.assertEqual([line["reason"] for line in self.lines if line.get("event") == "improve"],
                         ["it departs from the style guides in 8 places, as many or more than before",
                          "it does not give what the program gave"])

    def test_a_program_in_good_style_costs_no_request(self):
        reply = self.ask('def double(number):\n    """Twice a number."""\n    return 2 * number\n\n\ndouble(4)', [],
                         "improvement.focus=style")
        self.assertEqual(reply["usage"]["requests"], 0)
        self.assertIn("It follows the style guides in all that was looked at. It is unchanged.", reply["answer"])

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
