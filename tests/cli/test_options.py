import os
import shutil
import subprocess
import unittest

from driver import SECONDS, SNUG, WORKER, Case, environment, snug


class Options(Case):
    def test_an_unknown_option_gets_the_nearest_one(self):
        self.refused("run", "--tiemout", "3", says="did you mean --timeout?")
        self.refused("run", "--keepgoing", says="did you mean --keep-going?")
        self.refused("cells", "--xyzzyxyzzy", says='unknown option "--xyzzyxyzzy"')
        self.refused("--tiemout=3", says="did you mean --timeout?")

    def test_an_option_of_another_command_is_said_to_be(self):
        self.refused("cells", "--keep-going", says="--keep-going is not an option of cells")
        self.refused("check", "--memory", "3", says="--memory is not an option of check")

    def test_an_option_takes_its_value_behind_a_space_or_an_equals_sign(self):
        for args in (["--timeout", "20"], ["--timeout=20"]):
            self.assertEqual(snug("run", *args, "-c", "1").returncode, 0)

    def test_a_missing_or_needless_value_is_said(self):
        self.refused("run", "--timeout", says="--timeout needs a value")
        self.refused("run", "-c", says="-c needs a value")
        self.refused("run", "--json=1", says="--json takes no value")
        self.refused("run", "--workdir", "", says="--workdir")

    def test_times(self):
        for text in ("2", "0.5", "30s", "200ms", "2m", "1h", "2 S", "none"):
            with self.subTest(text):
                self.assertEqual(snug("run", "--timeout", text, "-c", "pass").returncode, 0)
        for text in ("", "x", "0", "-1", "1x", "1.2.3", "inf", "nan", "0x10", "1e3", ".", "2 weeks"):
            with self.subTest(text):
                self.refused("run", "--timeout", text, "-c", "pass",
                             says='--timeout "%s": expected a time such as' % text)

    def test_a_time_is_in_seconds_and_can_have_units(self):
        for text in ("0.3", "0.3s", "300ms", "0.005m"):
            with self.subTest(text):
                done = snug("run", "--timeout", text, "-c", "while True: pass")
                self.assertEqual(done.returncode, 124)

    def test_sizes(self):
        for text in ("256M", "64KiB", "1GB", "100000", "1.5m", "64 k", "none"):
            with self.subTest(text):
                self.assertEqual(snug("run", "--output", text, "-c", "pass").returncode, 0)
        for text in ("", "big", "-5", "5X", "1e9", "64 KiBs"):
            with self.subTest(text):
                self.refused("run", "--output", text, "-c", "pass",
                             says='--output "%s": expected a size such as' % text)

    def test_a_memory_too_small_for_a_session_is_refused(self):
        for command, text in (("run", "1"), ("run", "16383K"), ("cells", "1M")):
            self.refused(command, "--memory", text, says='--memory "%s": expected 16 MiB or more' % text)
        for text in ("16M", "none"):
            self.assertEqual(snug("run", "--memory", text, "-c", "import json; x = [1] * 1000").returncode, 0)

    def test_the_default_that_help_shows_can_be_given(self):
        for key in ("execution.threads=0", "limits.max_cost=none"):
            with self.subTest(key):
                done = snug("config", "show", key, env=dict(os.environ, SNUG_CONFIG="none"))
                self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = snug("run", "--threads", "0", "-c", "6 * 7")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.refused("run", "--threads", "x", says='--threads "x": expected a whole number, or none')

    def test_zero_is_nothing_where_that_makes_sense(self):
        done = snug("run", "--output", "0", "--json", "-c", "print('gone')")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("gone\\n", done.stdout)
        done = snug("run", "--disk", "0", "-c", "with open('f', 'w') as f: f.write('x')")
        self.assertIn("OSError", done.stdout + done.stderr)
        done = snug("config", "show", "execution.disk_limit=0", env=dict(os.environ, SNUG_CONFIG="none"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for option in "--timeout", "--cpu", "--memory", "--source":
            self.refused("run", option, "0", "-c", "1", says=f'{option} "0": expected')

    def test_words_are_checked(self):
        self.refused("run", "--color", "blue", says='--color "blue": expected auto|always|never')
        self.refused("run", "--isolation", "moon", says='--isolation "moon": expected')

    def test_sessions_live_where_the_options_say(self):
        for args in (["--isolation", "worker"], ["--worker-command", WORKER]):
            with self.subTest(args[0]):
                done = snug("run", *args, "-c", "6 * 7")
                self.assertIn("Out[1]: 42\n", done.stdout)
        self.refused("run", "--worker-command", "echo gone >&2; exit 3", "-c", "1",
                     says="did not start: its worker ended with status 3: gone")

    def test_what_a_model_sends_is_in_a_worker_by_default(self):
        import json
        for words, form in (([], "worker"), (["--isolation", "local"], "local"), (["execution.environment=local"], "local")):
            done = snug("config", "show", "--json", *words, env=dict(os.environ, SNUG_CONFIG="none"))
            self.assertEqual({k["key"]: k["value"] for k in json.loads(done.stdout)["keys"]}["execution.environment"], form)

    def test_a_worker_that_is_not_there_is_named(self):
        alone = os.path.join(self.folder, "snug")
        shutil.copy(SNUG, alone)
        for words in (["ask", "--model", "openai:m", "What?"], ["kernel", "install", "--prefix", self.folder], ["run", "--full", "-c", "1"]):
            done = subprocess.run([alone, *words], capture_output=True, text=True, timeout=SECONDS, stdin=subprocess.DEVNULL,
                                  env=environment(OPENAI_API_KEY="sk-none", HOME=self.folder))
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(f"the program snug-worker was not found at {self.folder}/snug-worker, ", done.stderr)
            self.assertIn("build or install it there", done.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "share")))

    def test_full_sessions_have_files_and_their_formats(self):
        usual = "import os, pathlib, pickle, sqlite3, logging, glob, shutil, gc, platform"
        for words, status in (([], 0), (["--profile", "core"], 1)):
            done = snug("run", "--full", *words, "-c", usual)
            self.assertEqual(done.returncode, status, done.stdout)

    def test_short_and_old_spellings_are_what_they_stand_for(self):
        import json
        def shown(*args):
            done = snug("config", "show", "--json", *args, env=dict(os.environ, SNUG_CONFIG="none"))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return {key["key"]: (key["value"], key["source"]) for key in json.loads(done.stdout)["keys"]}
        self.assertEqual(shown("--full")["execution.environment"], ("full", "option"))
        self.assertEqual(shown("--full", "--isolation", "worker")["execution.environment"], ("worker", "option"))
        self.assertEqual(shown("execution.environment=bash", "--full")["execution.environment"], ("full", "option"))
        self.assertEqual(shown("-v")["improvement.debug"], ("true", "option"))
        self.assertEqual(shown()["improvement.debug"], ("false", "default"))
        self.refused("run", "--full=yes", "-c", "1", says='--full takes no value, but "yes" was given')

    def test_old_spellings_are_removed(self):
        said = snug("help", "ask", "--all").stdout
        self.assertIn("--ask-model ", said)
        for option in ("--debug-info", "--no-history", "--no-metrics", "--no-improvement"):
            with self.subTest(option):
                self.assertNotIn(option + " ", said)
                self.refused("ask", option, "hello", says=f"ask: option {option} was removed; ")

    def test_a_removed_option_names_its_replacement(self):
        self.refused("ask", "--debug", "hello", says="ask: option --debug was removed; -v shows")

    def test_profile_and_allowlist_exclude_each_other(self):
        self.refused("run", "--profile", "core", "--allowlist", "x", "-c", "1",
                     says="exclude each other")

    def test_an_unknown_profile_or_file_is_refused(self):
        done = snug("run", "--profile", "nope", "-c", "1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nope", done.stderr)

    def test_a_command_without_arguments_refuses_one(self):
        self.refused("cells", "x", says='cells takes no argument, but "x" was given')
        self.refused("doctor", "x", says='doctor takes no argument, but "x" was given')

    def test_a_long_message_is_cut_at_a_character(self):
        """Anything else would not be decoded."""
        self.refused("run", "--timeout", "\u20ac" * 1000, says='--timeout "\u20ac')

    def test_a_path_that_is_too_long_leaves_room_for_the_reason(self):
        env = environment(OPENAI_API_KEY="none-0123456789", HOME=self.folder, XDG_STATE_HOME=self.folder)
        for part in "d/", "a folder/":
            path = "./" + part * (6000 // len(part)) + "end"
            for option in "--context", "--code", "--config", "--workdir", "--session", "--key-file":
                with self.subTest(option=option, part=part):
                    done = snug("ask", "--model", "openai:m", option, path, "hi", env=env, cwd=self.folder)
                    self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                    self.assertRegex(done.stderr, r"\.\.\..*(File name too long|unable to open|cannot be)")
                    self.assertEqual(done.stderr.count("\n"), 1)

    def test_the_end_of_a_line_in_a_path_does_not_end_the_sentence(self):
        self.refused("ask", "--model", "openai:m", "--context", "one\ntwo\r\n", "hi", says="one\\ntwo\\r\\n: No such")

    def test_a_question_from_a_stdin_that_is_closed_is_refused(self):
        for question in [], ["-"]:
            with self.subTest(question):
                done = subprocess.run(["sh", "-c", 'exec "$0" "$@" <&-', SNUG, "ask", "--model", "openai:m",
                                       *question], capture_output=True, encoding="utf-8", timeout=SECONDS,
                                      env=environment(OPENAI_API_KEY="none-0123456789"))
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn("stdin is closed", done.stderr)

    def test_an_option_that_needs_another_names_it(self):
        self.refused("ask", "--model", "openai:m", "--embedding-model", "openai:e", "hi",
                     says="--embedding-model needs --library")

    def test_two_dashes_end_the_options(self):
        self.refused("run", "--", "--timeout", says="--timeout: No such file")

    def test_a_cell_may_begin_with_a_dash(self):
        self.assertIn("Out[1]: -5", snug("run", "-c", "-5").stdout)


if __name__ == "__main__":
    unittest.main()
