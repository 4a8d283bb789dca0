"""What snug ask shows on a terminal; the rest of it is in tests/agent."""
import pathlib
import sys
import unittest

from driver import Case, Terminal, environment

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


if __name__ == "__main__":
    unittest.main()
