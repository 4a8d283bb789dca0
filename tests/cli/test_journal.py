"""--journal and --replay: calls of tools are written to a file, and answered from one."""
import http.server
import json
import os
import resource
import subprocess
import sys
import threading
import time
import unittest

from driver import SECONDS, SNUG, Case, Cells, Terminal, environment, snug

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "agent"))
from endpoint import Endpoint

SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mcp_server.py")
TOOLS = ("--tool", "upper=tr a-z A-Z", "--tool", "fail=echo no such city >&2; false")
FORMS = ("local", "worker")


class Journal(Case):
    def setUp(self):
        super().setUp()
        self.journal = os.path.join(self.folder, "calls.jsonl")

    def upstream(self, log=None):
        """A server that logs what it is asked."""
        return ("--upstream", f"a={'LOG=' + log + ' ' if log else ''}exec '{sys.executable}' '{SERVER}'")

    def lines(self, schema="snug.call/1"):
        with open(self.journal, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        return [line for line in lines if line["schema"] == schema]

    def run_cells(self, *options, cells, **more):
        """What each has come to, without what its time was."""
        done = snug("run", "--json", "--keep-going", *options, *(word for cell in cells for word in ("-c", cell)), **more)
        results = [json.loads(line) for line in done.stdout.splitlines()]
        for result in results:
            del result["usage"]
            for call in result["tool_calls"]:
                del call["duration_ms"]
        return results, done.stderr, done.returncode

    def record(self, *options, cells, **more):
        results, said, _ = self.run_cells("--journal", self.journal, *options, cells=cells, **more)
        self.assertEqual(said, "")
        return results

    def replay(self, *options, cells, says="", status=None, **more):
        results, said, ended = self.run_cells("--replay", self.journal, *options, cells=cells, **more)
        if says:
            self.assertEqual(said.count("\n"), 1, said)
            self.assertIn(says, said)
        else:
            self.assertEqual(said, "")
        if status is not None:
            self.assertEqual(ended, status)
        return results

    def check_again(self, *options, cells):
        for form in FORMS:
            with self.subTest(form):
                if os.path.exists(self.journal):
                    os.unlink(self.journal)
                first = self.record(*options, "--isolation", form, cells=cells)
                self.assertEqual(self.replay("--isolation", form, cells=cells), first)
        return first

    def test_a_run_is_the_same_without_its_tools(self):
        first = self.check_again(*TOOLS, cells=["upper(text='caf\\u00e9 \\u2713')", "fail()", "[upper(n=n) for n in range(3)]"])
        self.assertEqual([result["status"] for result in first], ["ok", "error", "ok"])
        self.assertEqual(first[0]["value"]["json"], {"TEXT": "CAFé ✓"})
        self.assertEqual([(line["call"], line["cell"]) for line in self.lines()], [(1, 1), (2, 2), (3, 3), (4, 3), (5, 3)])
        self.assertEqual(os.stat(self.journal).st_mode & 0o777, 0o600)
        with open(self.journal, encoding="utf-8") as file:
            self.assertNotIn(" ,", file.read())

    def test_the_tools_of_a_server_are_there_without_the_server(self):
        self.check_again(*self.upstream(), cells=["a.echo(text='x', limit=3)", "a.fail()", "dir(a)", "print(a.echo.__doc__)"])
        log = os.path.join(self.folder, "log")
        self.assertEqual(self.replay(*self.upstream(log), cells=["a.echo(text='x', limit=3)"], says="1 call of the journal is left: call 2 of session s1, a.fail({}), was not made")[0]["status"], "ok")
        self.assertFalse(os.path.exists(log))

    def test_refused_calls_are_refused_again_whatever_the_rules_are(self):
        cells = ["try:\n    upper(text='x')\nexcept ToolRefused as e:\n    print(e)"]
        first = self.record(*TOOLS, "--tool-rule", "upper=deny", cells=cells)
        self.assertEqual(self.replay(cells=cells), first)
        self.assertEqual(self.lines()[0]["status"], "refused")
        os.unlink(self.journal)
        first = self.record(*TOOLS, cells=["upper(text='x')"])
        self.assertEqual(self.replay("--tool-rule", "*=ask", cells=["upper(text='x')"]), first)

    def test_calls_that_took_too_long_do_so_at_once(self):
        cells = ["slow(x=1)"]
        first = self.record("--tool", "slow=sleep 60", "--tool-timeout", "300ms", cells=cells)
        self.assertEqual(first[0]["error"]["name"], "ToolTimeout")
        self.assertEqual(self.replay("--timeout", "250ms", cells=cells), first)

    def test_calls_at_the_same_time_end_in_the_order_in_which_they_did(self):
        cells = ["import asyncio\nasync def one(s):\n    print(s, await wait(seconds=s))\n"
                 "await asyncio.gather(one(0.3), one(0.1), one(0.2))"]
        first = self.check_again("--tool", "wait=sleep $(tr -dc 0-9.)", cells=cells)
        self.assertEqual(first[0]["stdout"].split()[0], "0.1")
        self.assertEqual([line["call"] for line in self.lines()], [2, 3, 1])

    def test_with_a_clock_and_a_seed_runs_are_the_same_to_the_byte(self):
        cells = ["import asyncio, datetime, random, time, uuid",
                 "print(time.time(), datetime.datetime.now(), random.random(), uuid.uuid4())",
                 "async def one(s):\n    print(s, await wait(seconds=s), time.time())\n"
                 "await asyncio.gather(one(0.3), one(0.1), one(0.2))",
                 "upper(text=f'{random.random()} {time.time()}')", "fail(id=str(uuid.uuid4()))", "[random.random(), hash('x')]"]
        code = [word for cell in cells for word in ("-c", cell)]
        same = ("--clock", "fixed", "--seed", "7", "--zone", "Europe/Berlin", "--keep-going")
        tools = (*TOOLS, "--tool", "wait=sleep $(tr -dc 0-9.)")
        for form in FORMS:
            with self.subTest(form):
                journal = os.path.join(self.folder, form)
                first = snug("run", *same, "--isolation", form, *tools, "--journal", journal, *code)
                self.assertEqual(first.stderr.count("ToolError"), 1, first.stderr)
                for _ in range(2):
                    again = snug("run", *same, "--isolation", form, "--replay", journal, *code)
                    self.assertEqual((again.stdout, again.stderr), (first.stdout, first.stderr))
                other = snug("run", *same, "--seed", "8", "--isolation", form, "--replay", journal, *code)
                self.assertIn("call 4 of session s1, upper(), is not in the journal: its argument text is", other.stderr)

    def test_fetch_reaches_no_network(self):
        asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"hello")

            def log_message(self, *_):
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        cells = [f"fetch('http://localhost:{server.server_port}/a')['text']"]
        first = self.record("--fetch", f"http://localhost:{server.server_port}=127.0.0.1", cells=cells)
        self.assertEqual((first[0]["value"] or {}).get("json"), "hello", first)
        self.assertEqual(self.replay(cells=cells), first)
        self.assertEqual(asked, ["/a"])

    def test_a_changed_program_is_told_at_its_first_call_that_differs(self):
        self.record(*TOOLS, cells=["upper(a=1)\nupper(a=2)\nupper(a=3)"])
        for cells, says in ((["upper(a=1)\nupper(a=5)\nupper(a=3)"], "call 2 of session s1, upper(), is not in the journal: its argument a is 5, and was 2"),
                            (["upper(a=1)\nfail(a=2)"], "call 2 of session s1, fail(), is not in the journal: it was upper()"),
                            (["for n in 1, 2, 3, 4: upper(a=n)"], "call 4 of session s1, upper(), is not in the journal: the last one of this session is call 3")):
            result, = self.replay(cells=cells, says=says, status=1)
            self.assertEqual(result["error"]["name"], "ToolRefused")
            self.assertIn(says, result["error"]["value"])

    def test_several_runs_follow_each_other_and_the_last_one_counts(self):
        self.record(*TOOLS, cells=["upper(a=1)"])
        self.record(*TOOLS, cells=["upper(a=2)"])
        self.assertEqual(len(self.lines("snug.journal/1")), 2)
        self.replay(cells=["upper(a=2)"], status=0)
        self.replay(cells=["upper(a=1)"], says="its argument a is 1, and was 2")

    def test_a_line_that_is_cut_is_named_and_does_not_spoil_the_next_run(self):
        self.record(*TOOLS, cells=["upper(a=1)"])
        with open(self.journal, "a", encoding="utf-8") as file:
            file.write('{"schema": "snug.call/1", "sess')
        self.refused("run", "--replay", self.journal, "-c", "1", says="line 5: it is damaged or cut")
        self.record(*TOOLS, cells=["upper(a=2)"])
        self.replay(cells=["upper(a=2)"], status=0)

    def test_keys_are_not_written(self):
        env = environment(MINE_API_KEY="sk-very-secret-0123456789")
        cells = ["upper(a='sk-very-secret-0123456789')", "leak()"]
        self.record(*TOOLS, "--tool", "leak=echo \"$MINE_API_KEY\"", cells=cells, env=env)
        with open(self.journal, encoding="utf-8") as file:
            text = file.read()
        self.assertNotIn("very-secret-0", text)
        self.assertIn("[key]", text)
        self.replay(cells=cells, env=env, status=0)

    def test_a_hostile_line_is_named_with_what_is_wrong_with_it(self):
        def call(**changes):
            line = {"schema": "snug.call/1", "session": "s1", "call": 1, "tool": "t", "arguments": {}, "status": "ok", "answer": 1, **changes}
            return json.dumps({name: value for name, value in line.items() if value is not None})

        digits = call().replace('"answer": 1', '"answer": ' + "7" * 100_000)
        for line, says in ((call(session="a\0b"), "line 1: the call has no session"), (call(tool="a\0b"), "line 1: the call has no tool"),
                           (call(call=0), "line 1: the call has no number"), (call(call=10 ** 20), "line 1: the call has no number"),
                           (call(call=2), "line 1: it is call 2 of session s1, of which there are 1"), (call() + "\n" + call(), "line 2: the session has a call of this number before"),
                           (call(arguments=[1]), "line 1: the call has no object of arguments"), (call(status="fine"), "line 1: the call has no status that a call can have"),
                           (call(answer=None), "line 1: the call has no answer"), (call(status="error"), "line 1: the call has no error"),
                           (call(status="error", error="a\0b"), "line 1: the call has no error"),
                           (call(arguments={"a": "x" * (17 << 20)}), "line 1: the arguments have more than 16 MiB"),
                           (digits, "line 1: it is damaged or cut: a number of more than 4,300 digits"),
                           (call()[:-1] + ", " + "[" * 1000, "line 1: it is damaged or cut"), ("[" * 100_000, "line 1: it is damaged or cut: nested deeper than 200 levels"),
                           ("\0", "line 1: it is damaged or cut"), ("\ufeff{}", "line 1: it is damaged or cut")):
            with self.subTest(line[:100]):
                self.refused("run", "--replay", self.file("x", line), "-c", "1", says=says)
        with open(self.journal, "wb") as file:
            file.write(b'{"schema": "snug.call/1", "session": "\xff"}\n')
        self.refused("run", "--replay", self.journal, "-c", "1", says="line 1: it is damaged or cut: invalid UTF-8")

    def test_what_is_no_plain_file_is_read_or_refused_and_never_waited_for(self):
        self.record(*TOOLS, cells=["upper(a=1)"])
        fifo, link, loop = (os.path.join(self.folder, name) for name in ("fifo", "link", "loop"))
        os.mkfifo(fifo)
        os.symlink(self.journal, link)
        os.symlink(loop, loop)
        for path, says in ((fifo, "is not a file"), ("/dev/zero", "is not a file"), (loop, "symbolic links")):
            self.refused("run", "--replay", path, "-c", "1", says=says)
        self.assertEqual(snug("run", "--replay", link, "-c", "upper(a=1)").returncode, 0)
        self.refused("run", "--replay", self.journal, "--journal-size", "10", "-c", "1", says="more than")
        self.refused("run", "--journal", fifo, "-c", "1", says="nobody reads")
        self.refused("run", "--journal", loop, "-c", "1", says="is a link")

    def test_what_others_may_read_or_have_a_name_of_is_no_journal(self):
        names = own, linked, named, read = [os.path.join(self.folder, name) for name in ("own", "linked", "named", "read")]
        for name in own, read:
            open(name, "w").close()
        os.chmod(own, 0o600)
        os.chmod(read, 0o644)
        os.symlink(own, linked)
        os.link(read, named)
        cases = [(linked, "is a link"), (named, "2 names"), (read, "mode 0644")]
        for name, mode, user in ("pipe", 0o644, os.geteuid()), ("another's", 0o600, 65534):
            os.mkfifo(path := os.path.join(self.folder, name))
            os.chmod(path, mode)
            self.addCleanup(os.close, os.open(path, os.O_RDONLY | os.O_NONBLOCK))
            if user == os.geteuid() or os.geteuid() == 0:
                os.chown(path, user, -1)
                cases.append((path, f"mode {mode:04o}, user {user}"))
        os.symlink("/dev/null", null := os.path.join(self.folder, "null"))
        self.assertEqual(snug("run", *TOOLS, "--journal", null, "-c", "upper(a=1)").returncode, 0)
        if os.geteuid() == 0:
            os.chown(null, 65534, -1, follow_symlinks=False)
            cases.append((null, "is a link"))
        for path, says in cases:
            self.refused("run", *TOOLS, "--journal", path, "-c", "upper(a=1)", says=says)
        self.assertEqual(snug("run", *TOOLS, "--journal", own, "-c", "upper(a=1)").returncode, 0)
        self.assertEqual([os.path.getsize(name) > 0 for name in names], [True, True, False, False])

    def test_files_that_cannot_be_are_refused_in_a_sentence(self):
        self.refused("run", "--journal", os.path.join(self.folder, "no/such"), "-c", "1", says="No such file or directory")
        self.refused("run", "--journal", self.folder, "-c", "1", says="directory")
        self.refused("run", "--replay", self.journal, "-c", "1", says="No such file or directory")
        self.refused("run", "--replay", self.folder, "-c", "1", says="is not a file")
        self.refused("run", "--replay", self.file("x", "hello\n"), "-c", "1", says="line 1: it is damaged or cut")

    def test_a_second_program_does_not_write_to_the_same_file(self):
        with Cells("--journal", self.journal) as cells:
            self.assertEqual(cells.ask(session="a", code="1")["status"], "ok")
            self.refused("run", "--journal", self.journal, "-c", "1", says="another snug writes to it")

    def test_a_file_that_is_full_costs_the_journal_and_not_the_cell(self):
        code = ["upper(text='x' * 400)"] * 3 + ["'went on'"]

        def few_bytes():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1800, 1800))

        for options, limit, why in ((("--journal-size", "1800"), None, "(--journal-size)"), ((), few_bytes, "File too large")):
            with self.subTest(why):
                done = subprocess.run([SNUG, "run", "--keep-going", "--journal", self.journal, *TOOLS, *options,
                                       *(word for cell in code for word in ("-c", cell))], capture_output=True,
                                      encoding="utf-8", timeout=SECONDS, preexec_fn=limit, env=environment())
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("'went on'", done.stdout)
                self.assertEqual(done.stderr.count("snug: --journal"), 1, done.stderr)
                self.assertIn(why, done.stderr)
                self.assertIn("further calls are not written", done.stderr)
                self.assertEqual(len(self.lines()), 1)  # whole lines alone
                os.unlink(self.journal)

    def test_the_tools_of_a_question_are_answered_too(self):
        endpoint = Endpoint(lambda request, headers: {"content": "```python\nupper(text='hello')['TEXT']\n```"})
        self.addCleanup(endpoint.close)
        env = environment(OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY="sk-none")
        ask = ("ask", "--model", "openai:m", "--no-evaluation", "--answer", "result", "--quiet", "What is there?")
        first = snug(*ask, *TOOLS, "--journal", self.journal, env=env)
        self.assertEqual((first.returncode, first.stdout.strip()), (0, "'HELLO'"), first.stderr)
        self.assertEqual([line["tool"] for line in self.lines()], ["upper"])
        again = snug(*ask, "--replay", self.journal, env=env)
        self.assertEqual((again.returncode, again.stdout), (0, first.stdout), again.stderr)

    def test_the_tasks_of_a_batch_are_answered_whichever_comes_first(self):
        numbers = range(8)
        tasks = self.file("tasks.jsonl", "".join(json.dumps({"id": f"task {n}", "question": f"Double number {n}."}) + "\n" for n in numbers))

        def answer(request, headers):
            number = next(n for n in numbers if f"number {n}." in request["messages"][-1]["content"])
            time.sleep(0.01 * (number % 3))
            return {"content": f"```python\nupper(text='n{number}')['TEXT']\n```"}

        endpoint = Endpoint(answer)
        self.addCleanup(endpoint.close)
        env = environment(OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY="sk-none")

        def ask(name, *options):
            out = os.path.join(self.folder, name)
            done = snug("batch", "--model", "openai:m", "--no-evaluation", "--answer", "result", "-j", "4", "--out", out, *options, tasks, env=env)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(out, encoding="utf-8") as lines:
                return {reply["id"]: (reply["status"], reply["answer"]) for reply in map(json.loads, lines)}

        first = ask("first", *TOOLS, "--journal", self.journal)
        self.assertEqual(first, {f"task {n}": ("answered", f"'N{n}'") for n in numbers})
        self.assertEqual(sorted((line["session"], line["call"]) for line in self.lines()), [(f"task {n}", 1) for n in numbers])
        self.assertEqual(ask("again", "--replay", self.journal), first)

    def test_the_prompt_has_a_journal(self):
        env = environment(TERM="xterm", SNUG_HISTORY="none", XDG_STATE_HOME=self.folder)
        for options in (("--journal", self.journal, *TOOLS), ("--replay", self.journal)):
            with Terminal(*options, env=env) as t:
                t.wait("In .*1")
                t.type("upper(text='hello')\r")
                t.wait("'HELLO'(.|\\n)*In .*2")
                t.type("\x04")
                self.assertEqual(t.end(), 0)

    def test_a_replay_can_be_written_too(self):
        cells = ["upper(a=1)", "fail()"]
        self.record(*TOOLS, cells=cells)
        second = os.path.join(self.folder, "second.jsonl")
        self.replay("--journal", second, cells=cells)
        first, self.journal = self.lines(), second

        def timeless(lines):
            return [{name: value for name, value in line.items() if name not in ("time", "duration_ms")} for line in lines]

        self.assertEqual(timeless(self.lines()), timeless(first))
        self.replay(cells=cells, status=None)


if __name__ == "__main__":
    unittest.main(verbosity=2)
