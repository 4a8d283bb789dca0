"""README.md and docs are true: what they show is run, compiled and compared.

snippets.py SOURCE_DIR SNUG CC LIBRARY_DIR

console blocks are run, C is compiled, programs are run and their output is the text block behind them, requests are
sent, tables of limits and commands are compared with what the program says.
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

SOURCE, SNUG, CC = pathlib.Path(sys.argv[1]).resolve(), os.path.abspath(sys.argv[2]), sys.argv[3]
LIBRARIES = os.path.abspath(sys.argv[4])
sys.path[:0] = [str(SOURCE / "tests/endpoint"), str(SOURCE / "docs/pictures")]
import transcript
import turns
from endpoint import Endpoint

PAGES = {str(path.relative_to(SOURCE)): path.read_text(encoding="utf-8")
         for path in [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md"))]}
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
UNITS = {"s": 1000, "KiB": 1024, "MiB": 1024 ** 2, "": 1}
# Options of other programs that pages name.
FOREIGN = {"--target", "--unshare-all", "--die-with-parent", "--ro-bind", "--dev", "--proc", "--tmpfs", "--network",
           "--rm", "--user", "--scope", "--pipe", "--wait", "--preset", "--build", "--install", "--prefix", "--cflags",
           "--libs", "--variable", "--long", "--updates", "--output-on-failure", "--plots", "--quick", "--all",
           "--kinds", "--hash"}


def blocks(language, pages=PAGES):
    for page, text in pages.items():
        for match in FENCE.finditer(text):
            if match[1] == language:
                yield page, match[2]


def lines(text):
    """What is compared of a transcript: which part of a line ^^^ points at is Python's own affair
    and differs from 3.11 to 3.13."""
    return [line for line in text.splitlines() if line and not re.fullmatch(r"[ ~^]+", line)]


def run(*words, **options):
    options.setdefault("timeout", 120)
    return subprocess.run(words, capture_output=True, text=True, encoding="utf-8", **options)


def number(text):
    """"64 KiB" is 65536, "none" is None."""
    if text == "none":
        return None
    value, _, unit = text.partition(" ")
    return int(value.replace(",", "")) * UNITS[unit]


def options_of_help():
    commands = re.findall(r"^  snug (\w+)  ", run(SNUG, "--help").stdout, re.MULTILINE)
    helps = [run(SNUG, "--help").stdout] + [run(SNUG, "help", command, "--all").stdout for command in commands]
    helps += [run(SNUG, "doctor").stdout]
    return commands, set(re.findall(r"(?<![\w-])--[a-z][\w-]*", "\n".join(helps)))


class Transcripts(unittest.TestCase):
    maxDiff = None

    def test_a_conversation_is_what_snug_prints(self):
        found = [(page, block) for page, block in blocks("console") if not block.startswith("$ snug ask")]
        self.assertGreater(len(found), 4)
        for page, block in found:
            command, *shown = lines(block)
            program, *options = shlex.split(command.removeprefix("$ "))
            with self.subTest(page=page, command=command), tempfile.TemporaryDirectory() as place:
                self.assertEqual(program, "snug")
                options = options[1:] if options[:1] == ["run"] else [*options, "--keep-going"]
                cells = [match[1] for line in shown if (match := re.match(r"In \[\d+\]: (.*)", line))]
                self.assertGreater(len(cells), 1)
                done = subprocess.run([SNUG, "run", *options, *(word for cell in cells for word in ("-c", cell))],
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                      stdin=subprocess.DEVNULL, timeout=600, cwd=place)
                self.assertEqual(lines(done.stdout), shown)

    def test_a_question_is_answered_as_shown_by_the_test_endpoint(self):
        found = [block for _, block in blocks("console") if block.startswith("$ snug ask")]
        self.assertTrue(found)
        for block in found:
            command, *shown = lines(block)
            with Endpoint(transcript.RULES) as endpoint:
                done = subprocess.run([SNUG, *shlex.split(command)[2:]], stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL,
                                      env={**os.environ, **endpoint.environment}, timeout=600,
                                      cwd=SOURCE / "examples/sales")
            figures = r"\d+\.\d+ m?s|\d+ (?=tokens|out)"
            self.assertEqual([re.sub(figures, "N ", line) for line in lines(done.stdout)],
                             [re.sub(figures, "N ", line) for line in shown])
            self.assertEqual(done.returncode, 0)


class Programs(unittest.TestCase):
    maxDiff = None

    def test_every_c_block_compiles_without_a_warning(self):
        found = list(blocks("c"))
        self.assertGreater(len(found), 5)
        for page, block in found:
            with self.subTest(page=page):
                done = run(CC, "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only",
                           "-I", SOURCE / "include", "-x", "c", "-", input=block)
                self.assertEqual(done.returncode, 0, done.stderr + block)

    def programs(self):
        """(page, source, output) of each C block with a main that a text block follows."""
        for page, text in PAGES.items():
            found = list(FENCE.finditer(text))
            for match, behind in zip(found, found[1:]):
                if match[1] == "c" and "int main(" in match[2] and behind[1] == "text":
                    yield page, match[2], behind[2]

    def test_every_program_prints_what_is_shown(self):
        found = list(self.programs())
        self.assertGreater(len(found), 3)
        for page, source, shown in found:
            with self.subTest(page=page, source=source), tempfile.TemporaryDirectory() as place:
                done = run(CC, "-std=c99", "-I", SOURCE / "include", "-x", "c", "-", "-o", f"{place}/program",
                           "-L", LIBRARIES, f"-Wl,-rpath,{LIBRARIES}", "-lsnug-supervisor", "-lsnug", input=source)
                self.assertEqual(done.returncode, 0, done.stderr)
                done = run(f"{place}/program", cwd=place)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                pattern = re.escape(shown).replace(re.escape("..."), ".*")
                self.assertRegex(done.stdout, f"^{pattern}$", shown)

    def test_the_ten_lines_are_those_of_the_example(self):
        example = (SOURCE / "examples/hello.c").read_text(encoding="utf-8")
        block = next(block for _, block in blocks("c", {"README.md": PAGES["README.md"]}))
        self.assertEqual(re.sub(r"^/\*.*?\*/\n", "", example, flags=re.DOTALL), block)
        body = block.partition("{\n")[2].rpartition("}")[0]
        self.assertEqual(len(body.splitlines()), 10)


class Requests(unittest.TestCase):
    maxDiff = None

    def test_the_answer_of_cells_is_as_shown(self):
        requests = next(block for _, block in blocks("") if block.startswith('{"session"'))
        done = run(SNUG, "cells", input="\n".join(requests.splitlines()[:2]) + "\n")
        answer = json.loads(done.stdout.splitlines()[-1])
        shown = next(json.loads(block) for _, block in blocks("json") if '"usage"' in block)
        self.assertEqual(answer.pop("usage").keys(), shown.pop("usage").keys())
        self.assertEqual(answer, shown)

    def test_every_request_that_is_shown_is_understood(self):
        known = 0
        for page, text in PAGES.items():
            requests = re.findall(r'(?:^ *|`)(\{"session": .*\})(?=`|$)', text, re.MULTILINE)
            with self.subTest(page=page), tempfile.TemporaryDirectory() as place:
                begin = '{"session": "a", "record": true, "code": "def f(a): pass"}\n'
                answers = run(SNUG, "cells", input=begin + "\n".join(requests) + "\n", cwd=place).stdout
                errors = [line for line in answers.splitlines() if json.loads(line)["schema"] == "snug.error/1"]
                errors = [line for line in errors if "waits for an answer" not in line]  # nothing is asked about here
                self.assertEqual(errors, [])
                known += len(requests)
        self.assertGreater(known, 10)


class Tables(unittest.TestCase):
    maxDiff = None

    def doctor(self, name):
        return json.loads(run(SNUG, "doctor", "--json").stdout)[name]

    def test_the_table_of_limits_is_that_of_doctor(self):
        rows = re.findall(r"^\| `(\w+)` \| (?:`(--[\w-]+)`)? ?\| ([^|]+) \| ([^|]+) \|$",
                          PAGES["docs/limits.md"].partition("## Limits of a question")[0], re.MULTILINE)
        self.assertEqual([(name, option or None, number(default), about) for name, option, default, about in rows],
                         [(limit["name"], limit["option"], limit["default"], limit["about"])
                          for limit in self.doctor("limits")])

    def test_the_table_of_a_questions_limits_is_that_of_doctor(self):
        rows = re.findall(r"^\| `(\w+)` \| `(--[\w-]+)` \| ([^|]+) \| ([^|]+) \|$",
                          PAGES["docs/limits.md"].partition("## Limits of a question")[2]
                          .partition("## Limits of a kernel")[0], re.MULTILINE)
        self.assertEqual([(name, option, number(default), about) for name, option, default, about in rows],
                         [(limit["name"], limit["option"], limit["default"], limit["about"])
                          for limit in self.doctor("agent_limits")])

    def test_the_table_of_limits_of_snug_mcp_is_that_of_doctor(self):
        rows = re.findall(r"^\| `(\w+)` \| `(--[\w-]+)` \| ([^|]+) \| ([^|]+) \|$",
                          PAGES["docs/limits.md"].partition("## Limits of snug mcp")[2], re.MULTILINE)
        self.assertEqual([(name, option, number(default), about) for name, option, default, about in rows],
                         [(limit["name"], limit["option"], limit["default"], limit["about"])
                          for limit in self.doctor("mcp_limits")])

    def test_every_command_that_help_names_is_described(self):
        commands, _ = options_of_help()
        self.assertIn("run", commands)
        for command in commands:
            self.assertIn(f"\n    snug {command} ", PAGES["docs/program.md"])

    def test_every_option_that_is_named_exists(self):
        _, known = options_of_help()
        named = 0
        for page, text in PAGES.items():
            words = re.findall(r"`([^`\n]+)`", FENCE.sub("", text)) + re.findall(
                r"^(?:    |\$ )(?:\w+=\S+ )*(snug .*)$", text, re.MULTILINE)
            for option in re.findall(r"(?<![\w-])--[a-z][\w-]*", "\n".join(words)):
                named += 1
                if option not in FOREIGN:
                    with self.subTest(page=page, option=option):
                        self.assertIn(option, known)
        self.assertGreater(named, 60)

    def test_the_profiles_are_those_of_the_folder(self):
        named = re.findall(r"^\| `(\w+)` \|", PAGES["docs/imports.md"], re.MULTILINE)
        self.assertEqual(set(named), {"strict", "core", "data"})
        for name in named:
            self.assertTrue((SOURCE / f"stdlib_allowlist/{name}.txt").exists())


class FrontDoor(unittest.TestCase):
    def test_readme_has_at_most_200_lines(self):
        self.assertLessEqual(len(PAGES["README.md"].splitlines()), 200)

    def test_every_page_is_in_the_index(self):
        for page in PAGES:
            if page not in ("README.md", "docs/README.md"):
                self.assertIn(f"({page.removeprefix('docs/')})", PAGES["docs/README.md"])

    def test_the_text_of_the_picture_of_turns_says_what_is_in_it(self):
        text, = re.findall(r"!\[A turn: (.*?)\]\(docs/pictures/turns\.svg\)", PAGES["README.md"])
        said = re.findall(r"([\d.]+) (µs|ms) in (\w+)", text)
        self.assertEqual(len(said), 3)
        keys = {label: key for key, label, _ in turns.BARS}
        for value, unit, label in said:
            # Within the medians of the two runs, as far as the digits of the text go.
            half = 0.5 / 10 ** len(value.partition(".")[2])
            runs = [turns.medians(SOURCE, name)[keys[label]] / {"µs": 1e-6, "ms": 1e-3}[unit]
                    for name, _ in turns.RUNS]
            with self.subTest(label, runs=runs):
                self.assertGreaterEqual(float(value) + half, min(runs))
                self.assertLessEqual(float(value) - half, max(runs))

    def test_the_table_of_turns_is_what_the_benchmarks_print(self):
        for page in [SOURCE / "README.md", SOURCE / "benchmarks/README.md"]:
            text = page.read_text(encoding="utf-8")
            for command, table in re.findall(r"<!-- (benchmarks/run [^>]+?) -->\n(.*?)<!-- -->", text, re.DOTALL):
                done = run(sys.executable, *shlex.split(command), cwd=SOURCE)
                self.assertIn(table.strip(), done.stdout, command)


unittest.main(argv=sys.argv[:1])
