"""--tool-rule: which tools cells may call, and who is asked."""
import json
import os
import sys
import time
import unittest

from asking import PASS, Asking, program
from driver import Case, Terminal, environment, snug

SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mcp_server.py")
TOOLS = ("--tool", "upper=tr a-z A-Z", "--tool", "count=wc -c")


class Rules(Case):
    def run_cell(self, source, *options):
        done = snug("run", "--json", *TOOLS, *options, "-c", source)
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)

    def refusal(self, source, *options):
        result = self.run_cell(source, *options)
        self.assertEqual((result["status"], result["error"]["name"]), ("error", "ToolRefused"), result["error"])
        return result["error"]["value"]

    def test_a_tool_that_a_rule_denies_is_not_called(self):
        self.assertIn("upper() is not allowed", self.refusal("upper(text='x')", "--tool-rule", "upper=deny"))
        self.assertEqual(self.run_cell("count(text='x')", "--tool-rule", "upper=deny")["status"], "ok")

    def test_a_refusal_can_be_caught_and_stands_in_the_result(self):
        result = self.run_cell("try:\n    upper(text='x')\nexcept ToolRefused:\n    print('no')", "--tool-rule", "u*=deny")
        self.assertEqual((result["stdout"], [call["status"] for call in result["tool_calls"]]), ("no\n", ["refused"]))

    def test_the_first_rule_that_fits_holds(self):
        result = self.run_cell("upper(text='x')", "--tool-rule", "upper=allow", "--tool-rule", "*=deny")
        self.assertEqual(result["status"], "ok")
        self.refusal("count(text='x')", "--tool-rule", "upper=allow", "--tool-rule", "*=deny")

    def test_where_nobody_can_be_asked_the_call_is_refused(self):
        self.assertIn("nobody answers", self.refusal("upper(text='x')", "--tool-rule", "*=ask"))

    def test_tools_that_only_read_can_be_told_apart(self):
        server = f"exec '{sys.executable}' '{SERVER}' reads-echo"
        rules = ("--upstream", "a=" + server, "--tool-rule", "*=allow-reads", "--tool-rule", "*=deny")
        self.assertEqual(self.run_cell("a.echo(text='x')", *rules)["status"], "ok")
        self.assertIn("a.nothing() is not allowed", self.refusal("a.nothing()", *rules))

    def test_what_asks_or_denies_holds_for_the_name_that_a_tool_comes_with_too(self):
        server = f"exec '{sys.executable}' '{SERVER}'"
        for options, call in ((("--upstream", "a=" + server, "--tool-rule", "a.two-words=deny"), "a.two_words()"),
                              (("--mcp", server, "--tool-rule", "two-words=deny"), "two_words()"),
                              (("--mcp", server, "--tool-rule", "9*=ask"), "_9lives()"),
                              (("--tool", "print=cat", "--tool-rule", "print=deny"), "tool_print(a=1)")):
            result = json.loads(snug("run", "--json", *options, "-c", call).stdout)
            self.assertEqual(result["error"]["name"], "ToolRefused", result["error"])

    def test_nothing_is_allowed_by_a_name_that_a_server_has_chosen(self):
        server = f"exec '{sys.executable}' '{SERVER}'"
        for options, call in ((("--upstream", "a=" + server, "--tool-rule", "a.two-words=allow"), "a.two_words()"),
                              (("--mcp", server, "--mcp", server + " new", "--tool-rule", "nothing=allow"), "nothing_2()")):
            result = json.loads(snug("run", "--json", *options, "--tool-rule", "*=deny", "-c", call).stdout)
            self.assertEqual(result["error"]["name"], "ToolRefused", result["error"])

    def test_a_rule_that_fits_no_tool_is_said_wherever_cells_call_tools(self):
        says = "snug: --tool-rule uper=deny fits no tool\n"
        rules = ("--tool-rule", "uper=deny", "--tool-rule", "c?unt=deny", "--tool-rule", "*=allow-reads", "--tool-rule", "upper=allow")
        for command in ("run", "-c", "1"), ("cells",), ("mcp",):
            done = snug(*command, *TOOLS, *rules)
            self.assertEqual((done.returncode, done.stderr), (0, says), command)

    def test_it_is_said_of_tools_of_a_server_too(self):
        server = f"exec '{sys.executable}' '{SERVER}'"
        done = snug("run", "--upstream", "a=" + server, "--tool-rule", "a.eco=deny", "--tool-rule", "a.two-words=deny",
                    "--tool-rule", "a.echo=ask", "-c", "1")
        self.assertEqual(done.stderr, "snug: --tool-rule a.eco=deny fits no tool\n")

    def test_a_replay_needs_no_rule(self):
        journal = os.path.join(self.folder, "calls.jsonl")
        rules = ("--tool-rule", "a.two-words=deny", "-c", "1")
        done = snug("run", "--journal", journal, "--upstream", f"a=exec '{sys.executable}' '{SERVER}'", *rules)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = snug("run", "--replay", journal, *rules)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_where_nothing_can_be_called_no_rule_is_amiss(self):
        self.assertEqual(snug("run", "--tool-rule", "uper=deny", "-c", "1").stderr, "")

    def test_a_name_that_a_server_has_chosen_is_none_for_a_rule_that_allows(self):
        server = f"exec '{sys.executable}' '{SERVER}'"
        done = snug("run", "--upstream", "a=" + server, "--tool-rule", "a.two-words=allow", "-c", "1")
        self.assertEqual(done.stderr, "snug: --tool-rule a.two-words=allow fits no tool\n")

    def test_what_is_no_rule_is_refused_in_a_sentence(self):
        for rule, says in (("upper", "is not PATTERN=DECISION"), ("=deny", "is not PATTERN=DECISION"), ("a=maybe", "and not \"maybe\"")):
            self.refused("run", "--tool-rule", rule, "-c", "1", says=says)


class OfAnAgent(Asking):
    def test_a_rule_that_fits_no_tool_is_said_once(self):
        done = self.ask([("Question:\nwhat", program("6 * 7")), ("Judge whether", PASS % "42")], "--quiet", *TOOLS,
                        "--tool-rule", "uper=deny", "what")
        self.assertEqual((done.returncode, done.stderr), (0, "snug: --tool-rule uper=deny fits no tool\n"))


class Asked(Case):
    def terminal(self, *options):
        return Terminal(*TOOLS, "--tool-rule", "*=ask", *options, env=environment(TERM="xterm", SNUG_HISTORY="none", XDG_STATE_HOME=self.folder))

    def test_somebody_at_the_terminal_says_yes_no_and_always(self):
        with self.terminal() as t:
            t.wait("In .*1")
            t.type("upper(text='hello')\r")
            t.wait(r'Call upper\(text="hello"\)\? \[y\]es, \[a\]lways, \[n\]o: ')
            t.type("n\r")
            t.wait("ToolRefused.*the person at the terminal refused it")
            t.wait("In .*2")
            t.type("upper(text='hello')\r")
            t.wait(r"\[n\]o: ")
            t.type("y\r")
            t.wait("HELLO")
            t.wait("In .*3")
            t.type("[upper(text=t) for t in 'ab'][1]\r")
            t.wait(r"\[n\]o: ")
            t.type("always\r")
            t.wait("'TEXT': 'B'")
            t.wait("In .*4")
            t.type("\x04")

    def test_what_is_asked_can_not_write_to_the_terminal_as_it_likes(self):
        with self.terminal() as t:
            t.wait("In .*1")
            t.type("upper(text='\\x1b]0;owned\\x07\\n' + 'y' * 9000)\r")
            asked = t.wait(r"Call upper.*\[n\]o: ")[0]
            self.assertNotIn(b"\x1b]0;", asked)
            self.assertIn(b"more bytes)", asked)
            t.type("\r")
            t.wait("ToolRefused")
            t.type("\x04")

    def test_a_name_of_an_argument_can_not_read_as_the_end_of_the_call(self):
        with self.terminal() as t:
            t.wait("In .*1")
            t.type("upper(**{'x=1)? [y]es, \"': 'b', '': 1, 'fine_1': 2})\r")
            t.wait(r'Call upper\("x=1\)\? \[y\]es, \\""="b", ""=1, fine_1=2\)\? \[y\]es')
            t.type("n\r")
            t.wait("ToolRefused")
            t.type("\x04")

    def test_an_interrupt_ends_the_question_and_the_cell(self):
        with self.terminal() as t:
            t.wait("In .*1")
            t.type("upper(text='hello')\r")
            t.wait(r"\[n\]o: ")
            t.type("\x03")
            t.wait("KeyboardInterrupt")
            t.wait("In .*2")
            t.type("\x04")

    def test_so_it_does_in_a_worker_and_a_yes_behind_it_calls_nothing(self):
        for asks in "upper(text='hello')", "input('upper? ')":
            for isolation in "local", "worker", "full":
                with self.terminal("--isolation", isolation) as t:
                    t.wait("In .*1")
                    t.type(asks + "\r")
                    t.wait(r"2004l(Call .*\[n\]o|upper\?)[:]? ")
                    t.type("\x03")
                    t.wait("KeyboardInterrupt")
                    t.wait("In .*2")
                    t.type("6 * 7\r")
                    t.wait("42")
                    t.type("\x04")

    def test_who_is_asked_may_take_more_time_than_the_cell_has(self):
        for isolation in "local", "worker":
            with self.terminal("--timeout", "500ms", "--isolation", isolation) as t:
                t.wait("In .*1")
                t.type("upper(text='hello')\r")
                t.wait(r"\[n\]o: ")
                time.sleep(1.5)
                t.type("y\r")
                t.wait("'TEXT': 'HELLO'")
                t.type("\x04")

    def test_an_answer_is_the_whole_line(self):
        with self.terminal() as t:
            t.wait("In .*1")
            for line in "yes, but not this", "y n", "a b", "yess", "y\x1b":
                t.type("upper(text='hello')\r")
                t.wait(r"\[n\]o: ")
                t.type(line + "\r")
                t.wait("ToolRefused.*In ")
            for line in " y ", "YES":
                t.type("upper(text='hello')\r")
                t.wait(r"\[n\]o: ")
                t.type(line + "\r")
                t.wait("'TEXT': 'HELLO'.*In ")
            t.type("\x04")

    def test_who_does_not_answer_in_time_has_refused(self):
        for isolation in "local", "worker":
            with self.terminal("--approval-timeout", "700ms", "--isolation", isolation) as t:
                t.wait("In .*1")
                t.type("upper(text='hello')\r")
                t.wait(r"\[n\]o: ")
                t.wait("ToolRefused.*upper.. was refused: nobody has answered for 0.7 s")
                t.wait("In .*2")
                t.type("\x04")


if __name__ == "__main__":
    unittest.main()
