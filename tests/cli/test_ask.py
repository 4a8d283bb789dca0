"""What snug ask shows on a terminal; the rest of it is in tests/agent."""
import json
import pathlib
import signal
import subprocess
import sys
import unittest

from driver import SECONDS, SNUG, Case, Terminal, environment, snug, wait_until_unread

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "agent"))
from endpoint import Endpoint


class Ask(Case):
    def test_control_characters_of_an_answer_do_nothing_to_the_terminal(self):
        content = r"print('\x1b]0;title\x07 \x9b31m red')"
        endpoint = Endpoint(lambda request, headers: {"content": f"```python\n{content}\n```"})
        self.addCleanup(endpoint.close)
        env = environment(TERM="xterm", NO_COLOR="1", OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY="sk-none")
        terminal = Terminal("ask", "--model", "openai:m", "--quiet", "--no-evaluation", "--answer", "result",
                            "What is there?", env=env)
        self.addCleanup(terminal.close)
        terminal.wait(r"\?\]0;title\? \?31m red\r\n")
        self.assertEqual(terminal.end(), 0)


    def steps_of(self, source):
        """What is told of a program that runs, where nobody sees it come."""
        endpoint = Endpoint(lambda request, headers: {"content": f"```python\n{source}\n```"})
        self.addCleanup(endpoint.close)
        env = environment(OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY="sk-none")
        done = snug("ask", "--model", "openai:m", "--no-evaluation", "--answer", "result", "What is there?", env=env)
        return [line for line in done.stderr.splitlines() if line.startswith("  | ")]

    def test_lines_of_a_program_are_whole_in_a_file(self):
        self.assertEqual(self.steps_of("print('be', end='', flush=True)\nprint('gun')\nprint('end', end='')"),
                         ["  | begun", "  | end"])

    def test_of_a_line_that_is_written_over_the_last_is_in_a_file(self):
        self.assertEqual(self.steps_of(r"for i in range(3): print(f'\r{i} %', end='', flush=True)"), ["  | 2 %"])

    def test_both_streams_have_lines_of_their_own(self):
        self.assertEqual(self.steps_of("import sys\nprint('out', end='', flush=True)\n"
                                       "print('err', file=sys.stderr, flush=True)\nprint('put')"),
                         ["  | out", "  | err", "  | put"])

    def test_the_key_is_in_no_environment_but_where_it_is_named(self):
        class Twice(dict):
            def items(self):
                return [*super().items(), ("OPENAI_API_KEY", key)]

        key, seen = "sk-0123456789abcdef", pathlib.Path(self.folder, "seen")
        server = {"command": sys.executable, "args": [str(pathlib.Path(__file__).with_name("mcp_server.py")), "also-getenv"]}
        named = {**server, "env": {"OPENAI_API_KEY": "${OPENAI_API_KEY}"}}
        config = self.file("config.json", json.dumps({"mcpServers": {"named": named, "other": server}}))
        source = "peek()\n[s.getenv(value='OPENAI_API_KEY') for s in (named, other)]"
        requests = []
        endpoint = Endpoint(lambda request, headers: requests.append(headers) or {"content": f"```python\n{source}\n```"})
        self.addCleanup(endpoint.close)
        done = snug("ask", "--model", "openai:m", "--quiet", "--no-evaluation", "--answer", "result", "--upstream-config", config,
                    "--tool", f"peek=cat /proc/$PPID/environ /proc/self/environ /proc/$PPID/limits > {seen}; echo '{{}}'", "What is there?",
                    env=Twice(environment(OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY=key)))
        self.assertEqual((done.returncode, done.stdout.strip()), (0, "['[key]', '']"), done.stderr)
        self.assertIn(key, str(dict(requests[0])))
        self.assertEqual(seen.read_bytes().count(b"\0PATH="), 2)
        self.assertNotIn(key.encode(), seen.read_bytes())
        self.assertRegex(seen.read_bytes(), rb"Max core file size +0 +0 ")

    def test_a_line_with_a_nul_byte_is_no_question(self):
        asked = []
        endpoint = Endpoint(lambda request, headers: asked.append(request) or {"content": "```python\n42\n```"})
        self.addCleanup(endpoint.close)
        env = environment(OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY="sk-none")
        ended = snug("ask", "--model", "openai:m", "--quiet", "--no-evaluation", "--answer", "result",
                     stdin="What\0 is there?\nAnd here?\n", env=env)
        self.assertEqual((ended.returncode, ended.stdout), (2, "42\n"))
        self.assertIn("a question on stdin has a NUL byte", ended.stderr)
        self.assertEqual(len(asked), 1)

    def test_questions_without_an_end_are_bounded(self):
        env = environment(OPENAI_BASE_URL="http://127.0.0.1:1/v1", OPENAI_API_KEY="sk-none")
        with open("/dev/zero", "rb") as endless:
            ended = subprocess.run([SNUG, "ask", "--model", "openai:m"], stdin=endless, env=env, timeout=SECONDS,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr),
                         (2, "", "snug: a question on stdin is too long\n"))

    def test_a_question_of_names_alone_is_read_once(self):
        env = environment(OPENAI_BASE_URL="http://127.0.0.1:1/v1", OPENAI_API_KEY="sk-none")
        for question, says in (("a.csv,b.csv," * 87000, "refused: the question has 1044000 bytes"),
                               ("a.csv to b.csv to " * 3600, "cannot be reached")):
            ended = snug("ask", "--model", "openai:m", "--retries", "1", "--max-seconds", "5", "-", stdin=question, env=env)
            self.assertIn(says, ended.stderr)

    def test_a_termination_ends_it_where_nobody_reads_the_answer(self):
        endpoint = Endpoint(lambda request, headers: {"content": "```python\nprint('x' * 900000)\n```"})
        self.addCleanup(endpoint.close)
        env = environment(OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY="sk-none")
        for number in (signal.SIGTERM, signal.SIGHUP):
            asker = subprocess.Popen([SNUG, "ask", "--model", "openai:m", "--quiet", "--no-evaluation", "--output", "1M",
                                      "--answer", "result", "What is there?"], stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, env=env)
            self.addCleanup(asker.stdout.close)
            self.addCleanup(asker.stderr.close)
            self.addCleanup(asker.wait)
            self.addCleanup(asker.kill)
            wait_until_unread(asker.stdout.fileno(), 60000)
            asker.send_signal(number)
            self.assertEqual(asker.wait(SECONDS), 128 + number)
            self.assertIn(b"snug: nobody reads what it writes; ended at once\n", asker.stderr.read())


if __name__ == "__main__":
    unittest.main()
