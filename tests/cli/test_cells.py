import json
import os
import select
import signal
import subprocess
import time
import unittest

from driver import SECONDS, SNUG, Case, Cells, wait_until_unread

LOOP = "while True: pass"
# Gives way to other sessions on a Python where all share one GIL.
WAIT = LOOP


def end_process(fd):
    try:
        signal.pidfd_send_signal(fd, signal.SIGKILL)
    except ProcessLookupError:
        pass
    os.close(fd)


class Protocol(Case):
    def cells(self, *args, **changes):
        cells = Cells(*args, **changes)
        self.addCleanup(cells.close)
        return cells

    def error(self, answer, says, name="SNUG_EINVAL"):
        self.assertEqual(answer["schema"], "snug.error/1")
        self.assertEqual(answer["error"]["name"], name)
        self.assertIn(says, answer["error"]["value"])

    # ---- cells ----

    def test_names_last_from_cell_to_cell(self):
        cells = self.cells()
        first = cells.ask(session="a", code="x = 41")
        self.assertEqual((first["schema"], first["session"], first["status"], first["value"]),
                         ("snug.result/1", "a", "ok", None))
        self.assertEqual(cells.ask(session="a", code="x + 1")["value"]["text"], "42")
        self.assertEqual(cells.end(), (0, []))

    def test_sessions_do_not_see_each_other(self):
        cells = self.cells()
        cells.ask(session="a", code="x = 1")
        self.assertEqual(cells.ask(session="b", code="x")["error"]["name"], "NameError")

    def test_sessions_may_come_from_a_pool(self):
        cells = self.cells("--pool", "2", "--timeout", "20", "--tool", "up=cat")
        for name in "abcd":
            self.assertEqual(cells.ask(session=name, code="x = up(n=1)")["status"], "ok")
            self.assertEqual(cells.ask(session=name, code="x")["value"]["json"], {"n": 1})
        self.assertEqual(cells.ask(session="e", code="x")["error"]["name"], "NameError")
        self.assertEqual(cells.end(), (0, []))

    def test_a_pool_is_refused_where_it_can_not_be(self):
        for value, says in (("1025", "pool_sessions is 1025: 1024 at most"), ("many", "expected a whole number")):
            done = subprocess.run([SNUG, "cells", "--pool", value], stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=SECONDS)
            self.assertEqual(done.returncode, 2)
            self.assertIn(says, done.stderr)

    def test_an_id_comes_back_as_it_was_written(self):
        cells = self.cells()
        for text in ('1', '"one"', 'null', '[1, {"a": "]}"}]', '{"b":1,"a":[]}', '12345678901234567890',
                     '1.50', 'true', '"\\u00e9\\n"', '""', '-0', '{ }', '"a\\u0000b"', '["\\ud800", {"\\u0000": 1}]',
                     '"\\udc00\\ud83d\\ude00"'):
            for line in ('{"session":"a","id":%s,"code":"1"}', '{"code": "1" , "id" : %s ,"session":"a"}',
                         '{"session":"a","code":"1","id":%s}', '{"id":%s,"session":"a","op":"reset"}',
                         '{"id":%s,"session":"a","no":1}', '{"id":%s}'):
                with self.subTest(line % text):
                    cells.raw(line % text + "\n")
                    answer = cells.out.line().decode()
                    self.assertEqual(json.loads(answer)["id"], json.loads(text))
                    self.assertIn('"id":' + text, answer)

    def test_an_answer_without_an_id_has_none(self):
        cells = self.cells()
        self.assertNotIn("id", cells.ask(session="a", code="1"))
        self.assertNotIn("id", cells.ask(session="a", close=True))

    def test_answers_come_in_order_within_a_session(self):
        cells = self.cells()
        for i in range(200):
            if i % 10 == 3:
                cells.send(session="a", id=i, wrong=1)
            elif i % 10 == 6:
                cells.send(session="a", id=i, op="reset")
            else:
                cells.send(session="a", id=i, code=str(i))
        self.assertEqual([cells.answer()["id"] for _ in range(200)], list(range(200)))

    def test_a_busy_session_does_not_hold_up_another(self):
        cells = self.cells()
        cells.send(session="a", id="loop", code=WAIT)
        for i in range(10):
            self.assertEqual(cells.ask(session="b%d" % i, id=i, code="1")["id"], i)
        cells.send(session="a", op="interrupt")
        self.assertEqual(sorted(cells.answer()["schema"] for _ in range(2)),
                         ["snug.interrupt/1", "snug.result/1"])

    def test_threads_are_bounded_however_many_sessions_are_busy(self):
        cells = self.cells()
        count, most = 300, 0
        for i in range(count):
            cells.send(session="s%d" % i, id=i, code="import time; x = %d" % i)
        for _ in range(count):
            self.assertEqual(cells.answer()["status"], "ok")
            most = max(most, len(os.listdir("/proc/%d/task" % cells.process.pid)))
        # One of each session, 64 of the crew, and a few besides.
        self.assertLess(most, count + 64 + 16)
        self.assertEqual(cells.ask(session="s7", code="x")["value"]["text"], "7")

    def test_sessions_that_wait_for_a_thread_are_interrupted_and_closed(self):
        cells = self.cells("--timeout", "2")
        for i in range(80):
            cells.send(session="s%d" % i, id=i, code=WAIT)
        for i in range(80):
            cells.send(session="s%d" % i, op="interrupt", id="stop")
        answers = [cells.answer() for _ in range(160)]
        self.assertEqual([a["running"] for a in answers if a["id"] == "stop"], [True] * 80)
        self.assertEqual([a["id"] for a in answers].count("stop"), 80)
        self.assertEqual({a["status"] for a in answers if a["id"] != "stop"} - {"timeout"},
                         {"interrupted"})

    def test_large_cells_and_answers_are_whole(self):
        cells = self.cells("--source", "16M", "--output", "16M")
        text = "é" * 1_000_000
        answer = cells.ask(session="a", code="print(%r)" % text)
        self.assertEqual(answer["stdout"], text + "\n")

    def test_a_timeout_is_in_seconds(self):
        cells = self.cells()
        answer = cells.ask(session="a", code=LOOP, timeout=0.3)
        self.assertEqual((answer["status"], answer["state"]), ("timeout", "kept"))
        self.assertEqual(cells.ask(session="a", code="7")["value"]["text"], "7")

    def test_options_hold_for_every_session(self):
        cells = self.cells("--timeout", "0.3")
        for name in "ab":
            self.assertEqual(cells.ask(session=name, code=LOOP)["status"], "timeout")

    def test_verbose_tells_sessions_on_stderr(self):
        cells = self.cells("-v")
        cells.ask(session="a", code="1")
        cells.end()
        self.assertEqual(cells.stderr, "snug: session a opened\nsnug: session a closed\n")

    # ---- reset, close ----

    def test_reset_forgets_names(self):
        cells = self.cells()
        cells.ask(session="a", code="x = 1")
        answer = cells.ask(session="a", op="reset", id=1)
        self.assertEqual(answer, {"schema": "snug.reset/1", "session": "a", "id": 1})
        self.assertEqual(cells.ask(session="a", code="x")["error"]["name"], "NameError")
        cells.ask(session="a", code="x = 1")
        self.assertEqual(cells.ask(session="a", code="x", reset=True)["error"]["name"], "NameError")
        self.assertEqual(cells.ask(session="a", code="2", reset=False)["execution_count"], 2)

    def test_close_forgets_the_session(self):
        cells = self.cells()
        cells.ask(session="a", code="x = 1")
        self.assertEqual(cells.ask(session="a", close=True, id=2),
                         {"schema": "snug.closed/1", "session": "a", "id": 2})
        answer = cells.ask(session="a", code="x")
        self.assertEqual((answer["error"]["name"], answer["execution_count"]), ("NameError", 1))
        self.assertEqual(cells.ask(session="never opened", close=True)["schema"], "snug.closed/1")

    def test_the_end_of_input_finishes_what_was_asked(self):
        cells = self.cells()
        for i in range(20):
            cells.send(session="s%d" % (i % 3), id=i, code="sum(range(100000))")
        status, answers = cells.end()
        self.assertEqual(status, 0)
        self.assertEqual(sorted(a["id"] for a in answers), list(range(20)))

    # ---- interrupt ----

    def test_an_interrupt_sent_behind_a_cell_always_reaches_it(self):
        cells = self.cells()
        for i in range(50):
            name = "s%d" % (i % 5)
            cells.send(session=name, id=i, code=LOOP)
            cells.send(session=name, id="stop", op="interrupt")
            cells.send(session=name, id="next", code="1")
            answers = {a["id"]: a for a in (cells.answer(), cells.answer(), cells.answer())}
            self.assertEqual(answers["stop"], {"schema": "snug.interrupt/1", "session": name,
                                               "id": "stop", "running": True})
            self.assertEqual((answers[i]["status"], answers[i]["state"]), ("interrupted", "kept"))
            self.assertEqual(answers["next"]["status"], "ok")

    def test_an_interrupt_without_a_cell_does_nothing(self):
        cells = self.cells()
        for _ in range(300):
            self.assertEqual(cells.ask(session="a", code="1")["status"], "ok")
            self.assertEqual(cells.ask(session="a", op="interrupt")["running"], False)

    def test_an_interrupt_of_no_session_is_an_error(self):
        answer = self.cells().ask(session="a", op="interrupt", id=3)
        self.error(answer, 'no session "a"', "SNUG_ENOTFOUND")
        self.assertEqual(answer["id"], 3)

    # ---- prompts ----

    def test_completion_counts_characters(self):
        cells = self.cells()
        cells.ask(session="a", code="é_value = 'x'")
        answer = cells.ask(session="a", op="complete", code="'é'; é_va + 1", cursor=9, id=1)
        self.assertEqual(answer, {"schema": "snug.completion/1", "session": "a", "id": 1,
                                  "matches": ["é_value"], "start": 5})
        answer = cells.ask(session="a", op="complete", code="é_value.upp")
        self.assertEqual((answer["matches"], answer["start"]), (["upper"], 8))
        self.error(cells.ask(session="a", op="complete", code="é", cursor=2), '"cursor"')
        self.error(cells.ask(session="a", op="complete", code="é", cursor=0.5), '"cursor"')
        self.error(cells.ask(session="a", op="complete", code="é", cursor=-1), '"cursor"')

    def test_is_complete(self):
        cells = self.cells()
        for code, whole in (("1", True), ("if 1:", False), ("x = (", False), ("1 1", True)):
            answer = cells.ask(session="a", op="is_complete", code=code)
            self.assertEqual(answer, {"schema": "snug.is_complete/1", "session": "a",
                                      "is_complete": whole})

    # ---- lines that are wrong ----

    def test_wrong_lines_are_answered_and_the_next_is_read(self):
        wrong = [
            ('{"session": "a", "code": 1', None, "byte"),
            ("hello", None, "not JSON"),
            ("[]", None, "must be a JSON object"),
            ('"x"', None, "must be a JSON object"),
            ('{"session": "a"} {}', None, ""),
            ('{}', None, "nothing to do"),
            ('{"code": "1"}', None, '"session" is missing'),
            ('{"session": "a"}', "a", 'nothing to do: "code", "op" or "close" is missing'),
            ('{"session": "a", "reset": true}', "a", "nothing to do"),
            ('{"session": "", "code": "1"}', None, '"session" must have 1 to 256 bytes'),
            ('{"session": "%s", "code": "1"}' % ("x" * 257), None, "and has 257"),
            ('{"session": 1, "code": "1"}', None, '"session" must be a text'),
            ('{"session": "a", "code": 1}', "a", '"code" must be a text'),
            ('{"session": "a", "code": null}', "a", '"code" must be a text'),
            ('{"session": "a", "code": "1", "timeout": "1"}', "a", '"timeout" must be a number'),
            ('{"session": "a", "code": "1", "timeout": 0}', "a", "seconds above 0"),
            ('{"session": "a", "code": "1", "timeout": -1}', "a", "seconds above 0"),
            ('{"session": "a", "code": "1", "timeout": 1e300}', "a", "seconds above 0"),
            ('{"session": "a", "code": "1", "reset": 1}', "a", '"reset" must be true or false'),
            ('{"session": "a", "code": "1", "close": true}', "a", '"code" does not go with "close"'),
            ('{"session": "a", "close": false}', "a", '"close" must be true'),
            ('{"session": "a", "close": true, "op": "reset"}', "a", '"close" does not go with "reset"'),
            ('{"session": "a", "op": "reset", "code": "1"}', "a", '"code" does not go with "reset"'),
            ('{"session": "a", "op": "complete"}', "a", '"code" is missing'),
            ('{"session": "a", "op": "interupt"}', "a", 'did you mean "interrupt"?'),
            ('{"session": "a", "op": "xyzzy"}', "a", 'unknown op "xyzzy"'),
            ('{"session": "a", "op": 1}', "a", '"op" must be a text'),
            ('{"session": "a", "cod": "1"}', "a", 'unknown field "cod"; did you mean "code"?'),
            ('{"session": "a", "code": "1", "xyzzy": "1"}', "a", 'unknown field "xyzzy"'),
            ('{"session": "a", "code": "1", "code": "2"}', "a", '"code" is given twice'),
            ('{"session": "a", "code": "\\ud800"}', "a", ""),
            ('{"session": "a\\u0000", "code": "1"}', None, "a NUL in a string"),
            (b'{"session": "a", "code": "\xff"}', None, "not JSON"),
            (b'{"session": "a", "code": "\0"}', None, "NUL"),
        ]
        cells = self.cells()
        for line, session, says in wrong:
            with self.subTest(line):
                cells.raw((line if isinstance(line, bytes) else line.encode()) + b"\n")
                answer = cells.answer()
                self.error(answer, says)
                self.assertEqual(answer.get("session"), session)
                self.assertEqual(cells.ask(session="b", code="1")["status"], "ok")
        self.assertEqual(cells.end(), (0, []))

    def test_names_are_listed_and_explained(self):
        cells = self.cells()
        cells.ask(session="a", code="x = [1, 2]\ndef f(a, b=2):\n    'Doc of f.'\nsize = len(x)")
        answer = cells.ask(session="a", op="vars", id=1)
        self.assertEqual((answer["schema"], answer["session"], answer["id"]),
                         ("snug.variables/1", "a", 1))
        rows = {row["name"]: row for row in answer["variables"]}
        self.assertEqual(list(rows), ["x", "f", "size"])
        self.assertEqual([rows["x"][key] for key in ("type", "length", "summary")],
                         ["list", 2, "[1, 2]"])
        self.assertEqual(rows["f"]["summary"], "f(a, b=2)")
        found = cells.ask(session="a", op="inspect", code="y = f(1, ")
        self.assertEqual([found[key] for key in ("schema", "found", "name", "signature", "docstring")],
                         ["snug.inspection/1", True, "f", "(a, b=2)", "Doc of f."])
        self.assertIn("def f(a, b=2):", found["source"])
        found = cells.ask(session="a", op="inspect", code="x.append(1)", cursor=4)
        self.assertEqual((found["name"], found["type"]), ("x.append", "builtin_function_or_method"))
        self.assertFalse(cells.ask(session="a", op="inspect", code="nothing.there")["found"])
        self.assertEqual(cells.end(), (0, []))

    def test_what_never_ends_does_not_hold_up_a_listing_for_ever(self):
        cells = self.cells("--timeout", "0.3")
        cells.ask(session="a", code="class Slow:\n    def __len__(self):\n        while True: pass\nx = Slow()")
        self.error(cells.ask(session="a", op="vars"), "took longer than the limit of 300 ms", "SNUG_ESTOPPED")
        self.assertEqual(cells.ask(session="a", code="1")["status"], "ok")
        self.assertEqual(cells.end(), (0, []))

    def test_a_listing_is_interrupted(self):
        cells = self.cells()
        cells.ask(session="a", code="class Slow:\n    def __len__(self):\n        while True: pass\nx = Slow()")
        for op in ({"op": "vars"}, {"op": "inspect", "code": "x"}):
            cells.send(session="a", **op)
            self.assertTrue(cells.ask(session="a", op="interrupt")["running"])
            self.error(cells.answer(), "was interrupted", "SNUG_ESTOPPED")
        self.assertEqual(cells.ask(session="a", code="1")["status"], "ok")
        self.assertEqual(cells.end(), (0, []))

    def test_one_bad_value_does_not_hide_the_others(self):
        cells = self.cells()
        cells.ask(session="a", code="""
class Base(BaseException): pass
class Type(type):
    @property
    def __name__(cls): raise Base
class Bad(metaclass=Type):
    def __len__(self): raise SystemExit(3)
    def __repr__(self): raise KeyboardInterrupt
    def __sizeof__(self): raise Base
    @property
    def __module__(self): raise Base
    @property
    def __doc__(self): raise Base
class Half:
    def __repr__(self): return "\\ud800"
bad, half, good = Bad(), Half(), 1
globals()["\\udfff"] = 2
""")
        answer = cells.ask(session="a", op="vars")
        self.assertEqual([(row["name"], row["type"], row["summary"]) for row in answer["variables"][-4:]],
                         [("bad", "Bad", "<Bad, whose repr raises Base>"), ("half", "Half", "\\ud800"),
                          ("good", "int", "1"), ("\\udfff", "int", "2")])
        found = cells.ask(session="a", op="inspect", code="bad")
        self.assertEqual([found[key] for key in ("found", "type", "text", "module")], [True, "Bad", None, None])
        self.assertEqual(cells.end(), (0, []))

    def test_a_text_that_can_not_be_kept_still_tells_its_id(self):
        cells = self.cells()
        for code in ('\\udfff', '\\uD83D', '\\u0000\\ud800', '\\\\\\ud800', '\\ud83d\\ud83d\\ude00'):
            with self.subTest(code):
                cells.raw('{"session": "a", "id": [7], "code": "%s"}\n' % code)
                answer = cells.answer()
                self.error(answer, "")
                self.assertEqual((answer["id"], answer["session"]), ([7], "a"))

    def test_a_nul_in_code_reaches_the_session(self):
        cells = self.cells()
        for code in ("\0", "x = 1\0", "'a\0\0b'", "\U0001f600\0"):
            with self.subTest(code):
                answer = cells.ask(session="\U0001f600", id="\0", code=code)
                self.assertEqual((answer["schema"], answer["id"], answer["session"]),
                                 ("snug.result/1", "\0", "\U0001f600"))
                self.assertEqual((answer["error"]["category"], answer["state"]), ("syntax", "kept"))
        cells.raw('{"session": "a", "id": "\\ud800", "code": "\\u005cu0000\\u0041 = 5"}\n')
        self.assertIn(b'"id":"\\ud800"', cells.out.line())
        self.assertEqual(cells.ask(session="a", id="\0", code="'\\0é\\n'")["value"]["json"], "\0é\n")
        self.assertEqual(cells.ask(session="a", op="is_complete", code="\0(")["schema"], "snug.is_complete/1")
        self.assertEqual(cells.ask(session="a", op="complete", code="\0pri")["schema"], "snug.completion/1")

    def test_a_line_past_the_bound_is_refused(self):
        cells = self.cells()
        cells.raw(b'{"session": "a", "code": "' + b"x" * (66 * 1024 * 1024))
        cells.raw(b'"}\n{"session": "a", "code": "5"}\n')
        self.error(cells.answer(), "more than 64 MiB")
        self.assertEqual(cells.answer()["value"]["text"], "5")

    def test_a_stdin_that_can_not_be_read_is_told(self):
        for command, redirect, says in (("cells", "<&-", "Bad file descriptor"), ("cells", "</", "Is a directory"),
                                        ("run", "<&-", "Bad file descriptor"), ("run", "</", "Is a directory"),
                                        ("check", "<&-", "Bad file descriptor"), ("check", "</", "Is a directory"),
                                        ("", "<&-", "Bad file descriptor"), ("", "</", "Is a directory"),
                                        ("run -c 1", "</", "Is a directory"), ("doctor", "</", "Is a directory")):
            with self.subTest(command + redirect):
                done = subprocess.run("exec %s %s %s" % (SNUG, command, redirect), shell=True,
                                      capture_output=True, timeout=SECONDS, encoding="utf-8")
                self.assertTrue(done.stderr.startswith("snug: <stdin>: " + says), done.stderr)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))

    # ---- work directories ----

    def test_none_is_made_or_removed_where_others_could_move_it(self):
        top = self.folder + "/open"
        os.makedirs(left := top + "/snug-0123456789abcdef")
        for mode, user, says in ((0o777, os.geteuid(), "not sticky"), (0o770, os.geteuid(), "not sticky"),
                                 (0o1777, 65534, "is of another user"), (0o1777, os.geteuid(), "'ok'")):
            if user != os.geteuid() != 0:
                continue
            os.chown(top, user, -1)
            os.chmod(top, mode)
            answer = self.cells(TMPDIR=top).ask(session="a", code="open('f', 'w').close()")
            self.assertIn(says, str(answer))
            self.assertEqual(os.path.exists(left), says != "'ok'")

    def test_the_directories_of_a_killed_process_go_with_the_next(self):
        def there():
            return {name for name in os.listdir(self.folder) if name.startswith("snug-")}
        killed = self.cells(TMPDIR=self.folder)
        self.assertEqual(killed.ask(session="a", code="1")["status"], "ok")
        left, = there()
        alive = self.cells(TMPDIR=self.folder)
        self.assertEqual(alive.ask(session="a", code="1")["status"], "ok")
        others = there() - {left}
        own, = others
        inner, = os.listdir(self.folder + "/" + left)
        self.file(left + "/" + inner + "/file", "x")
        os.mkdir(self.folder + "/" + left + "/" + inner + "/folder")
        for name in (left[:-1], left + "0", left[:-1] + "x", "snug-report", "snug-x"):
            os.mkdir(self.folder + "/" + name)
            others.add(name)
        killed.process.kill()
        killed.process.wait()
        self.file("snug-0123456789abcdef", "no directory")
        os.symlink(self.folder + "/snug-x", self.folder + "/snug-fedcba9876543210")
        others |= {"snug-0123456789abcdef", "snug-fedcba9876543210"}
        last = self.cells(TMPDIR=self.folder)
        self.assertEqual(last.ask(session="a", code="1")["status"], "ok")
        self.assertNotIn(left, there())
        self.assertEqual(others - there(), set())
        self.assertEqual(len(there() - others), 1)
        for cells in (alive, last):
            self.assertEqual(cells.end()[0], 0)
        self.assertEqual(there(), others - {own})

    # ---- ends ----

    def test_a_signal_ends_it_and_interrupts_what_runs(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            cells = self.cells()
            cells.ask(session="b", code="1")
            cells.send(session="a", code=WAIT)
            cells.ask(session="b", code="2")
            cells.process.send_signal(number)
            self.assertEqual(cells.process.wait(SECONDS), 128 + number)

    def stuck(self):
        """Nobody reads its answers."""
        cells = self.cells()
        cells.ask(session="a", code="1")
        for i in range(100):
            cells.send(session="s%d" % (i % 70), code="print('x' * 20000)")
        wait_until_unread(cells.process.stdout.fileno(), 60_000)
        return cells

    def test_a_second_signal_ends_it_at_once(self):
        cells = self.stuck()
        for _ in range(2):
            cells.process.send_signal(signal.SIGTERM)
            time.sleep(0.2)
        self.assertEqual(cells.process.wait(SECONDS), 128 + signal.SIGTERM)
        self.assertNotIn(b"not ended in 5 s", cells.process.stderr.read())

    def test_a_signal_ends_it_in_any_case(self):
        cells = self.stuck()
        cells.process.send_signal(signal.SIGTERM)
        self.assertEqual(cells.process.wait(SECONDS), 128 + signal.SIGTERM)
        self.assertIn(b"not ended in 5 s", cells.process.stderr.read())

    def test_commands_of_tools_are_asked_to_end_when_it_ends_at_once(self):
        told = os.path.join(self.folder, "told")
        os.mkfifo(told)
        cells = self.cells("--tool", f"nap=echo $$ >'{told}'; exec sleep 1000")
        cells.send(session="a", code="nap()")
        with open(told) as pipe:
            tool = os.pidfd_open(int(pipe.read()))
        self.addCleanup(end_process, tool)
        # Both are there when it goes on, so that there is no time for an end in order.
        for number in (signal.SIGSTOP, signal.SIGHUP, signal.SIGTERM, signal.SIGCONT):
            cells.process.send_signal(number)
        self.assertEqual(cells.process.wait(SECONDS), 128 + signal.SIGTERM)
        self.assertEqual(select.select([tool], [], [], SECONDS)[0], [tool], "the command still runs")

    def test_a_reader_that_goes_away_ends_it_quietly(self):
        cells = self.cells("--timeout", "none")
        cells.send(session="a", code=WAIT)
        cells.ask(session="b", code="1")
        cells.process.stdout.close()
        cells.send(session="b", code="1")
        self.assertEqual(cells.process.wait(SECONDS), 1)
        self.assertEqual(cells.process.stderr.read(), b"")


class Approval(Case):
    """Calls that a rule asks about are lines, and so are the answers."""

    def asking(self, *options):
        cells = Cells("--tool", "upper=tr a-z A-Z", "--tool-rule", "*=ask", *options)
        self.addCleanup(cells.close)
        return cells

    def test_a_line_asks_and_another_one_answers(self):
        for isolation in "local", "worker":
            cells = self.asking("--isolation", isolation)
            asked = cells.ask(session="a", id=1, code="upper(text='x')['TEXT']")
            self.assertEqual(asked, {"schema": "snug.approval/1", "session": "a", "call": 1, "tool": "upper", "arguments": {"text": "x"}})
            cells.send(session="b", code="6 * 7")  # other sessions go on
            self.assertEqual(cells.answer()["value"]["text"], "42")
            self.assertEqual(cells.ask(session="a", op="approve", id="yes", call=1, answer="once"),
                             {"schema": "snug.approved/1", "session": "a", "id": "yes", "waited": True})
            self.assertEqual(cells.answer()["value"]["text"], "'X'")
            self.assertEqual(cells.ask(session="a", code="upper(text='y')['TEXT']")["call"], 2)
            cells.ask(session="a", op="approve", call=2, answer="always")
            self.assertEqual(cells.answer()["value"]["text"], "'Y'")
            self.assertEqual(cells.ask(session="a", code="upper(text='z')['TEXT']")["value"]["text"], "'Z'")
            self.assertEqual(cells.end(), (0, []))

    def test_a_refusal_has_its_reason(self):
        cells = self.asking()
        cells.ask(session="a", code="upper(text='x')")
        cells.ask(session="a", op="approve", call=1, answer="refuse", reason="not now")
        error = cells.answer()["error"]
        self.assertEqual((error["name"], error["value"]), ("ToolRefused", "not now"))

    def test_an_answer_that_fits_no_call_is_an_error(self):
        cells = self.asking()
        cells.ask(session="a", code="upper(text='x')")
        for call, session in ((2, "a"), (1, "b")):
            answer = cells.ask(session=session, op="approve", call=call, answer="once")
            self.assertEqual((answer["schema"], answer["error"]["name"]), ("snug.error/1", "SNUG_ENOTFOUND"))
        for line, says in (({"call": 1}, '"answer" is missing'), ({"answer": "once"}, '"call" is missing'),
                           ({"call": 0, "answer": "once"}, "number of a call"), ({"call": 1, "answer": "yes"}, "once, always or refuse")):
            self.assertIn(says, cells.ask(session="c", op="approve", **line)["error"]["value"])
        cells.ask(session="a", op="approve", call=1, answer="once")
        self.assertEqual(cells.answer()["status"], "ok")

    def test_an_answer_that_is_wrong_is_refused_while_its_cell_waits(self):
        cells = self.asking()
        cells.ask(session="a", code="upper(text='x')")
        for line, says in (({"op": "approve", "call": 1}, '"answer" is missing'), ({"op": "approve", "answer": "once"}, '"call" is missing'),
                           ({"op": "approve", "call": "1", "answer": "once"}, '"call" must be a number'),
                           ({"op": "approve", "call": 1, "answer": "yes"}, "once, always or refuse"),
                           ({"op": "approve", "call": 1, "answer": "once", "reson": "x"}, 'unknown field "reson"'),
                           ({"op": "aprove", "call": 1, "answer": "once"}, 'did you mean "approve"?'),
                           ({"call": 1, "answer": "once"}, "nothing to do"),
                           ({"op": "interrupt", "call": 1}, '"call" does not go with "interrupt"')):
            answer = cells.ask(session="a", id=says, **line)
            self.assertEqual((answer["schema"], answer["session"], answer.get("id")), ("snug.error/1", "a", says))
            self.assertIn(says, answer["error"]["value"])
        cells.send(session="a", op="vrs")  # others come in their order
        cells.ask(session="a", op="approve", call=1, answer="once")
        self.assertEqual(cells.answer()["status"], "ok")
        self.assertIn('unknown op "vrs"', cells.answer()["error"]["value"])
        self.assertEqual(cells.end(), (0, []))

    def test_who_does_not_answer_has_refused(self):
        cells = self.asking("--approval-timeout", "300ms")
        cells.ask(session="a", code="upper(text='x')")
        self.assertIn("nobody has answered for 0.3 s", cells.answer()["error"]["value"])
        self.assertEqual(cells.ask(session="a", op="approve", call=1, answer="once")["schema"], "snug.error/1")

    def test_the_end_of_the_input_refuses(self):
        cells = self.asking()
        cells.ask(session="a", code="upper(text='x')")
        status, rest = cells.end()
        self.assertEqual((status, [line["error"]["name"] for line in rest]), (0, ["ToolRefused"]))

    def test_an_interrupt_ends_the_wait(self):
        cells = self.asking()
        cells.ask(session="a", code="upper(text='x')")
        cells.send(session="a", op="interrupt")
        self.assertEqual([cells.answer().get(key) for key in ("running", "status")], [True, "interrupted"])


if __name__ == "__main__":
    unittest.main()
