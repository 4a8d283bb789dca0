"""The data of a question: what is piped into snug ask, and the files that the question names."""
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading

from driver import SECONDS, SNUG, Case, Terminal, environment
import unittests

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "agent"))
from endpoint import Endpoint

ROWS = "region,revenue\nnorth,10\nsouth,32\n"
SUM = "print(sum(int(row.split(',')[1]) for row in stdin.splitlines()[1:]))"


class Data(Case):
    def setUp(self):
        super().setUp()
        self.folder = os.path.realpath(self.folder)
        self.prompts = []

    def endpoint(self, program, fence="python"):
        def answer(request, _):
            self.prompts.append(request["messages"][-1]["content"])
            return {"content": f"```{fence}\n{program}\n```"}

        endpoint = Endpoint(answer)
        self.addCleanup(endpoint.close)
        return environment(OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY="sk-none", HOME=self.folder,
                           SNUG_MODEL="openai:m", SNUG_CONFIG="none")

    def start(self, program, *args, stdin, fence="python"):
        """stdin: as for Popen."""
        return subprocess.Popen([SNUG, "ask", "--no-evaluation", "--answer", "result", *args], cwd=self.folder,
                                env=self.endpoint(program, fence), stdin=stdin, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, encoding="utf-8")

    def ask(self, program, *args, stdin=None, fence="python"):
        """What is written and how it ended; stdin is a text for a pipe, or a file."""
        process = self.start(program, *args, stdin=subprocess.PIPE if isinstance(stdin, str) else stdin
                             or subprocess.DEVNULL, fence=fence)
        out, err = process.communicate(stdin if isinstance(stdin, str) else None, timeout=SECONDS)
        return process.returncode, out, err

    def answered(self, program, *args, says, told=(), **kw):
        status, out, err = self.ask(program, *args, **kw)
        self.assertEqual((status, out), (0, says + "\n"), err)
        for text in told:
            self.assertIn(text, self.prompts[0])
        return err

    def fails(self, *args, says, **kw):
        status, out, err = self.ask("1", "--quiet", *args, **kw)
        self.assertEqual((status, out, err.count("\n")), (2, "", 1), err)
        self.assertIn(says, err)
        self.assertEqual(self.prompts, [])

    def silent_pipe(self):
        """The end that is read, of a pipe that nothing comes from and that does not end."""
        reads, writes = os.pipe()
        self.addCleanup(os.close, reads)
        self.addCleanup(os.close, writes)
        return reads, writes


class Stdin(Data):
    def test_what_is_piped_in_is_a_variable_of_the_program(self):
        self.answered(SUM, "What is the total revenue?", stdin=ROWS, says="42",
                      told=["- the variable stdin, a str of 33 characters\n  It is:\nregion,revenue\n"])

    def test_json_on_stdin_is_its_value(self):
        self.answered("sum(stdin['a'])", "What is the sum?", stdin='{"a": [1, 2]}\n', says="3",
                      told=["- the variable stdin, a dict"])

    def test_bytes_that_are_no_text_are_a_file(self):
        path = self.file("bytes", b"\x00\xff" * 8)
        with open(path, "rb") as file:
            self.answered("len(open('stdin.bin', 'rb').read())", "How long?", stdin=file, says="16",
                          told=["- the file stdin.bin"])

    def test_a_file_in_the_place_of_stdin_is_data(self):
        with open(self.file("rows", ROWS)) as file:
            self.answered(SUM, "What is the total revenue?", stdin=file, says="42")

    def test_a_file_that_somebody_reads_from_is_left_to_him(self):
        with open(self.file("rows", ROWS)) as file:
            os.lseek(file.fileno(), 3, os.SEEK_SET)
            self.answered("'stdin' in dir()", "Is it there?", stdin=file, says="False")
            self.assertEqual(os.lseek(file.fileno(), 0, os.SEEK_CUR), 3)

    def test_a_socket_is_data_too(self):
        ours, its = socket.socketpair()
        process = self.start(SUM, "What is the total revenue?", stdin=its)
        its.close()
        ours.sendall(ROWS.encode())
        ours.close()
        out, err = process.communicate(timeout=SECONDS)
        self.assertEqual((process.returncode, out), (0, "42\n"), err)

    def test_data_comes_with_the_first_question_and_stays(self):
        status, out, err = self.ask("len(stdin)", "How long is it?", "And now?", stdin="abc")
        self.assertEqual((status, out), (0, "3\n3\n"), err)
        self.assertIn("Data given with the question:\n- the variable stdin", self.prompts[0])
        self.assertNotIn("Data given with the question", self.prompts[1])

    def test_questions_on_stdin_are_questions_as_ever(self):
        status, out, err = self.ask("'stdin' in dir()", stdin="What is it?\nAnd now?\n")
        self.assertEqual((status, out), (0, "False\nFalse\n"), err)
        self.assertIn("Question:\nAnd now?", self.prompts[1])
        status, out, err = self.ask("'stdin' in dir()", "-", stdin="What\nis it?\n")
        self.assertEqual((status, out), (0, "False\n"), err)
        self.assertIn("Question:\nWhat\nis it?", self.prompts[2])

    def test_a_stdin_that_is_not_data_is_left_alone(self):
        for what in "", subprocess.DEVNULL, open("/dev/zero"):
            self.prompts.clear()
            err = self.answered("'stdin' in dir()", "Is it there?", stdin=what, says="False")
            self.assertNotIn("reading", err)
            self.assertNotIn("without", err)
            self.assertNotIn("Data given", self.prompts[0])
        closed = subprocess.run(["sh", "-c", f'exec "{SNUG}" "$@" <&-', "sh", "ask", "--quiet", "--no-evaluation",
                                 "--answer", "result", "Is it there?"], cwd=self.folder, timeout=SECONDS,
                                env=self.endpoint("'stdin' in dir()"), capture_output=True, encoding="utf-8")
        self.assertEqual((closed.returncode, closed.stdout, closed.stderr), (0, "False\n", ""))

    def test_a_terminal_is_not_read(self):
        terminal = Terminal("ask", "--quiet", "--no-evaluation", "--answer", "result", "Is it there?",
                            env={**self.endpoint("'stdin' in dir()"), "TERM": "xterm"})
        self.addCleanup(terminal.close)
        terminal.wait("False\r\n")
        self.assertEqual(terminal.end(), 0)

    def test_no_auto_input_leaves_stdin_alone(self):
        self.answered("'stdin' in dir()", "--no-auto-input", "Is it there?", stdin=ROWS, says="False")
        reads, _ = self.silent_pipe()
        self.answered("1", "input.automatic=false", "Is it there?", stdin=reads, says="1")

    def test_a_stdin_that_says_nothing_is_done_without(self):
        reads, _ = self.silent_pipe()
        err = self.answered("'stdin' in dir()", "Is it there?", stdin=reads, says="False")
        self.assertIn("snug: reading data from stdin, which has not ended yet; --no-auto-input", err)
        self.assertIn("- without the data on stdin: nothing has come; --input stdin=- waits longer\n", err)
        status, out, _ = self.ask("1", "--json", "Is it there?", stdin=reads)
        self.assertEqual(json.loads(out.splitlines()[0]), {
            "event": "without", "n": 0, "about": "data on stdin",
            "message": "nothing has come; --input stdin=- waits longer"})

    def test_a_stdin_that_begins_and_says_nothing_more_is_an_error(self):
        reads, writes = self.silent_pipe()
        os.write(writes, b"a,b\n")
        self.fails("--max-seconds", "500ms", "Is it there?", stdin=reads,
                   says="stdin began, and has not ended: nothing more has come for 500 ms")

    def ask_in_script(self, script, stdin, *args):
        """As a script asks that is started with that stdin: "$@" asks."""
        process = subprocess.Popen(
            ["sh", "-c", script, "sh", SNUG, "ask", "--no-evaluation", "--answer", "result", *args, "Is it there?"],
            cwd=self.folder, env=self.endpoint("'stdin' in dir()"), stdin=stdin, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, encoding="utf-8")
        out, err = process.communicate(timeout=SECONDS)
        return out, err

    def test_a_slow_program_in_front_of_a_script_is_waited_for(self):
        out, err = self.ask_in_script('(sleep 3; echo late) | sh -c \'"$@"; exit $?\' sh "$@"', subprocess.DEVNULL)
        self.assertEqual(out, "True\n", err)

    def test_a_stdin_that_goes_on_and_on_ends_with_a_sentence(self):
        yes = subprocess.Popen(["yes"], stdout=subprocess.PIPE)
        self.addCleanup(yes.stdout.close)
        self.addCleanup(yes.wait)
        self.addCleanup(yes.kill)
        self.fails("input.max_size=1M", "What is it?", stdin=yes.stdout,
                   says="stdin has more than 1 MiB: put it into a file and give that by --mount")

    def test_an_interrupt_ends_the_wait(self):
        reads, _ = self.silent_pipe()
        process = self.start("1", "What is it?", stdin=reads)
        self.assertIn("reading data from stdin", process.stderr.readline())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=SECONDS), ("", ""))
        self.assertEqual(process.returncode, 130)

    def test_bash_finds_stdin_in_a_file(self):
        self.answered("wc -l <stdin.txt", "--language", "bash", "How many lines?", stdin=ROWS, says="3", fence="bash")


class Named(Data):
    """--input NAME=-"""

    def test_stdin_has_the_name_that_it_is_given(self):
        for path in "-", "/dev/stdin":
            self.prompts.clear()
            self.answered("rows.count('\\n')", "--input", "rows=" + path, "How many?", stdin=ROWS, says="3",
                          told=["- the variable rows, a str of 33 characters"])
        self.answered("len(open('rows.csv').read())", "--input", "rows.csv=-", "How long?", stdin=ROWS, says="33")

    def test_nothing_on_stdin_is_an_empty_text(self):
        self.answered("len(rows)", "--input", "rows=-", "How long?", stdin=subprocess.DEVNULL, says="0")

    def test_a_stdin_that_was_asked_for_is_waited_for(self):
        reads, writes = os.pipe()
        process = self.start("len(rows)", "--input", "rows=-", "How long?", stdin=reads)
        os.close(reads)
        self.assertEqual(process.stderr.readline(), "snug: reading stdin, which has not ended yet\n")
        os.write(writes, b"abc")
        os.close(writes)
        out, err = process.communicate(timeout=SECONDS)
        self.assertEqual((process.returncode, out), (0, "3\n"), err)

    def test_what_can_not_be_is_said(self):
        self.fails("--input", "a=-", "--input", "b=-", "What is it?", stdin=ROWS,
                   says="--input b: stdin is the data of another name already")
        self.fails("--input", "a=-", "-", stdin=ROWS, says="--input: stdin has the question; give that as an argument")
        self.fails("--input", "a=-", stdin=ROWS, says="--input: stdin has the question; give that as an argument")
        self.fails("--stdin-wait", "0", "?", says="option --stdin-wait was removed; ")
        self.fails("input.max_size=1G", "?", says='input.max_size "1G": expected a size such as')


class Files(Data):
    def put(self, name, text=ROWS):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as out:
            out.write(text)
        return path

    def given(self, question, *files, told=()):
        """The names of the files that come with the question, in order."""
        self.prompts.clear()
        status, out, err = self.ask("1", question)
        self.assertEqual((status, out), (0, "1\n"), err)
        names = [line[len("- the file "):].rpartition(" bytes")[0].rsplit(", ", 2)[0]
                 for line in self.prompts[0].splitlines() if line.startswith("- the file ")]
        self.assertEqual(names, list(files), self.prompts[0])
        left = [line for line in err.splitlines() if line.startswith("- without")]
        self.assertEqual(left, ["- without the file " + line for line in told])

    def test_a_file_in_a_folder_is_found_by_the_same_path(self):
        self.put("data/sales.csv")
        self.answered("len(open('data/sales.csv').read())", "How long is data/sales.csv?", says="33",
                      told=["- the file data/sales.csv, text/csv, 33 bytes\n  It is:\nregion,revenue"])
        self.given("How long is ./data/sales.csv, please?", "data/sales.csv")

    def test_a_file_elsewhere_is_found_by_its_name(self):
        path = self.put("elsewhere/sales.csv")
        self.answered("len(open('sales.csv').read())", f"How long is {path}?", says="33",
                      told=[f"- the file sales.csv, text/csv, 33 bytes, which the question calls {path}\n"])
        self.given("Compare ~/elsewhere/sales.csv with itself", "sales.csv")
        self.put("a/x.csv"), self.put("b/x.csv")
        self.given(f"Compare {self.folder}/a/x.csv and {self.folder}/b/x.csv", "x.csv", "b/x.csv")
        outside = self.file("outside.csv", ROWS)
        os.mkdir(self.folder + "/work")
        self.folder += "/work"
        self.given("How long is ../outside.csv?", "outside.csv")
        self.assertTrue(os.path.exists(outside))

    def test_a_name_may_have_blanks(self):
        for name in "my sales data.csv", "some folder/q 1.csv", "größe.csv":
            self.put(name)
            for question in f'Read "{name}".', f"Read '{name}'":
                self.given(question, name)

    def test_plain_names_are_found_as_ever(self):
        self.put("a.csv"), self.put("b.csv")
        self.given("Join a.csv,b.csv (by id)", "a.csv", "b.csv")
        self.given("What is the a.csv's header?", "a.csv")
        self.given('He said: "Please read a.csv". Do it.', "a.csv")
        self.given("Is 3.14 an a.b or a v1.2 of e.g. http://example.com/x/a.csv?")

    def test_what_is_not_there_is_left_to_the_program(self):
        self.given("Sum sales.csv and data/q1.json, and write a report.txt")

    def test_what_is_not_plainly_a_file_is_told_and_left(self):
        self.put("data/secret.csv", "the secret")
        os.symlink("data/secret.csv", self.folder + "/link.csv")
        os.symlink("data", self.folder + "/way")
        self.put(".hidden/rows.csv", "the secret")
        link = ": it is reached by a symbolic link, and only --input follows those"
        self.given("Read link.csv, way/secret.csv, .hidden/rows.csv and data/", told=[
            "link.csv" + link, "way/secret.csv" + link,
            ".hidden/rows.csv: it is hidden, and only --input gives such a file"])
        self.assertNotIn("the secret", "".join(self.prompts))
        self.given("What is in /dev/zero and /proc/self/environ?", told=["/proc/self/environ" + link])
        hostname = "/etc/hostname"
        if os.path.isfile(hostname) and not os.path.islink(hostname):
            self.given("What is in /etc/hostname?", "files/hostname")
        self.assertNotIn("sk-none", "".join(self.prompts))

    def test_too_many_are_told(self):
        for number in range(17):
            self.put(f"{number}.csv")
        names = [f"{number}.csv" for number in range(17)]
        self.given("Join " + " ".join(names), *names[:16],
                   told=["16.csv: a question has 16 files at most by itself; --input gives more"])

    def test_a_large_file_is_left_out_and_what_gives_it_is_said(self):
        self.put("large.csv", ROWS * 100)
        status, out, err = self.ask("1", "input.max_size=1000", "How long is large.csv?")
        self.assertEqual((status, out), (0, "1\n"), err)
        self.assertIn("- without the file large.csv: it has more than the 1000 bytes that are copied into a session: "
                      "--mount large.csv:NAME gives it as it is\n", err)


if __name__ == "__main__":
    unittests.main()
