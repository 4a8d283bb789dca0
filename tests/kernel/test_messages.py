"""What a kernel says and answers, message by message."""
import json
import os
import pathlib
import signal
import tempfile
import time

from kernels import SECONDS, Kernel, KernelCase, main

# Ends only by a jump out of code in C, which costs the session.
LOST = "%limit timeout=200ms\nbytearray(b'a' * 4_000_000).rindex(b'ab' + b'a' * 2_000_000)"


class Cells(KernelCase):
    @classmethod
    def setUpClass(cls):
        cls.k = Kernel()

    @classmethod
    def tearDownClass(cls):
        cls.k.close()

    def test_a_cell_is_told_of_from_busy_to_idle(self):
        request = self.k.client.execute("print('a')\n6 * 7")
        told = self.k.told_of(request)
        self.assertEqual([kind for kind, _ in told],
                         ["status", "execute_input", "stream", "execute_result", "status"])
        self.assertEqual(told[0][1], {"execution_state": "busy"})
        self.assertEqual(told[1][1]["code"], "print('a')\n6 * 7")
        self.assertEqual(told[2][1], {"name": "stdout", "text": "a\n"})
        self.assertEqual(told[3][1]["data"], {"text/plain": "42"})
        reply = self.k.reply_to(request)["content"]
        self.assertEqual(reply["status"], "ok")
        self.assertEqual(reply["execution_count"], told[3][1]["execution_count"])
        self.assertEqual(reply["payload"], [])

    def test_names_last_from_cell_to_cell(self):
        self.k.run("kept = 41")
        self.assertEqual(self.k.value("kept + 1"), "42")

    def test_streams_keep_their_order(self):
        _, told = self.k.run("import sys\nprint('a')\nprint('b', file=sys.stderr)\nprint('c')")
        self.assertEqual([(c["name"], c["text"]) for _, c in told],
                         [("stdout", "a\n"), ("stderr", "b\n"), ("stdout", "c\n")])

    def test_text_comes_while_the_cell_runs(self):
        request = self.k.client.execute("print('early')\nwhile True: pass")
        self.assertEqual(self.k.wait_for("stream")["text"], "early\n")
        self.k.control("interrupt_request")
        self.assertEqual(self.k.reply_to(request)["content"]["status"], "error")

    def test_much_text_comes_in_few_messages(self):
        _, told = self.k.run("for i in range(10000): print(i)")
        self.assertEqual("".join(c["text"] for _, c in told), "".join(f"{i}\n" for i in range(10000)))
        self.assertLess(len(told), 1000)

    def test_what_is_beyond_the_bound_is_not_shown_and_said(self):
        reply, told = self.k.run("%limit output=1KiB\nprint('x' * 100_000)")
        self.k.run("%limit output=64KiB")
        shown = "".join(c["text"] for _, c in told if c["name"] == "stdout")
        self.assertEqual(shown, "x" * 16384)
        self.assertEqual(told[-1][1]["name"], "stderr")
        self.assertIn("83617 more bytes of stdout are not shown here; all of it is in out-",
                      told[-1][1]["text"])

    def test_an_error_has_a_traceback_with_colours(self):
        reply, told = self.k.run("def f():\n    return 1 / 0\nf()")
        self.assertEqual([kind for kind, _ in told], ["error"])
        for content in (reply, told[0][1]):
            self.assertEqual((content["ename"], content["evalue"]),
                             ("ZeroDivisionError", "division by zero"))
            text = "\n".join(content["traceback"])
            self.assertIn("return 1 / 0", text)
            self.assertIn("\x1b[1;31mZeroDivisionError\x1b[0m: division by zero", text)
            self.assertNotIn("\n", "".join(content["traceback"]))

    def test_displays_are_shown_and_updated(self):
        _, told = self.k.run("from IPython.display import HTML, display\n"
                             "h = display(HTML('<b>1</b>'), display_id='bar')\n"
                             "h.update(HTML('<b>2</b>'))")
        self.assertEqual([kind for kind, _ in told], ["display_data", "update_display_data"])
        self.assertEqual(told[0][1]["data"]["text/html"], "<b>1</b>")
        self.assertEqual(told[1][1]["data"]["text/html"], "<b>2</b>")
        for _, content in told:
            self.assertEqual(content["transient"], {"display_id": "bar"})

    def test_clear_output_is_told(self):
        _, told = self.k.run("from IPython.display import clear_output\nprint(1)\nclear_output()\nprint(2)")
        self.assertEqual([kind for kind, _ in told], ["stream", "clear_output", "stream"])

    def test_output_is_cleared_at_once_or_when_something_takes_its_place(self):
        source = "from IPython.display import clear_output, display\nprint(1)\nclear_output({})\n{}"
        for wait, then, waits in (("", "", [False]), ("wait=True", "", []),
                                  ("wait=True", "import time; time.sleep(.3); print(2)", [True]),
                                  ("wait=True", "display(2)", [True]),
                                  ("", "import time; time.sleep(.3); print(2)", [False])):
            _, told = self.k.run(source.format(wait, then))
            self.assertEqual([c["wait"] for kind, c in told if kind == "clear_output"], waits, (wait, then))

    def test_a_value_has_its_richer_forms(self):
        _, told = self.k.run("from IPython.display import Markdown\nMarkdown('*a*')")
        self.assertEqual(told[0][0], "execute_result")
        self.assertEqual(told[0][1]["data"]["text/markdown"], "*a*")

    def test_a_picture_that_has_both_forms_is_shown_as_png(self):
        self.k.run("class Picture:\n    def __init__(self, *types): self.types = types\n"
                   "    def __repr__(self): return 'picture'\n"
                   "    def _repr_mimebundle_(self, include=None, exclude=None): return {t: 'x' for t in self.types}")
        for given, shown in (("'image/svg+xml', 'image/png'", ["image/png"]), ("'image/png'", ["image/png"]),
                             ("'image/svg+xml'", ["image/svg+xml"])):
            for source in ("Picture({})", "display(Picture({}))"):
                _, told = self.k.run(source.format(given))
                self.assertEqual(sorted(told[0][1]["data"]), [*shown, "text/plain"], source.format(given))

    def test_user_expressions_are_answered_one_by_one(self):
        reply, _ = self.k.run("u = 5", user_expressions={"a": "u + 1", "b": "1 / 0", "c": "(w := 2)"})
        answers = reply["user_expressions"]
        self.assertEqual(answers["a"], {"status": "ok", "data": {"text/plain": "6"}, "metadata": {}})
        self.assertEqual((answers["b"]["status"], answers["b"]["ename"]), ("error", "ZeroDivisionError"))
        self.assertEqual(answers["c"]["data"], {"text/plain": "2"})
        self.assertEqual(self.k.run("w")[0]["ename"], "NameError")

    # ---- several at once ----

    def test_after_an_error_what_was_sent_already_is_not_run(self):
        for _ in range(5):
            requests = [self.k.client.execute(code) for code in
                        ("ran = 0", "import time\ntime.sleep(0.2)\n1 / 0", "ran = 1", "ran = 2")]
            replies = [self.k.reply_to(request)["content"]["status"] for request in requests]
            self.assertEqual(replies, ["ok", "error", "aborted", "aborted"])
            for request in requests:
                self.k.told_of(request)
            self.assertEqual(self.k.value("ran"), "0")

    def test_after_an_error_what_need_not_stop_goes_on(self):
        requests = [self.k.client.execute(code, stop_on_error=False) for code in ("1 / 0", "went = 1")]
        self.assertEqual([self.k.reply_to(r)["content"]["status"] for r in requests], ["error", "ok"])

    # ---- lines ----

    def test_input_asks_the_client(self):
        request = self.k.client.execute("name = input('Who? ')", allow_stdin=True)
        asked = self.k.client.get_stdin_msg(timeout=SECONDS)
        self.assertEqual(asked["msg_type"], "input_request")
        self.assertEqual(asked["content"], {"prompt": "Who? ", "password": False})
        self.assertEqual(asked["parent_header"]["msg_id"], request)
        self.k.client.input("Zoë")
        self.assertEqual(self.k.reply_to(request)["content"]["status"], "ok")
        self.assertEqual(self.k.value("name"), "'Zoë'")

    def test_a_call_that_a_rule_asks_about_asks_the_client(self):
        for isolation in "local", "worker":
            k = self.kernel("--isolation", isolation, "--tool", "upper=tr a-z A-Z", "--tool", "getpass=tr a-z A-Z", "--tool-rule", "*=ask")
            for tool, typed, value in (("upper", "y", "X"), ("upper", "no", "the person who was asked refused it"),
                                       ("upper", "", "the person who was asked refused it"), ("getpass", "a", "X"), ("getpass", None, "X")):
                code = f"try:\n    r = {tool}(text='x')['TEXT']\nexcept ToolRefused as e:\n    r = str(e)"
                request = k.client.execute(code, allow_stdin=True)
                if typed is not None:
                    asked = k.client.get_stdin_msg(timeout=SECONDS)["content"]
                    self.assertEqual(asked, {"prompt": f'Call {tool}(text="x")? [y]es, [a]lways, [n]o: ', "password": False})
                    k.client.input(typed)
                self.assertEqual(k.reply_to(request)["content"]["status"], "ok")
                self.assertEqual(k.value("r"), repr(value))
            k.client.execute("upper(text='x')", allow_stdin=False)
            self.assertIn("takes no input", str(k.wait_for("error")))

    def test_calls_at_one_time_are_asked_about_one_after_the_other(self):
        for isolation in "local", "worker":
            k = self.kernel("--isolation", isolation, "--tool", "upper=tr a-z A-Z", "--tool-rule", "*=ask")
            request = k.client.execute("import asyncio\n[r['TEXT'] for r in await asyncio.gather(*[upper(text=t) for t in 'abc'])]",
                                       allow_stdin=True)
            for letter in "abc":
                self.assertIn(f'text="{letter}"', k.client.get_stdin_msg(timeout=SECONDS)["content"]["prompt"])
                k.client.input("y")
            self.assertIn("['A', 'B', 'C']", str(k.told_of(request)))

    def test_an_answer_to_a_question_before_is_none_to_the_next_one(self):
        k = self.kernel("--tool", "upper=tr a-z A-Z", "--tool", "lower=tr A-Z a-z", "--tool-rule", "*=ask", "--approval-timeout", "2s")
        code = "try:\n    upper(text='x')\nexcept ToolRefused:\n    pass\nlower(text='X')"
        request = k.client.execute(code, allow_stdin=True)
        self.assertIn("upper", k.client.get_stdin_msg(timeout=SECONDS)["content"]["prompt"])
        self.assertIn("lower", k.client.get_stdin_msg(timeout=SECONDS)["content"]["prompt"])
        k.client.input("y")
        self.assertIn("does not say which question", k.reply_to(request)["content"]["evalue"])

    def test_a_late_answer_to_a_cell_before_approves_nothing(self):
        k = self.kernel("--tool", "upper=tr a-z A-Z", "--tool-rule", "*=ask")
        request = k.client.execute("input('Type y: ')", allow_stdin=True)
        k.client.get_stdin_msg(timeout=SECONDS)
        k.manager.interrupt_kernel()
        self.assertEqual(k.reply_to(request)["content"]["ename"], "KeyboardInterrupt")
        for status in "error", "ok":
            request = k.client.execute("upper(text='x')", allow_stdin=True)
            k.client.get_stdin_msg(timeout=SECONDS)
            k.client.input("y")
            self.assertEqual(k.reply_to(request)["content"]["status"], status)

    def test_only_the_client_that_was_asked_answers_and_only_its_question(self):
        k = self.kernel("--tool", "upper=tr a-z A-Z", "--tool-rule", "*=ask")
        other = type(k.client)()
        other.load_connection_info(k.manager.get_connection_info())
        other.start_channels()
        self.addCleanup(other.stop_channels)
        request = k.client.execute("upper(text='x')", allow_stdin=True)
        k.client.get_stdin_msg(timeout=SECONDS)
        session = k.client.session
        wrong = session.msg("input_reply", {"value": "y"}, parent=session.msg("execute_request")["header"])
        for number, answer in enumerate((lambda: other.input("y"), lambda: k.client.stdin_channel.send(wrong))):
            answer()
            until = time.monotonic() + SECONDS
            while k.said().count("nobody waits for it") <= number and time.monotonic() < until:
                time.sleep(0.02)
        k.client.input("n")
        self.assertIn("refused it", k.reply_to(request)["content"]["evalue"])

    def test_a_password_is_asked_for_as_one(self):
        for options in ((), ("--isolation", "local")):
            k = self.kernel(*options)
            request = k.client.execute("from getpass import getpass\nlen(getpass('Key: '))", allow_stdin=True)
            asked = k.client.get_stdin_msg(timeout=SECONDS)["content"]
            self.assertEqual(asked, {"prompt": "Key: ", "password": True})
            k.client.input("secret")
            self.assertEqual(k.told_of(request)[-2][1]["data"]["text/plain"], "6")

    def test_what_is_printed_before_comes_before(self):
        request = self.k.client.execute("print('first')\ninput()", allow_stdin=True)
        self.k.client.get_stdin_msg(timeout=SECONDS)
        self.k.client.input("")
        told = self.k.told_of(request)
        self.assertIn(("stream", {"name": "stdout", "text": "first\n"}), told)

    def ask_late(self, k):
        request = k.client.execute("%limit timeout=500ms\nline = input('Late? ')\nwhile True: pass",
                                   allow_stdin=True)
        self.assertEqual(k.client.get_stdin_msg(timeout=SECONDS)["content"]["prompt"], "Late? ")
        time.sleep(1.5)
        k.client.input("there")
        self.assertEqual(k.reply_to(request)["content"]["ename"], "TimeoutError")
        self.assertEqual(k.value("%limit timeout=30s\nline"), "'there'")

    def test_the_wait_for_a_line_is_not_the_cells_time(self):
        self.ask_late(self.k)

    def test_the_wait_for_a_line_has_a_limit(self):
        source = ("%limit input-timeout=200ms\ntry:\n    input('First? ')\n"
                  "except TimeoutError as error:\n    print(error)")
        request = self.k.client.execute(source, allow_stdin=True)
        self.assertEqual(self.k.wait_for("stream")["text"],
                         "nobody answered input() within its limit of 0.2 s\n")
        self.assertEqual(self.k.reply_to(request)["content"]["status"], "ok")
        self.assertEqual(self.k.client.get_stdin_msg(timeout=SECONDS)["content"]["prompt"], "First? ")
        self.k.run("%limit input-timeout=1h")

    def test_input_that_nobody_answers_is_an_error(self):
        reply, _ = self.k.run("input()", allow_stdin=False)
        self.assertEqual(reply["ename"], "EOFError")

    def test_an_interrupt_ends_a_cell_that_waits_for_a_line(self):
        request = self.k.client.execute("input()", allow_stdin=True)
        self.k.client.get_stdin_msg(timeout=SECONDS)
        self.k.control("interrupt_request")
        self.assertEqual(self.k.reply_to(request)["content"]["ename"], "KeyboardInterrupt")
        self.k.client.input("late")  # which nobody waits for any more
        self.assertEqual(self.k.value("1 + 1"), "2")

    # ---- interrupts ----

    def test_an_interrupt_ends_the_cell_and_keeps_names(self):
        self.k.run("before = 1")
        request = self.k.client.execute("while True: pass")
        self.k.wait_for("execute_input")
        asked = self.k.control("interrupt_request")
        self.assertEqual(self.k.reply_to(asked, control=True)["content"], {"status": "ok"})
        reply = self.k.reply_to(request)["content"]
        self.assertEqual((reply["status"], reply["ename"]), ("error", "KeyboardInterrupt"))
        self.assertEqual(self.k.value("before"), "1")

    def test_sigint_is_an_interrupt(self):
        request = self.k.client.execute("while True: pass")
        self.k.wait_for("execute_input")
        os.kill(self.k.process, signal.SIGINT)
        self.assertEqual(self.k.reply_to(request)["content"]["ename"], "KeyboardInterrupt")

    def test_control_and_heartbeat_answer_while_a_cell_runs(self):
        request = self.k.client.execute("while True: pass")
        self.k.wait_for("execute_input")
        info = self.k.reply_to(self.k.control("kernel_info_request"), control=True)["content"]
        self.assertEqual(info["implementation"], "snug")
        self.assertTrue(self.k.client.hb_channel.is_beating())
        self.k.control("interrupt_request")
        self.k.reply_to(request)

    # ---- questions ----

    def test_help_leads_to_the_pages_of_this_python(self):
        info = self.k.reply_to(self.k.shell("kernel_info_request"))["content"]
        version = ".".join(info["language_info"]["version"].split(".")[:2])
        self.assertEqual(info["help_links"], [{"text": "Python Reference", "url": f"https://docs.python.org/{version}/"}])

    def test_kernel_info_says_what_it_is(self):
        info = self.k.reply_to(self.k.shell("kernel_info_request"))["content"]
        self.assertEqual((info["status"], info["protocol_version"]), ("ok", "5.3"))
        language = info["language_info"]
        self.assertEqual((language["name"], language["file_extension"]), ("python", ".py"))
        self.assertEqual(language["version"], self.k.value("'%d.%d.%d' % __import__('sys').version_info[:3]")[1:-1])

    def test_completion_counts_characters(self):
        self.k.run("würfel = 1; würze = 2")
        reply = self.k.reply_to(self.k.shell("complete_request", code="x = 'é'; wü", cursor_pos=11))["content"]
        self.assertEqual(reply["status"], "ok")
        self.assertEqual(reply["matches"], ["würfel", "würze"])
        self.assertEqual((reply["cursor_start"], reply["cursor_end"]), (9, 11))
        self.assertEqual(reply["metadata"]["_jupyter_types_experimental"],
                         [{"start": 9, "end": 11, "text": name, "type": "instance"} for name in ("würfel", "würze")])

    def complete(self, code):
        reply = self.k.reply_to(self.k.shell("complete_request", code=code, cursor_pos=len(code)))["content"]
        types = {match["type"] for match in reply["metadata"]["_jupyter_types_experimental"]}
        return reply["matches"], reply["cursor_start"], reply["cursor_end"], types

    def test_a_magic_is_completed_as_in_ipython(self):
        self.assertEqual(self.complete("%l"), (["%%latex", "%load_ext", "%lsmagic"], 0, 2, {"magic"}))
        self.assertEqual(self.complete("%%ti"), (["%%time", "%%timeit"], 0, 4, {"magic"}))
        self.assertEqual(self.complete("'\U0001f3b2'\n%tim"), (["%time", "%timeit"], 4, 8, {"magic"}))

    def test_what_is_not_stored_keeps_names_and_no_number(self):
        before = self.k.run("1")[0]["execution_count"]
        self.assertEqual(self.k.run("quiet = 7; print(1); quiet", silent=True)[1], [])
        self.assertEqual([kind for kind, _ in self.k.run("quiet + 1", store_history=False)[1]], ["execute_result"])
        reply, told = self.k.run("quiet, len(Out)")
        self.assertEqual(reply["execution_count"], before + 1)
        self.assertEqual(told[0][1]["data"]["text/plain"].split(",")[0], "(7")

    def test_inspection_has_source_where_more_is_asked_for(self):
        self.k.run("def half(n):\n    'Half of n.'\n    return n / 2")
        for level, has_source in ((0, False), (1, True)):
            reply = self.k.reply_to(self.k.shell("inspect_request", code="half(3)", cursor_pos=2,
                                                 detail_level=level))["content"]
            page = reply["data"]["text/plain"]
            self.assertTrue(reply["found"])
            self.assertIn("half(n)", page)
            self.assertIn("Half of n.", page)
            self.assertEqual("return n / 2" in page, has_source)

    def test_a_call_is_inspected_behind_its_arguments(self):
        self.k.run("def half(n, *more):\n    return n / 2")
        for code in ("half(", "half(3", "half(3.5", "half(.5", "half(1, 'a'", "half((1, 2", "max(half(0x1f", "(half(1"):
            reply = self.k.reply_to(self.k.shell("inspect_request", code=code, cursor_pos=len(code)))["content"]
            self.assertIn("half(n, *more)", reply["data"].get("text/plain", ""), code)

    def test_what_is_not_there_is_not_found(self):
        reply = self.k.reply_to(self.k.shell("inspect_request", code="nothing", cursor_pos=3))["content"]
        self.assertEqual((reply["status"], reply["found"]), ("ok", False))

    def test_a_cell_is_whole_or_wants_more(self):
        for code, content in (("x = 1", {"status": "complete"}),
                              ("for i in range(3):", {"status": "incomplete", "indent": "    "}),
                              ("def f():\n    x = (1,", {"status": "incomplete", "indent": "    "}),
                              ("%time x = 1", {"status": "complete"}), ("x = = 1", {"status": "invalid"})):
            reply = self.k.reply_to(self.k.shell("is_complete_request", code=code))["content"]
            self.assertEqual(reply, content, code)

    def test_comms_of_unknown_targets_are_closed(self):
        opened = self.k.shell("comm_open", comm_id="c1", target_name="nobody", data={})
        self.assertIn(("comm_close", {"comm_id": "c1", "data": {}}), self.k.told_of(opened))
        reply = self.k.reply_to(self.k.shell("comm_info_request"))["content"]
        self.assertEqual(reply, {"status": "ok", "comms": {}})

    # ---- limits ----

    def test_a_limit_holds_for_the_cells_from_then_on(self):
        self.assertEqual(self.k.run("%limit timeout=200ms\nwhile True: pass")[0]["ename"], "TimeoutError")
        self.assertEqual(self.k.run("while True: pass")[0]["ename"], "TimeoutError")
        _, told = self.k.run("%limit timeout=30s\n%limit")
        self.assertIn("timeout        30 s", told[0][1]["text"])

    def test_a_limit_that_is_none_says_why(self):
        for line, says in (("%limit timeout", "expected NAME=VALUE"), ("%limit speed=1", "no limit \"speed\""),
                           ("%limit memory=1GiB", "fixed when the session is opened"),
                           ("%limit timeout=soon", "expected a time")):
            reply, _ = self.k.run(line + "\nx = 1")
            self.assertEqual(reply["ename"], "UsageError")
            self.assertIn(says, reply["evalue"])


class History(KernelCase):
    def history(self, kernel, **wish):
        return kernel.reply_to(kernel.shell("history_request", raw=True, **wish))["content"]["history"]

    def test_it_can_be_asked_for_by_range_end_and_pattern(self):
        k = self.kernel()
        for code in ("a = 1", "a + 1", "b = 2", "a + 1"):
            k.run(code)
        k.run("unseen = 1", store_history=False)
        k.run("unheard = 1", silent=True)
        self.assertEqual(self.history(k, hist_access_type="tail", n=2, output=False),
                         [[1, 3, "b = 2"], [1, 4, "a + 1"]])
        self.assertEqual(self.history(k, hist_access_type="range", session=0, start=1, stop=3, output=True),
                         [[1, 1, ["a = 1", None]], [1, 2, ["a + 1", "2"]]])
        self.assertEqual(self.history(k, hist_access_type="search", pattern="a +*", output=False),
                         [[1, 2, "a + 1"], [1, 4, "a + 1"]])
        self.assertEqual(self.history(k, hist_access_type="search", pattern="a +*", output=False, unique=True),
                         [[1, 4, "a + 1"]])
        self.assertEqual(self.history(k, hist_access_type="search", pattern="*", output=False, n=1),
                         [[1, 4, "a + 1"]])


class Life(KernelCase):
    def gone(self, kernel):
        until = time.monotonic() + SECONDS
        while kernel.manager.is_alive():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.02)

    def test_shutdown_is_answered_and_ends_it(self):
        k = self.kernel()
        request = k.control("shutdown_request", restart=False)
        self.assertEqual(k.reply_to(request, control=True)["content"], {"status": "ok", "restart": False})
        self.gone(k)
        self.assertEqual(k.said(), "")

    def test_shutdown_ends_a_cell_that_runs(self):
        k = self.kernel()
        k.client.execute("while True: pass")
        k.wait_for("execute_input")
        k.control("shutdown_request", restart=True)
        self.gone(k)

    def test_a_restart_begins_anew(self):
        k = self.kernel()
        k.run("x = 1")
        k.manager.restart_kernel()
        k.client.wait_for_ready(timeout=SECONDS)
        reply, _ = k.run("x")
        self.assertEqual((reply["ename"], reply["execution_count"]), ("NameError", 1))

    def test_a_package_that_another_kernel_has_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "sympy").mkdir()
            reply, _ = self.kernel("--packages", folder).run("import sympy")
        self.assertEqual(reply["traceback"][-1].partition("\x1b[0m")[2],
                         "sympy is installed here: use the kernel snug-full, which snug kernel install --all installs.")

    def test_sigterm_ends_it(self):
        k = self.kernel()
        os.kill(k.process, signal.SIGTERM)
        self.gone(k)

    def test_a_lost_session_is_told_of_and_a_fresh_one_goes_on(self):
        k = self.kernel()
        k.run("x = 1")
        reply, _ = k.run(LOST)
        self.assertEqual(reply["status"], "error")
        self.assertIn("run the cells that it needs again", reply["traceback"][-1])
        reply, told = k.run("x")
        self.assertEqual(told[0][1]["name"], "stderr")
        self.assertIn("a fresh session has taken the place of the lost one", told[0][1]["text"])
        self.assertEqual(reply["ename"], "NameError")
        self.assertEqual(k.run("x = 2")[1], [])
        self.assertTrue(k.manager.is_alive())



class Journal(KernelCase):
    def test_its_calls_are_written_and_answered_from_what_was(self):
        journal = os.path.join(self.folder, "calls.jsonl")
        cells = ["upper(text='a')", "[upper(n=n) for n in range(3)]", "fail()"]

        def run(*options):
            k = Kernel(*options)
            try:
                replies = [k.run(code) for code in cells]
            finally:
                k.close()
            return [(reply["status"], reply.get("evalue"), told) for reply, told in replies]

        first = run("--journal", journal, "--tool", "upper=tr a-z A-Z", "--tool", "fail=echo no such city >&2; false")
        self.assertEqual([row[:2] for row in first], [("ok", None), ("ok", None), ("error", "no such city")])
        with open(journal, encoding="utf-8") as file:
            calls = [line for line in map(json.loads, file) if line["schema"] == "snug.call/1"]
        self.assertEqual([(line["session"], line["call"], line["cell"]) for line in calls], [("s1", 1, 1), ("s1", 2, 2), ("s1", 3, 2), ("s1", 4, 2), ("s1", 5, 3)])
        self.assertEqual(run("--replay", journal), first)


if __name__ == "__main__":
    main()
