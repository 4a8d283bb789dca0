import json
import os
import sys
import unittest

from driver import Case, Cells, environment, snug

SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mcp_server.py")


def command(*words):
    return " ".join([f"exec '{sys.executable}' '{SERVER}'", *words])


class Mcp(Case):
    def run_cells(self, *sources, words=(), options=(), status=None):
        env = environment(LOG=os.path.join(self.folder, "log"))
        done = snug("run", "--json", "--keep-going", "--mcp", command(*words), *options,
                    *(word for source in sources for word in ("-c", source)), env=env)
        results = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(results), len(sources), done.stderr)
        return results

    def value(self, source, **more):
        result, = self.run_cells(source, **more)
        self.assertEqual(result["status"], "ok", result["error"])
        return result["value"] and result["value"]["json"]

    def failure(self, source, **more):
        result, = self.run_cells(source, **more)
        self.assertEqual((result["status"], result["error"]["name"], result["error"]["category"]),
                         ("error", "ToolError", "tool"))
        return result["error"]["value"]

    def log(self):
        with open(os.path.join(self.folder, "log"), encoding="utf-8") as log:
            return [json.loads(line) for line in log]

    # ---- what a cell sees ----

    def test_names_are_made_identifiers(self):
        self.assertEqual(self.value("[callable(f) for f in (two_words, class_, _9lives)]"), [True] * 3)

    def test_a_server_does_not_take_the_names_of_built_ins_and_modules(self):
        names = ("print", "sum", "open", "display", "input", "json", "ToolError")
        done = snug("run", "--json", "--mcp", command(*("also-" + name for name in names)), "-c",
                    "import json\nprint('secret', sum([1, 2]))\n"
                    f"[f.__name__ for f in ({', '.join('tool_' + name for name in names)})]",
                    env=environment(LOG=os.path.join(self.folder, "log")))
        result = json.loads(done.stdout)
        self.assertEqual((result["status"], result["stdout"], result["tool_calls"]), ("ok", "secret 3\n", []))
        self.assertEqual(result["value"]["json"], ["tool_" + name for name in names])
        for name in names:
            self.assertIn(f"tool_{name} here", done.stderr)
        self.assertEqual(done.stderr.count("\n"), len(names))

    def test_required_parameters_come_first_and_the_doc_is_the_description(self):
        self.assertEqual(self.value("import inspect\n[str(inspect.signature(echo)), echo.__doc__]"),
                         ["(text: str, limit: int = None)",
                          "Say it again.\n\nArguments:\n    limit: How many."])

    def test_optional_arguments_are_left_out(self):
        self.assertEqual(self.value("echo('a')"), '{"text": "a"}\necho')
        self.assertEqual(self.value("echo('a', limit=3)"), '{"limit": 3, "text": "a"}\necho')

    def test_names_that_are_none_in_python_are_given_by_their_text(self):
        self.assertEqual(self.value("two_words(**{'max-results': 2, 'in': 'x'})"),
                         '{"in": "x", "max-results": 2}\ntwo-words')

    def test_a_tool_without_properties_takes_any(self):
        self.assertEqual(self.value("anything(a=None, b=[1])"), '{"a": null, "b": [1]}\nanything')

    def test_structured_content_comes_whole(self):
        self.assertEqual(self.value("a = structured(); [a['n'] == 12345678901234567890123, a['s'] == '\\0\\ud83d']"),
                         [True, True])

    def test_content_that_is_no_text_is_a_list(self):
        self.assertEqual(self.value("picture()"), [{"type": "image", "data": "aGk="}])

    def test_tools_come_in_pages(self):
        self.assertEqual(self.value("huge.__name__", words=["pages"]), "huge")

    def test_two_servers_and_a_command_may_have_tools_of_one_name(self):
        self.assertEqual(self.value("[echo(), echo_2('a'), echo_3('b')]",
                                    options=["--mcp", command(), "--tool", "echo=printf command"]),
                         ["command", '{"text": "a"}\necho', '{"text": "b"}\necho'])

    # ---- errors ----

    def test_an_error_of_the_tool_is_an_exception(self):
        self.assertEqual(self.failure("fail()"), "it went wrong")
        self.assertEqual(self.failure("refuse()"), "no such thing")
        self.assertEqual(self.failure("nothing()"), "the MCP server answered without a result")

    def test_a_server_that_dies_says_why_and_is_started_again_by_the_next_call(self):
        first, second = self.run_cells("die()", "echo('a')")
        self.assertIn("has ended: last words", first["error"]["value"])
        self.assertEqual(second["value"]["json"], '{"text": "a"}\necho')
        self.assertEqual([m["method"] for m in self.log()].count("server/discover"), 1)

    def test_a_server_that_dies_again_and_again_is_given_up(self):
        results = self.run_cells(*["die()"] * 6)
        for result in results[:5]:
            self.assertIn("has ended: last words", result["error"]["value"])
        self.assertIn("5 times, and is not started again", results[5]["error"]["value"])

    def test_garbage_fails_the_calls_under_way_and_no_others(self):
        first, second = self.run_cells("garbage()", "echo('a')")
        self.assertEqual(first["error"]["value"], "the MCP server wrote a line that is not JSON-RPC")
        self.assertEqual(second["status"], "ok")

    def test_an_answer_that_is_too_large_is_said_to_be(self):
        self.assertIn("more than 16 MiB", self.failure("huge()"))

    def test_a_call_past_its_time_is_cancelled_at_the_server(self):
        first, second = self.run_cells("never()", "echo('a')", options=["--tool-timeout", "2s"])
        self.assertEqual(first["error"]["name"], "ToolTimeout")
        self.assertEqual(first["tool_calls"][0]["status"], "timeout")
        self.assertEqual(second["status"], "ok")
        self.assertIn("notifications/cancelled", [m.get("method") for m in self.log()])

    def test_an_answer_that_comes_too_late_is_nobodys(self):
        first, second = self.run_cells("late()", "echo('a')", options=["--tool-timeout", "2s"])
        self.assertEqual(first["error"]["name"], "ToolTimeout")
        self.assertEqual(second["value"]["json"], '{"text": "a"}\necho')

    def test_the_limit_of_a_cell_ends_a_call(self):
        result, = self.run_cells("never()", options=["--timeout", "300ms"])
        self.assertEqual((result["status"], result["state"]), ("timeout", "kept"))

    # ---- the protocol ----

    def test_what_the_server_asks_is_answered(self):
        self.assertEqual(self.value("ask()"), "asked")
        answers = {m["id"]: m for m in self.log() if "method" not in m}
        self.assertEqual(answers["ping-1"]["result"], {})
        self.assertEqual(answers["list-1"]["error"]["code"], -32601)

    def test_an_older_server_is_greeted_by_initialize(self):
        for words in ([], ["silent"], ["dies-of-discover"]):
            with self.subTest(words):
                self.assertEqual(self.value("echo('a')", words=words), '{"text": "a"}\necho')
                methods = [m["method"] for m in self.log()]
                self.assertEqual(methods, ["server/discover", "initialize", "notifications/initialized", "tools/list",
                                           "tools/call"])
                self.assertEqual(self.log()[1]["params"]["protocolVersion"], "2025-11-25")
                os.unlink(os.path.join(self.folder, "log"))

    def test_a_newer_server_is_asked_without_a_handshake(self):
        self.assertEqual(self.value("echo('a')", words=["new"]), '{"text": "a"}\necho')
        methods = [m["method"] for m in self.log()]
        self.assertEqual(methods[0], "server/discover")
        self.assertEqual(sorted(methods[1:]), ["tools/call", "tools/list"])
        for message in self.log():
            meta = message["params"]["_meta"]
            self.assertEqual(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28")
            self.assertEqual(meta["io.modelcontextprotocol/clientCapabilities"], {})

    def test_a_newer_server_is_told_what_nobody_waits_for(self):
        first, second = self.run_cells("never()", "echo('a')", words=["new"], options=["--tool-timeout", "2s"])
        self.assertEqual((first["error"]["name"], second["status"]), ("ToolTimeout", "ok"))
        self.assertIn("notifications/cancelled", [m.get("method") for m in self.log()])

    def test_a_tool_that_wants_more_from_its_user_is_refused(self):
        self.assertIn("wants more before more answers", self.failure("more()", words=["new"]))

    # ---- side by side ----

    def test_code_that_awaits_awaits_a_tool_and_other_code_has_its_answer(self):
        both = ("import asyncio\ndef plain(): return echo('b')\nasync def other(): return await echo('c')\n"
                "[await echo('a'), plain(), *await asyncio.gather(*[echo(t) for t in 'xy'], other())]")
        self.assertEqual(self.value(both), ['{"text": "%s"}\necho' % t for t in "abxyc"])
        self.assertEqual(self.value("import asyncio\nasync def main(): return await asyncio.gather(*(echo(t) for t in 'xy'))\n"
                                    "[*asyncio.run(main()), echo('z')]"), ['{"text": "%s"}\necho' % t for t in "xyz"])

    def test_calls_that_are_gathered_are_under_way_at_once(self):
        self.assertEqual(self.value("import asyncio\nr = await asyncio.gather(never(), echo('a'), return_exceptions=True)\n"
                                    "[type(r[0]).__name__, r[1]]", options=["--tool-timeout", "2s"]),
                         ["ToolTimeout", '{"text": "a"}\necho'])

    def test_a_server_that_can_not_start_is_a_sentence(self):
        for word, says in (("die-at-start", "has ended: no configuration"),
                           ("error-at-start", "initialize: not today"),
                           ("no-tools", "lists no tools")):
            with self.subTest(word):
                self.refused("run", "--mcp", command(word), "-c", "1", says=says)
        self.refused("run", "--mcp", command("silent", "error-at-start"), "-c", "1", says="initialize: not today")
        self.refused("run", "--mcp", "http://localhost:1/mcp?key=hush", "-c", "1",
                     says="snug: the MCP server http://localhost:1/mcp, server/discover: localhost: ")
        self.refused("run", "--mcp", "exec /no/such/server", "-c", "1", says="has ended")
        self.refused("cells", "--mcp", command("die-at-start"), says="has ended: no configuration")

    def test_a_server_that_does_not_end_is_ended(self):
        self.assertEqual(self.value("echo('a')", words=["deaf"]), '{"text": "a"}\necho')

    def test_sessions_share_a_server(self):
        with Cells("--mcp", command()) as cells:
            for n in range(4):
                cells.send(session=f"s{n}", code=f"echo('{n}')")
            values = sorted(cells.answer()["value"]["json"] for n in range(4))
            self.assertEqual(values, ['{"text": "%d"}\necho' % n for n in range(4)])
            self.assertEqual(cells.end()[0], 0)


class Stray(Case):
    def test_snug_mcp_refuses_what_is_no_option(self):
        for words in (["serve"], ["-", "--state", "x"], ["--http", "0", "more"], ["--", "--http"]):
            self.refused("mcp", *words, says="takes options only")


if __name__ == "__main__":
    unittest.main()
