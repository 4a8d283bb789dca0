import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "endpoint"))

from driver import SECONDS, SNUG, Case, Reader, Terminal, environment, snug
from endpoint import Endpoint

PLAIN = ["--answer", "result", "--no-evaluation"]  # a task is one request then


def program(source):
    return f"```python\n{source}\n```"


def questions(count):
    tasks = [{"id": f"t{i}", "question": f"Double number {i}."} for i in range(count)]
    return tasks, [(f"Double number {i}.", program(f"{i} * 2")) for i in range(count)]


class Batch(Case):
    def setUp(self):
        super().setUp()
        self.out = os.path.join(self.folder, "tasks.results.jsonl")

    def tasks(self, *tasks):
        return self.file("tasks.jsonl", "".join(
            (t if isinstance(t, str) else json.dumps(t)) + "\n" for t in tasks))

    def results(self):
        with open(self.out) as lines:
            return [json.loads(line) for line in lines]

    def text(self):
        with open(self.out, encoding="utf-8") as lines:
            return lines.read()

    def batch(self, path, rules, *options):
        with Endpoint(rules) as endpoint:
            return snug("batch", *PLAIN, *options, path, env=environment(**endpoint.environment))

    def wrong(self, says, *tasks):
        path = self.tasks(*tasks)
        self.refused("batch", "--model", "ollama:none", path, says=path + ", line " + says)
        self.assertFalse(os.path.exists(self.out))

    # ---- the list

    def test_what_is_wrong_with_a_task_is_said_with_its_line(self):
        fine = {"id": "a", "question": "?"}
        self.wrong("2: invalid JSON", fine, "{")
        self.wrong("1: a task is an object", "[]")
        self.wrong('1: unknown field "questoin"; did you mean "question"?', {"id": "a", "questoin": "?"})
        self.wrong('1: unknown field "expected"', {"id": "a", "question": "?", "expected": 1})
        self.wrong('1: the task has no "id"', {"question": "?"})
        self.wrong('1: the task has no "question"', {"id": "a"})
        self.wrong('3: "id" must be a text', fine, "", {"id": 1, "question": "?"})
        self.wrong('1: "question" must be a text', {"id": "a", "question": ""})
        self.wrong('1: "inputs" must be an object', {**fine, "inputs": ["a"]})
        self.wrong('1: "inputs" must be an object', {**fine, "inputs": {"a": 1}})
        self.wrong('1: "checks" must be a list', {**fine, "checks": "a"})
        self.wrong('1: "checks" must be a list', {**fine, "checks": [1]})
        for number in 0, -1, 1.5, 1001, "2":
            self.wrong('1: "max_attempts" must be a whole number', {**fine, "max_attempts": number})
        self.wrong('1: "id" must be there once', '{"id": "a", "id": "b", "question": "?"}')

    def test_an_id_that_was_there_before_is_refused(self):
        self.wrong('3: the id "a" is that of line 1', *({"id": i, "question": "?"} for i in "aba"))

    def test_a_list_without_tasks_or_without_a_file_is_refused(self):
        self.refused("batch", self.file("e.jsonl", "\n \n"), says="has no task")
        self.refused("batch", self.folder + "/none", says="No such file")
        self.refused("batch", says="batch takes one file of tasks, but 0 were given")
        self.refused("batch", "a", "b", says="but 2 were given")

    def test_options_are_checked(self):
        path = self.tasks({"id": "a", "question": "?"})
        self.refused("batch", "-j", "0", path, says='-j "0": expected a whole number')
        self.refused("batch", "-j", "65", path, says="expected 64 at most")
        self.refused("batch", "--format", "plain", path, says="--format is not an option of batch")
        self.refused("ask", "-j", "2", says="-j is not an option of ask")

    def test_what_is_wrong_for_all_tasks_is_said_before_the_first(self):
        path = self.tasks({"id": "a", "question": "?"})
        self.refused("batch", "--model", "openia:x", path, says="openia",
                     env=environment(SNUG_MODEL=""))
        self.assertFalse(os.path.exists(self.out))

    # ---- results

    def test_each_task_is_asked_in_a_session_of_its_own(self):
        path = self.tasks({"id": "a", "question": "Set it."}, {"id": "b", "question": "Is it set?"})
        done = self.batch(path, [("Set it.", program("x = 1\nx")),
                                 ("Is it set?", program("'x' in globals()"))])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([(r["id"], r["schema"], r["status"], r["answer"]) for r in self.results()],
                         [("a", "snug.reply/1", "answered", "1"), ("b", "snug.reply/1", "answered", "False")])

    @unittest.skipUnless(shutil.which("bwrap"), "bwrap is not installed")
    def test_a_task_that_asks_for_bash_is_done_in_bash(self):
        path = self.tasks({"id": "a", "question": "Double 1."},
                          *({"id": i, "question": f"Write a bash script that doubles {i}."} for i in "234"))
        rules = [("Double 1.", program("1 * 2"))]
        rules += [(f"bash script that doubles {i}.", f"```bash\n[[ ab == a* ]] && echo $(({i} * 2))\n```") for i in "223344"]
        done = self.batch(path, rules, "-j", "4")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual({r["id"]: r["answer"] for r in self.results()}, {"a": "2", "2": "4", "3": "6", "4": "8"})

    def test_a_task_whose_bash_cannot_be_had_is_a_failure_of_its_own(self):
        path = self.tasks({"id": "a", "question": "Write a bash script that counts."}, {"id": "b", "question": "Double 1."})
        done = self.batch(path, [("script that counts", "```bash\nwc -l\n```"), ("Double 1.", program("1 * 2"))],
                          "--rollback")
        self.assertEqual(done.returncode, 1)
        first, second = self.results()
        self.assertEqual(first["schema"], "snug.error/1")
        self.assertRegex(first["error"]["value"], r"^the program is in bash: a session of bash cannot go back.*"
                                                  r"\(--language python asks for Python\)$")
        self.assertEqual(second["answer"], "2")

    def test_tasks_run_side_by_side(self):
        tasks, rules = questions(12)
        self.assertEqual(self.batch(self.tasks(*tasks), rules, "-j", "4").returncode, 0)
        self.assertEqual({r["id"]: r["answer"] for r in self.results()},
                         {f"t{i}": str(2 * i) for i in range(12)})

    def test_inputs_are_found_beside_the_list_and_checks_and_attempts_are_the_tasks_own(self):
        self.file("n.json", "[1, 2]")
        path = self.tasks({"id": "a", "question": "Sum it.", "inputs": {"n": "n.json"},
                           "checks": ["assert total == 3"], "max_attempts": 1},
                          {"id": "b", "question": "Sum that.", "inputs": {"n": "n.json"},
                           "checks": ["assert total == 4"], "max_attempts": 1})
        rules = [("Sum it.", program("total = sum(n)\ntotal")),
                 ("Sum that.", program("total = sum(n)\ntotal"))]
        done = self.batch(path, rules, "--check", "assert n")
        self.assertEqual(done.returncode, 1)
        self.assertEqual([(r["status"], len(r["attempts"])) for r in self.results()],
                         [("answered", 1), ("max_attempts", 1)])

    def test_a_task_that_can_not_be_done_does_not_end_the_batch(self):
        path = self.tasks({"id": "a", "question": "Read.", "inputs": {"n": "none.json"}},
                          {"id": "b", "question": "No rule."},
                          {"id": "c", "question": "Crash."}, {"id": "d", "question": "Fine."})
        done = self.batch(path, [("Crash.", program("1/0")), ("Fine.", program("1"))],
                          "--mode", "chain", "-v")
        self.assertEqual(done.returncode, 1)
        first, *others = self.results()
        self.assertEqual((first["schema"], first["error"]["name"]), ("snug.error/1", "SNUG_ESYSTEM"))
        self.assertIn("none.json", first["error"]["value"])
        self.assertEqual([r["status"] for r in others], ["terminal_error", "max_attempts", "answered"])
        self.assertRegex(done.stderr, r"a: failed: .*none.json.*\nb: terminal_error: .*\n"
                                      r"c: max_attempts: .*\nd: answered\n")

    def test_a_question_that_is_refused_has_a_result(self):
        self.assertEqual(self.batch(self.tasks({"id": "a", "question": " "}), []).returncode, 1)
        self.assertEqual([(r["id"], r["status"]) for r in self.results()], [("a", "refused")])

    def test_an_id_has_no_control_over_the_terminal(self):
        tasks, rules = questions(1)
        tasks[0]["id"] = "a\x1b[31m\u009b"
        self.wrong('2: the id "a?[31m?" is that of line 1', tasks[0], tasks[0])
        done = self.batch(self.tasks(*tasks), rules, "-v")
        self.assertEqual(done.stderr, "a?[31m?: answered\n")

    # ---- resuming

    def test_tasks_with_a_result_are_not_done_again(self):
        tasks, rules = questions(3)
        path = self.tasks(*tasks[:2])
        self.assertEqual(self.batch(path, rules).returncode, 0)
        before = self.text()
        self.tasks(*tasks)
        done = self.batch(path, rules[2:])
        self.assertEqual(done.returncode, 0)
        self.assertTrue(self.text().startswith(before))
        self.assertIn("3 of 3 tasks: 3 answered (2 had ended before)\n", done.stdout)
        again = self.batch(path, [], "--json")
        self.assertEqual((again.returncode, json.loads(again.stdout)["resumed"]), (0, 3))

    def test_a_torn_last_line_is_cut_off(self):
        tasks, rules = questions(2)
        path = self.tasks(*tasks)
        self.batch(path, rules)
        whole = self.text().encode()
        end = whole.index(b"\n") + 1
        for torn in (whole[end:end + 1], whole[end:end + 40], whole[end:-1], b"\0" * 100):
            with self.subTest(torn[:10]):
                self.file("tasks.results.jsonl", whole[:end] + torn)
                self.assertEqual(self.batch(path, rules).returncode, 0)
                self.assertEqual([(r["id"], r["answer"]) for r in self.results()],
                                 [("t0", "0"), ("t1", "2")])

    def test_a_file_of_another_kind_is_left_as_it_is(self):
        path = self.tasks({"id": "a", "question": "?"})
        for text in ("a note", "a note\n", '{"id": "a"}\n', '{"schema": "x", "id": 1}\n', "[1]\n", "\n"):
            with self.subTest(text):
                self.file("tasks.results.jsonl", text)
                self.refused("batch", "--model", "ollama:x", path, says="line 1 is not a result of a task")
                self.assertEqual(self.text(), text)
        self.refused("batch", "--model", "ollama:x", "--out", path, path, says="is not a result of a task")
        self.refused("batch", "--model", "ollama:x", "--out", self.folder, path, says="directory")
        self.refused("batch", "--model", "ollama:x", "--out", "/dev/null", path, says="is not a file")

    def test_two_batches_do_not_write_one_file(self):
        with open(self.file("tasks.results.jsonl", "")) as out:
            fcntl.flock(out, fcntl.LOCK_EX)
            self.refused("batch", "--model", "ollama:x", self.tasks({"id": "a", "question": "?"}),
                         says="another snug batch is writing it")

    def test_killed_at_any_time_it_goes_on_without_a_task_lost_or_done_twice(self):
        tasks, rules = questions(100)
        path = self.tasks(*tasks)
        with Endpoint(rules * 6) as endpoint:
            env = environment(**endpoint.environment)
            for wanted in 3, 20, 21, 60:
                process = subprocess.Popen([SNUG, "batch", *PLAIN, "-v", "-j", "3", path], env=env,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                told = Reader(process.stderr.fileno())
                while len(self.results_so_far()) < wanted:
                    told.line()
                process.kill()
                process.wait()
                process.stderr.close()
                kept = self.results_so_far()
            done = snug("batch", *PLAIN, "-j", "3", path, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        results = self.results()
        self.assertEqual([json.dumps(r) for r in results[:len(kept)]], [json.dumps(r) for r in kept])
        self.assertEqual(sorted(r["id"] for r in results), sorted(t["id"] for t in tasks))
        self.assertEqual({r["id"]: r["answer"] for r in results},
                         {f"t{i}": str(2 * i) for i in range(100)})

    def results_so_far(self):
        try:
            with open(self.out, "rb") as lines:
                return [json.loads(line) for line in lines if line.endswith(b"\n")]
        except FileNotFoundError:
            return []

    def test_tasks_share_a_cache_and_have_no_conversation(self):
        tasks, rules = questions(2)
        cache = ["--cache-file", self.folder + "/cache.db"]
        with Endpoint(rules) as endpoint:
            for jobs in "1", "2":  # the second finds no rules left
                done = snug("batch", *PLAIN, *cache, "-j", jobs, self.tasks(*tasks),
                            env=environment(**endpoint.environment))
                self.assertEqual(done.returncode, 0, done.stdout)
                os.remove(self.out)
        self.refused("batch", "--session", "a", self.folder, says="--session is not an option of batch")
        self.refused("config", "show", "-j", "2", says="-j is not an option of config")

    # ---- ending

    def test_an_interrupt_ends_it_with_what_is_done(self):
        path = self.tasks({"id": "a", "question": "Fine."}, {"id": "b", "question": "Endless."},
                          {"id": "c", "question": "Later."})
        rules = [("Fine.", program("1")), ("Endless.", program("print('on')\nwhile True: pass"))]
        with Endpoint(rules) as endpoint:
            process = subprocess.Popen([SNUG, "batch", *PLAIN, "-v", path], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, env=environment(**endpoint.environment))
            Reader(process.stderr.fileno()).wait(b"a: answered\n")
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=SECONDS)
        self.assertEqual((process.returncode, err), (130, b""))
        self.assertTrue(out.startswith(b"1 of 3 tasks: 1 answered\n"), out)
        self.assertEqual([r["id"] for r in self.results()], ["a"])

    def test_a_full_disk_ends_it_and_leaves_whole_lines(self):
        tasks, rules = questions(3)
        path = self.tasks(*tasks)
        self.assertEqual(self.batch(path, rules).returncode, 0)
        whole = self.text()
        first = whole.index("\n") + 1
        self.file("tasks.results.jsonl", whole[:first])
        with Endpoint(rules) as endpoint:
            done = subprocess.run(["bash", "-c", 'trap "" XFSZ; ulimit -f %d; exec "$0" "$@"' % (first // 1024 + 1),
                                   SNUG, "batch", *PLAIN, "--isolation", "local", path], capture_output=True, text=True,
                                  env=environment(**endpoint.environment), timeout=SECONDS)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("tasks.results.jsonl: File too large", done.stderr)
        self.assertEqual(self.text(), whole[:first])

    def test_a_terminal_has_a_bar(self):
        tasks, rules = questions(2)
        path = self.tasks(*tasks)
        with Endpoint(rules) as endpoint, Terminal(
                "batch", *PLAIN, path,
                env=environment(TERM="xterm", **endpoint.environment)) as terminal:
            terminal.wait(r"0/2 \[\.{20}\]")
            terminal.wait(r"2/2 \[#{20}\] [\d.]+/s, [\d,]+ tokens")
            terminal.wait("2 of 2 tasks: 2 answered")
            self.assertEqual(terminal.end(), 0)

    # ---- the summary

    def test_the_summary_adds_up(self):
        path = self.tasks({"id": "a", "question": "Alpha"}, {"id": "b", "question": "Beta"},
                          {"id": "c", "question": "Gamma", "max_attempts": 2})
        rules = [("Alpha", program("1")), ("Beta", program("import ctypes\nimport socket")),
                 ("Your program was refused", program("2")), ("Gamma", program("1/0")),
                 ("Your program failed", program("1/0"))]
        done = self.batch(path, rules, "--json", "--prices", self.file(
            "p.json", '{"openai:test": {"input_per_mtok": 1, "output_per_mtok": 1}}'))
        self.assertEqual(done.returncode, 1)
        got = json.loads(done.stdout)
        self.assertEqual(got["schema"], "snug.batch/1")
        self.assertEqual([got[name] for name in ("tasks", "finished", "resumed")], [3, 3, 0])
        self.assertEqual({k: v for k, v in got["statuses"].items() if v}, {"answered": 2, "max_attempts": 1})
        self.assertAlmostEqual(got["success_rate"], 2 / 3)
        self.assertEqual(got["attempts_per_success"], 1.5)
        self.assertEqual(got["improvement_efficiency"], 0.5)
        self.assertEqual((got["first_errors"], got["last_errors"]), (3, 1))
        self.assertAlmostEqual(got["error_reduction"], 2 / 3)
        self.assertAlmostEqual(sum(got["time_share"].values()), 1)
        replies = self.results()
        usage = got["usage"]
        self.assertEqual(usage["requests"], 5)
        for name in "input_tokens", "output_tokens", "cost_usd":
            self.assertAlmostEqual(usage[name], sum(r["usage"][name] for r in replies))
        self.assertAlmostEqual(usage["cost_usd"], (usage["input_tokens"] + usage["output_tokens"]) / 1e6)
        self.assertIsNone(got["score"])
        self.assertEqual(got["out"], self.out)
        text = self.batch(path, []).stdout
        self.assertRegex(text, r"^3 of 3 tasks: 2 answered, 1 max_attempts \(3 had ended before\)\n"
                               r"success rate +67 %\nattempts per success +1.50\n"
                               r"improvement efficiency +50 % of 2 failed first attempts\n"
                               r"error reduction +67 % \(3 errors in first attempts, 1 in last ones\)\n"
                               r"time +generate \d+ %.*\ntokens .*\ncost .*\n$")


if __name__ == "__main__":
    unittest.main()
