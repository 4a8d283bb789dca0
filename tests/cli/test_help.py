import os
import re
import unittest

from driver import Case, snug

COMMANDS = ["run", "cells", "check", "config", "doctor", "batch", "library", "models", "packages", "tools"]


class Help(Case):
    def test_the_version_is_printed(self):
        done = snug("--version")
        self.assertRegex(done.stdout, r"^snug \d+\.\d+\.\d+")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_overview_names_every_command(self):
        done = snug("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for name in COMMANDS:
            self.assertIn("snug " + name, done.stdout)
        self.assertEqual(snug("help").stdout, done.stdout)
        self.assertEqual(snug("-h").stdout, done.stdout)

    def test_every_command_has_help_in_two_ways(self):
        for name in COMMANDS:
            with self.subTest(name):
                done = snug("help", name)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertTrue(done.stdout.startswith("snug " + name))
                self.assertIn("--help", done.stdout)
                self.assertEqual(snug(name, "--help").stdout, done.stdout)

    def test_the_help_of_ask_fits_a_screen_and_says_where_the_rest_is(self):
        brief, whole = snug("help", "ask"), snug("help", "ask", "--all")
        self.assertEqual((brief.returncode, brief.stderr, whole.returncode, whole.stderr), (0, "", 0, ""))
        self.assertEqual(len(brief.stdout.splitlines()), 24)
        self.assertEqual(snug("ask", "--help").stdout, brief.stdout)
        self.assertEqual(snug("ask", "--help", "--all").stdout, whole.stdout)
        self.assertIn("snug help ask --all", brief.stdout)
        for line in brief.stdout.partition("Options:\n")[2].splitlines()[:-2]:
            self.assertIn(line, whole.stdout)
        self.assertLessEqual(len(re.findall(r"^  -", whole.stdout, re.M)), 60)
        self.refused("help", "ask", "--most", says="help takes one command")

    def test_help_shows_defaults_of_limits(self):
        self.assertRegex(snug("run", "--help").stdout, r"--timeout TIME .*default 30 s")
        self.assertRegex(snug("run", "--help").stdout, r"--output SIZE .*default 64 KiB")

    def test_help_lists_no_option_that_is_refused(self):
        for option in re.findall(r"^  (--[a-z-]+)", snug("run", "--help").stdout, re.M):
            with self.subTest(option):
                os.mkdir(self.folder + "/" + option)  # some make a file of that name
                done = snug("run", option, "1", "-c", "", cwd=self.folder + "/" + option)
                self.assertNotIn("in this version", done.stderr)

    def test_an_unknown_command_gets_the_nearest_one(self):
        self.refused("chekc", says="did you mean check?")
        self.refused("cell", says="did you mean cells?")
        self.refused("xyzzyxyzzy", says='unknown command "xyzzyxyzzy"')
        self.refused("help", "runn", says="did you mean run?")

    def test_a_file_in_place_of_a_command_gets_the_command(self):
        path = self.file("a.py", "1")
        self.refused(path, says="snug run " + path)


if __name__ == "__main__":
    unittest.main()
