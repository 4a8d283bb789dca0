"""snug mcp on stdio: sessions, tools, files and cancelling, in both kinds of revisions."""

import base64
import json
import os
import shutil
import signal
import sys
import unittest

from speaking import LEGACY, META, MODERN, SECONDS, ServerCase, main, meta, text

UPSTREAM = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli", "mcp_server.py")
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


class Sessions(ServerCase):
    def test_names_stay_from_call_to_call_in_a_session_that_the_answer_names(self):
        for era in (MODERN, LEGACY):
            s = self.server(era=era, state=os.path.join(self.folder, era))
            first = s.tool("run_python", code="x = 6")
            session = first["structuredContent"]["session"]
            self.assertIn(f"Session: {session}\n", text(first))
            again = s.tool("run_python", code="x * 7", session=session)
            self.assertEqual(again["structuredContent"]["value"]["json"], 42)
            self.assertFalse(again["isError"])
            other = s.tool("run_python", code="x", session="new")
            self.assertIn("NameError", text(other))
            self.assertNotEqual(other["structuredContent"]["session"], session)
            s.close()

    def test_a_call_without_a_session_goes_on_in_the_clients_own(self):
        for era in (MODERN, LEGACY):
            s = self.server(era=era, state=os.path.join(self.folder, era))
            own = s.tool("run_python", code="x = 6")["structuredContent"]["session"]
            again = s.tool("run_python", code="x")["structuredContent"]
            self.assertEqual((again["session"], again["value"]["json"]), (own, 6))
            self.assertEqual(s.tool("write_file", path="a", text="1")["structuredContent"]["session"], own)
            s.tool("close_session", session=own)
            self.assertIn("NameError", text(s.tool("run_python", code="x")))
            tool, = (t for t in s.request("tools/list")["result"]["tools"] if t["name"] == "run_python")
            self.assertIn('"new" opens another', tool["inputSchema"]["properties"]["session"]["description"])
            s.close()

    def test_results_of_the_newer_revision_say_that_they_are_complete(self):
        s = self.server()
        result = s.request("tools/list")["result"]
        self.assertEqual(result["resultType"], "complete")
        self.assertEqual((result["ttlMs"] > 0, result["cacheScope"]), (True, "public"))
        self.assertEqual(s.tool("run_python", code="1")["resultType"], "complete")
        old = self.server(era=LEGACY, state=os.path.join(self.folder, "old"))
        self.assertNotIn("resultType", old.request("tools/list")["result"])

    def test_an_unknown_session_is_told_and_not_opened(self):
        s = self.server()
        for name in ("mine", "py_aaaaaaaaaaaaaaaaaaaaaa", ""):
            result = s.tool("run_python", code="1", session=name)
            self.assertTrue(result["isError"])
            self.assertIn("there is no session", text(result))

    def test_a_closed_session_is_gone_with_its_files(self):
        s = self.server()
        session = s.tool("write_file", path="a.txt", text="x")["structuredContent"]["session"]
        self.assertFalse(s.tool("close_session", session=session)["isError"])
        self.assertIn("there is no session", text(s.tool("list_files", session=session)))

    def test_calls_that_waited_behind_the_close_of_their_session_find_none(self):
        s = self.server()
        session = s.tool("write_file", path="a.txt", text="x")["structuredContent"]["session"]
        # The first holds the session until the others wait.
        first = s.start_tool("run_python", session=session, code="import time\ntime.sleep(1)")
        close = s.start_tool("close_session", session=session)
        waited = [s.start_tool("run_python", session=session, code="1"), s.start_tool("write_file", session=session, path="b", text="x")]
        for id in (first, close):
            self.assertFalse(s.answer(id)["result"]["isError"])
        for id in waited:
            self.assertIn("was closed", text(s.answer(id)["result"]))
        self.assertIn("there is no session", text(s.tool("list_files", session=session)))

    def test_a_session_comes_back_in_the_next_server_on_the_same_folder(self):
        s = self.server()
        session = s.tool("run_python", code="x = 41; open('f', 'w').write('kept')")["structuredContent"]["session"]
        self.assertEqual(s.close(), "")
        self.assertEqual(s.process.returncode, 0)
        s = self.server()
        result = s.tool("run_python", code="[x + 1, open('f').read()]", session=session)
        self.assertEqual(result["structuredContent"]["value"]["json"], [42, "kept"])
        self.assertEqual(result["structuredContent"]["opened"]["how"], "restored")
        self.assertIn("has been restored", text(result))

    def test_an_idle_session_is_saved_and_comes_back(self):
        s = self.server("--session-idle", "200ms")
        session = s.tool("run_python", code="x = 5")["structuredContent"]["session"]
        how = "open"
        while how == "open":  # each call puts the time off
            threading_wait(0.6)
            how = s.tool("run_python", code="x", session=session)["structuredContent"]["opened"]["how"]
        self.assertEqual(how, "restored")

    def test_a_save_is_gone_back_to(self):
        s = self.server()
        session = s.tool("run_python", code="x = 1")["structuredContent"]["session"]
        self.assertIn("never saved", text(s.tool("restore_session", session=session)))
        self.assertFalse(s.tool("save_session", session=session)["isError"])
        s.tool("run_python", code="x = 2", session=session)
        self.assertFalse(s.tool("restore_session", session=session)["isError"])
        self.assertEqual(s.tool("run_python", code="x", session=session)["structuredContent"]["value"]["json"], 1)

    def test_a_reset_forgets_names_and_keeps_files(self):
        s = self.server()
        session = s.tool("run_python", code="x = 1; open('f', 'w').close()")["structuredContent"]["session"]
        s.tool("reset_session", session=session)
        self.assertTrue(s.tool("run_python", code="x", session=session)["isError"])
        self.assertEqual([f["path"] for f in s.tool("list_files", session=session)["structuredContent"]["files"]], ["f"])
        s.tool("run_python", code="y = 1", session=session)
        self.assertTrue(s.tool("run_python", code="y", session=session, reset=True)["isError"])

    def test_names_of_files_stand_on_one_line(self):
        s = self.server()
        made = s.tool("run_python", code="open('a\\nSession: py_x\\x1b[2J', 'w').close()")
        listed = s.tool("list_files", session=made["structuredContent"]["session"])
        for answer in made, listed:
            self.assertIn("a^JSession: py_x^[[2J", text(answer))

    def test_sessions_in_this_process_work_the_same(self):
        s = self.server("--isolation", "local")
        session = s.tool("run_python", code="x = 1")["structuredContent"]["session"]
        self.assertEqual(s.tool("run_python", code="x", session=session)["structuredContent"]["value"]["json"], 1)
        names = {tool["name"] for tool in s.request("tools/list")["result"]["tools"]}
        self.assertNotIn("run_bash", names)

    def test_a_model_is_told_what_its_programs_can_call(self):
        upstream = f"exec '{sys.executable}' '{UPSTREAM}'"
        s = self.server("--upstream", "notes=" + upstream, "--tool", "upper=tr a-z A-Z", "--fetch", "example.org")
        tools = {tool["name"]: tool["description"] for tool in s.request("tools/list")["result"]["tools"]}
        for words in ("- notes.echo(text: str, limit: int = ...) -> Any: Say it again.", "- upper(**arguments: Any) -> Any", "- fetch(url: str"):
            self.assertIn(words, tools["run_python"])
        self.assertEqual(s.tool("run_python", code="notes.echo(text='x', limit=2)")["structuredContent"]["status"], "ok")
        many = self.server("--upstream", "a=" + upstream, "--upstream", "b=" + upstream, state=os.path.join(self.folder, "many"))
        told = many.request("tools/list")["result"]["tools"][0]["description"]
        self.assertIn("a (17 functions), b (17 functions). find_tools(", told)
        self.assertNotIn("Say it again", told)

    def test_functions_of_upstream_servers_are_found_by_words(self):
        s = self.server("--upstream", f"notes=exec '{sys.executable}' '{UPSTREAM}'", "--upstream", f"b=exec '{sys.executable}' '{UPSTREAM}'")
        tool, = [tool for tool in s.request("tools/list")["result"]["tools"] if tool["name"] == "find_tools"]
        self.assertIn("There are: notes (17 functions), b (17 functions).", tool["description"])
        found = s.tool("find_tools", query="say it again", limit=1)
        self.assertEqual(found["structuredContent"], {"tools": ["notes.echo"], "stubs": text(found)})
        self.assertTrue(text(found).startswith("class notes:\n    @staticmethod\n    def echo(text: str, limit: int = ...) -> Any:"))
        self.assertEqual(len(s.tool("find_tools", query="echo", limit=1e300)["structuredContent"]["tools"]), 2)
        nothing = s.tool("find_tools", query="zebra")
        self.assertEqual(nothing["structuredContent"], {"tools": [], "stubs": ""})
        self.assertIn("No function has these words", text(nothing))
        self.assertTrue(s.tool("find_tools")["isError"])
        self.assertTrue(s.tool("find_tools", query="echo", session="py_x")["isError"])
        ran = s.tool("run_python", code="print(find_tools('say again', limit=1)); notes.two_words.__name__")
        self.assertIn("class notes:", ran["structuredContent"]["stdout"])

    def test_without_upstream_servers_there_is_nothing_to_find(self):
        s = self.server("--tool", "upper=tr a-z A-Z")
        self.assertNotIn("find_tools", {tool["name"] for tool in s.request("tools/list")["result"]["tools"]})
        self.assertEqual(s.request("tools/call", name="find_tools", arguments={"query": "x"})["error"]["code"], -32602)

    @unittest.skipUnless(shutil.which("bwrap"), "bubblewrap is not here")
    def test_bash_has_sessions_of_its_own(self):
        s = self.server()
        session = s.tool("run_bash", code="cd /tmp; x=3")["structuredContent"]["session"]
        self.assertEqual(s.tool("run_bash", code="echo $x", session=session)["structuredContent"]["stdout"], "3\n")
        self.assertIn("is a session of bash", text(s.tool("run_python", code="1", session=session)))
        self.assertEqual(s.tool("run_bash", code="exit 3")["structuredContent"]["error"]["name"], "ExitStatus")
        self.assertEqual((s.close(), s.process.returncode), ("", 0))  # they are gone, as is said of them

    def test_two_servers_without_a_folder_take_two(self):
        import speaking
        env = speaking.environment(XDG_STATE_HOME=self.folder)
        servers = [speaking.subprocess.Popen([speaking.SNUG, "mcp"], stdin=-1, stdout=-1, env=env) for _ in range(2)]
        # Both have answered before the first one is told to end: it gives its folder up then, and the next takes it.
        for server in servers:
            server.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
            server.stdin.flush()
            self.assertEqual(server.stdout.readline(), b'{"jsonrpc":"2.0","id":1,"result":{}}\n')
        for server in servers:
            self.assertEqual(server.communicate(timeout=SECONDS)[0], b"")
        self.assertEqual(sorted(os.listdir(os.path.join(self.folder, "snug", "mcp"))), ["1", "2"])

    def test_what_cannot_be_saved_at_the_end_is_told_and_is_a_failure(self):
        s = self.server()
        session = s.tool("run_python", code="x = 1")["structuredContent"]["session"]
        shutil.rmtree(os.path.join(self.folder, "state"))
        said = s.close()
        self.assertIn("snug: 1 sessions could not be saved; the last one: ", said)
        self.assertIn(f"{session}.snug: No such file or directory", said)
        self.assertEqual(s.process.returncode, 1)

    def test_a_profile_that_there_is_not_is_told_at_the_beginning(self):
        s = self.server("--profile", "nosuch")
        self.assertEqual((s.close(), s.process.returncode),
                         ('snug: there is no profile "nosuch"; there are: core, strict, data\n', 2))


def threading_wait(seconds):
    """Nobody calls for that long: what is tested is that time passes."""
    import threading
    threading.Event().wait(seconds)


class Results(ServerCase):
    def test_errors_come_with_a_hint(self):
        result = self.server().tool("run_python", code="n = 0; 1/n")
        self.assertTrue(result["isError"])
        self.assertIn("ZeroDivisionError", text(result))
        self.assertIn("Hint: ", text(result))

    def test_pictures_are_images(self):
        s = self.server()
        code = f"import base64\nclass P:\n    def _repr_png_(self): return base64.b64decode({PNG!r})\nP()"
        result = s.tool("run_python", code=code)
        self.assertEqual([(p["mimeType"], p["data"]) for p in result["content"] if p["type"] == "image"],
                         [("image/png", PNG)])

    def test_files_that_a_cell_makes_are_named(self):
        s = self.server()
        result = s.tool("run_python", code="open('d ü.txt', 'w').write('hello')")
        self.assertIn("Files made or changed: d ü.txt (text/plain, 5 bytes)", text(result))
        read = s.tool("read_file", path="d ü.txt", session=result["structuredContent"]["session"])
        self.assertEqual(read["structuredContent"]["text"], "hello")

    def test_bytes_go_there_and_back(self):
        s = self.server()
        data = base64.b64encode(bytes(range(256))).decode()
        session = s.tool("write_file", path="a/b.bin", base64=data)["structuredContent"]["session"]
        self.assertEqual(s.tool("read_file", path="a/b.bin", session=session)["structuredContent"]["base64"], data)
        self.assertEqual(s.tool("run_python", code="len(open('a/b.bin', 'rb').read())", session=session)
                         ["structuredContent"]["value"]["json"], 256)
        self.assertIn("one of", text(s.tool("write_file", path="x", text="", base64="")))
        self.assertIn("not base64", text(s.tool("write_file", path="x", base64="?")))
        self.assertTrue(s.tool("write_file", path="../x", text="", session=session)["isError"])
        self.assertIn("a^Jb has 1 bytes", text(s.tool("write_file", path="a\nb", text="x", session=session)))

    def test_variables_are_listed(self):
        s = self.server()
        session = s.tool("run_python", code="rows = [1, 2]")["structuredContent"]["session"]
        variables = s.tool("list_variables", session=session)["structuredContent"]["variables"]
        self.assertEqual([(v["name"], v["type"], v["length"]) for v in variables], [("rows", "list", 2)])

    def test_long_output_says_what_is_missing(self):
        result = self.server().tool("run_python", code="print('x' * 200_000)")
        self.assertRegex(text(result), r"\(stdout is cut: it has 200001 bytes in all; the whole is in the file out-1.txt")

    def test_wrong_arguments_are_errors_of_the_tool(self):
        s = self.server()
        for arguments, why in (({}, 'needs the argument "code"'), ({"code": 1}, "must be a string"),
                               ({"code": "1", "sesion": "x"}, 'has no argument "sesion"'),
                               ({"code": "1", "timeout": -1}, "in seconds"), ({"code": "1", "reset": 1}, "true or false")):
            result = s.tool("run_python", **arguments)
            self.assertTrue(result["isError"])
            self.assertIn(why, text(result))
        self.assertEqual(s.request("tools/call", name="rm", arguments={})["error"]["code"], -32602)

    def test_progress_is_told_where_there_is_a_token(self):
        s = self.server()
        id = s.start_tool("run_python", code="print('begun', flush=True)", _meta={"progressToken": "t"})
        s.answer(id)
        told = s.told.get(timeout=SECONDS)
        self.assertEqual((told["method"], told["params"]["progressToken"], told["params"]["message"]),
                         ("notifications/progress", "t", "begun\n"))

    def test_a_time_limit_of_a_call_is_at_most_the_programs(self):
        s = self.server("--timeout", "1s")
        result = s.tool("run_python", code="while True: pass", timeout=100)
        self.assertEqual(result["structuredContent"]["status"], "timeout")
        self.assertIn("the session is kept", text(result))


class Cancelling(ServerCase):
    def begun(self, s, session=None):
        """A cell that has begun and does not end; its id."""
        arguments = {"session": session} if session else {}
        id = s.start_tool("run_python", code="print('begun', flush=True)\nwhile True: pass",
                          _meta={"progressToken": "t"}, **arguments)
        while s.told.get(timeout=SECONDS)["method"] != "notifications/progress":
            pass
        return id

    def test_a_cancelled_cell_ends_and_is_not_answered(self):
        for era in (MODERN, LEGACY):
            s = self.server(era=era, state=os.path.join(self.folder, era))
            session = s.tool("run_python", code="x = 1")["structuredContent"]["session"]
            id = self.begun(s, session)
            s.cancel(id)
            self.assertEqual(s.tool("run_python", code="x", session=session)["structuredContent"]["value"]["json"], 1)
            self.assertEqual(s.answers, {})

    def test_a_call_that_waits_is_withdrawn_and_the_one_that_runs_goes_on(self):
        s = self.server()
        session = s.tool("run_python", code="n = 0")["structuredContent"]["session"]
        running = self.begun(s, session)
        waiting = s.start_tool("run_python", code="n = 1", session=session)
        s.cancel(waiting)
        s.cancel(running)
        self.assertEqual(s.tool("run_python", code="n", session=session)["structuredContent"]["value"]["json"], 0)

    def test_calls_of_other_sessions_go_on_meanwhile(self):
        s = self.server()
        id = self.begun(s)
        self.assertEqual(s.tool("run_python", code="7")["structuredContent"]["value"]["json"], 7)
        s.cancel(id)

    def test_a_call_that_does_not_get_its_turn_is_told(self):
        s = self.server("--wait", "300ms")
        session = s.tool("run_python", code="1")["structuredContent"]["session"]
        id = self.begun(s, session)
        result = s.tool("run_python", code="2", session=session)
        self.assertTrue(result["isError"])
        self.assertIn("--wait", text(result))
        s.cancel(id)

    def test_a_full_queue_is_told(self):
        s = self.server("--waiting-calls", "1", "--calls", "1")
        id = self.begun(s)
        waiting = s.start_tool("run_python", code="1")
        error = s.request("tools/call", name="run_python", arguments={"code": "2"})["error"]
        self.assertIn("--waiting-calls", error["message"])
        s.cancel(id)
        self.assertFalse(s.answer(waiting)["result"]["isError"])

    def test_the_end_of_the_input_ends_the_server_when_all_is_answered(self):
        s = self.server()
        id = s.start_tool("run_python", code="6 * 7")
        self.assertEqual(s.close(), "")
        self.assertEqual(s.answer(id)["result"]["structuredContent"]["value"]["json"], 42)
        self.assertEqual(s.process.returncode, 0)

    def test_a_signal_ends_the_server_and_saves_its_sessions(self):
        s = self.server()
        session = s.tool("run_python", code="x = 3")["structuredContent"]["session"]
        self.begun(s)
        s.process.send_signal(signal.SIGTERM)
        s.process.wait(SECONDS)
        s = self.server()
        self.assertEqual(s.tool("run_python", code="x", session=session)["structuredContent"]["value"]["json"], 3)


class Structured(ServerCase):
    PROGRAM = ("import base64, sys\nclass Picture:\n    def _repr_png_(self): return base64.b64decode('" + PNG + "')\n"
               "open('a.txt', 'w').close()\nprint('hello')\nprint('beside', file=sys.stderr)\ndisplay(Picture())\ndisplay([1, 2])\n40 + 2")

    def run_all(self, form, *args):
        s = self.server(*args, form=form, state=os.path.join(self.folder, form))
        ran = s.tool("run_python", code=self.PROGRAM)
        tools = {tool["name"]: tool for tool in s.request("tools/list")["result"]["tools"]}
        return s, ran, tools

    def test_brief_has_what_a_model_needs_and_no_more(self):
        s, ran, tools = self.run_all("brief", "--timeout", "500ms")
        brief = ran["structuredContent"]
        self.assertEqual(brief, {"session": brief["session"], "status": "ok", "output": "hello\n[1, 2]\n", "stderr": "beside\n",
                                 "value": "42", "files": ["a.txt"]})
        self.assertEqual([part["type"] for part in ran["content"]], ["text", "image"])
        schema = tools["run_python"]["outputSchema"]
        self.assertEqual((set(brief) - set(schema["properties"]), schema["required"]), (set(), ["session", "status"]))
        wrong = s.tool("run_python", code="fail(x)")["structuredContent"]
        self.assertLessEqual(set(wrong), {"session", "status", "error", "hint"})
        self.assertIn("NameError", wrong["error"])
        binary = s.tool("write_file", path="b", base64="AAE=")["structuredContent"]["session"]
        self.assertNotIn("base64", s.tool("read_file", path="b", session=binary)["structuredContent"])
        self.assertIn("0.5 at most", tools["run_python"]["inputSchema"]["properties"]["timeout"]["description"])
        late = s.tool("run_python", code="while True: pass", timeout=1000)
        self.assertEqual((late["structuredContent"]["status"], late["structuredContent"]["note"]), ("timeout", "No call has more than 0.5 s here.\n"))
        self.assertNotIn("note", s.tool("run_python", code="while True: pass", timeout=0.1)["structuredContent"])

    def test_none_has_no_schema_either(self):
        s, ran, tools = self.run_all("none")
        self.assertNotIn("structuredContent", ran)
        self.assertEqual([name for name in tools if "outputSchema" in tools[name]], [])

    def test_full_is_the_whole_result(self):
        s, ran, tools = self.run_all("full")
        self.assertEqual((ran["structuredContent"]["schema"], ran["structuredContent"]["opened"]["how"]), ("snug.result/1", "new"))
        self.assertIn("opened", tools["run_python"]["outputSchema"]["properties"])


class Saves(ServerCase):
    ENDLESS = "class Endless:\n    def __reduce__(self):\n        while True: pass\nit = Endless()"

    def test_a_session_whose_save_does_not_end_keeps_no_other_from_its_own(self):
        s = self.server("--save-time", "2s", "--save-after", "3600s")
        kept = [s.tool("run_python", code="x = 3", session="new")["structuredContent"]["session"] for _ in range(8)]
        lost = [s.tool("run_python", code=self.ENDLESS, session="new")["structuredContent"]["session"] for _ in range(6)]
        said = s.close()
        lines = said.splitlines()
        self.assertRegex(lines.pop(), "^snug: 6 sessions could not be saved; the last one: saving session py_.* was given up "
                                      "after 2000 ms, the limit at an end$")
        self.assertEqual(sorted(lines), sorted(f"snug: session {name} could not be saved, and stays open: saving session {name} "
                                               "was given up after 2000 ms, the limit at an end" for name in lost))
        self.assertEqual(s.process.returncode, 1)
        s = self.server()
        for session in kept:
            self.assertEqual(s.tool("run_python", code="x", session=session)["structuredContent"]["value"]["json"], 3)
        result = s.tool("run_python", code="x", session=lost[0])
        self.assertIn("its process ended before it was saved", json.dumps(result))


    def test_a_killed_server_costs_what_was_done_since_the_last_save(self):
        s = self.server()
        session = s.tool("run_python", code="x = 1; g = (i for i in [])")["structuredContent"]["session"]
        save = os.path.join(self.folder, "state", "stdio", session + ".snug")
        while not os.path.exists(save):
            threading_wait(0.1)
        result = s.tool("run_python", code="x", session=session)
        self.assertIn("these cannot be saved, and will be gone when the session is restored: g (a generator cannot be saved)",
                      text(result))
        s.end()
        s = self.server("--save-after", "3600s")
        result = s.tool("run_python", code="x", session=session)
        self.assertEqual(result["structuredContent"]["value"]["json"], 1)
        self.assertIn("Not saved, and gone: g (a generator cannot be saved).", text(result))
        s.tool("run_python", code="x = 2", session=session)
        s.tool("save_session", session=session)
        s.end()
        s = self.server()
        result = s.tool("run_python", code="x", session=session)
        self.assertIn("cells lost: 2. restore_session brings back what save_session has saved.", text(result))
        s.tool("restore_session", session=session)
        self.assertEqual(s.tool("run_python", code="x", session=session)["structuredContent"]["value"]["json"], 2)


def workers(process):
    """The processes below it that have none below them."""
    below = []
    for thread in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{thread}/children", encoding="ascii") as file:
            below += [int(word) for word in file.read().split()]
    return [pid for child in below for pid in workers(child) or [child]]


class Troubles(ServerCase):
    """What goes wrong with a session behind its client's back is told on stderr, and nothing else is."""

    def opened(self, server):
        return server.tool("run_python", code="x = 1")["structuredContent"]["session"]

    def test_a_worker_that_dies_while_idle_is_told(self):
        s = self.server("--save-after", "3600s")
        session = self.opened(s)
        for pid in workers(s.process.pid):
            os.kill(pid, signal.SIGKILL)
        self.assertEqual(s.process.stderr.readline(), "snug: the worker of tenant stdio has died with 1 sessions\n")
        s.tool("run_python", code="1", session=session)
        self.assertEqual(s.process.stderr.readline(),
                         f"snug: session {session} is not as it was: its worker has died\n")
        self.assertEqual((s.close(), s.process.returncode), ("", 0))

    def test_a_session_that_is_lost_at_the_end_is_told_and_is_a_failure(self):
        s = self.server("--save-after", "3600s")
        session = self.opened(s)
        pids = workers(s.process.pid)
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        s.process.stdin.close()
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        said = s.close()
        self.assertRegex(said, f"(?m)^snug: session {session} is not as it was: ")
        self.assertRegex(said, f"(?m)^snug: 1 sessions could not be saved; the last one: session {session} is lost: ")
        self.assertEqual(s.process.returncode, 1)

    def test_a_save_that_fails_is_told(self):
        s = self.server("--session-idle", "100ms")
        session = self.opened(s)
        shutil.rmtree(os.path.join(self.folder, "state"))
        self.assertRegex(s.process.stderr.readline(),
                         f"^snug: session {session} could not be saved, and stays open: .*{session}.snug: "
                         "No such file or directory")

    def put_away(self):
        """A session, and its file."""
        s = self.server()
        session = self.opened(s)
        self.assertEqual(s.close(), "")
        return session, os.path.join(self.folder, "state", "stdio", session + ".snug")

    def test_a_save_that_is_damaged_is_told(self):
        session, path = self.put_away()
        os.truncate(path, 100)
        s = self.server()
        s.tool("run_python", code="1", session=session)
        self.assertEqual(s.close(), f"snug: session {session} is not as it was: what was saved of it cannot be restored, "
                                    f"and is kept as {session}.damaged: it is cut: it has fewer bytes than it says\n")

    @unittest.skipIf(os.geteuid() == 0, "root reads every file")
    def test_a_save_that_cannot_be_read_is_told(self):
        session, path = self.put_away()
        os.chmod(path, 0)
        s = self.server()
        s.tool("run_python", code="1", session=session)
        self.assertRegex(s.close(), f"^snug: session {session} may be restored wrongly, or not at all: {path}: Permission denied")


class Limits(ServerCase):
    def test_a_file_that_is_too_large_is_refused(self):
        s = self.server("--file-size", "1KiB")
        fits = s.tool("write_file", path="a", text="x" * 1024)
        session = fits["structuredContent"]["session"]
        self.assertFalse(fits["isError"])
        self.assertEqual(text(s.tool("read_file", path="a", session=session)).count("x"), 1024)
        large = s.tool("write_file", path="b", text="x" * 1025, session=session)
        self.assertTrue(large["isError"])
        self.assertIn("--file-size", text(large))
        s.tool("run_python", code="open('c', 'w').write('x' * 1025)", session=session)
        self.assertIn("1024 are the most", text(s.tool("read_file", path="c", session=session)))

    def test_of_too_many_sessions_the_one_used_longest_ago_is_put_away(self):
        s = self.server("--sessions", "2")
        sessions = [s.tool("run_python", code=f"x = {i}", session="new")["structuredContent"]["session"] for i in range(3)]
        opened = s.tool("run_python", code="x", session=sessions[2])["structuredContent"]
        self.assertEqual((opened["value"]["json"], opened["opened"]["how"]), (2, "open"))
        back = s.tool("run_python", code="x", session=sessions[0])["structuredContent"]
        self.assertEqual((back["value"]["json"], back["opened"]["how"]), (0, "restored"))


class Versions(ServerCase):
    def test_an_unsupported_version_is_told_with_those_that_there_are(self):
        s = self.server()
        for version in ("1900-01-01", LEGACY):
            id = s.start("tools/list", _meta={META + "protocolVersion": version})
            error = s.answer(id)["error"]
            self.assertEqual((error["code"], error["data"]["requested"]), (-32022, version))
            self.assertIn(MODERN, error["data"]["supported"])

    def test_what_is_missing_of_a_request_is_told(self):
        s = self.server()
        for wrong in ({}, {"_meta": {}}, {"_meta": {META + "protocolVersion": MODERN}},
                      {"_meta": {META + "clientCapabilities": {}}}):
            s.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": wrong})
            self.assertEqual(s.answer(1)["error"]["code"], -32602)

    def test_methods_of_the_other_kind_of_revision_are_not_found(self):
        for era, method in ((MODERN, "ping"), (LEGACY, "server/discover"), (MODERN, "logging/setLevel")):
            s = self.server(era=era, state=os.path.join(self.folder, era + method.replace("/", "")))
            self.assertEqual(s.request(method, uri="x")["error"]["code"], -32601)

    def test_a_handshake_agrees_on_the_older_revision(self):
        s = self.server()
        for wanted in (LEGACY, "2025-06-18", MODERN):
            s.send({"jsonrpc": "2.0", "id": wanted, "method": "initialize", "params": {"protocolVersion": wanted}})
            self.assertEqual(s.answer(wanted)["result"]["protocolVersion"], LEGACY)

    def test_discover_names_both_kinds(self):
        result = self.server().request("server/discover")["result"]
        self.assertEqual(result["supportedVersions"], [MODERN, LEGACY])
        self.assertIn("tools", result["capabilities"])


if __name__ == "__main__":
    main()
