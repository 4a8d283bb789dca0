"""No call is later than its deadline while a regular expression has the GIL for good, in any form: hang.c.

hang.py [FORM...]
hang.py --full PROGRAM    hang.c as a program that carries the full ladder
"""
import subprocess
import sys
import unittest

from outside import HERE, SECONDS, built

FULL = sys.argv[2] if sys.argv[1:2] == ["--full"] else None
FORMS = ["full"] if FULL else sys.argv[1:] or ["local", "signals", "worker"]
LIMIT_MS, PATIENCE_MS, SLACK_MS = 500, 1000, 20000  # wide: what hangs never comes


class Hang(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = FULL or built("hang", HERE / "hang.c", "-std=gnu11", "-Wno-missing-field-initializers")

    def answers(self, form):
        words = ["local" if form == "full" else form, *map(str, (LIMIT_MS, PATIENCE_MS, SLACK_MS))]
        done = subprocess.run([self.program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=SECONDS)
        print(f"{form}:\n{done.stdout}", flush=True)
        self.assertEqual(done.returncode, 0)
        return {line[:28].rstrip(): line[28:].split(" ms  ", 1)[-1] for line in done.stdout.splitlines()}

    def test_every_call_is_answered_by_its_deadline(self):
        for form in FORMS:
            with self.subTest(form=form):
                answers = self.answers(form)
                self.assertEqual(len(answers), 15)
                self.assertRegex(answers["endless run"], "^timeout ")
                # A cell that only waited has lost nothing.
                self.assertRegex(answers["neighbour's run"], "^(ok|stalled) kept ")
                self.assertRegex(answers["host close"], "^SNUG_EBUSY: ")
                self.assertRegex(answers["later save, cancelled"], "^(ok$|SNUG_ESTOPPED: )")
                for name in ("health", "close of an idle one", "interrupt of the neighbour"):
                    self.assertEqual(answers[name], "ok")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
