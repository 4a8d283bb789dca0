"""Cells in bash, and questions whose programs are in bash.

Without bubblewrap, or where the machine refuses it, this is skipped with its sentence (status 77).
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path[:0] = [os.path.join(os.path.dirname(__file__), "..", part) for part in ("cli", "cells", "")]
from asking import PASS, Asking  # noqa: E402
from client import Snug  # noqa: E402
from driver import SNUG, Case, environment, snug  # noqa: E402
import pace  # noqa: E402

BASH = ("--isolation", "bash")


class Cells(Case):
    def cells(self, *cells, options=()):
        """The answers of one session; a cell is its source, or a whole line."""
        lines = [{"session": "a", "code": cell} if isinstance(cell, str) else {"session": "a", **cell}
                 for cell in cells]
        done = snug("cells", *BASH, *options, stdin="".join(json.dumps(line) + "\n" for line in lines))
        self.assertEqual(done.stderr, "")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def last(self, *cells, **kw):
        return self.cells(*cells, **kw)[-1]

    def prints(self, text, *cells, **kw):
        answer = self.last(*cells, **kw)
        self.assertEqual((answer["stdout"], answer["status"], answer["state"]), (text, "ok", "kept"),
                         answer)

    # ---- what stays

    def test_names_folder_environment_and_options_stay(self):
        self.prints("5 f5 /tmp y 1\n", "x=5; f() { echo f$x; }; cd /tmp; export Y=y; shopt -s extglob",
                    "echo $x $(f) $PWD $(printenv Y) $([[ ab == +(a|b) ]] && echo 1)")

    def test_background_jobs_live_on_and_hold_up_no_cell(self):
        first, second = self.cells("sleep 300 & echo $!", "kill -0 $! && kill %1; wait; echo gone")
        self.assertEqual(first["status"], "ok")
        self.assertIn("gone", second["stdout"])

    def test_an_open_descriptor_stays(self):
        self.prints("a\nb\n", "exec 7>f; echo a >&7", "echo b >&7; cat f")

    def test_a_reset_forgets_all(self):
        self.prints("none\n", "x=1", {"code": "echo ${x-none}", "reset": True})

    def test_a_variable_can_be_listed(self):
        answer = self.last("x=1", {"op": "vars"})
        self.assertIn(("x", "string"), [(v["name"], v["type"]) for v in answer["variables"]])

    def test_lists_of_names_are_bounded(self):
        _, listed = self.cells("for i in {1..100}; do declare v$i=$(printf 'v%.0s' {1..900}); done",
                                   {"op": "vars"}, options=("--lists", "2KB"))
        self.assertLess(len(json.dumps(listed["variables"])), 2048)
        self.assertEqual(len(listed["variables"]) + listed["left_out"], 101)
        self.assertTrue(all(len(v["summary"]) <= 200 for v in listed["variables"]))

    # ---- how cells end

    def test_an_exit_status_is_an_error_and_keeps_the_state(self):
        failed, after = self.cells("x=1; ls /nowhere; (exit 3)", "echo $x")
        error = failed["error"]
        self.assertEqual((failed["status"], failed["state"], error["name"], error["value"],
                          error["category"]), ("error", "kept", "ExitStatus", "exit status 3", "runtime"))
        self.assertIn("cannot access '/nowhere'", error["traceback"])
        self.assertEqual(after["stdout"], "1\n")

    def test_a_cell_that_can_not_be_read_runs_nothing(self):
        answer, after = self.cells("echo yes\nif true; do\n", "echo 1")
        self.assertEqual((answer["status"], answer["error"]["category"], answer["stdout"]),
                         ("error", "syntax", ""))
        self.assertEqual(answer["error"]["frames"][0]["line"], 2)
        self.assertEqual(after["status"], "ok")

    def test_a_command_that_is_not_there_is_named_with_its_line(self):
        answer = self.last("true\nnosuchcommand\n")
        self.assertIn("line 2: nosuchcommand: command not found", answer["stderr"])

    def test_exit_ends_the_cell_and_runs_its_trap(self):
        left, after = self.cells("x=1; trap 'echo bye' EXIT; f() { exit 4; }; f; echo not", "echo $x")
        self.assertEqual((left["stdout"], left["error"]["value"], left["state"]),
                         ("bye\n", "exit status 4", "kept"))
        self.assertEqual(after["stdout"], "1\n")

    def test_set_e_ends_the_cell_and_the_next_shell_is_as_it_was(self):
        failed, after = self.cells("set -euo pipefail; x=1; f() { echo f; }; cd /tmp; false; echo not",
                                   "echo $x $(f) $PWD; [[ $- == *e* ]] && echo e")
        self.assertEqual((failed["stdout"], failed["error"]["value"], failed["state"]),
                         ("", "exit status 1", "kept"))
        self.assertEqual(after["stdout"], "1 f /tmp\ne\n")

    def test_a_variable_that_is_not_there_ends_the_cell_under_set_u(self):
        self.prints("2\n", "set -u; y=2; echo $nothing; y=3", "echo $y")

    def test_a_shell_that_is_replaced_or_killed_is_lost(self):
        for code in ("exec true", "kill -9 $$"):
            lost, after, fresh = self.cells(code, "echo 1", {"code": "echo new", "reset": True})
            self.assertEqual(lost["state"], "lost", code)
            self.assertEqual(after["error"]["name"], "SNUG_EDEAD", code)
            self.assertEqual(fresh["stdout"], "new\n", code)

    def test_the_worker_can_not_be_ended(self):
        self.prints("7\n", "x=7; for s in 9 15 6 11 19; do kill -$s $PPID 1; done 2>/dev/null; true", "echo $x")

    # ---- stops

    def test_a_time_out_keeps_the_shell(self):
        for code in ("sleep 60", "while :; do :; done", "sleep 60 & sleep 60; wait"):
            stopped, after = self.cells({"code": "x=7; " + code, "timeout": 0.4}, "echo $x; jobs -p")
            self.assertEqual((stopped["status"], stopped["state"]), ("timeout", "kept"), code)
            self.assertFalse(pace.is_late(stopped["usage"]["wall_ms"] / 1000, 2.4), code)
            self.assertEqual(after["stdout"], "7\n", code)

    def test_a_time_out_of_a_shell_that_minds_no_interrupt_loses_it(self):
        stopped = self.last({"code": "trap '' INT; while :; do :; done", "timeout": 0.3})
        self.assertEqual((stopped["status"], stopped["state"]), ("timeout", "lost"))

    def test_processor_time_is_that_of_all_processes(self):
        stopped = self.last("(while :; do :; done) & (while :; do :; done) & wait",
                            options=("--cpu", "0.3"))
        self.assertEqual((stopped["status"], stopped["state"]), ("timeout", "kept"))
        self.assertIn("processor time", stopped["error"]["value"])

    def test_an_interrupt_ends_the_cell_only(self):
        process = Snug(BASH)
        process.send({"session": "a", "code": "x=1; touch began; sleep 60"})
        process.send({"session": "a", "op": "interrupt"})
        answers = [process.receive(), process.receive()]
        process.send({"session": "a", "code": "echo ${x-}"})
        answers.append(process.receive())
        stopped = [a for a in answers if a.get("status") == "interrupted"]
        self.assertLessEqual(len(stopped), 1)
        self.assertEqual(answers[-1]["status"], "ok", answers)
        process.finish()

    def test_too_many_processes_end_the_cell(self):
        stopped, after = self.cells("for i in {1..200}; do sleep 60 & done; wait", "echo alive")
        self.assertEqual((stopped["status"], stopped["state"]), ("error", "kept"))
        self.assertEqual(after["stdout"], "alive\n")

    def test_too_much_memory_ends_the_program_or_the_cell(self):
        alone, together, after = self.cells(
            "head -c 300M /dev/zero | tail -c 250M >/dev/null; echo ${PIPESTATUS[1]}",
            "for i in 1 2 3; do { x=$(head -c 60M /dev/zero | tr '\\0' x); sleep 20; } & done; wait",
            "echo alive", options=("--memory", "100M"))
        self.assertNotEqual(alone["stdout"], "0\n")
        self.assertEqual((together["status"], together["state"]), ("memory", "kept"))
        self.assertEqual(after["stdout"], "alive\n")

    def test_a_full_disk_ends_the_cell(self):
        one, many, after = self.cells(
            "head -c 20M /dev/zero >big; rm big",
            "rm -f big; n=0; while :; do n=$((n+1)); head -c 1M /dev/zero >f$n; done", "rm f*; echo alive",
            options=("--disk", "10M"))
        self.assertEqual((many["status"], many["error"]["name"], many["state"]),
                         ("error", "DiskLimit", "kept"))
        self.assertEqual(after["stdout"], "alive\n")

    # ---- output

    def test_much_output_keeps_head_and_tail_and_the_file_has_all(self):
        answer, size = self.cells("seq 1 20000", "wc -l <out-1.txt", options=("--output", "1000"))
        self.assertTrue(answer["stdout"].startswith("1\n2\n") and answer["stdout"].endswith("20000\n"))
        self.assertEqual(answer["truncated"]["stdout"]["spill"], "out-1.txt")
        self.assertEqual(size["stdout"], "20000\n")

    def test_bytes_that_are_no_text_are_marked(self):
        self.prints("a\ufffd\0\ufffdü\n", r"printf 'a\377\0\342\202ü\n'".replace("\\342\\202", "\\342"))

    def test_here_documents_and_unicode_pass(self):
        self.prints("日本 it's\n", "w=日本\ncat <<E\n$w it's\nE")

    def test_files_that_a_cell_makes_are_its_artifacts(self):
        answer = self.last("old=1; echo x >a.txt; mkdir d; echo y >d/b.txt")
        self.assertEqual([f["path"] for f in answer["artifacts"]], ["a.txt", "d/b.txt"])

    def test_read_finds_the_end_where_nobody_answers(self):
        self.prints("[] 1\n", "read x; echo \"[$x] $?\"")

    # ---- what holds it

    def test_nothing_outside_the_work_directory_can_be_written(self):
        self.prints("no no no no no \n", "for f in /x /usr/x /etc/x /dev/x /proc/sys/kernel/hostname; do "
                    "(echo x >$f) 2>/dev/null && echo -n 'yes ' || echo -n 'no '; done; echo")

    def test_the_hosts_files_processes_and_names_are_not_seen(self):
        with tempfile.NamedTemporaryFile(prefix="snug-secret-") as secret:
            os.environ["SNUG_TEST_SECRET"] = "sesame"
            self.addCleanup(os.environ.pop, "SNUG_TEST_SECRET", None)
            self.prints("0 0 no no\n",
                        "a=$(cat /proc/[0-9]*/environ 2>/dev/null | grep -c sesame)\n"
                        "b=$(env | grep -c sesame)\n"
                        f"[ -e {secret.name} ] && c=yes || c=no\n"
                        f"[ -d /proc/{os.getpid()}/fd ] && [ {os.getpid()} -gt 200 ] && d=yes || d=no\n"
                        "echo $a $b $c $d")

    def test_there_is_no_network(self):
        self.prints("refused\n", "(echo >/dev/tcp/127.0.0.1/22) 2>/dev/null || echo refused")

    def test_a_sandbox_within_is_refused(self):
        self.prints("refused\n", "unshare -U true 2>/dev/null || echo refused")

    def test_mounts_are_as_they_were_given(self):
        path = self.file("data.txt", "given\n")
        answer = self.last("cat in/data.txt; echo x >in/new", options=("--mount", f"{self.folder}:in:ro"))
        self.assertEqual((answer["stdout"], answer["status"]), ("given\n", "error"))
        self.assertEqual(os.listdir(self.folder), [os.path.basename(path)])

    def test_what_bash_has_not_is_refused_in_a_sentence(self):
        answer = self.last("x=1", {"op": "save", "path": os.path.join(self.folder, "s")})
        self.assertEqual(answer["error"]["name"], "SNUG_EINVAL")
        self.assertIn("a bash session has no saved state", answer["error"]["value"])


class Program(Case):
    def test_a_file_runs(self):
        path = self.file("a.sh", "echo hello\nexit 3\n")
        done = snug("run", *BASH, path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("hello", done.stdout)

    def test_a_worker_elsewhere_is_refused(self):
        done = snug("run", *BASH, "--worker-command", "false", "-c", "true")
        self.assertEqual(done.returncode, 2, done.stdout)

    def test_a_worker_for_bash_serves_in_a_sandbox_only(self):
        worker = os.path.join(os.path.dirname(SNUG), "snug-worker")
        done = subprocess.run([worker, "--bash"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("process namespace", done.stderr)


class Questions(Asking):
    def test_a_question_is_answered_by_a_program_in_bash(self):
        reply = self.reply([("Judge whether", PASS % "There are 2 lines."),
                            ("counts lines", "Here:\n```bash\nprintf 'a\\nb\\n' | wc -l\nfalse\n```"),
                            ("exit status 1", "```sh\nprintf 'a\\nb\\n' | wc -l\n```")],
                           "--language", "bash", "Write a bash script that counts lines")
        self.assertEqual([a["result"]["stdout"] for a in reply["attempts"]], ["2\n", "2\n"], reply)
        self.assertEqual(reply["answer"], "There are 2 lines.")

    def test_a_program_that_is_half_there_is_found_by_the_scan(self):
        reply = self.reply([("Judge whether", PASS % "1"), ("count", "```bash\nif true; then\necho 1\n```"),
                            ("ends within", "```bash\necho 1\n```")],
                           "--language", "bash", "count")
        self.assertEqual([a["scan"]["ok"] for a in reply["attempts"]], [False, True])

    def test_a_question_that_asks_for_bash_gets_it(self):
        program = ("counts lines", "```bash\necho $((6 * 7))\n```")
        reply = self.reply([program, program],  # it is asked again by the prompt for bash
                           "--no-evaluation", "--answer", "result", "Write a bash script that counts lines")
        self.assertEqual(reply["answer"].strip(), "42")

    def test_a_conversation_leaves_a_named_folder_to_whom_it_belongs(self):
        os.mkdir(os.path.join(self.folder, "mine"))
        notes = os.path.join(self.folder, "mine/notes.txt")
        asked = ["--language", "bash", "--no-evaluation", "--answer", "result", "--session", "talk", "--workdir", "mine"]
        self.reply([("first", "```bash\necho old > notes.txt; n=6\n```")], *asked, "first")
        pathlib.Path(notes).write_text("new\n")
        reply = self.reply([("second", "```bash\necho $((n * 7)); cat notes.txt\n```")], *asked, "second")
        self.assertEqual(reply["answer"].split(), ["42", "new"])
        self.assertEqual(pathlib.Path(notes).read_text(), "new\n")


def refusal():
    done = snug("run", *BASH, "-c", "true")
    return done.stderr.strip() if done.returncode == 2 and "bubblewrap" in done.stderr else None


if __name__ == "__main__":
    why = refusal()
    if why:
        print("skipped:", why)
        sys.exit(77)
    unittest.main()
