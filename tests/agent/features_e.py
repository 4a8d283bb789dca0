"""Rows of features/e.txt that scenarios/feature_e.ask cannot express: bash, packages, batches, several commands
at a time. Each test is from the words of its row."""
import glob
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import unittest
import unittest.mock

from endpoint import Endpoint

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
os.environ.setdefault("SNUG_PYTHON", sys.executable)
from driver import SECONDS, SNUG, WORKER, Case, environment, snug
from test_packages import HAS_PIP, wheel
import unittests

PLAIN = ("--no-evaluation", "--answer", "result")
DOCTOR = json.loads(snug("doctor", "--json").stdout)
HAS_BASH = DOCTOR["bash"].startswith("works")
HAS_WORKERS = DOCTOR["worker"].startswith("works")
# Pillow is there for each Python that the distribution supports, its part in C may be for fewer.
HAS_PILLOW = bool(glob.glob("/usr/lib/python3/dist-packages/PIL/_imaging.cpython-%d%d-*.so" % sys.version_info[:2]))
# Of a tool: the names of the processes that snug has started, and those that the kernel holds by seccomp.
CHILDREN = """
import os, pathlib
parents, facts = {}, {}
for path in pathlib.Path("/proc").glob("[0-9]*/status"):
    try:
        fields = dict(line.split(":\\t", 1) for line in path.read_text().splitlines() if ":\\t" in line)
    except OSError:
        continue
    parents[int(fields["Pid"])] = int(fields["PPid"])
    facts[int(fields["Pid"])] = fields["Name"] + (" held" if fields.get("Seccomp") == "2" else "")
for pid in parents:
    above = pid
    while above and above != SNUG:
        above = parents.get(above)
    if above and pid != SNUG:
        print(facts[pid])
"""


def python(source):
    return f"```python\n{source}\n```"


def bash(source):
    return f"```bash\n{source}\n```"


def judged(answer):
    return json.dumps({"verdict": "pass", "reason": "", "answer": answer})


def texts(request):
    return "\n".join(message["content"] for message in request["messages"])


class Asking(Case):
    """Questions to a model whose replies are given in order."""

    def setUp(self):
        super().setUp()
        self.folder = os.path.realpath(self.folder)
        self.requests = []

    def environment(self, answer, **more):
        """answer(request) is what the model says, a text or an answer of endpoint.py."""
        lock = threading.Lock()

        def reply(request, _):
            with lock:
                self.requests.append(request)
            said = answer(request)
            return {"content": said} if isinstance(said, str) else said

        endpoint = Endpoint(reply)
        self.addCleanup(endpoint.close)
        state = os.path.join(self.folder, "state")
        return environment(**{"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "sk-none", "SNUG_MODEL": "openai:m",
                              "SNUG_CONFIG": "none", "HOME": self.folder, "XDG_STATE_HOME": state,
                              "XDG_CONFIG_HOME": state, **more})

    def answers(self, *replies):
        rest = list(replies)
        return lambda request: rest.pop(0) if rest else {"status": 404, "body": "no more"}

    def start(self, env, *args):
        """A command that goes on while the test does; it is killed at the test's end."""
        process = subprocess.Popen([SNUG, *args], env=env, cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def ask(self, replies, *args, **env):
        return snug("ask", *args, env=self.environment(self.answers(*replies), **env), cwd=self.folder)

    def reply(self, replies, *args, **env):
        done = self.ask(replies, "--format", "json", "--quiet", *args, **env)
        self.assertEqual(done.stderr, "", done.stdout)
        return json.loads(done.stdout)

    def answered(self, replies, answer, *args, **env):
        reply = self.reply(replies, *args, **env)
        self.assertEqual((reply["status"], reply["answer"], len(self.requests)), ("answered", answer, len(replies)),
                         reply["error"])
        return reply


class Forms(Asking):
    """Where programs run."""

    def children(self, *args, path=os.environ["PATH"]):
        script = self.file("children.py", CHILDREN.replace("SNUG", "int(os.environ['SNUG_PID'])"))
        tool = f"children=SNUG_PID=$PPID {sys.executable} {script}"
        return self.answered([python("print(children())")], unittest.mock.ANY, *PLAIN, "--tool", tool, *args,
                             "What runs?", PATH=path)["answer"].split("\n")

    def test_E6_the_environment_local_runs_programs_in_this_process(self):
        children = self.children("execution.environment=local")
        self.assertNotIn("snug-worker", " ".join(children))
        self.assertIn(os.path.basename(sys.executable)[:15], children)

    @unittest.skipUnless(HAS_WORKERS, "no worker starts here: " + DOCTOR["worker"])
    def test_E64_the_environment_worker_runs_programs_in_a_process_that_the_kernel_holds(self):
        for args in (["execution.environment=worker"], ["--config-name", "secure"]):
            with self.subTest(args):
                self.requests.clear()
                self.assertIn("snug-worker held", self.children(*args))

    def docker(self):
        """A folder for PATH, whose docker keeps each command and starts the worker that is here."""
        os.mkdir(self.folder + "/bin")
        path = self.file("bin/docker", f'#!/bin/sh\necho "$*" >>{self.folder}/log\nexec {WORKER}\n')
        os.chmod(path, 0o755)
        return self.folder + "/bin:" + os.environ["PATH"]

    def log(self):
        """The commands, from the image on."""
        if not os.path.exists(self.folder + "/log"):
            return []
        with open(self.folder + "/log", encoding="utf-8") as log:
            lines = log.read().splitlines()
        self.assertEqual([line[:11] for line in lines], ["run -i --rm"] * len(lines))
        return [" ".join(line.split()[-2:]) for line in lines]

    def test_E5_programs_run_in_containers_of_the_image_that_is_named(self):
        path = self.docker()
        config = self.file("c.yaml", "execution:\n  docker_image: an/image:1\n")
        for args in (["--docker", "an/image:1"], ["execution.docker_image=an/image:1"], ["--config", config]):
            with self.subTest(args):
                self.requests.clear()
                self.answered([python("6 * 7")], "42", *PLAIN, *args, "What?", PATH=path)
        self.assertEqual(self.log(), ["an/image:1 snug-worker"] * 3)

    def test_E5_programs_run_in_a_container_that_a_command_starts(self):
        config = self.file("c.yaml", "execution:\n  worker_command: docker run -i --rm --network none image "
                                     "snug-worker\n")
        self.answered([python("6 * 7")], "42", *PLAIN, "--config", config, "What?", PATH=self.docker())
        self.assertEqual(self.log(), ["image snug-worker"])

    def test_E5_the_environment_docker_is_answered_with_the_keys_of_containers(self):
        done = self.ask([], "execution.environment=docker", "What?")
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n"), self.requests), (2, "", 1, []))
        self.assertIn('execution.environment "docker": expected local|worker|full|bash; '
                      "execution.docker_image names the image of containers", done.stderr)

    def test_E16_use_docker_runs_programs_in_containers_and_false_does_not(self):
        path = self.docker()
        config = self.file("c.yaml", "flows:\n  code_execution:\n    execution:\n      use_docker: false\n")
        self.answered([python("6 * 7")], "42", *PLAIN, "--config", config, "What?", PATH=path)
        self.assertEqual(self.log(), [])
        self.requests.clear()
        self.answered([python("6 * 7")], "42", *PLAIN, "--config", config, "execution.use_docker=true", "What?",
                      PATH=path)
        self.assertEqual(self.log(), ["snug-worker snug-worker"])

    def test_E50_a_container_has_a_timeout_a_work_directory_and_an_image_and_is_removed(self):
        os.mkdir(self.folder + "/work")
        reply = self.answered(
            [python("while True: pass"), python("open('made.txt', 'w').write('made')")], "4", *PLAIN,
            "--docker", "python:3.11", "execution.timeout=0.4", "execution.work_dir=work", "--profile", "data",
            "Make it.", PATH=self.docker())
        self.assertEqual(reply["attempts"][0]["failure"]["category"], "timeout")
        self.assertEqual(self.log()[0], "python:3.11 snug-worker")
        with open(self.folder + "/work/made.txt", encoding="utf-8") as made:
            self.assertEqual(made.read(), "made")

    @unittest.skipUnless(HAS_WORKERS, "no worker starts here: " + DOCTOR["worker"])
    def test_E64_use_docker_gives_programs_to_the_worker_of_a_container(self):
        children = self.children("execution.use_docker=true", path=self.docker())
        self.assertEqual(self.log(), ["snug-worker snug-worker"])
        self.assertIn("snug-worker held", children)


class Report(Asking):
    def test_E56_the_report_has_time_and_memory_of_each_run(self):
        grown = python("rows = bytearray(40_000_000)\nrows[:] = b'x' * len(rows)\nlen(rows)")
        done = self.ask([python("len(nowhere)"), grown], *PLAIN, "--format", "markdown", "--quiet", "How long is it?")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        runs = re.findall(r"(?m)^- Run of attempt (\d): (\d+\.\d{3}) s, (\d+\.\d) MiB at its peak$", done.stdout)
        self.assertEqual([attempt for attempt, _, _ in runs], ["1", "2"])
        least = 80_000_000 / 2 ** 20  # the rows and the text that they are filled with
        self.assertEqual([float(peak) > least for _, _, peak in runs], [False, True], runs)


class Bash(Asking):
    """Programs in bash."""

    def setUp(self):
        super().setUp()
        if not HAS_BASH:
            self.skipTest("no session of bash opens here: " + DOCTOR["bash"])

    def test_E2_programs_are_in_bash_where_that_is_asked_for(self):
        self.file("words.txt", "one two\nthree\n")
        self.answered([bash("wc -w <words.txt"), judged("There are 3 words.")], "There are 3 words.", "--language",
                      "bash", "How many words are in words.txt?")
        self.assertIn("bash programs", texts(self.requests[0]))

    def test_E28_the_key_generation_language_makes_programs_bash(self):
        self.answered([bash('n=6; echo "$((n * 7)) in bash ${BASH_VERSION%%.*}"')], "42 in bash 5", *PLAIN,
                      "generation.language=bash", "What is six times seven?")
        self.assertIn("bash programs", texts(self.requests[0]))
        self.requests.clear()
        config = self.file("c.yaml", "generation:\n  language: bash\n")
        self.answered([bash("echo $((6 * 7))")], "42", *PLAIN, "--config", config, "What is six times seven?")

    def test_E4_a_question_that_asks_for_bash_gets_bash(self):
        for question in "Write a bash script that prints ok.", "Schreib ein Bash-Skript, das ok ausgibt.":
            with self.subTest(question):
                self.requests.clear()
                self.answered([bash("echo ok"), bash("echo ok")], "ok", *PLAIN, question)
                self.assertIn("bash programs", texts(self.requests[1]))

    def test_E4_a_question_that_only_speaks_of_a_shell_gets_python(self):
        for question in ("How many letters has the word bash?", "What is a bash of 3 + 4 in a cricket game?"):
            with self.subTest(question):
                self.requests.clear()
                self.answered([python("3 + 4")], "7", *PLAIN, question)
                self.assertIn("Python programs", texts(self.requests[0]))

    def test_E31_the_style_asks_for_documented_functions_in_bash_too(self):
        self.answered([bash("echo 42")], "42", *PLAIN, "--language", "bash", "generation.style=documented", "What?")
        self.assertIn("functions of one purpose, each below a comment", texts(self.requests[0]))
        self.assertIn("ends the program with an exit status other than 0", texts(self.requests[0]))
        self.requests.clear()
        self.answered([bash("echo 42")], "42", *PLAIN, "--language", "bash", "What?")
        self.assertNotIn("each below a comment", texts(self.requests[0]))

    def test_E35_bash_plans_acts_keeps_conversations_and_repairs_what_is_given(self):
        self.answered(['["Count to two", "Double it"]', bash("n=2; echo $n"), bash("echo $((n * 2))")], "4", *PLAIN,
                      "--language", "bash", "--mode", "plan", "What is twice two?")
        self.requests.clear()
        self.answered([bash("n=2; echo $n"), bash('final_answer "$((n * 2))"')], "4", *PLAIN,
                      "--language", "bash", "--mode", "act", "What is twice two?")
        self.requests.clear()
        self.answered([bash("n=2; echo $n")], "2", *PLAIN, "--language", "bash", "--session", "s", "Note two.")
        self.requests.clear()
        self.answered([bash("echo $((n * 2))")], "4", *PLAIN, "--language", "bash", "--session", "s", "Double it.")
        self.requests.clear()
        path = self.file("two.sh", "echo $((1 +))\n")
        reply = self.reply([bash("echo $((1 + 1))")], "--code", path)
        self.assertEqual((reply["status"], len(reply["attempts"])), ("answered", 2))
        self.assertIn("echo $((1 + 1))", reply["answer"])

    def test_E35_errors_of_bash_are_repaired_as_those_of_python(self):
        reply = self.answered([bash("wc -l <gone.txt"), bash("echo 0")], "0", *PLAIN, "--language", "bash", "How many?")
        self.assertIn("gone.txt: No such file", texts(self.requests[1]))
        self.assertEqual([one["failure"] is None for one in reply["attempts"]], [False, True])

    def test_E35_what_bash_does_not_have_is_refused_with_a_sentence(self):
        path = self.file("two.sh", "echo 2\n")
        for args, says in ((("--language", "bash", "--rollback", "What?"), "cannot go back"),
                           (("--language", "bash", "--tool", "f=true", "What?"), "no tools"),
                           (("--code", path, "--focus", "optimize"), "not made faster")):
            with self.subTest(args):
                done = self.ask([], *args)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n"), self.requests), (2, "", 1, []))
                self.assertIn(says, done.stderr)

    def test_E67_commands_of_the_shell_are_forbidden_by_name_and_by_pattern(self):
        self.file("keep.txt", "kept")
        reply = self.answered([bash("x=$(/bin/rm -f keep.txt)\ntrue | sudo curl http://localhost"),
                               bash(": dd if=/dev/zero"), bash("cat keep.txt")], "kept", *PLAIN, "--language", "bash",
                              "execution.forbid=[rm, curl, /dd +if=/]", "What is in keep.txt?")
        self.assertEqual([(one["line"], one["rule"]) for one in reply["attempts"][0]["scan"]["findings"]],
                         [(1, "forbid"), (2, "forbid")])
        self.assertEqual([one["result"] for one in reply["attempts"][:2]], [None, None])

    def test_E67_without_a_list_the_sandbox_holds_what_a_command_would_harm(self):
        reply = self.answered([bash("rm -rf /usr/bin /etc 2>/dev/null; "
                                    "exec 3<>/dev/tcp/127.0.0.1/9 && echo connected; "
                                    "[[ -x /usr/bin/env ]] && echo there; "
                                    "kill -9 $PPID 2>/dev/null; echo alive")], "there\nalive",
                              *PLAIN, "--language", "bash", "Try it.")
        self.assertEqual(len(reply["attempts"]), 1)


class Figures(Asking):
    @unittest.skipUnless(os.path.isdir("/usr/lib/python3/dist-packages/matplotlib"), "python3-matplotlib is not there")
    @unittest.skipUnless(HAS_PILLOW, "python3-pil is not built for this Python")
    @unittest.skipUnless(DOCTOR["full"].startswith("works"), "no full session opens here: " + DOCTOR["full"])
    def test_E9_a_plot_of_matplotlib_is_a_picture_and_a_file(self):
        reply = self.reply([python("import matplotlib.pyplot as plt\nplt.plot([1, 2, 6])\nplt.title('rows')")], *PLAIN,
                           "--full", "--allow", "matplotlib", "--timeout", "10m", "--workdir", "out", "Draw 1, 2 and 6.")
        self.assertEqual(reply["status"], "answered", reply["error"])
        self.assertIn({"path": "figure-1.png", "mime": "image/png", "at": "out/figure-1.png"},
                      [{name: one[name] for name in ("path", "mime", "at")} for one in reply["figures"]])
        with open(self.folder + "/out/figure-1.png", "rb") as figure:
            self.assertEqual(figure.read(8), b"\x89PNG\r\n\x1a\n")


@unittest.skipUnless(HAS_PIP, "python3-pip is not there")
class Dependencies(Asking):
    def setUp(self):
        super().setUp()
        self.wheels = self.folder + "/wheels"
        os.mkdir(self.wheels)
        wheel(self.wheels, "sevenfold", "1.0", {"sevenfold.py": "def of(n):\n    return 7 * n\n"})

    def test_E33_a_package_that_a_program_wants_is_installed_and_the_question_goes_on(self):
        program = python("import sevenfold\nsevenfold.of(6)")
        done = self.ask([program, program], *PLAIN, "execution.install=yes", "--wheels", self.wheels, "What?")
        self.assertEqual((done.returncode, done.stdout), (0, "42\n"), done.stderr)
        self.assertIn("installed into ", done.stderr)

    def test_E33_a_package_that_may_not_be_installed_is_named_with_what_installs_it(self):
        done = self.ask([python("import sevenfold\nsevenfold.of(6)"), python("6 * 7")], *PLAIN, "--wheels", self.wheels,
                        "What?")
        self.assertEqual((done.returncode, done.stdout), (0, "42\n"), done.stderr)
        self.assertIn("snug packages install sevenfold", done.stderr)
        self.assertNotIn("installed into ", done.stderr)

    def test_E51_packages_that_a_block_would_install_are_installed_where_the_option_says_yes(self):
        reply = bash("pip install sevenfold") + "\n" + python("import sevenfold\nsevenfold.of(6)")
        done = self.ask([reply, reply], *PLAIN, "--install", "yes", "--wheels", self.wheels, "What?")
        self.assertEqual((done.returncode, done.stdout), (0, "42\n"), done.stderr)
        self.assertIn("left out: The block that installs packages was not run", done.stderr)

    def test_E69_a_package_whose_hash_is_another_is_refused(self):
        wanted = self.file("wanted.txt", "sevenfold==1.0 --hash=sha256:" + "0" * 64 + "\n")
        done = snug("packages", "install", "-r", wanted, "--wheels", self.wheels, "--into", self.folder + "/env")
        self.assertEqual((done.returncode, os.path.exists(self.folder + "/env")), (1, False))
        self.assertIn("DO NOT MATCH THE HASHES", done.stderr)


class Batch(Asking):
    def setUp(self):
        super().setUp()
        self.path = self.folder + "/tasks.jsonl"
        self.out = self.folder + "/tasks.results.jsonl"

    def tasks(self, *questions):
        self.file("tasks.jsonl", "".join(json.dumps({"id": question, "question": f"Do {question}."}) + "\n"
                                         for question in questions))

    def results(self):
        with open(self.out, encoding="utf-8") as lines:
            return {one["id"]: one for one in map(json.loads, lines)}

    def asked(self):
        return [word for request in self.requests for word in "abcd" if f"Do {word}." in texts(request)]

    def test_E52_many_requests_are_answered_by_one_command(self):
        self.tasks(*"abc")
        done = snug("batch", *PLAIN, self.path, env=self.environment(lambda request: python(repr(texts(request)[-2:]))))
        self.assertEqual((done.returncode, sorted(self.results())), (0, ["a", "b", "c"]), done.stderr)
        self.assertIn("3 of 3 tasks: 3 answered", done.stdout)

    def test_E52_a_batch_that_was_killed_goes_on_where_it_was(self):
        self.tasks(*"ab")
        is_asked = threading.Event()

        def answer(request):
            if "Do b." not in texts(request):
                return python("1")
            is_asked.set()
            return {"silent": True}

        process = self.start(self.environment(answer), "batch", *PLAIN, "--quiet", self.path)
        self.assertTrue(is_asked.wait(SECONDS))
        process.kill()
        process.wait(SECONDS)
        self.assertEqual(list(self.results()), ["a"])
        done = snug("batch", *PLAIN, self.path, env=self.environment(lambda request: python("2")))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({name: one["answer"] for name, one in self.results().items()}, {"a": "1", "b": "2"})
        self.assertEqual(self.asked(), ["a", "b", "b"])

    def test_E55_tasks_are_asked_side_by_side(self):
        self.tasks(*"abcd")
        barrier = threading.Barrier(4)

        def answer(request):
            barrier.wait(SECONDS)  # until all four are there
            return python("1")

        done = snug("batch", *PLAIN, "-j", "4", self.path, env=self.environment(answer))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([one["answer"] for one in self.results().values()], ["1"] * 4)

    def test_E55_programs_run_side_by_side(self):
        self.tasks(*"ab")
        pipe = self.folder + "/pipe"
        os.mkfifo(pipe)  # who opens it waits for the other one
        programs = {"Do a.": python("give()"), "Do b.": python("take()")}
        done = snug("batch", *PLAIN, "-j", "2", "--tool", f"give=echo met >{pipe}; echo given", "--tool",
                    f"take=cat {pipe}", "--tool-timeout", str(SECONDS), self.path, env=self.environment(
                        lambda request: next(said for word, said in programs.items() if word in texts(request))))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("met", self.results()["b"]["answer"])

    def summary(self):
        """Of one task that is right at once, one that is repaired, and one that is not."""
        self.tasks(*"abc")

        def answer(request):
            is_first = len(request["messages"]) == 2
            return python("1" if "Do a." in texts(request) or "Do b." in texts(request) and not is_first else "1 / 0")

        done = snug("batch", *PLAIN, "--max-attempts", "2", "--json", self.path, env=self.environment(answer))
        self.assertEqual(done.returncode, 1, done.stderr)
        return json.loads(done.stdout)

    def test_E62_a_batch_has_its_rate_of_success_and_how_many_improvements_helped(self):
        told = self.summary()
        self.assertAlmostEqual(told["success_rate"], 2 / 3)
        self.assertAlmostEqual(told["improvement_efficiency"], 1 / 2)
        self.assertAlmostEqual(told["attempts_per_success"], 3 / 2)

    def test_E63_a_batch_has_its_reduction_of_errors(self):
        told = self.summary()
        self.assertEqual((told["first_errors"], told["last_errors"], told["error_reduction"]), (2, 1, 0.5))
        self.assertIsNone(told["score"])

    def test_E63_a_batch_has_the_mean_of_the_marks_that_its_judge_gave(self):
        self.tasks(*"abc")

        def answer(request):
            if "Judge whether" not in texts(request):
                return python("1")
            marks = {"quality": 90, "robustness": 50, "performance": 70} if "Do a." in texts(request) else \
                {"quality": 70, "robustness": 30, "performance": 60} if "Do b." in texts(request) else {"quality": 5}
            return json.dumps({"verdict": "pass", "reason": "", "answer": "1", **marks})

        done = snug("batch", "--json", self.path, env=self.environment(answer))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["score"], {"quality": 80, "robustness": 40, "performance": 65})
        self.assertIsNone(self.results()["c"]["score"])


class Conversations(Asking):
    def test_E74_a_second_process_on_a_conversation_is_refused_with_a_sentence(self):
        is_asked = threading.Event()

        def answer(request):
            if "Note it." not in texts(request) or "Go on." in texts(request):
                return python("42")
            is_asked.set()
            return {"silent": True}

        env = self.environment(answer)
        self.start(env, "ask", *PLAIN, "--quiet", "--session", "shared", "Note it.")
        self.assertTrue(is_asked.wait(SECONDS))
        second = snug("ask", *PLAIN, "--session", "shared", "Go on.", env=env)
        other = snug("ask", *PLAIN, "--quiet", "--session", "other", "Go on.", env=env)
        self.assertEqual((second.returncode, second.stdout, second.stderr.count("\n")), (2, "", 1), second.stderr)
        self.assertIn("another process", second.stderr)
        self.assertEqual((other.returncode, other.stdout), (0, "42\n"), other.stderr)


if __name__ == "__main__":
    unittests.main(in_parts=True)
