"""README.md is true: what it shows is run, compiled and compared.

readme.py SOURCE_DIR SNUG CC
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "endpoint"))
import transcript
from endpoint import Endpoint

SOURCE, SNUG, CC = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
TEXT = (SOURCE / "README.md").read_text(encoding="utf-8")
UNITS = {"s": 1000, "KiB": 1024, "MiB": 1024 ** 2, "": 1}


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def lines(text):
    """What is compared of a transcript: which part of a line ^^^ points at is Python's own affair
    and differs from 3.11 to 3.13."""
    return [line for line in text.splitlines() if line and not re.fullmatch(r"[ ~^]+", line)]


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, encoding="utf-8", timeout=60,
                          **options)


def number(text):
    """"64 KiB" is 65536, "none" is None."""
    if text == "none":
        return None
    value, _, unit = text.partition(" ")
    return int(value.replace(",", "")) * UNITS[unit]


class Readme(unittest.TestCase):
    maxDiff = None

    def test_the_transcript_is_what_snug_prints(self):
        self.assertEqual(len(blocks("console")), 3)
        for block in blocks("console"):
            command, *shown = lines(block)
            program, *options = shlex.split(command.removeprefix("$ "))
            self.assertEqual(program, "snug")
            if options[0] == "ask":
                continue
            options = options[1:] if options[0] == "run" else [*options, "--keep-going"]
            cells = [match[1] for line in shown if (match := re.match(r"In \[\d+\]: (.*)", line))]
            self.assertGreater(len(cells), 1)
            done = subprocess.run([SNUG, "run", *options,
                                   *(word for cell in cells for word in ("-c", cell))],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  stdin=subprocess.DEVNULL, timeout=60)
            self.assertEqual(lines(done.stdout), shown)

    def test_the_transcript_of_ask_is_that_of_a_run_against_the_test_endpoint(self):
        block, = (block for block in blocks("console") if block.startswith("$ snug ask"))
        command, *shown = lines(block)
        with Endpoint(transcript.RULES) as endpoint:
            done = subprocess.run([SNUG, *shlex.split(command)[2:]], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL,
                                  env={**os.environ, **endpoint.environment}, timeout=60,
                                  cwd=SOURCE / "examples/sales")
        figures = r"\d+\.\d+ m?s|\d+ (?=tokens|out)"
        self.assertEqual([re.sub(figures, "N ", line) for line in lines(done.stdout)],
                         [re.sub(figures, "N ", line) for line in shown])
        self.assertEqual(done.returncode, 0)

    def test_the_table_of_the_agents_limits_is_that_of_doctor(self):
        rows = re.findall(r"^\| `(\w+)` \| `(--[\w-]+)` \| ([^|]+) \| ([^|]+) \|$", TEXT,
                          re.MULTILINE)
        limits = json.loads(run(SNUG, "doctor", "--json").stdout)["agent_limits"]
        self.assertEqual([(name, option, number(default), about)
                          for name, option, default, about in rows],
                         [(limit["name"], limit["option"], limit["default"], limit["about"])
                          for limit in limits])

    def test_every_c_block_compiles_without_a_warning(self):
        self.assertGreaterEqual(len(blocks("c")), 2)
        for block in blocks("c"):
            done = run(CC, "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only",
                       "-I", SOURCE / "include", "-x", "c", "-", input=block)
            self.assertEqual(done.returncode, 0, done.stderr + block)

    def test_the_ten_lines_are_those_of_the_example(self):
        example = (SOURCE / "examples/hello.c").read_text(encoding="utf-8")
        self.assertEqual(re.sub(r"^/\*.*?\*/\n", "", example, flags=re.DOTALL), blocks("c")[0])
        body = blocks("c")[0].partition("{\n")[2].rpartition("}")[0]
        self.assertEqual(len(body.splitlines()), 10)

    def test_the_table_of_limits_is_that_of_doctor(self):
        rows = re.findall(
            r"^\| `(\w+)` \| (?:`(--[\w-]+)`)? ?\| ([^|]+) \| (yes|not yet) \| ([^|]+) \|$",
            TEXT, re.MULTILINE)
        written = [{"name": name, "option": option or None, "default": number(default),
                    "is_enforced": enforced == "yes", "about": about}
                   for name, option, default, enforced, about in rows]
        limits = json.loads(run(SNUG, "doctor", "--json").stdout)["limits"]
        for limit in limits:
            del limit["unit"]
        self.assertEqual(written, limits)

    def test_the_answer_of_cells_is_as_shown(self):
        requests, = (block for block in blocks("") if block.startswith('{"session"'))
        done = run(SNUG, "cells", input="\n".join(requests.splitlines()[:2]) + "\n")
        answer = json.loads(done.stdout.splitlines()[-1])
        shown = json.loads(blocks("json")[0])
        self.assertEqual(answer.pop("usage").keys(), shown.pop("usage").keys())
        self.assertEqual(answer, shown)

    def test_every_request_that_is_shown_is_understood(self):
        requests, = (block for block in blocks("") if block.startswith('{"session"'))
        answers = [json.loads(line) for line in
                   run(SNUG, "cells", input=requests).stdout.splitlines()]
        self.assertTrue(answers)
        self.assertNotIn("snug.error/1", [answer["schema"] for answer in answers])

    def test_every_path_that_is_named_exists(self):
        links = re.findall(r"\]\((?!http)([^)#]+)\)", TEXT)
        layout = re.findall(r"^    (\S+)", TEXT.partition("## Layout")[2].partition("\n## ")[0],
                            re.MULTILINE)
        self.assertGreater(len(layout), 10)
        for path in links + layout:
            self.assertTrue((SOURCE / path).exists(), path)

    def test_every_command_that_help_names_is_described(self):
        shown = re.findall(r"^  snug (\w+)  ", run(SNUG, "--help").stdout, re.MULTILINE)
        self.assertIn("run", shown)
        for command in shown:
            self.assertIn(f"\n    snug {command} ", TEXT)


unittest.main(argv=sys.argv[:1])
