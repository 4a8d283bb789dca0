"""What programs made is handed over: files and figures, where the user finds them."""
import base64
import fcntl
import json
import os
import pty
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import termios
import unittest
import zlib

from alone import Listing
from asking import PASS, Asking, program
from driver import SECONDS, SNUG, Reader, environment, snug
from endpoint import Endpoint, Rules
import unittests

PLAIN = ("--answer", "result", "--no-evaluation")
WRITE = program("with open('report.txt', 'w') as out:\n    print(out.write('report'))")
QUESTION = "Plot the sales by month!"
FOLDER = "plot-the-sales-by-month"
DOCTOR = json.loads(snug("doctor", "--json").stdout)
needs_bash = unittest.skipUnless(DOCTOR["bash"].startswith("works"), "no session of bash opens here")
needs_full = unittest.skipUnless(DOCTOR["full"].startswith("works"), "no full session opens here")


def png(width, height):
    """A red picture."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\0" + b"\xff\0\0" * width) * height
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


PNG = png(8, 8)
FIGURE = program(f"class Figure:\n    def _repr_png_(self):\n        return {PNG!r}\nFigure()")
TABLE = program("class Frame:\n    def __repr__(self):\n        return 'a frame'\n    def _repr_html_(self):\n"
                "        return '<table><tr><th>month</th><th>sum</th></tr><tr><td>May</td><td>42</td></tr></table>'\n"
                "Frame()")


class Handing(Asking):
    def names(self, folder="."):
        """All files below a folder of the test's."""
        top = os.path.join(self.folder, folder)
        found = {os.path.relpath(os.path.join(at, name), top) for at, _, names in os.walk(top) for name in names}
        return sorted(name for name in found if not name.startswith("snug/"))

    def text(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def bytes(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def write(self, *options, code=WRITE, question=QUESTION, **more):
        return self.ask([("Question:", code)], *PLAIN, *options, question, **more)


class Places(Handing):
    def test_a_folder_is_named_after_the_question_and_told_in_one_line(self):
        done = self.write()
        self.assertEqual((done.returncode, done.stdout), (0, "6\n"), done.stderr)
        self.assertEqual(self.text(FOLDER + "/report.txt"), "report")
        self.assertTrue(done.stderr.endswith(f"\nmade {FOLDER}/report.txt (6 bytes)\n"), done.stderr)

    def test_a_figure_is_a_file_there(self):
        done = self.write(code=FIGURE)
        self.assertIn(f"\nmade {FOLDER}/figure-1.png ({len(PNG)} bytes)\n", done.stderr)
        self.assertEqual(self.bytes(FOLDER + "/figure-1.png"), PNG)

    def test_a_figure_is_a_picture_of_points_where_there_is_one_too(self):
        both = f"class Figure:\n    def _repr_mimebundle_(self, include=None, exclude=None):\n        return %s\nFigure()"
        drawn = {"image/svg+xml": "<svg/>"}
        done = self.write(code=program(both % drawn))
        self.assertIn(f"\nmade {FOLDER}/figure-1.svg (6 bytes)\n", done.stderr)
        drawn["image/png"] = base64.b64encode(PNG).decode()
        self.write("--out", "both", code=program(both % drawn))
        self.assertEqual(self.names("both"), ["figure-1.png"])

    def test_a_folder_of_that_name_is_left_alone(self):
        os.mkdir(f"{self.folder}/{FOLDER}")
        self.file(FOLDER + "/report.txt", "mine")
        done = self.write()
        self.assertIn(f"made {FOLDER}-2/report.txt", done.stderr)
        self.assertIn(f"made {FOLDER}-3/report.txt", self.write().stderr)
        self.assertEqual(self.text(FOLDER + "/report.txt"), "mine")

    def test_without_anything_made_there_is_no_folder(self):
        self.write(code=program("6 * 7"))
        self.write("--out", "a/b", code=program("6 * 7"))
        self.assertEqual(os.listdir(self.folder), [])

    @needs_bash
    def test_a_file_that_was_removed_again_is_not_told(self):
        turns = [("Question:", "```bash\necho hi > a; echo hi > b\n```"), ("", "```bash\nrm a; final_answer done\n```")]
        done = self.ask(turns, *PLAIN, "--language", "bash", "--mode", "act", "First")
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done.stderr)
        self.assertTrue(done.stderr.endswith("\nmade first/b (3 bytes)\n"), done.stderr)

    def test_a_folder_that_is_given_is_made_with_those_above(self):
        done = self.write("--out", "a/b//c/")
        self.assertIn("\nmade a/b//c/report.txt (6 bytes)\n", done.stderr)
        self.assertEqual(self.names(), ["a/b/c/report.txt"])
        self.write("--out", self.folder + "/whole")
        self.assertEqual(self.names("whole"), ["report.txt"])
        self.write("--out", ".")
        self.assertEqual(self.text("report.txt"), "report")

    def test_a_file_of_the_same_name_gets_a_number_and_the_old_one_stays(self):
        self.file("report.txt", "mine")
        done = self.write("--out", ".")
        self.assertIn("\nmade ./report-2.txt (6 bytes)\n", done.stderr)
        self.assertIn("\nmade ./report-3.txt (6 bytes)\n", self.write("--out", ".").stderr)
        self.assertEqual((self.text("report.txt"), self.text("report-2.txt")), ("mine", "report"))

    def test_a_name_that_has_no_room_for_a_number_is_made_shorter(self):
        for name, numbered in (("a" * 251 + ".txt", "a" * 249 + "-2.txt"), ("\u20ac" * 85, "\u20ac" * 84 + "-2")):
            for _ in range(2):
                done = self.write("--out", "out", code=program(f"open('{name}', 'w').close()"))
                self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(numbered, self.names("out"))

    def test_questions_of_one_command_share_a_folder(self):
        rules = [("Question:\nfirst", WRITE), ("Question:\nthen", WRITE), ("Question:\nthen", FIGURE)]
        done = self.ask(rules, *PLAIN, "first ", "then ", "then ")  # words without blanks are one question
        self.assertEqual(re.findall("^made (.*)$", done.stderr, re.M),
                         ["first/report.txt (6 bytes)", "first/report-2.txt (6 bytes)",
                          f"first/figure-1.png ({len(PNG)} bytes)"])

    def test_none_hands_nothing_over_and_says_what_would(self):
        done = self.write("--out", "none")
        self.assertIn("made: report.txt, 6 bytes\n", done.stderr)
        self.assertIn("--out DIR and --workdir DIR keep it\n", done.stderr)
        self.assertEqual(os.listdir(self.folder), [])
        self.write("--out", "./none")
        self.assertEqual(self.names(), ["none/report.txt"])

    def test_in_a_work_directory_they_are_there_already(self):
        done = self.write("--workdir", "work")
        self.assertEqual(self.names(), ["work/report.txt"])
        self.assertIn("made: work/report.txt, 6 bytes\n", done.stderr)
        for same in ("work", self.folder + "/work/", "./work"):
            done = self.write("--workdir", "work", "--out", same)
            self.assertNotIn("\nmade ", done.stderr)
            self.assertIn("\nmade: work/report.txt, 6 bytes\n", done.stderr)
        self.assertEqual(self.names(), ["work/report.txt"])
        self.write("--workdir", "work", "--out", "out", code=FIGURE)
        self.assertEqual(self.names("out"), ["figure-1.png"])

    def test_the_configuration_says_where(self):
        config = self.file("c.yaml", "response:\n  out: kept\n")
        self.write("--config", config)
        self.assertEqual(self.names("kept"), ["report.txt"])
        self.write("--config", config, "--out", "other")
        self.assertEqual(self.names("other"), ["report.txt"])
        self.write("response.out=none")
        self.assertEqual(self.names(), ["c.yaml", "kept/report.txt", "other/report.txt"])

    def test_where_is_given_or_a_sentence(self):
        done = self.write("--out", "")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--out", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_a_batch_keeps_its_own_option(self):
        self.assertIn("--out FILE", snug("help", "batch").stdout)
        self.assertNotIn("DIR|none", snug("help", "batch").stdout)
        self.assertIn("--out DIR|none", snug("help", "ask").stdout)


class Told(Handing):
    def test_quiet_tells_nothing_and_hands_over(self):
        done = self.write("--quiet")
        self.assertEqual((done.stdout, done.stderr), ("6\n", ""))
        self.assertEqual(self.names(), [FOLDER + "/report.txt"])

    def test_json_says_where_each_is(self):
        reply = self.reply([("Question:", WRITE)], *PLAIN, "--out", "o", "x")
        self.assertEqual([(one["path"], one["at"]) for one in reply["files"]], [("report.txt", "o/report.txt")])
        events, reply = self.events([("Question:", FIGURE)], *PLAIN, "--out", "o", "x")
        self.assertEqual([(one["path"], one["at"]) for one in reply["figures"]], [(None, "o/figure-1.png")])
        reply = self.reply([("Question:", WRITE)], *PLAIN, "--out", "none", "x")
        self.assertEqual(reply["files"][0]["at"], None)

    def test_markdown_links_files_and_shows_pictures(self):
        done = self.write("--format", "markdown", "--out", "o (1)", code=FIGURE)
        self.assertIn("\n## Figures\n\n![figure-1.png](<o (1)/figure-1.png>)\n", done.stdout)
        code = program(f"open('report.txt', 'w').write('report')\nopen('plot.png', 'wb').write({PNG!r})")
        done = self.write("--format", "markdown", "--out", "o", code=code)
        self.assertIn(f"\n## Files\n\n- ![plot.png](o/plot.png), {len(PNG)} bytes\n"
                      "- [report.txt](o/report.txt), 6 bytes\n", done.stdout)

    def test_a_name_ends_no_link(self):
        code = program("open('a](http:\\\\x) [b\\nc', 'w').close()")
        done = self.write("--format", "markdown", "--out", "none", code=code)
        self.assertIn("\n- a\\](http:\\\\x) \\[b%0Ac, 0 bytes; not kept", done.stdout)

    def test_of_many_files_the_first_are_told(self):
        code = program("for n in range(100):\n    open(f'{n:03}.txt', 'w').close()")
        done = self.write("--out", "o", code=code)
        self.assertIn("\nmade o/000.txt (0 bytes), o/001.txt (0 bytes), o/002.txt (0 bytes), o/003.txt (0 bytes), "
                      "o/004.txt (0 bytes), and 95 more\n", done.stderr)
        self.assertEqual(len(self.names("o")), 100)

    def test_more_files_than_a_result_lists_are_handed_over(self):
        code = program("for n in range(321):\n    open(f'{n:03}.txt', 'w').close()")
        self.file("input.csv", "1")
        done = self.write("--out", "o", code=code, question="Split input.csv")
        self.assertIn(", and 316 more\n", done.stderr)
        self.assertEqual(self.names("o"), [f"{n:03}.txt" for n in range(321)])

    def test_files_past_those_that_a_reply_lists_are_told(self):
        code = program("for i in range(10003):\n    open('f%05d' % i, 'w').close()")
        done = self.write("--disk-files", "20000", "--timeout", "50", "--out", "out", code=code)
        self.assertIn("(past 1000 files), and 8998 more; --workdir DIR", done.stderr)

    def test_what_an_interrupt_has_left_is_told(self):
        code = "for i in range(900):\n    open(f'f{i}', 'w').write('x' * 100000)"
        with Endpoint([("Question:", f"```python\n{code}\n```")]) as model:
            env = environment(**model.environment, XDG_STATE_HOME=self.folder)
            asked = subprocess.Popen([SNUG, "ask", *PLAIN, "--disk", "200MiB", "--out", "out", QUESTION], cwd=self.folder, env=env,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8")
            while not self.names("out") and asked.poll() is None:
                pass
            asked.send_signal(signal.SIGINT)
            told = asked.communicate(timeout=SECONDS)[1]
        self.assertEqual(asked.returncode, 128 + signal.SIGINT)
        left = 900 - len(self.names("out"))
        self.assertIn(f"not handed over: {left} files (a signal has come); --workdir DIR", told)

    def test_sizes_are_as_people_read_them(self):
        code = program("for name, size in dict(a=1, b=1023, c=2000, d=20000, e=3 << 20).items():\n"
                       "    open(name, 'w').write('x' * size)")
        done = self.write("--out", "o", code=code)
        self.assertIn("made o/a (1 byte), o/b (1023 bytes), o/c (2.0 KiB), o/d (20 KiB), o/e (3.0 MiB)\n", done.stderr)

    def test_options_that_went_say_what_bounds_it(self):
        self.refused("ask", "--out-size", "1", "x", says="option --out-size was removed; ")
        self.refused("ask", "response.out_files=1", "x", says="this key was removed; ")


class Hostile(Handing):
    def test_names_do_nothing_to_the_terminal_and_to_those_who_read_the_folder(self):
        names = ["-rf", "a\nb", "c\x1b[31md", "e\u202ef", "g\u2028h", "i\x85j", "ä.txt", "k l"]
        done = self.write("--out", "o", code=program(f"for name in {names!r}:\n    open(name, 'w').close()"))
        self.assertEqual(self.names("o"), sorted(["_rf", "a_b", "c_[31md", "e_f", "g_h", "i_j", "ä.txt", "k l"]))
        self.assertNotIn("\x1b", done.stderr.partition("made ")[2])

    @needs_bash
    def test_a_name_that_is_not_text_stays(self):
        done = self.write("--language", "bash", "--out", "o", code="```bash\n: > $'a\\xff'; : > b; echo ok\n```")
        self.assertEqual((done.stdout, self.names("o")), ("ok\n", ["b"]), done.stderr)
        self.assertIn("not handed over: a\ufffd (its name is not UTF-8); --workdir", done.stderr)

    def test_two_names_that_become_one_are_two_files(self):
        self.write("--out", "o", code=program("for name in 'a\\nb', 'a\\tb', 'a_b':\n    open(name, 'w').write(name)"))
        self.assertEqual(self.names("o"), ["a_b", "a_b-2", "a_b-3"])

    def test_hidden_names_stay(self):
        code = program("open('.envrc', 'w').close()\nopen('a', 'w').close()")
        done = self.write("--out", ".", code=code)
        self.assertEqual(self.names(), ["a"])
        self.assertIn("not handed over: .envrc (its name begins with a dot); --workdir DIR", done.stderr)

    def test_files_of_folders_keep_their_paths(self):
        code = program("import os\nos.makedirs('a/b')\nopen('a/b/c.txt', 'w').write('1')\nopen('a/d', 'w').close()")
        done = self.write("--profile", "data", "--out", "o", code=code)
        self.assertEqual(self.names("o"), ["a/b/c.txt", "a/d"], done.stderr)

    @needs_bash
    def test_nothing_handed_over_can_be_run(self):
        done = self.write("--language", "bash", "--out", "o", code="```bash\necho true > a.sh; chmod 777 a.sh\n```")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(os.stat(self.folder + "/o/a.sh").st_mode & 0o111, 0)

    @needs_bash
    def test_links_pipes_and_what_took_a_files_place_are_left(self):
        code = "```bash\nln -s /etc/passwd link; mkfifo pipe; mkdir folder; ln -s / folder/root; echo hi > a; echo hi > b\n```"
        done = self.write("--language", "bash", "--out", "o", code=code)
        self.assertEqual(self.names("o"), ["a", "b"], done.stderr)
        turns = [("Question:", "```bash\nmkdir f; echo hi > a; echo hi > b; echo hi > f/c\n```"),
                 ("", "```bash\nrm a; ln -s /etc/passwd a; rm b; mkfifo b; mv f g; ln -s /etc f; final_answer done\n```")]
        done = self.ask(turns, *PLAIN, "--language", "bash", "--mode", "act", "--out", "p", "x")
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done.stderr)
        self.assertEqual(self.names("p"), ["g/c"])
        self.assertRegex(done.stderr, r"not handed over: a \([^)]*symbolic link[^)]*\), b \([^)]*not a file\), "
                                      r"f/c \([^)]*symbolic link")

    @needs_bash
    def test_a_link_that_a_program_has_made_is_not_followed(self):
        os.mkdir(self.folder + "/outside")
        for code, out, where in (("rmdir out && ln -s ../outside out", "out", "a"),
                                 ("rmdir out/below; rmdir out; ln -s ../outside out", "out/below", "a"),
                                 ("rmdir out/below && ln -s ../../outside out/below", "out/below", "a"),
                                 ("ln -s ../../outside out/f; mkdir f; mv f g", "out", "f/a")):
            with self.subTest(code, out=out):
                shutil.rmtree(self.folder + "/work", ignore_errors=True)
                os.mkdir(self.folder + "/work")
                done = self.write("--language", "bash", "--workdir", self.folder + "/work", "--out",
                                  f"{self.folder}/work/{out}",
                                  code=f"```bash\n{code}; mkdir -p f; echo hi > {where}; echo ok\n```")
                self.assertEqual(done.stdout, "ok\n", done.stderr)
                self.assertEqual((done.returncode, self.names("outside")), (2, []), done.stderr)

    def test_a_link_of_the_users_below_the_folder_is_not_followed(self):
        os.makedirs(self.folder + "/o")
        os.makedirs(self.folder + "/elsewhere")
        os.symlink("../elsewhere", self.folder + "/o/a")
        os.symlink("/etc/passwd", self.folder + "/o/report.txt")
        code = program("import os\nos.mkdir('a')\nopen('a/b', 'w').close()\nopen('report.txt', 'w').close()")
        done = self.write("--profile", "data", "--out", "o", code=code)
        self.assertEqual(done.returncode, 2)
        self.assertIn("snug: o/a/b: Not a directory", done.stderr)
        self.assertEqual((self.names("elsewhere"), self.names("o")), ([], ["report-2.txt", "report.txt"]))

    def test_a_folder_that_is_a_link_of_the_users_is_his(self):
        os.mkdir(self.folder + "/real")
        os.symlink("real", self.folder + "/o")
        self.write("--out", "o")
        self.assertEqual(self.names("real"), ["report.txt"])


class Faults(Handing):
    def inside(self, mount, *options, code=WRITE):
        """Asks where a file system was mounted at full/."""
        os.mkdir(self.folder + "/full")
        inside = f"mount -t tmpfs -o {mount} none {self.folder}/full && "
        if not shutil.which("unshare") or subprocess.run(["unshare", "-m", "sh", "-c", inside + ":"],
                                                         capture_output=True).returncode:
            self.skipTest("no file system can be mounted here")
        self.endpoint.server.rules = Rules([("Question:", code)])
        env = environment(**self.endpoint.environment, XDG_STATE_HOME=self.folder)
        script = inside + '"$0" ask "$@"; status=$?; find full -mindepth 1 | sort >&2; exit $status'
        return subprocess.run(["unshare", "-m", "sh", "-c", script, SNUG, *PLAIN, *options, QUESTION], cwd=self.folder,
                              env=env, input="", capture_output=True, encoding="utf-8", timeout=SECONDS)

    def test_a_full_disk_is_one_sentence_and_leaves_nothing_half_written(self):
        code = program("import os\nos.makedirs('a/b')\nopen('a/b/large', 'w').write('x' * 100000)\n"
                       "open('small', 'w').write('y')\nprint('the answer')")
        done = self.inside("size=12k", "--profile", "data", "--out", "full/o", code=code)
        self.assertEqual((done.returncode, done.stdout), (2, "the answer\n"), done.stderr)
        self.assertTrue(done.stderr.endswith(
            "\nmade full/o/small (1 byte)\nsnug: full/o/a/b/large: No space left on device (errno 28)\n"
            "full/o\nfull/o/a\nfull/o/a/b\nfull/o/small\n"), done.stderr)

    def test_a_folder_that_nothing_came_into_goes_again(self):
        code = program("open('large', 'w').write('x' * 100000)\nprint('the answer')")
        done = self.inside("size=12k", "--quiet", "--out", "full/o", code=code)
        self.assertEqual((done.returncode, done.stdout), (2, "the answer\n"), done.stderr)
        self.assertEqual(done.stderr, "snug: full/o/large: No space left on device (errno 28)\n")

    def test_what_cannot_be_written_to_is_one_sentence(self):
        done = self.inside("ro", "--quiet", "--out", "full")
        self.assertEqual((done.returncode, done.stdout), (2, "6\n"), done.stderr)
        self.assertEqual(done.stderr, "snug: full/report.txt: Read-only file system (errno 30)\n")
        os.rmdir(self.folder + "/full")
        done = self.inside("ro", "--quiet", "--out", "full/o")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr, "snug: full/o: Read-only file system (errno 30)\n")

    def test_a_file_in_the_folders_place_is_one_sentence_before_anything_is_asked(self):
        self.file("o", "mine")
        for out in "o", "o/p":
            done = self.write("--out", out, "--quiet")
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (2, "", f"snug: {out}: Not a directory (errno 20)\n"))
        self.assertEqual(self.text("o"), "mine")

    def test_a_limit_of_the_shell_is_one_sentence(self):
        self.endpoint.server.rules = Rules([("Question:", FIGURE.replace("return ", "return bytes(3 << 20) + "))])
        env = environment(**self.endpoint.environment, XDG_STATE_HOME=self.folder)
        done = subprocess.run([SNUG, "ask", *PLAIN, "--isolation", "local", "--out", "o", "--quiet", "x"], cwd=self.folder, env=env,
                              input="", capture_output=True, encoding="utf-8", timeout=SECONDS,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 20, 2 << 20)))
        self.assertEqual((done.returncode, done.stderr), (2, "snug: o/figure-1.png: File too large (errno 27)\n"))
        self.assertIn("Figure", done.stdout)
        self.assertEqual(self.names(), [])

    def test_who_hears_no_answer_has_the_files(self):
        self.endpoint.server.rules = Rules([("Question:", WRITE)])
        env = environment(**self.endpoint.environment, XDG_STATE_HOME=self.folder)
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run([SNUG, "ask", *PLAIN, "--out", "o", "x"], cwd=self.folder, env=env, input=b"",
                              stdout=write, stderr=subprocess.PIPE, timeout=SECONDS)
        os.close(write)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(self.names("o"), ["report.txt"])

    def test_a_question_that_fails_hands_over_what_there_is(self):
        code = program("open('half.txt', 'w').write('1')\n1/0")
        done = self.write("--out", "o", "--max-attempts", "1", code=code)
        self.assertEqual(done.returncode, 1)
        self.assertIn("\nmade o/half.txt (1 byte)\n", done.stderr)


class Forms(Handing):
    def test_this_process_hands_over_the_same(self):
        code = program(f"open('report.txt', 'w').write('report')\nclass F:\n    def _repr_png_(self):\n"
                       f"        return {PNG!r}\nF()")
        done = self.write("--isolation", "local", "--out", "o", code=code)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.names("o"), ["figure-1.png", "report.txt"])
        self.assertEqual(self.bytes("o/figure-1.png"), PNG)

    @needs_bash
    def test_bash_hands_over_the_same(self):
        done = self.write("--language", "bash", "--out", "o", code="```bash\nseq 3 > numbers; echo 3\n```")
        self.assertEqual((done.returncode, done.stdout), (0, "3\n"), done.stderr)
        self.assertEqual(self.text("o/numbers"), "1\n2\n3\n")

    @needs_full
    @unittest.skipUnless(os.path.isdir("/usr/lib/python3/dist-packages/matplotlib"), "python3-matplotlib is not there")
    def test_a_plot_of_a_full_session_is_a_picture(self):
        code = program("import matplotlib.pyplot as plt\nplt.plot([1, 2, 6])\nplt.savefig('plot.png')\nplt.show()")
        done = self.write("--full", "--allow", "matplotlib", "--timeout", "10m", "--out", "o", code=code)
        if "matplotlib" in done.stderr and done.returncode:
            self.skipTest("matplotlib is not built for this Python")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.names("o"), ["figure-1.png", "plot.png"], done.stderr)
        for name in self.names("o"):
            self.assertTrue(self.bytes("o/" + name).startswith(b"\x89PNG\r\n\x1a\n"), name)


DRAW = program("""\
import struct, zlib

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

heights = {"January": 3, "February": 5, "March": 8}
rows = b"".join(b"\\0" + b"".join(b"\\0" if 8 - y <= high else b"\\xff" for high in heights.values()) for y in range(8))
with open("sales.png", "wb") as out:
    out.write(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 3, 8, 8, 0, 0, 0, 0)) +
              chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
print("March has the most, 8")""")
DRAWN = [("month", DRAW), ("March has the most", PASS % "March has the most, 8; the picture shows all.")]
ASKED = "Draw 3, 5 and 8 sold by month. Which month has the most?"


class FromNothing(Handing):
    """One command, and no word of configuration."""

    def check_picture(self, status, out, err):
        folder = "draw-3-5-and-8-sold-by-month-which-month"
        self.assertEqual((status, out), (0, "March has the most, 8; the picture shows all.\n"), err)
        self.assertEqual(self.names(), [folder + "/sales.png"])
        self.assertTrue(self.bytes(folder + "/sales.png").startswith(b"\x89PNG\r\n\x1a\n"))
        self.assertRegex(err, rf"\nmade {folder}/sales\.png \(\d+ bytes\)\n$")

    def test_a_key_and_one_command_are_enough_for_an_answer_with_a_picture(self):
        class Provider(Listing):
            models = ("text-embedding-3-small", "gpt-5-mini")

        self.endpoint.server.RequestHandlerClass = Provider
        self.endpoint.server.rules = Rules(DRAWN)
        done = subprocess.run([SNUG, "ask", ASKED], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                              encoding="utf-8", timeout=SECONDS,
                              env={"PATH": os.environ["PATH"], "HOME": self.folder, "OPENAI_API_KEY": "sk-0123456789",
                                   "OPENAI_BASE_URL": self.endpoint.url})
        self.assertIn("openai:gpt-5-mini is asked, which was found by OPENAI_API_KEY", done.stderr)
        self.check_picture(done.returncode, done.stdout, done.stderr)

    def test_a_local_server_and_one_command_are_enough_for_an_answer_with_a_picture(self):
        apart = ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-rn"]
        if not shutil.which("unshare") or subprocess.run([*apart, "true"], capture_output=True).returncode:
            self.skipTest("no network namespace can be made here")
        done = subprocess.run([*apart, sys.executable, os.path.join(os.path.dirname(__file__), "alone.py"), SNUG,
                               self.folder, ASKED], input=json.dumps(DRAWN), capture_output=True, encoding="utf-8",
                              timeout=2 * SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        status, out, err = json.loads(done.stdout)
        self.assertIn("ollama:qwen3:8b is asked", err)
        self.check_picture(status, out, err)


class Shown(Handing):
    """On a terminal."""

    def terminal(self, code, *options, **changes):
        self.endpoint.server.rules = Rules([("Question:", code)])
        return self.on_terminal(*PLAIN, *options, "x", **changes)

    def on_terminal(self, *words, **changes):
        """What stdout, a terminal, has; stderr is not one."""
        env = environment(**{"TERM": "xterm", "LANG": "C.UTF-8", "TERM_PROGRAM": "", "LC_TERMINAL": "",
                             "XDG_STATE_HOME": self.folder, **self.endpoint.environment, **changes})
        env.pop("TMUX", None)
        mine, theirs = pty.openpty()
        process = subprocess.Popen([SNUG, "ask", "--quiet", *words], cwd=self.folder, env=env, stdin=theirs,
                                   stdout=theirs, stderr=subprocess.PIPE, start_new_session=True,
                                   preexec_fn=lambda: fcntl.ioctl(1, termios.TIOCSCTTY, 0))
        os.close(theirs)
        reader = Reader(mine)
        try:
            reader.rest()
            self.errors = process.stderr.read().decode()
            self.assertEqual(process.wait(SECONDS), 0, self.errors)
        finally:
            process.kill()
            process.stderr.close()
            os.close(mine)
        return reader.text

    def test_a_figure_is_shown_behind_the_answer(self):
        shown = self.terminal(FIGURE, TERM="xterm-kitty")
        self.assertRegex(shown, rb"^<[^\n]*Figure [^\n]*>\r\n\x1b_Ga=T,f=100,q=2,m=0;[^\x1b]*\x1b\\\r\n$")
        self.assertIn(base64.b64encode(PNG), shown)
        self.assertEqual(self.names(), ["x/figure-1.png"])

    def test_a_picture_that_a_program_saved_is_shown(self):
        shown = self.terminal(program(f"open('plot.png', 'wb').write({PNG!r})"), TERM_PROGRAM="iTerm.app")
        self.assertIn(b"\x1b]1337;File=inline=1", shown)
        self.assertIn(base64.b64encode(PNG), shown)

    def test_without_a_picture_the_terminal_has_the_answer_alone(self):
        self.assertEqual(self.terminal(program("6 * 7")), b"42\r\n")

    def test_none_shows_none_and_a_pipe_has_none(self):
        self.assertNotIn(b"\x1b", self.terminal(FIGURE, "--pictures", "none", TERM="xterm-kitty"))
        done = self.write(code=FIGURE)
        self.assertNotIn("\x1b", done.stdout)

    def test_a_table_is_its_text(self):
        self.assertEqual(self.terminal(TABLE).decode(), "a frame\r\n")


if __name__ == "__main__":
    unittests.main(in_parts=True)
