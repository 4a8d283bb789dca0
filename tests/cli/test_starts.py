"""What snug starts for its user and waits for, a server or a worker, is ended with the wait for it."""
import os
import signal
import subprocess
import unittest

from driver import SECONDS, SNUG, Case, Reader, environment

# Its shell and the program that the shell waits for both have the pipe, which ends with the last of them.
SILENT = "exec 9>'%s'; echo started >&9; sleep 1000; true"
QUESTION = ["--model", "openai:m", "What is six times seven?"]
COMMANDS = [["ask", *QUESTION], ["run", "-c", "1"], ["cells"], ["batch", "--model", "openai:m", "tasks.jsonl"]]
STARTS = ["--mcp", "--worker-command"]


class Starts(Case):
    def start(self, command, *options):
        """The program, and the pipe of what it has started, which has begun."""
        self.file("tasks.jsonl", '{"id": "a", "question": "What is six times seven?"}\n')
        place = os.path.join(self.folder, "pipe")
        if os.path.exists(place):
            os.unlink(place)
        os.mkfifo(place)
        fd = os.open(place, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, fd)
        process = subprocess.Popen([SNUG, *command[:1], *options, *command[1:]], cwd=self.folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, encoding="utf-8",
                                   env=environment(OPENAI_API_KEY="none-0123456789", HOME=self.folder,
                                                   TMPDIR=self.folder,
                                                   OPENAI_BASE_URL="http://127.0.0.1:9/v1"))
        self.addCleanup(self.end, process)
        pipe = Reader(fd)
        self.assertEqual(pipe.line(), b"started")
        return process, pipe

    def end(self, process):
        process.kill()
        process.communicate()

    def silent(self):
        return SILENT % os.path.join(self.folder, "pipe")

    def test_a_signal_ends_the_wait_and_what_was_waited_for(self):
        for command in COMMANDS:
            for option in STARTS:
                for number in signal.SIGINT, signal.SIGTERM:
                    with self.subTest(command=command[0], option=option, signal=number.name):
                        process, pipe = self.start(command, option, self.silent())
                        process.send_signal(number)
                        said = process.communicate(timeout=SECONDS)
                        self.assertEqual((process.returncode, *said), (128 + number, "", ""))
                        self.assertEqual(pipe.rest(), b"")  # all of them have ended

    def test_a_signal_ends_the_start_of_the_second_server_and_both(self):
        process, pipe = self.start(COMMANDS[1], "--mcp", self.server(), "--mcp", self.silent())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=SECONDS), ("", ""))
        self.assertEqual(process.returncode, 130)
        self.assertEqual(pipe.rest(), b"")

    def server(self):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mcp_server.py")
        return f"LOG='{self.folder}/log' exec python3 '{script}'"

    def test_a_question_does_not_wait_past_its_time(self):
        for option in STARTS:
            with self.subTest(option):
                process, pipe = self.start(COMMANDS[0], "--max-seconds", "1", option, self.silent())
                out, err = process.communicate(timeout=SECONDS)
                self.assertEqual((process.returncode, out), (2, ""), err)
                self.assertIn("(--max-seconds)", err)
                self.assertEqual(pipe.rest(), b"")

    def test_who_is_in_time_is_waited_for(self):
        process = subprocess.run([SNUG, "run", "--mcp", "sleep 0.2; " + self.server(), "-c", "echo('a')"],
                                 cwd=self.folder, capture_output=True, timeout=SECONDS)
        self.assertEqual(process.returncode, 0, process.stderr)


if __name__ == "__main__":
    unittest.main()
