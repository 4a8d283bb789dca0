"""snug mcp under the protocol's own conformance suite: what passes, and what does not apply with the reason.

usage: SNUG=PROGRAM run.py BUILD_DIR

expected.txt has a line for each scenario that does not pass whole: revision, scenario, checks that pass and fail, and
why. All others have to pass. Installed as package-lock.json has it, with a Node.js that is new enough; exit status 77,
skipped, where there is no npm or no registry.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "npm"))
import npm

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = pathlib.Path(sys.argv[1], "tests/mcp-conformance").resolve()
REVISIONS = ("2025-11-25", "2026-07-28")
ROW = re.compile(r"^[✓✗] (\S+): (\d+) passed, (\d+) failed", re.M)
SECONDS = 600

npm.install(HERE, FOLDER, "the suite")
NODE = next(FOLDER.glob("node_modules/node-linux-*/bin/node"), None) or npm.skip("there is no Node.js of npm for this machine")
SUITE = FOLDER / "node_modules/@modelcontextprotocol/conformance/dist/index.js"


def expected():
    rows = {}
    for line in (HERE / "expected.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            revision, scenario, passed, failed, _why = line.split(None, 4)
            rows[revision, scenario] = int(passed), int(failed)
    return rows


def run(url, revision):
    done = subprocess.run([NODE, SUITE, "server", "--suite", "all", "--url", url, "--spec-version", revision],
                          capture_output=True, text=True, timeout=SECONDS, cwd=FOLDER)
    rows = {(revision, name): (int(passed), int(failed)) for name, passed, failed in ROW.findall(done.stdout)}
    if not rows:
        sys.exit(f"the suite said nothing of {revision}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return rows


def main():
    with tempfile.TemporaryDirectory(prefix="snug-test-") as state:
        server = subprocess.Popen([os.environ["SNUG"], "mcp", "--http", "0"], stderr=subprocess.PIPE, text=True,
                                  env={**os.environ, "XDG_STATE_HOME": state})
        try:
            url = re.search(r"http://\S+", server.stderr.readline())[0]
            seen = {key: row for revision in REVISIONS for key, row in run(url, revision).items()}
        finally:
            server.terminate()
            server.wait(SECONDS)
    wanted = expected()
    problems = [f"{' '.join(key)}: {passed} passed, {failed} failed"
                for key, (passed, failed) in seen.items() if (passed, failed) != wanted.get(key, (passed, 0))]
    problems += [f"{' '.join(key)} is in expected.txt, and was not run" for key in wanted if key not in seen]
    for revision in REVISIONS:
        rows = [row for (of, _), row in seen.items() if of == revision]
        whole = sum(failed == 0 for _, failed in rows)
        print(f"{revision}: {whole} of {len(rows)} scenarios whole, {sum(p for p, _ in rows)} checks passed, "
              f"{sum(f for _, f in rows)} do not apply")
    print("\n".join(problems))
    sys.exit(bool(problems))


main()
