"""What clients and cells may do to a kernel, and it goes on."""
import json
import pathlib
import subprocess

from kernels import SECONDS, SNUG, KernelCase, environment, main


class Rough(KernelCase):
    def test_a_nul_in_a_cell_is_an_error_and_no_more(self):
        k = self.kernel()
        for code in ("\0", "1\0", "%limit\n\0", "%limit timeout=9s \0\n1"):
            reply, _ = k.run(code)
            self.assertIn(reply["status"], ("ok", "error"))
        self.assertEqual(k.run("\0")[0]["ename"], "SyntaxError")
        self.assertEqual(k.value("6 * 7"), "42")

    def test_displays_that_are_too_many_are_counted(self):
        k = self.kernel("--displays", "64KiB")
        _, told = k.run("for i in range(5000): display(i)")
        shown = sum(kind == "display_data" for kind, _ in told)
        self.assertIn(f"snug: {5000 - shown} more displays are not shown", told[-1][1]["text"])

    def test_an_expression_that_is_not_a_string_has_its_name(self):
        k = self.kernel()
        request = k.shell("execute_request", code="x = 1", user_expressions={"a": "x", "b": 5})
        told = k.reply_to(request)["content"]["user_expressions"]
        self.assertEqual(told["a"]["data"], {"text/plain": "1"})
        self.assertEqual((told["b"]["status"], told["b"]["evalue"]), ("error", "an expression must be a string"))

    def test_a_silent_cell_shows_no_limits(self):
        k = self.kernel()
        _, told = k.run("%limit", silent=True)
        self.assertEqual(told, [])

    def test_a_late_answer_is_not_for_another_question(self):
        k = self.kernel()
        code = ("%limit input-timeout=300ms\ntry: input('First? ')\nexcept TimeoutError: pass")
        k.reply_to(k.client.execute(code, allow_stdin=True))
        first = k.client.get_stdin_msg(timeout=SECONDS)
        request = k.client.execute("%limit input-timeout=1m\ninput('Password? ')", allow_stdin=True)
        second = k.client.get_stdin_msg(timeout=SECONDS)
        for question, value in ((first, "late"), (second, "right")):
            k.client.stdin_channel.send(k.client.session.msg("input_reply", {"value": value}, parent=question["header"]))
        self.assertEqual(k.reply_to(request)["content"]["status"], "ok")
        self.assertEqual(k.value("_"), "'right'")
        self.assertIn("nobody waits for it", k.said())

    def test_a_property_without_an_end_holds_nobody_up(self):
        k = self.kernel("--timeout", "1h")
        k.run("class B:\n    @property\n    def __class__(self):\n        while True: pass\nb = B()")
        for kind, content in (("complete_request", {"code": "b.", "cursor_pos": 2}),
                              ("inspect_request", {"code": "b", "cursor_pos": 1, "detail_level": 0})):
            k.reply_to(k.shell(kind, **content))
        self.assertEqual(k.value("6 * 7"), "42")


class Specifications(KernelCase):
    def snug(self, *words):
        return subprocess.run([SNUG, "kernel", *words], capture_output=True, encoding="utf-8", timeout=SECONDS,
                              env=environment(JUPYTER_DATA_DIR=self.folder))

    def test_the_kernel_of_another_program_is_left_alone(self):
        folder = pathlib.Path(self.folder, "kernels/python3")
        folder.mkdir(parents=True)
        theirs = json.dumps({"argv": ["python3"], "display_name": "Python 3", "language": "python"})
        (folder / "kernel.json").write_text(theirs)
        done = self.snug("install", "--user", "--name", "python3")
        self.assertEqual(done.returncode, 2)
        self.assertIn("kernels/python3 is the kernel of another program", done.stderr)
        self.assertEqual((folder / "kernel.json").read_text(), theirs)
        self.assertEqual(self.snug("install", "--user", "--name", "mine").returncode, 0)
        self.assertEqual(self.snug("install", "--user", "--name", "mine").returncode, 0)

    def test_all_kernels_have_no_one_name(self):
        done = self.snug("install", "--user", "--all", "--name", "mine")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--all names the kernels itself, and --name is of one", done.stderr)


if __name__ == "__main__":
    main()
