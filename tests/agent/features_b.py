"""Rows B1 to B15 of the table of features, where a scenario cannot say it.

usage: SNUG=PROGRAM features_b.py
"""
import json
import pathlib
import re
import subprocess
import threading

from features_a import RESULT, Asked, program
from driver import SECONDS, SNUG
import unittests

TASKS = 24


class Batch(Asked):
    """Tasks that double their number."""

    def setUp(self):
        super().setUp()
        self.asked, self.lock = [], threading.Lock()
        self.file("tasks.jsonl", "".join(json.dumps({"id": f"t{i}", "question": f"Double number {i}."}) + "\n"
                                         for i in range(TASKS)))

    def next_reply(self, request, headers):
        number = int(re.search(r"Double number (\d+)\.", json.dumps(request["messages"]))[1])
        with self.lock:
            self.asked.append(request["model"])
        self.met(number)
        return {"content": program(f"{number} * 2")}

    def met(self, number):
        pass

    def start(self, *args):
        return subprocess.Popen([SNUG, "batch", *RESULT, *args, "tasks.jsonl"], cwd=self.folder,
                                env=self.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, encoding="utf-8")

    def results(self):
        return [json.loads(line) for line in self.text("tasks.results.jsonl").splitlines()]

    def all_are_answered(self):
        self.assertEqual(sorted((int(one["id"][1:]), one["answer"]) for one in self.results()),
                         [(i, str(2 * i)) for i in range(TASKS)])


class SideBySide(Batch):
    def setUp(self):
        super().setUp()
        self.barrier = threading.Barrier(4, timeout=SECONDS)

    def met(self, number):
        """Four of the tasks are under way at the same time, else this breaks."""
        if number < 4:
            self.barrier.wait()

    def test_B15_four_tasks_are_worked_on_at_a_time(self):
        out, err = self.start("-j", "4").communicate(timeout=2 * SECONDS)
        self.assertIn(f"{TASKS} of {TASKS} tasks: {TASKS} answered", out, err)
        self.assertFalse(self.barrier.broken)
        self.all_are_answered()


class Killed(Batch):
    def setUp(self):
        super().setUp()
        self.is_killed = threading.Event()
        self.addCleanup(self.is_killed.set)

    def met(self, number):
        """The first run gets no further than this."""
        if number >= TASKS // 2:
            self.is_killed.wait(SECONDS)

    def test_B15_a_batch_that_was_killed_goes_on_where_it_was(self):
        process = self.start("-j", "2", "-v", "--model", "openai:first")
        for _ in range(5):  # a line for each task that has ended
            self.assertIn("answered", process.stderr.readline())
        process.kill()
        process.communicate(timeout=SECONDS)
        self.is_killed.set()
        kept = self.text("tasks.results.jsonl").rpartition("\n")[0].splitlines()
        self.assertGreaterEqual(len(kept), 5)
        self.assertLess(len(kept), TASKS)
        out, err = self.start("-j", "2", "--model", "openai:second").communicate(timeout=SECONDS)
        self.assertIn(f"{TASKS} answered ({len(kept)} had ended before)", out, err)
        self.assertEqual(self.text("tasks.results.jsonl").splitlines()[:len(kept)], kept)
        self.assertEqual(self.asked.count("second"), TASKS - len(kept))
        self.all_are_answered()


class Streams(Asked):
    def stream(self, replies, *args):
        self.replies[:] = replies
        return subprocess.Popen([SNUG, "ask", *RESULT, "--quiet", *args], cwd=self.folder, env=self.environment(),
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_B14_a_stream_that_comes_bit_by_bit_is_read_to_its_end(self):
        process = self.stream([program("sum(map(int, stdin.split()))")], "What is the sum?")
        for number in b"20\n", b"1\n", b"21\n":
            process.stdin.write(number)
            process.stdin.flush()
        out, err = process.communicate(timeout=SECONDS)
        self.assertEqual((process.returncode, out), (0, b"42\n"), err)

    def test_B14_a_stream_without_an_end_is_ended_with_a_sentence(self):
        process = self.stream([], "input.max_size=1M", "What is the sum?")
        writer = threading.Thread(target=self.write_on, args=(process.stdin,))
        writer.start()
        out, err = process.stdout.read(), process.stderr.read()
        process.stdout.close(), process.stderr.close()
        writer.join(SECONDS)
        self.assertEqual((process.wait(SECONDS), out, err.count(b"\n")), (2, b"", 1), err)
        self.assertIn(b"stdin has more than 1 MiB", err)
        self.assertEqual(self.requests, [])

    @staticmethod
    def write_on(pipe):
        try:
            while True:
                pipe.write(b"1\n" * 1000)
        except BrokenPipeError:
            pass
        try:
            pipe.close()
        except BrokenPipeError:
            pass

    def test_B14_a_program_of_the_users_reads_each_piece_without_a_model(self):
        path = pathlib.Path(self.folder, "step.py")
        path.write_text("total = globals().get('total', 0) + sum(map(int, stdin.split()))\ntotal\n")
        for piece, total in ((b"20\n", b"20"), (b"1\n1\n", b"22"), (b"20\n", b"42")):
            process = self.stream([], "--session", "readings", "--code", str(path), "--format", "json")
            out, err = process.communicate(piece, timeout=SECONDS)
            self.assertEqual(process.returncode, 0, err)
            self.assertEqual(json.loads(out)["attempts"][0]["output"].strip(), total.decode())
        self.assertEqual(self.requests, [])

    def test_B3_a_worker_that_dies_for_one_question_is_there_for_the_next(self):
        dies = program("import os\ngetattr(os, 'ab' + 'ort')()")
        process = self.stream([program("n = 42\nn"), dies, program("n")], "--full", "--profile", "data", "--json",
                              "--reruns", "1", "--max-attempts", "1", "Set it.", "Die.", "What is left?")
        out, err = process.communicate(timeout=SECONDS)
        replies = [json.loads(line) for line in out.splitlines() if b'"snug.reply/1"' in line]
        self.assertEqual([(reply["status"], reply["answer"]) for reply in replies],
                         [("answered", "42"), ("max_attempts", None), ("answered", "42")], err)
        self.assertEqual(process.returncode, 1)


if __name__ == "__main__":
    unittests.main()
