"""benchmarks/agent_tasks.py: its tasks are what they say, its double says more to whom tells it more,
and one task of each class goes through both loops.

usage: SNUG=PROGRAM agent_tasks.py
"""
import contextlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "benchmarks/peers"), str(ROOT / "tests")]

import graph_loop  # noqa: E402
import unittests  # noqa: E402
from agent import answers, double, tasks  # noqa: E402

# One of each class, and what comes of it: solved, and the requests of each loop.
WAYS = {
    "sum of squares": (True, 2, True, 2),
    "leap years": (True, 3, True, 3),
    "hanoi": (True, 2, True, 4),
    "binary ones": (True, 2, True, 3),
    "sample variance": (True, 4, False, 2),
    "next friday": (True, 4, False, 3),
    "log as in a notebook": (True, 6, True, 8),
}


def run_python(source, files):
    """What it printed, and the error that ended it."""
    printed, error = io.StringIO(), ""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(printed):
        for name, text in files.items():
            pathlib.Path(name).write_text(text)
        try:
            exec(compile(source, "program", "exec"), {"__name__": "__main__"})
        except Exception as raised:
            error = f"{type(raised).__name__}: {raised}"
    return printed.getvalue(), error


def body(*texts, **more):
    return {"model": "m", "messages": [{"role": "user", "content": text} for text in texts], **more}


def task_named(name):
    return next(task for task in tasks.TASKS if task["name"] == name)


class Table(unittest.TestCase):
    def test_there_are_sixty_tasks_of_seven_classes(self):
        self.assertEqual(len(tasks.TASKS), 60)
        self.assertEqual(len({task["name"] for task in tasks.TASKS}), 60)
        self.assertEqual({task["class"] for task in tasks.TASKS}, set(tasks.CLASSES))

    def test_their_words_are_those_of_the_double(self):
        facts = set(double.FACTS) | {"answer not offered", "names not promised"}
        for task in tasks.TASKS:
            for question in task["questions"]:
                self.assertIn(question["judge"].partition(": ")[0], double.JUDGES)
                for said in question["says"]:
                    self.assertIn(said.get("form", "fence"), double.FORMS)
                    self.assertLessEqual({*said.get("needs", []), *said.get("unless", [])}, facts)
        judges = {question["judge"].partition(": ")[0] for task in tasks.TASKS for question in task["questions"]}
        self.assertEqual(judges, set(double.JUDGES))
        forms = {said["form"] for task in tasks.TASKS for question in task["questions"] for said in question["says"]
                 if "form" in said}
        self.assertEqual(forms, set(double.FORMS))

    def test_the_last_program_of_each_question_is_right(self):
        for task in tasks.TASKS:
            for at, question in enumerate(task["questions"]):
                before = task["questions"][0]["says"][-1]["program"] if "four.txt" in question["ask"] and at else ""
                printed, error = run_python(before + "\n" + question["says"][-1]["program"], task["files"])
                with self.subTest(task["name"], at=at):
                    self.assertEqual(error, "")
                    self.assertTrue(answers.is_right(task, at, printed), printed)

    def test_programs_before_it_fail_as_they_should(self):
        for task in tasks.TASKS:
            for at, question in enumerate(task["questions"]):
                for said in question["says"][:-1]:
                    source = said.get("program", "")
                    if question["judge"] in ("fails all", "wants a unit: km/h") or not source:
                        continue
                    if said["form"] != "fence" or "before" in said or "#cut" in source or "forbidden" in said["error"]:
                        continue  # the program is right; its form, its length or an import is not
                    printed, error = run_python(source, task["files"])
                    with self.subTest(task["name"], at=at):
                        if error:
                            self.assertRegex(error, said["error"])
                        else:
                            self.assertFalse(answers.is_right(task, at, printed), printed)

    def test_words_in_the_place_of_a_program_are_never_right(self):
        count = 0
        for task in tasks.TASKS:
            for at, question in enumerate(task["questions"]):
                for said in question["says"]:
                    if "words" in said:
                        count += 1
                        self.assertFalse(answers.is_right(task, at, said["words"]), task["name"])
        self.assertGreater(count, 4)


class Answers(unittest.TestCase):
    def test_a_number_counts_in_any_form(self):
        for text in "1,148.90 euros", "It is 1148.9.", "total: 1148.900":
            self.assertTrue(answers.has(text, 1148.9), text)

    def test_a_part_of_a_number_does_not(self):
        for text in "11148.9", "1148.95", "1148", "v1148.9":
            self.assertFalse(answers.has(text, 1148.9), text)

    def test_words_count_as_whole_words(self):
        self.assertTrue(answers.has("anagrams: silent, enlist", "enlist"))
        self.assertFalse(answers.has("anagrams: listens", "listen"))

    def test_a_wrong_value_beside_the_right_one_is_wrong(self):
        task = task_named("well paid")
        self.assertTrue(answers.is_right(task, 0, "people: 5"))
        self.assertFalse(answers.is_right(task, 0, "people: 5, or 4"))


class Double(unittest.TestCase):
    def setUp(self):
        self.task = task_named("average rows")
        self.talk = double.Talk(self.task)
        self.ask = self.task["questions"][0]["ask"]
        self.failed = self.task["questions"][0]["says"][0]["program"]
        self.error = "ValueError: could not convert string to float: ''"
        self.first = self.talk.answer(body(self.ask))["content"]
        self.assertIn(self.failed, self.first)
        self.again = self.talk.answer(body(self.ask, self.failed, self.error))["content"]

    def test_says_the_wrong_program_twice(self):
        self.assertIn(self.failed, self.again)

    def test_repairs_it_when_told_question_program_and_error(self):
        third = self.talk.answer(body(self.ask, self.failed, self.error))["content"]
        self.assertIn('if row["celsius"]', third)

    def test_does_not_when_one_of_them_is_missing(self):
        for told in ((self.ask, self.failed), (self.ask, self.error)):
            self.assertIn(self.failed, self.talk.answer(body(*told))["content"])
        self.assertEqual(self.talk.answer(body(self.failed, self.error))["content"], "What should the program do?")

    def test_is_cut_at_the_tokens_that_the_request_names(self):
        cut = double.Talk(self.task).answer(body(self.ask, max_tokens=10))
        self.assertEqual((len(cut["content"]), cut["reason"]), (40, "length"))
        self.assertNotIn("reason", double.Talk(self.task).answer(body(self.ask)))

    def test_guesses_columns_only_where_it_is_not_told_them(self):
        task = task_named("column names")
        ask = task["questions"][0]["ask"]
        self.assertIn('row["department"]', double.Talk(task).answer(body(ask))["content"])
        told = double.Talk(task).answer(body(ask, "name,dept,salary_k,joined"))["content"]
        self.assertIn('row["dept"]', told)

    def test_a_cut_in_the_middle_leaves_a_program_that_runs(self):
        task = task_named("sales by region")
        cut = double.Talk(task).answer(body(task["questions"][0]["ask"]))
        self.assertEqual(cut["reason"], "length")
        ran = run_python(graph_loop.strip_fences(cut["content"]), task["files"])
        self.assertEqual(ran, ("north 21\nsouth 11\n", ""))

    def test_a_judge_that_sees_programs_only_needs_the_program(self):
        task = task_named("sample variance")
        talk = double.Talk(task)
        first = talk.answer(body(task["questions"][0]["ask"]))["content"]
        judge = "Output:\n```\n151.6667\n```\nReply with YES or NO: reason."
        self.assertEqual(talk.answer(body(judge))["content"], "YES")
        self.assertRegex(talk.answer(body(first, judge))["content"], "^NO: ")


class PlainLoop(unittest.TestCase):
    def test_takes_the_first_block_and_strips_lone_fences(self):
        for text in ("```python\nx = 1\n```", "So:\n```py\nx = 1\n```\nDone.", "```\nx = 1", "x = 1\n```", "x = 1"):
            self.assertEqual(graph_loop.strip_fences(text), "x = 1", text)

    def test_refuses_forbidden_patterns_and_long_code(self):
        for code in "import os\nos.system('ls')", "eval('1')", "x = 1\n" * 101:
            state = graph_loop.check({"code": code, "retry_count": 0})
            self.assertFalse(state["is_safe"], code)
        for code in "import ast\nast.literal_eval('1')", "x = 1\n" * 100:
            self.assertTrue(graph_loop.check({"code": code, "retry_count": 0})["is_safe"], code)

    def test_a_program_that_takes_too_long_is_an_error(self):
        state = graph_loop.execute({"code": "while True: pass", "timeout": 0.2})
        self.assertEqual((state["succeeded"], state["error"]), (False, "Code timed out after 0.2 seconds"))


class Page(unittest.TestCase):
    def test_has_the_tables_that_the_command_prints(self):
        text = (ROOT / "docs/benchmarks/agent-tasks.md").read_text(encoding="utf-8")
        found = re.findall(r"<!-- (benchmarks/agent_tasks.py [^>]+?) -->\n(.*?)<!-- -->", text, re.DOTALL)
        self.assertTrue(found)
        for command, tables in found:
            done = subprocess.run([sys.executable, *command.split()], cwd=ROOT, capture_output=True, text=True)
            self.assertIn(tables.strip(), done.stdout, done.stderr)

    def test_names_each_task_that_snug_does_not_solve_or_asks_more_for(self):
        text = (ROOT / "docs/benchmarks/agent-tasks.md").read_text(encoding="utf-8")
        said = text.partition("## Where snug ask is worse")[2]
        rows = json.loads((ROOT / "benchmarks/agent/figures.json").read_text())["tasks"]
        worse = [row["name"] for row in rows
                 if not row["snug"]["solved"] or row["snug"]["requests"] > row["graph"]["requests"]]
        self.assertGreater(len(worse), 5)
        for name in worse:
            self.assertIn(name, said)


class BothLoops(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "found.json")
            cls.ended = subprocess.run(
                [sys.executable, ROOT / "benchmarks/agent_tasks.py", "--only", ",".join(WAYS), "--rounds", "1",
                 "--json", file],
                capture_output=True, text=True, env=os.environ)
            cls.found = json.loads(file.read_text()) if file.exists() else None

    def test_each_task_goes_the_way_it_is_known_for(self):
        self.assertEqual(self.ended.returncode, 0, self.ended.stderr)
        found = {row["name"]: (row["snug"]["solved"], row["snug"]["requests"], row["graph"]["solved"],
                               row["graph"]["requests"]) for row in self.found["tasks"]}
        self.assertEqual(found, WAYS)

    def test_the_table_has_a_line_for_each_class_and_their_sum(self):
        for kind in tasks.CLASSES:
            self.assertRegex(self.ended.stdout, rf"(?m)^\| {kind} \| 1 \|")
        self.assertTrue(re.search(r"(?m)^\| all \| 7 \| 7 \| 0 \| 23 \|", self.ended.stdout), self.ended.stdout)


unittests.main()
