"""One thread with an event loop and many sessions, beside the blocking call in one run: loop.c.

loop.py [--long]
"""
import sys
import unittest

from outside import HERE, SECONDS, built, command

SESSIONS, CELLS, CANCELS = (500, 10000, 200) if "--long" in sys.argv else (40, 1000, 20)


class Loop(unittest.TestCase):
    def test_every_cell_of_every_session_is_answered(self):
        program = built("loop", HERE / "loop.c", "-std=gnu11")
        for form in ("local", "worker"):
            with self.subTest(form=form):
                said = command(program, form, SESSIONS, CELLS, CANCELS, timeout=SECONDS)
                print(f"{form}:\n{said}", flush=True)
                self.assertIn(f"{CANCELS} cancelled", said)
                self.assertTrue(said.endswith("0 faults\n"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
