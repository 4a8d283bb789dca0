"""--clock, --seed and --zone: what cells compute is the same in every run."""
import json
import unittest

from driver import Case, snug

ALL = ("--profile", "data", "--clock", "2026-03-01T09:30:00Z", "--seed", "7", "--zone", "Europe/Madrid")
FORMS = ("local", "worker", "full")

READS = """
import asyncio, datetime, os, random, secrets, tempfile, time, uuid
print(time.time(), time.time_ns(), time.monotonic(), time.perf_counter(), time.process_time(), time.clock_gettime(0))
print(time.localtime(), time.gmtime(), time.ctime(), time.asctime(), time.strftime("%c %Z"))
print(datetime.datetime.now(), datetime.datetime.now(tz=datetime.timezone.utc), datetime.date.today())
print(datetime.datetime.today(), datetime.datetime.now().astimezone())
print(random.random(), random.Random().random(), random.SystemRandom().random(), random.shuffle(list(range(9))))
print(os.urandom(8), secrets.token_hex(8), uuid.uuid1(), uuid.uuid4(), uuid.getnode())
print(next(tempfile._get_candidate_names()), {str(n) for n in range(20)})
"""


class Repeatable(Case):
    def results(self, source, *options, form="local"):
        done = snug("run", "--json", "--isolation", form, *options, self.file("cells.py", source))
        self.assertEqual(done.stderr, "")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def output(self, source, *options, form="local"):
        result = self.results(source, *options, form=form)[0]
        self.assertEqual(result["status"], "ok", result["error"])
        return result["stdout"]

    def test_clock_numbers_and_order_are_those_of_the_run_before(self):
        for form in FORMS:
            with self.subTest(form=form):
                self.assertEqual(self.output(READS, *ALL, form=form), self.output(READS, *ALL, form=form))

    def test_generators_of_the_class_behind_random_are_seeded_too(self):
        source = "import random\nBare = random.Random.__mro__[1]\nclass Own(Bare): pass\n" \
                 "class Silent(random.Random):\n    def __init__(self): pass\n" \
                 "print(*(g.random() for g in (Bare(), Bare(None), Own(), Silent(), Bare.__new__(Bare), random.Random())))\n" \
                 "print(Bare(5).random() == random.Random(5).random() == Own(5).random(), Bare().random() != Bare().random())\n" \
                 "g = Bare(5)\ng.__init__()\nprint(g.random())\ng.seed()\nprint(g.random())"
        for form in FORMS:
            with self.subTest(form=form):
                first = self.output(source, "--seed", "7", form=form)
                self.assertEqual(self.output(source, "--seed", "7", form=form), first)
                self.assertEqual(first.splitlines()[1], "True True")
                self.assertNotEqual(self.output(source, "--seed", "8", form=form), first)

    def test_another_seed_gives_other_numbers(self):
        draw = "import os, random, uuid\nprint(random.random(), os.urandom(4), uuid.uuid4())"
        self.assertNotEqual(self.output(draw, "--profile", "data", "--seed", "1"), self.output(draw, "--profile", "data", "--seed", "2"))

    def test_without_the_options_nothing_is_fixed(self):
        draw = "import time, random\nprint(time.time() > 1.79e9, random.random())"
        first, second = self.results(draw)[0], self.results(draw)[0]
        self.assertNotEqual(first["stdout"], second["stdout"])
        self.assertTrue(first["stdout"].startswith("True "), first["stdout"])
        self.assertNotIn("fixed", first)

    def test_the_result_says_what_is_fixed(self):
        for form in FORMS:
            with self.subTest(form=form):
                self.assertEqual(self.results("1", *ALL, form=form)[0]["fixed"],
                                 {"clock": "2026-03-01T09:30:00Z", "seed": 7, "hash_seed": 8, "zone": "Europe/Madrid"})
        self.assertEqual(self.results("1", "--clock", "fixed")[0]["fixed"], {"clock": "2026-01-01T00:00:00Z"})
        self.assertEqual(self.results("1", "--clock", "2026-03-01")[0]["fixed"],
                         {"clock": "2026-03-01T00:00:00Z"})

    def test_the_clock_goes_on_by_its_readings_and_by_what_is_slept(self):
        source = "import time\nfirst = time.monotonic()\ntime.sleep(0.25)\nprint(round(time.monotonic() - first, 7))\n" \
                 "end = time.time() + 0.01\ncount = 0\nwhile time.time() < end: count += 1\nprint(count)"
        for form in FORMS:
            with self.subTest(form=form):
                self.assertEqual(self.output(source, "--clock", "fixed", form=form), "0.250001\n9999\n")

    def test_what_waits_until_a_time_ends(self):
        source = "import asyncio, queue, threading, time\nawait asyncio.sleep(0.05)\n" \
                 "try: await asyncio.wait_for(asyncio.Event().wait(), 0.05)\nexcept asyncio.TimeoutError: print('late')\n" \
                 "try: queue.Queue().get(timeout=0.05)\nexcept queue.Empty: print('empty')\n" \
                 "print(threading.Event().wait(0.05), threading.Condition().acquire(timeout=1))"
        self.assertEqual(self.output(source, "--threads", "2", "--clock", "fixed", "--timeout", "20"), "late\nempty\nFalse True\n")

    def test_the_zone_is_that_of_times_of_day(self):
        source = "import datetime, time\nprint(datetime.datetime.fromtimestamp(0), time.tzname, time.localtime(1.78e9).tm_hour)"
        for form in FORMS:
            with self.subTest(form=form):
                self.assertEqual(self.output(source, "--zone", "Asia/Tokyo", form=form), "1970-01-01 09:00:00 ('JST', 'JST') 5\n")

    def test_what_is_shown_has_no_addresses(self):
        source = "import sys\nclass A: pass\na = A()\nprint(a, [a])\nprint([a], file=sys.stderr)\n[a]\n" \
                 "# %%\nstr(a)\n# %%\nraise ValueError(a)\n# %%\ndisplay(a)\nprint('at 0x12345 at 0xabcdef01234567890 at 0XABCDEF')"
        shown = "<__main__.A object at 0x...>"
        for form in FORMS:
            with self.subTest(form=form):
                first, second, third, fourth = self.results(source, "--keep-going", "--seed", "0", form=form)
                self.assertEqual((first["stdout"], first["stderr"]), (f"{shown} [{shown}]\n", f"[{shown}]\n"))
                self.assertEqual(first["value"]["text"], "[<__main__.A at 0x...>]")
                self.assertEqual((second["value"]["text"], second["value"]["json"]), (f"'{shown}'", shown))
                self.assertIn(f"ValueError: {shown}\n", third["error"]["traceback"])
                self.assertEqual(fourth["results"][0]["data"]["text/plain"], "<__main__.A at 0x...>")
                self.assertEqual(fourth["stdout"], "at 0x12345 at 0xabcdef01234567890 at 0XABCDEF\n")
        self.assertRegex(self.results(source)[0]["stdout"], r" at 0x[0-9a-f]{6,}")

    def test_a_reset_begins_again(self):
        code = "import random, time\nprint(time.time_ns(), random.random())"
        lines = [{"session": "a", "code": code}, {"session": "a", "code": code}, {"session": "a", "op": "reset"},
                 {"session": "a", "code": code}, {"session": "b", "code": code}]
        for form in ("local", "worker"):
            with self.subTest(form=form):
                done = snug("cells", "--isolation", form, "--clock", "fixed", "--seed", "1",
                            stdin="".join(json.dumps(line) + "\n" for line in lines))
                answers = [json.loads(line) for line in done.stdout.splitlines()]
                texts = {"a": [], "b": []}
                for answer in answers:
                    if "stdout" in answer:
                        texts[answer["session"]].append(answer["stdout"])
                first, second, third = texts["a"]
                self.assertEqual((first, texts["b"]), (third, [first]))
                self.assertNotEqual(first, second)

    def test_numbers_go_on_where_a_session_was_saved(self):
        path = self.folder + "/kept"
        draw = "import random\nprint(random.random())"
        whole = [r["stdout"] for r in self.results(draw + "\n# %%\n" + draw, "--seed", "5")]
        first = self.output(draw, "--seed", "5", "--save", path)
        self.assertEqual([first, self.output(draw, "--seed", "5", "--restore", path)], whole)

    def test_limits_keep_the_real_clock(self):
        result = self.results("import time\nwhile time.time() < 1e12: pass", "--clock", "fixed", "--timeout", "0.3")[0]
        self.assertEqual(result["status"], "timeout")

    def test_numpy_of_a_full_session_is_seeded(self):
        source = "import numpy\nprint(numpy.random.rand(3), numpy.random.default_rng().random(3))"
        options = ("--allow", "numpy", "--seed", "3")
        result = self.results(source, *options, form="full")[0]
        if result["status"] != "ok" and "numpy" in result["error"]["value"]:
            self.skipTest("numpy is not installed")
        self.assertEqual(result["stdout"], self.output(source, *options, form="full"))

    def test_what_cannot_be_is_refused_in_a_sentence(self):
        for options, says in (
                (("--clock", "tomorrow"), "neither fixed nor a time"), (("--clock", "2026-02-30"), "neither fixed nor a time"),
                (("--clock", "1969-12-31"), "neither fixed nor a time"), (("--clock", "2262-01-01"), "past the year 2261"),
                (("--clock", "2026-03-01T10:00:00+01:00"), "neither fixed nor a time"),
                (("--seed", "x"), "expected a number"), (("--seed", "-1"), "expected a number"), (("--seed", "1" * 20), "expected a number"),
                (("--zone", "../etc/passwd"), "not the name of a zone"),
                (("--zone", "Europe/Nowhere"), "there is no file"), (("--zone", "Europe"), "there is no file"),
                (("--isolation", "bash", "--seed", "1"), "programs of a bash session have the machine's"),
                (("--isolation", "bash", "--clock", "fixed"), "programs of a bash session have the machine's")):
            with self.subTest(options=options):
                self.refused("run", *options, "-c", "1", says=says)

    def test_a_bash_session_has_the_zone(self):
        done = snug("run", "--isolation", "bash", "--zone", "Asia/Tokyo", "--json", "-c", "date +%Z")
        if done.returncode and "bwrap" in done.stderr:
            self.skipTest(done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual((result["stdout"], result["fixed"]), ("JST\n", {"zone": "Asia/Tokyo"}))


if __name__ == "__main__":
    unittest.main()
