"""What benchmarks/run makes of figures: statistics, tables and plots of fixed ones, rounds of
programs that are a line of Python, and the cells that all are measured by.

usage: test_suite.py

Needs nothing of snug that is compiled.
"""
import io
import contextlib
import json
import pathlib
import re
import sys
import tempfile
import unittest
import unittest.mock as mock
import xml.etree.ElementTree as ElementTree

sys.dont_write_bytecode = True
BENCHMARKS = pathlib.Path(__file__).resolve().parents[2] / "benchmarks"
sys.path[:0] = [str(BENCHMARKS), str(BENCHMARKS / "peers"), str(BENCHMARKS.parent / "tests")]

import children  # noqa: E402
import floors  # noqa: E402
import serve  # noqa: E402
from suite import aims, canvas, figures, main, memory, plot, programs  # noqa: E402
from suite import report, rounds, rows, table  # noqa: E402
from workloads import WORKLOADS  # noqa: E402
import unittests  # noqa: E402

MACHINE = {"processor": "A processor", "processors": 4, "memory_gib": 8.0, "system": "A system",
           "kernel": "6.1", "load": 0.5}


def a_row(name, unit, x, **samples):
    return {"name": name, "unit": unit, "x": x, "figures": samples, "notes": {}}


def a_group(plot, rows, programs=("snug", "raw", "monty")):
    return {"key": "turns", "title": "Turns & more", "note": "A note.", "plot": plot,
            "programs": list(programs), "remarks": [], "rows": rows}


def a_report(*groups):
    return {"schema": report.SCHEMA, "machine": MACHINE, "commit": "abc123", "rounds": 3, "ms": 30,
            "load_after": 0.7, "left_out": ["Monty: no @pydantic/monty"],
            "programs": {"snug": {"title": "snug, C", "version": "snug 0.1.0", "python": "3.11.2"}},
            "groups": list(groups)}


TRIVIAL = a_row("trivial", "ns", None, snug=[8000, 9000, 10000], raw=[4000, 6000, 2500])


class Statistics(unittest.TestCase):
    def test_the_figure_is_the_median_of_the_rounds(self):
        self.assertEqual(figures.middle([3, 1, 9]), 3)
        self.assertEqual(figures.middle([1, 2]), 1.5)

    def test_a_round_without_a_figure_is_no_zero(self):
        self.assertEqual(figures.middle([None, 4, 6]), 5)
        self.assertEqual(figures.spread([None, 4, 6]), (4, 6))
        self.assertIsNone(figures.middle([None]))

    def test_a_ratio_is_the_median_of_the_rounds_ratios(self):
        # That of the medians would be 2.
        self.assertEqual(figures.ratio([1, 10, 4], [1, 2, 8]), 1)

    def test_a_ratio_is_of_rounds_that_have_both(self):
        self.assertEqual(figures.ratio([None, 6, 100], [1, 3, None]), 2)
        self.assertIsNone(figures.ratio([1, None], [None, 1]))

    def test_quantities_have_the_unit_that_reads_well(self):
        shown = [figures.quantity(value, unit) for value, unit in (
            (950, "ns"), (8123, "ns"), (1_234_000, "ns"), (2.5e9, "ns"), (646, "KiB"),
            (75000, "KiB"), (20 << 20, "KiB"), (1999.5, "/s"), (20.74, "/s"))]
        self.assertEqual(shown, ["950 ns", "8.12 µs", "1.23 ms", "2.5 s", "646 KiB", "73.2 MiB",
                                 "20 GiB", "2,000 /s", "20.7 /s"])

    def test_a_span_names_its_unit_once_where_it_is_one(self):
        self.assertEqual(figures.span(7900, 8300, "ns"), "7.9 to 8.3 µs")
        self.assertEqual(figures.span(24.6, 5.07e6, "ns"), "24.6 ns to 5.07 ms")
        self.assertEqual(figures.span(8301, 8302, "ns"), "8.3 µs")


class Tables(unittest.TestCase):
    def lines(self, *groups):
        return table.markdown(a_report(*groups)).splitlines()

    def test_a_cell_has_median_spread_and_ratio(self):
        self.assertIn("| trivial | 9 µs<br>8 to 10 µs | 4 µs<br>2.5 to 6 µs<br>x 0.5 |",
                      self.lines(a_group("dots", [TRIVIAL])))

    def test_a_program_without_a_figure_has_no_column(self):
        self.assertIn("|  | snug, C | raw exec |", self.lines(a_group("dots", [TRIVIAL])))

    def test_a_missing_peer_is_a_line(self):
        self.assertIn("- left out: Monty: no @pydantic/monty", self.lines())

    def test_what_a_program_can_not_do_is_a_line(self):
        row = {**TRIVIAL, "notes": {"monty": "no classes"}}
        self.assertIn("- Monty, trivial: no classes", self.lines(a_group("dots", [row])))

    def test_versions_and_machine_are_named(self):
        lines = self.lines()
        self.assertIn("- snug, C: snug 0.1.0, Python 3.11.2", lines)
        self.assertIn("A processor, 4 processors, 8.0 GiB; A system, Linux 6.1; load 0.5 before, "
                      "0.7 after.", lines)

    def test_what_json_wrote_is_shown_again(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "figures.json")
            file.write_text(json.dumps(a_report(a_group("dots", [TRIVIAL]))))
            out = io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
                main.main(["--from", str(file), "--plots", folder, "--python", "/nonexistent"])
            self.assertIn("| trivial | 9 µs", out.getvalue())
            self.assertTrue(pathlib.Path(folder, "turns.svg").exists())


class Aims(unittest.TestCase):
    def found(self, *rows, key="turns", gil="shared by all sessions"):
        group = a_group("dots", list(rows), ("snug", "caller", "raw", "floor", "monty")) | {"key": key}
        whole = a_report(group)
        whole["programs"]["snug"]["gil"] = gil
        return whole

    def test_a_ratio_is_of_the_same_rounds_and_an_aim_says_whether_it_is_reached(self):
        fresh = a_row(aims.FRESH, "ns", None, snug=[12, 26], raw=[10, 20], caller=[9, 18])
        lines = aims.lines(self.found(fresh))
        self.assertIn("| trivial turn, fresh source, beside raw exec | at most x 1.3 | x 1.25 | yes |",
                      lines)
        self.assertIn("| the same on the caller's thread | at most x 1.3 | x 0.9 | yes |", lines)
        slow = a_row(aims.FRESH, "ns", None, snug=[14], raw=[10])
        self.assertIn("| trivial turn, fresh source, beside raw exec | at most x 1.3 | x 1.4 | no |",
                      aims.lines(self.found(slow)))

    def test_an_aim_may_be_another_one_by_the_version_of_python(self):
        cold = a_row("cold", "ns", None, snug=[3e6])
        whole = self.found(cold, key="open")
        self.assertIn("| open cold | at most 2 ms | 3 ms | no |", aims.lines(whole))
        whole["programs"]["snug"]["python"] = "3.13.5"
        self.assertIn("| open cold | at most 4 ms | 3 ms | yes |", aims.lines(whole))

    def test_cores_are_no_aim_where_one_gil_is_shared(self):
        rows = (a_row("1 session", "/s", 1, snug=[100]), a_row("2 sessions", "/s", 2, snug=[195]))
        self.assertEqual(aims.lines(self.found(*rows, key="cores")), [])
        self.assertIn("| two cores, a GIL each | at least x 1.9 | x 1.95 | yes |",
                      aims.lines(self.found(*rows, key="cores", gil="one for each session")))

    def test_a_report_without_the_figures_has_no_aims(self):
        self.assertEqual(aims.lines(a_report(a_group("dots", [TRIVIAL]))), [])

    def test_peers_that_are_ahead_are_named(self):
        fresh = a_row(aims.FRESH, "ns", None, snug=[8000], caller=[6000], monty=[5000])
        self.assertEqual(list(aims.ahead(self.found(fresh))),
                         ["Monty: Turns & more, trivial, fresh source, 5 µs beside 6 µs"])
        self.assertEqual(list(aims.ahead(self.found(fresh | {"figures": {"snug": [1], "monty": [2]}}))),
                         [])


class Results(unittest.TestCase):
    """What is in the work tree of a run: tables are of no other figures than its JSON."""
    PICTURES = {"turns-3.11.svg": ("debian12.json", "turns"), "memory-3.11.svg": ("debian12.json", "memory"),
                "turns-3.13.svg": ("debian13-memory.json", "turns"),
                "memory-3.13.svg": ("debian13-memory.json", "memory"),
                "neighbours-3.13.svg": ("debian13.json", "neighbours")}
    TABLE = re.compile(r"<!-- benchmarks/run (.*?) -->\n(.*?)\n<!-- -->\n", re.DOTALL)

    def shown(self, arguments):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            main.main([str(BENCHMARKS.parent / word) if word.endswith(".json") else word
                       for word in arguments])
        return out.getvalue()

    def test_a_part_of_a_report_has_the_programs_and_groups_that_are_named(self):
        whole = a_report(a_group("dots", [TRIVIAL]), a_group("dots", []) | {"key": "open"})
        some = report.part(whole, ["turns"], ["raw"])
        self.assertEqual([group["key"] for group in some["groups"]], ["turns"])
        self.assertEqual(some["groups"][0]["rows"][0]["figures"], {"raw": [4000, 6000, 2500]})
        self.assertEqual(list(some["programs"]), [])
        self.assertTrue(table.tables(some).startswith("|  | raw exec |"))

    def test_tables_of_the_readme_are_what_the_command_prints(self):
        found = self.TABLE.findall((BENCHMARKS / "README.md").read_text())
        self.assertTrue(found)
        for arguments, text in found:
            self.assertEqual(self.shown(arguments.split()).strip(), text.strip())

    def test_pictures_of_the_docs_are_drawn_from_the_results(self):
        folder = BENCHMARKS.parent / "docs/benchmarks"
        for name, (source, key) in self.PICTURES.items():
            found = json.loads((BENCHMARKS / "results" / source).read_text())
            group = next(group for group in found["groups"] if group["key"] == key)
            self.assertTrue((folder / name).read_text() == plot.draw(found, group).svg(),
                            f"{name}: benchmarks/run --from benchmarks/results/{source} --plots FOLDER")
        self.assertEqual({path.name for path in folder.glob("*.svg")}, set(self.PICTURES))

    def test_tables_beside_the_json_are_what_the_command_prints(self):
        results = list((BENCHMARKS / "results").glob("*.json"))
        self.assertTrue(results)
        for result in results:
            self.assertEqual(self.shown(["--from", str(result)]),
                             result.with_suffix(".md").read_text())

    def test_a_file_that_is_no_report_is_named(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as other:
            for text in ("", "[]", "{}"):
                other.seek(0)
                other.truncate()
                other.write(text)
                other.flush()
                with self.assertRaisesRegex(SystemExit, other.name):
                    main.main(["--from", other.name])


class Plots(unittest.TestCase):
    def texts(self, group):
        root = ElementTree.fromstring(plot.draw(a_report(group), group).svg())
        return [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]

    def test_dots_name_programs_values_and_decades(self):
        slow = a_row("slow", "ns", None, snug=[2e6, 3e6, 4e6])
        texts = self.texts(a_group("dots", [TRIVIAL, slow]))
        for text in ("Turns & more", "trivial", "slow", "snug, C", "raw exec", "9 µs", "4 µs",
                     "3 ms", "1 µs", "10 ms"):
            self.assertIn(text, texts)
        self.assertTrue(any(text.startswith("time, by decades") for text in texts))

    def test_lines_name_axes_with_units_and_their_ends(self):
        group = a_group("lines", [a_row(f"{count} sessions", "KiB", count, raw=[9000],
                                        snug=[10240 + 700 * count])
                                  for count in (1, 10, 100, 1000)])
        texts = self.texts(group)
        for text in ("memory of all processes (PSS), by decades", "sessions, by decades", "100 MiB",
                     "1,000", "snug, C 694 MiB", "raw exec 8.79 MiB"):
            self.assertIn(text, texts)

    def test_a_scale_has_decades_only_where_values_span_more_than_one(self):
        self.assertEqual(plot.Scale([3, 4000], 0, 100).ticks(), [1, 10, 100, 1000, 10000])
        self.assertEqual(plot.Scale([30, 40], 0, 100).ticks()[0], 0)
        self.assertEqual(plot.Scale([1, 100], 0, 200)(10), 100)

    def test_no_text_leaves_the_drawing(self):
        name = "x" * 40
        growth = [a_row("1", "KiB", 1, raw=[9]), a_row("2", "KiB", 2, raw=[9])]
        for group in (a_group("dots", [TRIVIAL]), a_group("lines", growth)):
            found = a_report(group)
            found["programs"]["raw"] = {"title": name}
            drawing = plot.draw(found, group)
            texts = [fields for kind, fields in drawing.shapes
                     if kind == "text" and name in fields["text"]]
            self.assertEqual(len(texts), 1)
            width = 0.6 * texts[0]["size"] * len(texts[0]["text"])
            left = texts[0]["x"] - (width if texts[0]["anchor"] == "end" else 0)
            self.assertTrue(0 <= left and left + width <= drawing.width, group["plot"])

    def test_labels_of_lines_do_not_lie_on_each_other(self):
        heights = plot.spread_out([200, 100, 101, 102], 60, 464)
        self.assertEqual(heights, [200, 100, 115, 130])
        self.assertEqual(plot.spread_out([460, 463], 60, 464), [449, 464])

    def test_a_group_without_figures_has_no_plot(self):
        group = a_group("dots", [])
        self.assertIsNone(plot.draw(a_report(group), group))

    def test_where_nothing_makes_png_the_reason_is_told(self):
        if canvas.shutil.which("rsvg-convert"):
            self.skipTest("rsvg-convert is here")
        convert, why = canvas.converter("/bin/false")
        self.assertIsNone(convert)
        self.assertIn("librsvg2-bin", why)


FAKE = """
import json, sys
print(json.dumps({"python": "3", "commands": ["turn"]}), flush=True)
for number, line in enumerate(sys.stdin):
    print(json.dumps({"median": %s}), flush=True)
"""


def fake(answer):
    return [sys.executable, "-c", FAKE % answer]


class Rounds(unittest.TestCase):
    GROUP = rows.Group("turns", "Turns", "", "dots", ("snug", "raw", "floor"))
    TWO = [rows.row("turns", "one", "turn {ms}"), rows.row("turns", "two", "turn two {ms}")]

    def run_rounds(self, commands, wanted=TWO):
        results = rounds.Results(commands)
        rounds.run(results, wanted, [self.GROUP], 2, {}, {"ms": 1}, True, lambda what: None)
        return results

    def test_each_round_has_a_figure_of_each_program(self):
        results = self.run_rounds({"snug": fake("number"), "raw": fake("7")})
        self.assertEqual(results.figures, {("turns", "one"): {"snug": [0, 0], "raw": [7, 7]},
                                           ("turns", "two"): {"snug": [1, 1], "raw": [7, 7]}})

    def test_a_program_that_ends_is_left_out_and_the_others_go_on(self):
        dying = fake("sys.exit('it broke') if number else 1")
        results = self.run_rounds({"snug": fake("5"), "raw": dying})
        self.assertEqual(results.failed, {"raw": "turn two 1: it broke"})
        self.assertEqual(results.figures["turns", "two"], {"snug": [5, 5]})

    def test_a_program_that_does_not_start_is_left_out(self):
        broken = [sys.executable, "-c", "import sys; sys.exit('no form')"]
        results = self.run_rounds({"snug": fake("5"), "raw": broken})
        self.assertEqual(results.failed, {"raw": "no form"})

    def test_a_command_that_a_program_does_not_know_is_not_asked(self):
        results = self.run_rounds({"snug": fake("5")}, [rows.row("turns", "tool", "tool {ms}")])
        self.assertEqual(results.figures, {})

    def test_who_is_first_changes(self):
        self.assertEqual([rounds.rotated(["a", "b", "c"], by) for by in range(4)],
                         [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"], ["a", "b", "c"]])

    def test_sessions_that_would_not_fit_are_not_opened(self):
        with mock.patch.object(memory, "available_kib", lambda: 8 << 20):
            self.assertTrue(memory.has_room({1: 0, 11: 10 << 10}, 6000))  # 1 MiB each
            self.assertFalse(memory.has_room({1: 0, 11: 10 << 10}, 7000))


class Programs(unittest.TestCase):
    def test_a_missing_peer_says_how_it_is_had(self):
        # An interpreter without modules.
        place = programs.Place("/nonexistent", "/bin/false", "/nonexistent", False)
        commands, missing = programs.find(place, {"ipython", "monty", "snug"})
        self.assertEqual(commands, {})
        text = "\n".join(missing)
        self.assertIn("apt-get install python3-ipython", text)
        self.assertRegex(text, "npm install --ignore-scripts --prefix benchmarks/npm|install nodejs npm")
        self.assertIn("cmake --build --preset release", text)

    def test_every_program_of_a_group_is_known(self):
        for group in rows.GROUPS:
            self.assertLessEqual(set(group.programs), set(programs.TITLES), group.key)

    def test_rows_of_a_group_have_names_of_their_own(self):
        every = rows.rows_of(rows.GROUPS, 8, True)
        self.assertEqual(len({(row.group, row.name) for row in every}), len(every))
        self.assertEqual([row.x for row in every if row.group == "cores"], [1, 2, 4, 8])

    def test_without_git_no_commit_is_named(self):
        with mock.patch.dict(main.os.environ, {"PATH": "/nonexistent"}):
            self.assertIsNone(main.commit())
        found = {**a_report(), "commit": None}
        self.assertIn("\n3 rounds, 30 ms a row and program.\n", table.markdown(found))

    def test_a_group_that_is_not_there_is_named(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as ended:
            main.parse(["--only", "turns,speed"])
        self.assertEqual(ended.exception.code, 2)
        self.assertIn('no "speed" among turns', said.getvalue())

    def test_the_lock_of_npm_has_hashes_and_no_addresses(self):
        lock = json.loads((BENCHMARKS / "npm" / "package-lock.json").read_text())
        for name, package in lock["packages"].items():
            self.assertNotIn("resolved", package)
            self.assertTrue(not name or package["integrity"].startswith("sha512-"), name)


class Peers(unittest.TestCase):
    def test_cells_answer_what_they_must(self):
        serve.peer = floors.Floor()
        for name, workload in WORKLOADS.items():
            for cell in filter(None, (workload, workload.get("plain"))):
                if "cell" in cell and not name.startswith("hang"):
                    serve.check(cell, serve.peer.run(serve.open_session(cell), cell["cell"]))
        talk = WORKLOADS["conversation"]
        session = serve.peer.open()
        errors = [error for cell in talk["cells"] if (error := serve.peer.run(session, cell)[2])]
        self.assertEqual(len(errors), talk["errors"])

    def test_a_python_for_each_turn_has_the_names_of_those_before(self):
        peer = children.Fresh()
        cells = peer.open()
        self.assertEqual(peer.run(cells, "x = 0"), (None, "", None))
        self.assertEqual(peer.run(cells, "print(x)"), (None, "0\n", None))
        self.assertIn("NameError", peer.run(cells, "y")[2])

    def test_a_wrong_answer_is_noticed(self):
        for answer in (("1", "", None), ("332833500", "x", None), ("332833500", "", "Traceback")):
            with self.assertRaises(AssertionError):
                serve.check(WORKLOADS["sum"], answer)

    def test_turns_that_had_to_wait_count_with_their_wait(self):
        now = 0

        def sleep(seconds):
            nonlocal now
            now += round(seconds * 1e9)

        def sample():
            nonlocal now
            now += 35_000_000
            return 35_000_000

        with mock.patch.object(serve, "clock", lambda: now), \
                mock.patch.object(serve.time, "sleep", sleep):
            answer = serve.pace(45, sample)
        # 35 ms, and what would have begun 10, 20 and 30 ms after it.
        self.assertEqual((answer["runs"], answer["min"], answer["p99"]), (4, 5_000_000, 35_000_000))


if __name__ == "__main__":
    unittests.main()
