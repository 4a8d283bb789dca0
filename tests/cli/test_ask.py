"""What snug ask shows on a terminal; the rest of it is in tests/agent."""
import pathlib
import sys
import unittest

from driver import Case, Terminal, environment, snug

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


if __name__ == "__main__":
    unittest.main()
