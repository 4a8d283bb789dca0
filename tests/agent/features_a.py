"""Rows A1 to A41 of the table of features, where a scenario cannot say it.

usage: SNUG=PROGRAM features_a.py
"""
import json
import os
import pathlib
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "cli")]
from driver import SECONDS, SNUG, WORKER, Case, Reader, environment
import unittests
from endpoint import Endpoint

sys.path.append(str(HERE.parent / "endpoint"))
import otlp

RESULT = ["--answer", "result", "--no-evaluation"]
PASS = '{"verdict": "pass", "reason": "", "answer": "%s"}'
# Where each provider takes its address from, and the path that it is asked at.
PROVIDERS = {
    "openai": ("OPENAI_BASE_URL", "/v1", "/v1/chat/completions"),
    "anthropic": ("ANTHROPIC_BASE_URL", "", "/v1/messages"),
    "ollama": ("OLLAMA_HOST", "", "/v1/chat/completions"),
    "vllm": ("VLLM_BASE_URL", "/v1", "/v1/chat/completions"),
    "llamacpp": ("LLAMACPP_BASE_URL", "/v1", "/v1/chat/completions"),
    "lmstudio": ("LMSTUDIO_BASE_URL", "/v1", "/v1/chat/completions"),
    "azure": ("AZURE_OPENAI_ENDPOINT", "", "/openai/deployments/m/chat/completions"),
    "openrouter": ("OPENROUTER_BASE_URL", "/v1", "/v1/chat/completions"),
    "gemini": ("GEMINI_BASE_URL", "/v1", "/v1/chat/completions"),
}


def leaves_below(pid):
    """The processes that a process has started, in the end, and that have started none."""
    parents = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has ended
            pass

    def is_below(one):
        return one in parents and (parents[one] == pid or is_below(parents[one]))

    return [one for one in parents if is_below(one) and one not in parents.values()]


def program(source):
    return f"```python\n{source}\n```"


class Asked(Case):
    """Questions to a model that answers from a list."""

    def setUp(self):
        super().setUp()
        self.folder = os.path.realpath(self.folder)
        self.requests, self.paths, self.replies = [], [], []
        self.endpoint = Endpoint(self.next_reply)
        self.addCleanup(self.endpoint.close)

    def next_reply(self, request, headers):
        self.requests.append(request)
        self.paths.append(headers[":path"].partition("?")[0])
        if not self.replies:
            return {"status": 404, "body": '{"error": {"message": "no more"}}'}
        return {"content": self.replies.pop(0)}

    def environment(self, **changes):
        return environment(**{"SNUG_MODEL": "openai:m", "SNUG_CONFIG": "none", "OPENAI_API_KEY": "none-0123456789",
                              "OPENAI_BASE_URL": self.endpoint.url + "/v1", "XDG_STATE_HOME": self.folder + "/state",
                              "HOME": self.folder, **changes})

    def ask(self, replies, *args, **changes):
        self.replies[:] = replies
        return subprocess.run([SNUG, "ask", *args], cwd=self.folder, env=self.environment(**changes),
                              stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=SECONDS)

    def reply(self, replies, *args, **changes):
        done = self.ask(replies, "--format", "json", "--quiet", *args, **changes)
        self.assertTrue(done.stdout, done.stderr)
        return json.loads(done.stdout)

    def text(self, name):
        return pathlib.Path(self.folder, name).read_text(encoding="utf-8")

    def told(self):
        return json.dumps(self.requests)


class A(Asked):
    def test_A6_a_program_reads_and_changes_no_file_that_was_not_given(self):
        path = self.file("secret.txt", "the word is seagull")
        reading = f"open({path!r}).read()"
        writing = f"open({path!r}, 'w').write('gone')"
        reply = self.reply([program(reading), program(writing), program("'nothing'")], *RESULT, "What is the word?")
        self.assertEqual([one["result"]["status"] == "ok" for one in reply["attempts"]], [False, False, True])
        self.assertEqual(reply["answer"], "'nothing'")
        self.assertNotIn("seagull", self.told())
        self.assertEqual(self.text("secret.txt"), "the word is seagull")

    def test_A6_a_program_has_neither_the_variables_nor_the_keys_of_its_user(self):
        for form in ([], ["--isolation", "local"]):
            reply = self.reply([program("import os\ndict(os.environ)")], *RESULT, *form, "--profile", "data",
                               "Which variables are there?", WORD="seagull-0123")
            self.assertEqual(len(reply["attempts"]), 1, reply["error"])
            self.assertNotIn("seagull-0123", reply["answer"])
            self.assertNotIn("none-0123456789", reply["answer"])

    def test_A10_a_question_that_is_blank_or_too_long_is_not_sent(self):
        for question, says in ((" \n\t ", "white space"), ("long " * 14_000, "65536")):
            with self.subTest(says):
                done = self.ask([], "--format", "json", question)
                reply = json.loads(done.stdout)
                self.assertEqual((done.returncode, reply["status"]), (1, "refused"))
                self.assertIn(says, reply["error"])
                self.assertNotIn("\n", reply["error"])
        self.assertEqual(self.requests, [])

    def test_A11_each_step_of_a_question_is_a_span_that_a_receiver_gets(self):
        with otlp.Receiver() as receiver:
            done = self.ask([program("1 / 0"), program("42"), PASS % "42"], "--trace-url", receiver.url, "How many?")
        self.assertEqual((done.returncode, done.stdout), (0, "42\n"), done.stderr)
        spans = receiver.spans()
        self.assertEqual([span["name"] for span in spans],
                         ["invoke_agent snug", "chat m", "execute_tool scan", "execute_tool run_python", "chat m",
                          "execute_tool scan", "execute_tool run_python", "chat m"])
        runs = [span["attributes"].get("error.type") for span in spans if span["name"].endswith("run_python")]
        self.assertEqual(runs, ["ZeroDivisionError", None])

    def test_A11_a_log_has_programs_and_what_they_gave(self):
        for name in "fast", "late":
            done = self.ask([program(f"'{name}'")], *RESULT, "--trace-file", "log.jsonl", "--trace-content", "Which?")
            self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in self.text("log.jsonl").splitlines()]
        runs = [span["attributes"] for line in lines for span in otlp.spans_of(line)
                if span["name"] == "execute_tool run_python"]
        self.assertEqual(len(lines), 2)
        for name, run in zip(("fast", "late"), runs, strict=True):
            self.assertIn(f"'{name}'", run["gen_ai.tool.call.arguments"])
            self.assertIn(name, run["gen_ai.tool.call.result"])

    def endless(self, *form):
        """A process of snug whose program has begun, and does not end."""
        self.replies[:] = [program("print('begun', flush=True)\nwhile True:\n    pass")]
        process = subprocess.Popen([SNUG, "ask", *RESULT, "--json", *form, "How long?"], cwd=self.folder,
                                   env=self.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait, SECONDS)
        self.addCleanup(process.kill)
        told = Reader(process.stdout.fileno())
        told.wait(b'"event":"output"')
        return process, told

    def test_A13_a_program_runs_in_a_process_of_its_own(self):
        process, told = self.endless("--isolation", "local")
        self.assertEqual(leaves_below(process.pid), [])
        process, told = self.endless()
        worker, = leaves_below(process.pid)
        os.kill(worker, signal.SIGKILL)  # it was this one that ran the program
        told.wait(b'"event":"rerun".*killed by signal 9')
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(SECONDS), 130)

    def test_A13_a_process_that_dies_costs_the_program_and_not_the_question(self):
        dies = program("import os\ngetattr(os, 'ab' + 'ort')()")
        reply = self.reply([dies, program("42")], *RESULT, "--full", "--profile", "data", "--reruns", "1", "How many?")
        self.assertEqual((reply["status"], reply["answer"]), ("answered", "42"), reply["error"])
        self.assertIn("killed by signal 6", reply["attempts"][0]["failure"]["message"])

    def test_A22_a_command_of_the_users_starts_what_runs_the_programs(self):
        command = f"echo begun >>{self.folder}/runs; exec {WORKER}"
        reply = self.reply([program("6 * 7")], *RESULT, "--worker-command", command, "What is six times seven?")
        self.assertEqual(reply["answer"], "42", reply["error"])
        self.assertEqual(self.text("runs"), "begun\n")

    def test_A27_what_is_kept_of_a_conversation_is_its_users_own(self):
        self.reply([program("square = 25\nsquare")], *RESULT, "--session", "talk", "Calculate the square of 5")
        path = pathlib.Path(self.folder, "state/snug/sessions/talk.db")
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        self.assertIn(b"Calculate the square of 5", path.read_bytes())

    def test_A27_a_conversation_may_be_a_file_anywhere(self):
        self.reply([program("square = 25\nsquare")], *RESULT, "--session", "./talk.db", "Calculate the square of 5")
        os.rename(self.folder + "/talk.db", self.folder + "/copy.db")
        reply = self.reply([program("square * 2")], *RESULT, "--session", "./copy.db", "Double it.")
        self.assertEqual((reply["answer"], reply["stored"]["turns"]), ("50", 2))

    def test_A33_files_of_each_step_are_kept_in_a_folder(self):
        self.file("orders.csv", "region,units\nnorth,20\nsouth,\nnorth,22\n")
        clean = """\
            import csv
            rows = [row for row in csv.DictReader(open("orders.csv")) if row["units"]]
            with open("clean.csv", "w") as out:
                writer = csv.DictWriter(out, rows[0], lineterminator="\\n")
                writer.writeheader()
                writer.writerows(rows)
            len(rows)"""
        total = """\
            with open("total.txt", "w") as out:
                out.write(str(sum(int(line.split(",")[1]) for line in list(open("clean.csv"))[1:])))
            open("total.txt").read()"""
        done = self.ask([program(source.replace("            ", "")) for source in (clean, total)], *RESULT, "--json",
                        "--workdir", "out", "Clean orders.csv.", "Sum what is left.")
        self.assertEqual(done.returncode, 0, done.stderr)
        replies = [json.loads(line) for line in done.stdout.splitlines() if '"snug.reply/1"' in line]
        self.assertEqual([reply["answer"] for reply in replies], ["2", "'42'"])
        self.assertEqual([file["at"] for reply in replies for file in reply["files"]],
                         ["out/clean.csv", "out/total.txt"])
        self.assertEqual(self.text("out/clean.csv"), "region,units\nnorth,20\nnorth,22\n")
        self.assertEqual(self.text("out/total.txt"), "42")

    def test_A33_files_are_handed_over_or_go_with_the_session(self):
        for options, place in ((), "write-the-total/total.txt"), (("--out", "none"), None):
            reply = self.reply([program("open('total.txt', 'w').write('42')")], *RESULT, *options, "Write the total.")
            self.assertEqual([(file["path"], file["bytes"], file["at"]) for file in reply["files"]],
                             [("total.txt", 2, place)])
        self.assertEqual(self.text("write-the-total/total.txt"), "42")
        self.assertFalse(os.path.exists(self.folder + "/total.txt"))

    def test_A33_one_who_reads_the_steps_hears_where_files_are(self):
        done = self.ask([program("open('total.txt', 'w').write('42')")], *RESULT, "Write the total.")
        self.assertIn("made write-the-total/total.txt (2 bytes)", done.stderr)

    def test_A39_each_provider_answers_the_same_question(self):
        for provider, (variable, path, asked) in PROVIDERS.items():
            with self.subTest(provider):
                self.requests.clear(), self.paths.clear()
                keys = {name: "none-0123456789" for name in ("ANTHROPIC_API_KEY", "AZURE_OPENAI_API_KEY")}
                reply = self.reply([program("5 ** 2")], *RESULT, "--model", provider + ":m",
                                   "Calculate the square of 5", **keys, **{variable: self.endpoint.url + path})
                self.assertEqual(reply["answer"], "25", reply["error"])
                self.assertEqual(self.paths, [asked])
                if provider != "azure":  # whose path has the model
                    self.assertEqual(self.requests[0]["model"], "m")

    def test_A39_a_model_of_a_provider_that_there_is_not_is_an_error(self):
        self.refused("ask", "--model", "opneai:m", "What?", says='is it "openai"?', env=self.environment())


if __name__ == "__main__":
    unittests.main()
