"""The rows C of the table of features (features/c.txt) that scenarios/feature_c.ask does not hold."""
import itertools
import json
import os
import threading
import unittest

from asked import RESULT, Asked, code, verdict
from driver import SECONDS, WORKER, Terminal, snug
import unittests

CODE = {"content": code("print(6 * 7)"), "usage": {"input": 60000, "output": 1000}}
PASS = {"content": verdict("It is 42."), "usage": {"input": 2000, "output": 500}}


def has_numpy():
    listed = json.loads(snug("packages", "list", "--json").stdout)
    return any(one["name"] == "numpy" for one in listed["packages"])


class Streaming(Asked):
    def test_C16_a_terminal_shows_the_steps_while_they_happen(self):
        """The second program is held back until the terminal has shown the first one and how it failed."""
        seen = threading.Event()

        def answer(request, _):
            self.requests.append(request)
            if len(self.requests) == 1:
                return {"content": code("print('halfway there')\nsix * 7")}
            seen.wait(SECONDS)
            return {"content": code("6 * 7")}

        self.endpoint.answer = answer
        terminal = Terminal("ask", *RESULT, "What is six times seven?", env=self.variables(TERM="dumb"))
        self.addCleanup(terminal.close)
        self.addCleanup(seen.set)
        terminal.wait(r"six \* 7.*halfway there.*NameError")
        seen.set()
        terminal.wait(r"42\r\n")
        self.assertEqual(terminal.end(), 0)


class Costs(Asked):
    def test_C18_no_request_is_made_past_the_ceiling(self):
        reply = self.reply([CODE, PASS], "--model", "openai:gpt-4o-mini", "--max-cost", "0.00961", "--max-tokens",
                           "1000000", "What is six times seven?")
        self.assertEqual((reply["status"], len(self.requests)), ("budget", 1))
        self.assertIn("US dollars", reply["error"])
        self.assertLessEqual(reply["usage"]["cost_usd"], 0.00961)

    def test_C18_a_reply_may_be_no_longer_than_the_ceiling_pays_for(self):
        self.reply([CODE], *RESULT, "--model", "openai:gpt-4o-mini", "--max-cost", "0.0003", "What is six times seven?")
        # 500 tokens at 0.60 dollars a million are all of it.
        request, = self.requests
        self.assertLess(request.get("max_tokens") or request["max_completion_tokens"], 500)

    def test_C18_a_ceiling_that_is_high_enough_changes_nothing(self):
        reply = self.reply([CODE, PASS], "--model", "openai:gpt-4o-mini", "--max-cost", "1", "--max-tokens", "1000000",
                           "What is six times seven?")
        self.assertEqual((reply["status"], reply["answer"]), ("answered", "It is 42."))

    def test_C18_a_ceiling_for_a_model_without_a_price_says_what_is_missing(self):
        done = self.ask([CODE], "--model", "openai:a-model-of-my-own", "--max-cost", "1", "What is six times seven?")
        self.assertEqual((done.returncode, self.requests), (2, []))
        self.assertIn("--prices", done.stderr)

    def test_C34_the_steps_end_with_tokens_and_dollars(self):
        done = self.ask([CODE, PASS], "--model", "openai:gpt-4o-mini", "What is six times seven?")
        self.assertEqual((done.returncode, done.stdout), (0, "It is 42.\n"), done.stderr)
        total, = [line for line in done.stderr.splitlines() if line.startswith("- in all:")]
        for word in ("2 requests", "62000 tokens in", "1500 out"):
            self.assertIn(word, total)
        # 62,000 at 0.15 and 1,500 at 0.60 dollars a million
        self.assertIn("0.0102", total)


class Lengths(Asked):
    @staticmethod
    def program(lines):
        return code("\n".join(["n = 0"] + ["n += 1"] * (lines - 2) + ["n"]))

    def test_C19_a_program_of_100_lines_runs(self):
        reply = self.reply([self.program(100)], *RESULT, "Count to 98.")
        self.assertEqual((reply["status"], reply["answer"]), ("answered", "98"))

    def test_C19_a_program_of_101_lines_does_not_and_the_model_reads_why(self):
        reply = self.reply([self.program(101), code("98")], *RESULT, "Count to 98.")
        self.assertEqual(reply["answer"], "98")
        self.assertIsNone(reply["attempts"][0]["result"])
        last = self.requests[1]["messages"][-1]["content"]
        self.assertIn("101 lines", last)
        self.assertIn("100", last)


class Files(Asked):
    CONVERT = code("import csv, json\nrows = list(csv.DictReader(open('stock.csv')))\n"
                   "json.dump(rows, open('stock.json', 'w'))\nprint('stock.json is there')")

    def setUp(self):
        super().setUp()
        self.write("stock.csv", "item,pieces\nnuts,40\nbolts,2\n")

    def test_C22_a_file_in_another_format_is_where_the_user_wants_it(self):
        done = self.ask([self.CONVERT], *RESULT, "--workdir", "out", "Convert stock.csv to JSON.")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(self.path("out/stock.json").read_text()),
                         [{"item": "nuts", "pieces": "40"}, {"item": "bolts", "pieces": "2"}])
        self.assertIn("out/stock.json", done.stderr)
        self.assertEqual(self.path("stock.csv").read_text(), "item,pieces\nnuts,40\nbolts,2\n")

    def test_C22_without_a_word_it_is_in_a_folder_that_is_named_after_the_question(self):
        done = self.ask([self.CONVERT], *RESULT, "Convert stock.csv to JSON.")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("made convert-stock-csv-to-json/stock.json", done.stderr)
        self.assertTrue(self.path("convert-stock-csv-to-json/stock.json").exists())

    def test_C24_files_that_match_a_pattern_are_renamed(self):
        for name in ("IMG_1.jpg", "IMG_2.jpg", "notes.txt"):
            self.write("photos/" + name, name)
        program = code("import pathlib\nfor path in sorted(pathlib.Path('photos').glob('IMG_*.jpg')):\n"
                       "    path.rename(path.with_name(path.name.replace('IMG_', 'holiday-')))")
        done = self.ask([program], *RESULT, "--profile", "data", "--mount", "photos:photos:rw",
                        "Rename IMG_N.jpg in photos to holiday-N.jpg.")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({path.name: path.read_text() for path in self.path("photos").iterdir()},
                         {"holiday-1.jpg": "IMG_1.jpg", "holiday-2.jpg": "IMG_2.jpg", "notes.txt": "notes.txt"})

    def test_C24_files_that_were_given_to_read_are_not_renamed(self):
        self.write("photos/IMG_1.jpg", "IMG_1.jpg")
        program = code("import os\nos.rename('photos/IMG_1.jpg', 'photos/holiday-1.jpg')")
        reply = self.reply([program], *RESULT, "--max-attempts", "1", "--profile", "data", "--mount", "photos:photos",
                           "Rename IMG_N.jpg in photos to holiday-N.jpg.")
        self.assertEqual(reply["status"], "max_attempts")
        self.assertEqual(os.listdir(self.path("photos")), ["IMG_1.jpg"])


class Numbers(Asked):
    @unittest.skipUnless(has_numpy(), "numpy is not installed for the Python of snug")
    def test_C23_equations_are_solved_with_numpy(self):
        program = code("import numpy as np\nx, y = np.linalg.solve([[2, 1], [1, -1]], [7, 2])\n"
                       "print(round(float(x), 6), round(float(y), 6))")
        reply = self.reply([program], *RESULT, "--full", "--allow", "numpy", "Solve 2x + y = 7 and x - y = 2.")
        self.assertEqual((reply["status"], reply["answer"]), ("answered", "3.0 1.0"), reply["error"])


class Ends(Asked):
    """A model that says the same for ever."""

    def ended(self, said, *args):
        return self.reply(itertools.repeat(said), *args, "What is six times seven?")

    def test_C25_a_program_that_always_fails_is_an_end(self):
        reply = self.ended(code("six * 7"))
        self.assertEqual((reply["status"], len(self.requests)), ("max_attempts", 3))

    def test_C25_a_program_that_is_always_refused_is_an_end(self):
        reply = self.ended(code("import socket"))
        self.assertEqual((reply["status"], len(self.requests)), ("max_attempts", 3))

    def test_C25_a_cell_that_is_always_the_same_is_an_end(self):
        reply = self.ended(code("print(6 * 7)"), "--mode", "act", "--no-evaluation")
        self.assertEqual((reply["status"], len(reply["attempts"])), ("budget", 12))
        self.assertLessEqual(len(self.requests), 13)

    def test_C25_a_plan_whose_steps_always_fail_is_an_end(self):
        self.ended(code("six * 7"), "--mode", "plan")
        self.assertLessEqual(len(self.requests), 5)

    def test_C25_a_server_that_is_always_overloaded_is_an_end(self):
        reply = self.ended({"status": 503, "headers": {"Retry-After": "0"}, "body": "{}"})
        self.assertEqual((reply["status"], len(self.requests)), ("terminal_error", 5))


class Elsewhere(Asked):
    def test_C33_programs_run_behind_a_command_of_the_users(self):
        log = self.path("log")
        backend = self.write("sandbox.sh", f'echo "$@" >>{log}\nexec {WORKER}\n')
        reply = self.reply([code("print(6 * 7)")], *RESULT, "--worker-command", f"sh {backend} run my-sandbox",
                           "What is six times seven?")
        self.assertEqual((reply["status"], reply["answer"], reply["fallback"]), ("answered", "42", None))
        self.assertIn("run my-sandbox\n", log.read_text())

    def test_C33_a_backend_that_does_not_start_is_said(self):
        done = self.ask([code("print(6 * 7)")], *RESULT, "--worker-command", "exit 3", "What is six times seven?")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "")
        self.assertIn("exit 3", done.stderr)

    def test_C38_the_command_for_docker_is_run_as_it_is_documented(self):
        log = self.path("log")
        docker = self.write("bin/docker", f'#!/bin/sh\necho "$*" >>{log}\nshift "$#"\nexec {WORKER}\n')
        os.chmod(docker, 0o755)
        command = "docker run -i --rm --network none IMAGE snug-worker"
        reply = self.reply([code("print(6 * 7)")], *RESULT, "--worker-command", command, "What is six times seven?",
                           PATH=f"{self.folder}/bin:{os.environ['PATH']}")
        self.assertEqual((reply["status"], reply["answer"]), ("answered", "42"), reply["error"])
        self.assertEqual(set(log.read_text().splitlines()), {"run -i --rm --network none IMAGE snug-worker"})

    def test_C38_without_docker_a_sentence_says_that_the_program_ran_here(self):
        command = "/no/such/docker run -i --rm IMAGE snug-worker"
        done = self.ask([code("print(6 * 7)")], *RESULT, "--worker-command", command, "--local-fallback",
                        "What is six times seven?")
        self.assertEqual((done.returncode, done.stdout), (0, "42\n"), done.stderr)
        self.assertIn("docker", done.stderr)


class Local(Asked):
    def test_C36_ollama_and_vllm_are_asked_without_a_key(self):
        for provider, variable, address in (("ollama", "OLLAMA_HOST", self.endpoint.url),
                                            ("vllm", "VLLM_BASE_URL", self.endpoint.url + "/v1")):
            with self.subTest(provider):
                reply = self.reply([code("print(6 * 7)"), verdict("It is 42.")], "--model", provider + ":org/qwen3:8b",
                                   "What is six times seven?", OPENAI_API_KEY="", OPENAI_BASE_URL="",
                                   **{variable: address})
                self.assertEqual((reply["status"], reply["answer"]), ("answered", "It is 42."), reply["error"])
                self.assertEqual([request["model"] for request in self.requests], ["org/qwen3:8b"] * 2)

    def test_C36_a_model_that_writes_slowly_is_not_cut_off(self):
        """Each piece is within the limit between two, and all of them take longer."""
        said = code("total = 6 * 7  # which is what was asked for, in the words of a slow model\nprint(total)")
        slow = {"content": said, "pause": 0.2}
        reply = self.reply([slow], *RESULT, "--model", "ollama:qwen3", "--idle-timeout", "1", "--first-token-timeout",
                           "1", "What is six times seven?", OLLAMA_HOST=self.endpoint.url)
        self.assertEqual((reply["status"], reply["answer"], len(self.requests)), ("answered", "42", 1), reply["error"])
        self.assertGreater(reply["timing_ms"]["generate"], 1000)

    def test_C36_a_local_model_that_is_not_running_is_said_with_its_address(self):
        address = self.endpoint.url
        self.endpoint.close()
        done = self.ask([], "--model", "ollama:qwen3", "--retries", "1", "What is six times seven?",
                        OLLAMA_HOST=address)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(address.removeprefix("http://"), done.stderr)


if __name__ == "__main__":
    unittests.main()
