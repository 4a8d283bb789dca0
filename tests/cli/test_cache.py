import json
import os
import sqlite3
import unittest

from asking import PASS, Asking, program

RULES = [("Question:\nwhat", program("print('a')\n6 * 7")), ("Judge whether", PASS % "42")]


class Cache(Asking):
    def database(self, *statements):
        db = sqlite3.connect(self.state("cache.db"))
        with db:
            rows = [db.execute(statement).fetchall() for statement in statements]
        db.close()
        return rows[-1]

    def test_a_reply_that_is_there_is_not_asked_for_again(self):
        first = self.reply(RULES, "--cache", "what")
        self.assertEqual((first["usage"]["requests"], first["usage"]["cached_requests"]), (2, 0))
        events, reply = self.events([], "--cache", "what")
        self.assertEqual(reply["answer"], "42")
        usage = reply["usage"]
        self.assertEqual([usage[k] for k in ("requests", "cached_requests", "input_tokens")], [0, 2, 0])
        self.assertIn("6 * 7", "".join(e["text"] for e in events if e["event"] == "delta"))
        self.assertEqual([e["cached"] for e in events if e["event"] == "generated"], [True, True])

    def test_it_is_of_this_user_only(self):
        self.reply(RULES, "--cache", "what")
        self.assertEqual(os.stat(self.state("cache.db")).st_mode & 0o777, 0o600)

    def test_what_differs_is_asked_for(self):
        self.reply(RULES, "--cache", "what")
        for other in (("--temperature", "0.1"), ("--reply-tokens", "77")):
            self.assertEqual(self.reply(RULES, "--cache", *other, "what")["usage"]["requests"], 2)
        self.assertEqual(self.reply(RULES, "what")["usage"]["requests"], 2)

    def test_an_old_reply_is_not_used(self):
        self.reply(RULES, "--cache", "what")
        self.database("update entry set at_ms = at_ms - 3600000")
        self.assertEqual(self.reply([], "--cache", "what")["usage"]["requests"], 0)
        self.assertEqual(self.reply(RULES, "--cache", "--cache-age", "59m", "what")["usage"]["requests"], 2)
        self.assertEqual(self.reply([], "--cache", "--cache-age", "59m", "what")["usage"]["requests"], 0)

    def test_a_reply_that_a_clock_put_into_the_future_is_not_used(self):
        self.reply(RULES, "--cache", "what")
        self.database("update entry set at_ms = at_ms + 3600000")
        self.assertEqual(self.reply(RULES, "--cache", "what")["usage"]["requests"], 2)
        self.assertEqual(self.reply([], "--cache", "what")["usage"]["requests"], 0)

    def test_a_damaged_reply_is_asked_for_again(self):
        for damaged in ("{}", '{"text": ""}', "[]", "{", '{"text": 1}', "X'7b22ff'", '{"text": "", "calls": []}'):
            self.reply(RULES, "--cache", "what")
            value = damaged if damaged[0] == "X" else f"'{damaged}'"
            self.database(f"update entry set reply = {value}")
            with self.subTest(damaged):
                reply = self.reply(RULES, "--cache", "what")
                self.assertEqual((reply["answer"], reply["usage"]["requests"]), ("42", 2))

    def test_the_oldest_go_where_there_is_no_room(self):
        self.reply(RULES, "--cache", "what")
        self.assertEqual(self.database("select count(*) from entry"), [(2,)])
        size = self.database("select sum(bytes) from entry")[0][0]
        self.reply([("Question:\nother", program("1")), ("Judge whether", PASS % "1")],
                   "--cache", "--cache-size", str(size), "other")
        self.assertEqual(self.database("select count(*) from entry where instr(request, 'Question:\\nwhat')"), [(0,)])
        self.assertGreater(self.database("select count(*) from entry")[0][0], 0)

    def test_a_collision_of_hashes_is_no_hit(self):
        self.reply(RULES, "--cache", "what")
        hashes = self.database("select hash from entry order by id")
        self.database(f"update entry set request = 'x', hash = {hashes[0][0]}")
        self.assertEqual(self.reply(RULES, "--cache", "what")["usage"]["requests"], 2)

    def test_a_fault_and_a_refusal_are_not_kept(self):
        done = self.ask([], "--cache", "--retries", "1", "what")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.database("select count(*) from entry"), [(0,)])

    def test_a_cache_that_fails_costs_no_answer(self):
        self.reply(RULES, "--cache", "what")
        self.database("drop table entry")
        events, reply = self.events(RULES, "--cache", "what")
        self.assertEqual(reply["answer"], "42")
        self.assertEqual([e["about"] for e in events if e["event"] == "without"], ["cache"])

    # ---- results ----

    def results(self, source, *args, rules=None):
        """Whether the second run of the same program was one."""
        rules = [("Question:\nwhat", program(source)), ("Judge whether", PASS % "done")]
        for _ in range(2):
            reply = self.reply(rules, "--cache-file", "./results.db", "--cache-results", *args, "what")
            with sqlite3.connect(os.path.join(self.folder, "results.db")) as db:
                db.execute("delete from entry where kind = 1")
            db.close()
        self.last = reply
        return not reply["attempts"][0].get("cached", False)

    def test_a_pure_program_is_not_run_again(self):
        self.assertFalse(self.results("import math\nprint('seen')\nmath.factorial(5)"))
        attempt = self.last["attempts"][0]
        self.assertEqual((attempt["output"], attempt["result"]["stdout"]), ("120", "seen\n"))
        self.assertEqual(self.last["answer"], "done")

    def test_what_depends_on_more_is_run_again(self):
        for source in ("import time\ntime.time()", "open('f', 'w').write('x')", "object()"):
            with self.subTest(source):
                self.assertTrue(self.results(source))

    def test_a_damaged_result_is_run_again(self):
        args = ("--cache-file", "./results.db", "--cache-results", "what")
        for damaged in ('{"status": "ok"', "1", "[1]", "{} {}", ""):
            self.reply(RULES, *args)
            with sqlite3.connect(os.path.join(self.folder, "results.db")) as db:
                (stored,), = db.execute("select reply from entry where kind = 2")
                value = json.dumps({**json.loads(stored), "result": damaged})
                db.execute("update entry set reply = ? where kind = 2", (value.encode(),))
            db.close()
            with self.subTest(damaged):
                attempt = self.reply(RULES, *args)["attempts"][0]
                self.assertEqual((attempt.get("cached", False), attempt["result"]["stdout"]), (False, "a\n"))

    def test_other_inputs_are_another_program(self):
        self.file("n.json", "3")
        self.assertFalse(self.results("n + 1", "--input", "n=n.json"))
        self.assertEqual(self.last["attempts"][0]["output"], "4")
        self.file("n.json", "4")
        rules = [("Question:\nwhat", program("n + 1")), ("Judge whether", PASS % "done")]
        reply = self.reply(rules, "--cache-file", "./results.db", "--cache-results", "--input",
                           "n=n.json", "what")
        self.assertEqual(reply["attempts"][0]["output"], "5")

    def test_tools_checks_files_and_conversations_refuse_it(self):
        self.file("data.csv", "a\n1\n")
        for args in (("--tool", "f=true"), ("--check", "assert True"), ("--input", "data.csv=data.csv"),
                     ("--session", "./c.db"), ("--workdir", ".")):
            with self.subTest(args):
                self.assertTrue(self.results("6 * 7", *args))

    def test_the_next_question_finds_the_names_of_a_program_that_was_not_run(self):
        rules = [("Question:\nmake", program("x = 41\nx")), ("Judge whether", PASS % "made"),
                 ("- x: int", program("x + 1")), ("Judge whether", PASS % "42")]
        args = ("--cache-file", "./r.db", "--cache-results", "--json", "make x", "one more")
        self.assertEqual(self.ask(rules, *args).returncode, 0)
        with sqlite3.connect(os.path.join(self.folder, "r.db")) as db:
            db.execute("delete from entry where kind = 1")
        db.close()
        done = self.ask(rules, *args)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn('"cached":true', done.stdout)
        self.assertIn('"output":"42"', done.stdout)

    def test_it_needs_a_cache(self):
        done = self.ask([], "--cache-results", "x")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--cache-results needs --cache or --cache-file", done.stderr)


if __name__ == "__main__":
    unittest.main()
