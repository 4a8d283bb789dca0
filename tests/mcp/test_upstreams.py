"""snug with MCP servers that misbehave: the scenarios of upstream/scenarios.py through snug cells and snug mcp.

usage: SNUG=PROGRAM test_upstreams.py [--all]

With --all each of them in a worker and in the program itself; else cells are in the program, and snug mcp has its worker.
"""
import os
import signal
import sys
import unittest

from fronts import CellsFront, McpFront, Upstreams
from speaking import Case, Server, main, text
from driver import Cells, snug
from upstream import raw_web, scenarios

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "upstream")
TIMEOUT = "3 s"


def command(*words):
    return " ".join([f"exec '{sys.executable}' -S '{FOLDER}/bad_server.py'", *words])


def names():
    """A server of its own for each that is lost or that a call waits for."""
    return {row.says: f"bad_{number}" if row.is_lost or row.waits else "bad" for number, row in enumerate(scenarios.CALLS)}


NAMES = names()


class Scenarios(Upstreams):
    """One program serves all of them, so that each bad server is beside all others."""

    @classmethod
    def open_servers(cls, rows, *options):
        servers = ["good", *dict.fromkeys(NAMES[row.says] for row in rows)]
        words = [word for name in servers for word in ("--upstream", f"{name}={command()}")]
        front = cls.open_front(*words, "--threads", "16", *options)
        front.run("state = 7")
        return front

    @classmethod
    def setUpClass(cls):
        cls.calls = cls.open_servers([row for row in scenarios.CALLS if not row.waits])
        cls.waits = cls.open_servers([row for row in scenarios.CALLS if row.waits], "--tool-timeout", "3s")
        cls.wait()

    @classmethod
    def wait(cls):
        """All that end by their time limit, at once."""
        rows = [row for row in scenarios.CALLS if row.waits]
        calls = ",\n".join(f"lambda: {cls.program(row)}" for row in rows)
        result = cls.waits.run("import asyncio\n"
                               "async def call(function):\n"
                               "    try: return ['', await asyncio.to_thread(function)]\n"
                               "    except Exception as e: return [type(e).__name__, str(e)]\n"
                               f"await asyncio.gather(*map(call, [{calls}]))")
        if result["status"] != "ok":
            raise AssertionError(result["error"])
        cls.waited = dict(zip((row.says for row in rows), result["value"]["json"]))

    @staticmethod
    def program(row):
        return row.program.replace("bad.", NAMES[row.says] + ".")

    def said(self, row, text):
        return text.format(server=NAMES[row.says], timeout=TIMEOUT)

    def check(self, row):
        front = self.waits if row.waits else self.calls
        if row.waits:
            self.assertEqual(self.waited[row.says], [row.error[0], self.said(row, row.error[1])])
        elif row.error:
            name, text = row.error
            self.assertEqual(self.failure(front.run(self.program(row))), [name, self.said(row, text)])
        else:
            self.assertEqual(self.value(front.run(self.program(row))), row.answer)
        self.assertEqual(self.value(front.run("[good.echo(text='here'), state]")), ["here", 7])
        again = front.run(f"{NAMES[row.says]}.echo(text='still')")
        if row.is_lost:
            self.assertEqual(self.failure(again)[1], self.said(row, row.is_lost))
        else:
            self.assertEqual(self.value(again), "still")


class InCells(Scenarios, unittest.TestCase):
    front, options = CellsFront, ("--isolation", "local")


class OfAnMcpServer(Scenarios, unittest.TestCase):
    front = McpFront


if "--all" in sys.argv:
    sys.argv.remove("--all")

    class InCellsOfAWorker(Scenarios, unittest.TestCase):
        front, options = CellsFront, ("--isolation", "worker")

    class OfAnMcpServerWithoutAWorker(Scenarios, unittest.TestCase):
        front, options = McpFront, ("--isolation", "local")


class Web(Upstreams):
    """By HTTP."""

    @classmethod
    def setUpClass(cls):
        cls.web = raw_web.Server()
        cls.addClassCleanup(lambda: cls.web.close())
        cls.calls = cls.open_front("--upstream", f"web=http://127.0.0.1:{cls.web.port}/mcp", "--upstream", f"good={command()}",
                                   "--tool-timeout", "3s")
        cls.calls.run("state = 7")

    def check(self, row):
        before = len(self.web.called)
        self.assertEqual(self.value(self.calls.run("web.echo(text='x')")), "x")
        result = self.calls.run(row.program)
        self.assertEqual(len(self.web.called), before + 2)
        if row.error:
            name, said = self.failure(result)
            expected = row.error[1].format(timeout=TIMEOUT)
            if expected.endswith("..."):
                expected = expected[:-3] + said[len(expected) - 3:]
            self.assertEqual([name, said], [row.error[0], expected])
        else:
            self.assertEqual(self.value(result), row.answer)
        self.assertEqual(self.value(self.calls.run("[web.echo(text='still'), good.echo(text='here'), state]")), ["still", "here", 7])


class ByHttpInCells(Web, unittest.TestCase):
    front, options = CellsFront, ("--isolation", "local")

    def test_zz_a_server_that_went_and_came_again_is_called_again(self):
        self.web.close()
        name, said = self.failure(self.calls.run("web.echo(text='x')"))
        self.assertEqual(name, "ToolError")
        self.assertTrue(said.startswith("the MCP server web: 127.0.0.1: "), said)
        type(self).web = raw_web.Server(self.web.port)
        self.assertEqual(self.value(self.calls.run("[web.echo(text='x'), state]")), ["x", 7])


class ByHttpOfAnMcpServer(Web, unittest.TestCase):
    front = McpFront


class OfOne(Case):
    """With a program of its own."""

    def cells(self, words, *sources, options=()):
        cells = Cells("--upstream", f"bad={command(words)}", "--upstream", f"good={command()}", *options)
        self.addCleanup(cells.close)
        results = [cells.ask(session="a", code=source) for source in sources]
        self.assertEqual(cells.end(), (0, []))
        for result in results:
            self.assertEqual(result["status"], "ok", result["error"])
        return [result["value"] and result["value"]["json"] for result in results]

    def test_where_a_server_does_not_start_nothing_is_served(self):
        for says, word, sentence in scenarios.STARTS:
            with self.subTest(says):
                done = snug("cells", "--upstream", f"good={command()}", "--upstream", f"bad={command(word)}")
                self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"snug: {sentence}\n"))

    def test_a_server_that_does_not_start_is_missing_from_snug_mcp(self):
        starts = [(command(word), sentence) for _, word, sentence in scenarios.STARTS]
        for bad, sentence in (*starts, ("exec sleep 1000", "the MCP server bad is not ready yet")):
            with self.subTest(sentence):
                server = Server("--upstream", f"bad={bad}", "--upstream", f"good={command()}", "--upstream-time", "5s" if "bad_server" in bad else "3s",
                                state=os.path.join(self.folder, "state"))
                self.addCleanup(server.end)
                self.assertEqual(server.tool("run_python", code="good.echo(text='x')")["structuredContent"]["value"]["json"], "x")
                tool, = (t for t in server.request("tools/list")["result"]["tools"] if t["name"] == "run_python")
                self.assertIn("Functions are missing: the MCP server bad", tool["description"])
                self.assertEqual(server.close(), f"snug: {sentence}; its functions are missing\n")

    def test_servers_start_side_by_side(self):
        a, b = os.path.join(self.folder, "a"), os.path.join(self.folder, "b")
        waits = "touch {}; while [ ! -e {} ]; do sleep 0.05; done; " + command()
        done = snug("run", "--upstream", "a=" + waits.format(a, b), "--upstream", "b=" + waits.format(b, a),
                    "-c", "[a.echo(text='x'), b.echo(text='y')]")
        self.assertIn("['x', 'y']", done.stdout, done.stderr)

    def test_lines_for_people_are_passed_over(self):
        done = snug("run", "--upstream", f"bad={command('banner')}", "-c", "bad.not_json()")
        self.assertIn("'behind a line'", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_a_server_of_an_unknown_version_is_taken_for_what_it_can(self):
        for word in ("version-of-old", "version-is-a-number", "empty-greeting"):
            with self.subTest(word):
                self.assertEqual(self.cells(word, "bad.echo(text='x')"), ["x"])

    def test_a_list_of_odd_tools_is_taken_for_what_it_says(self):
        names, signatures, calls, own = self.cells(
            "odd-list", "[name[:20] for name in dir(bad)]",
            "import inspect\n{name: str(inspect.signature(getattr(bad, name))) for name in ('odd_types', 'odd_defaults', 'odd_names', 'refers')}",
            "import json\n[json.loads(call()) for call in (bad.schema_is_text, bad.a_b, bad.a_b_2, bad.tool___, bad.tool___class__)]",
            "[bad.echo(text='x'), bad.__class__.__name__, bad.lies.__doc__ or '', len(bad.twice.__doc__)]")
        self.assertEqual(names, ["a_b", "a_b_2", "a_b______x", "docstring", "echo", "lies", "n" * 20, "no_schema", "odd_defaults",
                                 "odd_names", "odd_types", "properties_is_a_list", "refers", "required_is_text",
                                 "schema_is_text", "tool___", "tool___class__", "tool___dict__", "twice", "twice_2"])
        self.assertEqual(signatures, {"odd_types": "(a=None, b=None, c=None, d=None, e=None)",
                                      "odd_defaults": "(a: int = None, b=None, c=1e+308)",
                                      "odd_names": "(self=None, **others)", "refers": "(a=None)"})
        self.assertEqual(calls, [[name, {}] for name in ("schema_is_text", "a-b", "a.b", "\u540d\u524d", "__class__")])
        self.assertEqual(own, ["x", "ToolServer", "", len("first")])

    def test_of_three_thousand_tools_a_thousand_are_taken(self):
        self.assertEqual(self.cells("many", "[len(dir(bad)), good.echo(text='x')]"), [[1000, "x"]])

    def test_an_answer_that_comes_when_the_call_is_cancelled_is_nobodys(self):
        self.assertEqual(self.cells("", "try: bad.hang_and_answer_late()\nexcept ToolTimeout: pass",
                                    "[bad.answer_what_was_late(), bad.echo(text='mine')]", options=("--tool-timeout", "3s")),
                         [None, ["1 late", "mine"]])

    def test_a_server_that_is_killed_from_outside_while_it_is_called_is_told(self):
        with Cells("--upstream", f"bad={command()}", "--upstream", f"good={command()}", "--threads", "2") as cells:
            pid = int(cells.ask(session="a", code="bad.process()")["value"]["json"])
            cells.send(session="a", code="print('called', flush=True)\nbad.hang()")
            cells.send(session="b", code="good.echo(text='x')")
            self.assertEqual(cells.answer()["value"]["json"], "x")
            os.kill(pid, signal.SIGKILL)
            self.assertEqual(cells.answer()["error"]["value"], "the MCP server bad has ended")
            self.assertEqual(cells.ask(session="b", code="good.echo(text='y')")["value"]["json"], "y")
            self.assertEqual(cells.end(), (0, []))

    def test_a_save_leaves_out_no_tool_that_is_bound_again(self):
        options = ("--upstream", f"good={command()}", "--tool", "up=cat")
        server = Server(*options, state=self.folder + "/state")
        self.addCleanup(server.end)
        session = server.tool("run_python", code="x = 41; mine = good")["structuredContent"]["session"]
        self.assertEqual(text(server.tool("save_session", session=session)),
                         "The session was saved, with 0 files.\n"
                         f"Left out: mine: TypeError: tools of the host are bound by it, and not saved\nSession: {session}\n")
        server.tool("run_python", code="x = 0; del mine", session=session)
        server.tool("restore_session", session=session)
        again = server.tool("run_python", code="[x, good.echo(text='again'), up(n=1), 'mine' in globals()]", session=session)
        self.assertEqual(again["structuredContent"]["value"]["json"], [41, "again", {"n": 1}, False])

    def test_no_server_holds_up_the_end(self):
        for word, call in (("deaf", "echo(text='x')"), ("", "flood_for_ever()"), ("", "drip_for_ever()"), ("", "leave_a_child()"),
                           ("", "flood_stderr_for_ever()"), ("", "close_stdout()")):
            with self.subTest(call):
                self.cells(word, f"try: bad.{call}\nexcept Exception: pass", options=("--tool-timeout", "200ms"))


if __name__ == "__main__":
    Scenarios.add_tests(scenarios.CALLS)
    Web.add_tests(scenarios.WEB)
    main()
