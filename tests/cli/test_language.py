import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "endpoint"))
from driver import Case, environment, snug
import unittests
from endpoint import Endpoint


class Language(Case):
    def ask(self, question, *args, rules=()):
        with Endpoint(rules) as endpoint:
            done = snug("ask", "--json", "--config", "none", *args, question,
                        env=environment(**endpoint.environment))
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return done, lines[-1] if lines else None, [line for line in lines if "event" in line]

    def answered(self, question, word, *args):
        """The prompt that asks for the answer must have the word."""
        rules = [("Question:\n" + question, "```python\n6*7\n```"),
                 (word, '{"verdict": "pass", "reason": "", "answer": "42"}')]
        done, reply, _ = self.ask(question, *args, rules=rules)
        self.assertEqual(reply["status"], "answered", reply["error"])
        return reply["language"]

    def test_the_callers_language_wins(self):
        question = "¿Cuál es la media de las ventas por región?"
        for given, word, code in (("German", "in German", "German"), ("de", "in de", "de"),
                                  ("Klingon", "in Klingon", "Klingon")):
            self.assertEqual(self.answered(question, word, "--answer-language", given), code)

    def test_bash_that_cannot_be_had_is_said_in_one_sentence(self):
        for args, says in ((["--rollback"], "the program is in bash: a session of bash cannot go back"),
                           (["--tool", "f=true"], "the program is in bash: a bash session has no tools")):
            done, _, _ = self.ask("Count the lines", *args, rules=[("Count the lines", "```bash\nwc -l\n```")])
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn(says, done.stderr)
            self.assertIn("(--language python asks for Python)", done.stderr)

    def test_python_can_be_asked_for_whatever_the_question_says(self):
        done, reply, events = self.ask("Write a bash script", "--language", "python", "--no-stream")
        self.assertIn("no rule for", reply["error"])
        self.refused("ask", "--language", "ruby", "?", says='--language "ruby": expected auto|python|bash')


if __name__ == "__main__":
    unittests.main()
