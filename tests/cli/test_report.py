"""What a report has besides the answer: times, figures and files."""
import os
import re
import unittest

from asking import PASS, Asking, program
from driver import snug

PNG = b"\x89PNG\r\n\x1a\n"
FIGURE = program(f"""\
class Figure:
    def _repr_png_(self):
        return {PNG!r}
Figure()""")
WRITE = program("with open('report.txt', 'w') as out:\n    print(out.write('report'))")
PLAIN = ("--answer", "result", "--no-evaluation")


class Reports(Asking):
    def test_times_are_those_of_the_steps(self):
        rules = [("Question:\ntwice", program("double(20)")), ("Your program failed", program("40")),
                 ("Judge whether", PASS % "It is 40.")]
        done = self.ask(rules, "--quiet", "--format", "markdown", "response.show_debug_info=true", "twice")
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = dict(re.findall(r"(?m)^- (\w+): ([0-9.]+) s$", done.stdout))
        measured = dict(re.findall(r"(?m)^- Time of (\w+): ([0-9.]+) ms$", done.stdout))
        self.assertEqual(list(shown), ["Generation", "Execution", "Evaluation", "Improvement", "Wording", "Total"])
        for name, step in (("Generation", "generate"), ("Execution", "execute"), ("Evaluation", "evaluate"),
                           ("Improvement", "improve"), ("Wording", "reply")):
            self.assertAlmostEqual(float(shown[name]), float(measured[step]) / 1000, delta=0.0011)
        self.assertGreaterEqual(float(shown["Total"]) + 0.006,
                                sum(float(value) for name, value in shown.items() if name != "Total"))

    def test_figures_become_files_of_the_folder_that_is_named(self):
        done = self.ask([("Question:\ndraw", FIGURE)], *PLAIN, "--format", "markdown", "--workdir", "out", "draw")
        self.assertIn("\n## Figures\n\n![figure-1.png](out/figure-1.png)\n", done.stdout)
        self.assertIn("made: out/figure-1.png, 8 bytes\n", done.stderr)
        with open(self.folder + "/out/figure-1.png", "rb") as figure:
            self.assertEqual(figure.read(), PNG)
        rules = [("Question:\ndraw", FIGURE), ("Question:\nagain", FIGURE)]
        events = self.events(rules, *PLAIN, "--workdir", "out", "draw it", "again")
        self.assertEqual(events[1]["figures"], [{"path": "figure-3.png", "mime": "image/png", "bytes": 8,
                                                 "at": "out/figure-3.png"}])

    def test_figures_without_a_folder_are_named(self):
        done = self.ask([("Question:\ndraw", FIGURE)], *PLAIN, "--format", "markdown", "--out", "none", "draw")
        self.assertIn("\n## Figures\n\n- image/png, 8 bytes; not kept: a folder that is named (--out, --workdir) keeps "
                      "it\n", done.stdout)
        self.assertIn("made: a figure, image/png, 8 bytes\n", done.stderr)
        reply = self.reply([("Question:\ndraw", FIGURE)], *PLAIN, "--out", "none", "draw")
        self.assertEqual(reply["figures"], [{"path": None, "mime": "image/png", "bytes": 8, "at": None}])

    def test_a_folder_that_is_named_is_made_and_its_files_are_told(self):
        done = self.ask([("Question:\nwrite", WRITE)], *PLAIN, "--workdir", "out", "write")
        self.assertEqual((done.returncode, done.stdout), (0, "6\n"))
        self.assertIn("made: out/report.txt, 6 bytes\n", done.stderr)
        self.assertNotIn("--workdir", done.stderr)
        with open(self.folder + "/out/report.txt", encoding="ascii") as report:
            self.assertEqual(report.read(), "report")
        done = self.ask([("Question:\nwrite", WRITE)], *PLAIN, "--format=markdown", "--workdir=a (b)", "write")
        self.assertIn("\n## Files\n\n- [report.txt](<a (b)/report.txt>), 6 bytes\n", done.stdout)

    def test_files_that_go_with_the_session_are_told_with_what_keeps_them(self):
        rules = [("Question:\nwrite", WRITE), ("Question:\nagain", WRITE)]
        done = self.ask(rules, *PLAIN, "--out", "none", "write it", "again")
        self.assertEqual(done.stderr.count("made: report.txt, 6 bytes\n"), 2)
        self.assertEqual(done.stderr.count("--workdir DIR keep it"), 1)
        done = self.ask([("Question:\nwrite", WRITE)], *PLAIN, "--out", "none", "--session", "s", "write")
        self.assertIn("made: report.txt, 6 bytes\n", done.stderr)
        self.assertNotIn("--workdir", done.stderr)
        done = self.ask([("Question:\nwrite", WRITE)], *PLAIN, "--out", "none", "--quiet", "write")
        self.assertEqual(done.stderr, "")

    def test_a_folder_that_cannot_be_made_is_one_sentence(self):
        self.file("file", "")
        self.refused("run", "--workdir", self.folder + "/file", "-c", "1", says="file")
        self.refused("run", "--workdir", self.folder + "/file/a/b", "-c", "1", says="cannot be made: Not a directory")
        os.symlink(self.folder + "/nowhere", self.folder + "/link")
        self.refused("run", "--workdir", self.folder + "/link/a/b", "-c", "1",
                     says="link/a cannot be made: No such file")
        self.assertFalse(os.path.exists(self.folder + "/nowhere"))

    def test_folders_above_the_one_that_is_named_are_made(self):
        done = self.ask([("Question:\nwrite", WRITE)], *PLAIN, "--workdir", "a/b/out/", "write")
        self.assertEqual((done.returncode, done.stdout), (0, "6\n"))
        self.assertTrue(os.path.exists(self.folder + "/a/b/out/report.txt"))
        done = self.ask([("Question:\nwrite", WRITE)], *PLAIN, "--quiet", "--workdir", "a/c/out", "write")
        self.assertEqual(done.stderr, "")
        self.assertTrue(os.path.exists(self.folder + "/a/c/out/report.txt"))

    def test_a_library_that_is_only_read_is_not_made(self):
        done = self.ask([], "--library", "typo.db", "What?")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn('--library "typo.db": there is no such file; snug library add --library typo.db FILE makes one',
                      done.stderr)
        self.refused("library", "list", "--library", self.folder + "/typo.db", says="typo.db")
        self.assertFalse(os.path.exists(self.folder + "/typo.db"))
        self.reply([("Question:\nWhat?", program("1"))], *PLAIN, "--library", "typo.db", "--keep-snippets", "What?")
        self.assertTrue(os.path.exists(self.folder + "/typo.db"))

    def test_an_address_is_no_library(self):
        says = ('--library "mongodb://...": a library is a file of SQLite; another store is asked by --tool or --mcp, '
                "or what it has comes by --context")
        for words in (("ask", "What?"), ("ask", "--keep-snippets", "What?"), ("library", "list")):
            done = snug(*words, "--library", "mongodb://me:secret@127.0.0.1/rates")
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(says, done.stderr, words)
            self.assertNotIn("secret", done.stderr, words)

    def test_a_limit_of_cost_without_prices_names_what_is_missing(self):
        done = self.ask([], "--max-cost", "0.1", "What?")
        self.assertEqual(done.stderr, "snug: a limit of cost needs a price for openai:test: none is built in, and no "
                         "price table is given (--prices)\n")

    def test_steps_count_and_place_as_people_do(self):
        rules = [("Question:\nwrong", program("1/0"))] + [("Your program failed", program("1/0"))] * 3
        done = self.ask(rules, *PLAIN, "--max-attempts", "4", "wrong")
        self.assertRegex(done.stderr, r"the same for the 2nd time: .*\n(?s:.*)the same for the 3rd time: ")
        rules = [("Question:\nlong", program("1\n" * 150))]
        done = self.ask(rules, *PLAIN, "--max-attempts", "1", "long")
        self.assertRegex(done.stderr, r"(?m)^  the program has 15\d lines")
        self.assertNotIn("line 0", done.stderr)
        self.assertIn("max_attempts: the only attempt failed: the scan found:", done.stderr)


if __name__ == "__main__":
    unittest.main()
