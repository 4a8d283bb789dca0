import contextlib
import os
import signal
import unittest

from driver import Case, Cells, Reader, snug


class Tools(Case):
    def ask(self, command, source, *options):
        with Cells("--tool", "f=" + command, *options) as cells:
            answer = cells.ask(session="a", code=source)
            self.assertEqual(cells.end(), (0, []))
            self.assertEqual(self.stderr_of(cells), "")
        return answer

    @staticmethod
    def stderr_of(cells):
        return cells.stderr

    def value(self, command, source):
        answer = self.ask(command, source)
        self.assertEqual(answer["status"], "ok", answer["error"])
        return answer["value"] and answer["value"]["json"]

    def failure(self, command, source="f()", *options):
        answer = self.ask(command, source, *options)
        self.assertEqual((answer["error"]["name"], answer["error"]["category"]), ("ToolError", "tool"))
        return answer["error"]["value"]

    def test_arguments_are_json_on_stdin_and_the_answer_is_json_on_stdout(self):
        self.assertEqual(self.value("cat", "f(a=[1, None], b='ü')"), {"a": [1, None], "b": "ü"})
        self.assertEqual(self.value("read line; echo \"$line\"", "f(a=1)"), {"a": 1})
        self.assertEqual(self.value("echo 12345678901234567890123", "f() == 12345678901234567890123"), True)

    def test_a_command_does_not_take_the_name_of_a_built_in(self):
        done = snug("run", "--tool", "print=cat", "--tool", "math=echo 1", "-c", "print(tool_math())\ntool_print(a=1)")
        self.assertEqual(done.stdout, "In [1]: print(tool_math())\n   ...: tool_print(a=1)\n1\nOut[1]: {'a': 1}\n\n")
        self.assertIn("snug: tool print: the name is a built-in one of Python: it is called tool_print here\n",
                      done.stderr)
        self.assertIn("snug: tool math: the name is that of a module that cells may import: it is called tool_math here\n",
                      done.stderr)

    def test_what_is_no_json_is_a_string(self):
        self.assertEqual(self.value("echo two words; echo", "f()"), "two words\n")
        self.assertEqual(self.value("printf '\\377'", "f()"), "\ufffd")
        self.assertEqual(self.value("true", "f()"), "")

    def test_an_exit_status_is_an_error_with_the_last_line_of_stderr(self):
        self.assertEqual(self.failure("echo one >&2; echo two >&2; echo out; exit 3"), "two")
        self.assertEqual(self.failure("exit 3"), "f() failed: exit status 3")
        self.assertEqual(self.failure("kill -9 $$"), "f() failed: signal 9")
        self.assertIn("not found", self.failure("no-such-command-here"))

    def test_a_command_that_reads_nothing_is_fine(self):
        self.assertEqual(self.value("echo 1", "f(x='a' * 1000000)"), 1)

    def test_large_arguments_and_answers_pass(self):
        self.assertEqual(self.value("cat", "len(f(x='a' * 8000000)['x'])"), 8000000)

    def test_an_endless_answer_is_cut_off(self):
        self.assertEqual(self.failure("yes"), "f() wrote more than 16 MiB")

    def test_a_command_past_its_time_is_killed_with_its_children(self):
        place = os.path.join(self.folder, "pipe")
        os.mkfifo(place)
        fd = os.open(place, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, fd)
        answer = self.ask(f"exec 9>{place}; echo begun >&9; sleep 1000 & wait", "f()", "--tool-timeout", "2s")
        self.assertEqual(answer["error"]["name"], "ToolTimeout")
        self.assertEqual(answer["tool_calls"][0]["status"], "timeout")
        self.assertEqual(Reader(fd).rest(), b"begun\n")  # it ends with the last of them

    def test_the_limit_of_a_cell_kills_it_too(self):
        answer = self.ask("sleep 50", "f()", "--timeout", "200ms")
        self.assertEqual((answer["status"], answer["state"]), ("timeout", "kept"))

    def test_what_it_leaves_in_the_background_is_not_waited_for(self):
        left = self.value("sleep 1000 & echo $!", "f()")
        with contextlib.suppress(ProcessLookupError):
            os.kill(left, signal.SIGKILL)

    def test_calls_are_limited(self):
        answer = self.ask("echo 1", "[f(), f(), f()]", "--tool-calls", "2")
        self.assertIn("limit tool_calls", answer["error"]["value"])
        self.assertEqual([call["status"] for call in answer["tool_calls"]], ["ok", "ok", "denied"])

    def test_a_tool_that_can_not_be_is_refused(self):
        for text in ("f", "=cat", "f=", ""):
            self.refused("run", "--tool", text, "-c", "1", says="--tool")
        self.refused("run", "--tool", "a b=cat", "-c", "1", says="tool a b: the name is not an identifier")
        self.refused("run", "--tool-timeout", "soon", "-c", "1", says="expected a time such as")
        with Cells("--tool", "if=cat") as cells:
            error = cells.ask(session="a", code="1")["error"]
            self.assertEqual(error["name"], "SNUG_EINVAL")
            self.assertIn("tool if: the name is none in Python", error["value"])


if __name__ == "__main__":
    unittest.main()
