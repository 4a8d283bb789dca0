#!/usr/bin/env python3
"""How far each limit can be gone beyond, measured from outside of the program.

    SNUG=build/release/src/snug tests/limits/run.py            the quick ways, in all forms (what CI runs)
    SNUG=build/release/src/snug tests/limits/run.py --long     all of them
    ... --form bash --only 'pipe*' -v                          some

Each way of ways/ is run by `snug cells` in each form that it has; README.md says what is measured. A
table of the highest that was reached and by which way is printed, and with --json FILE all of it
written. The exit status is 1 where a limit was gone beyond by a way that is not in known.txt.
"""
import argparse
import concurrent.futures
import fnmatch
import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import meter  # noqa: E402
import table  # noqa: E402
import trial  # noqa: E402
import wayfile  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
TIMES_ALONE = 3  # of a run that was beyond a bound beside others
MOST_BYTES = 3 << 30  # of the machine's memory, for all runs together


def in_own_mounts():
    """As root, begins again where what is mounted is nobody else's."""
    if os.geteuid() or os.environ.get("SNUG_LIMITS_OWN_MOUNTS"):
        return
    command = ["unshare", "--mount", "--propagation", "private"]
    try:
        if subprocess.run([*command, "mount", "-t", "tmpfs", "none", "/mnt"],
                          stderr=subprocess.DEVNULL).returncode:
            return
    except OSError:
        return
    os.environ["SNUG_LIMITS_OWN_MOUNTS"] = "1"
    os.execvp(command[0], [*command, sys.executable, *sys.argv])


def stop(*_):
    """What a run has started does not outlive this driver's end by a signal."""
    trial.abandon()
    os._exit(1)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--long", action="store_true", help="all ways, watched for longer")
    parser.add_argument("--form", action="append", choices=wayfile.FORMS)
    parser.add_argument("--only", action="append", metavar="PATTERN", help="names of ways")
    parser.add_argument("--limit", action="append", help="ways that go for this limit")
    parser.add_argument("--jobs", type=int, default=4, help="runs at a time")
    parser.add_argument("--no-groups", action="store_true",
                        help="hide control groups from the program (as root)")
    parser.add_argument("--user", metavar="ID", help="run the program as this user (as root)")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("-v", action="store_true", help="a line for each run")
    return parser.parse_args()


def chosen(options):
    """(way, form) of all runs."""
    forms = options.form or [form for form in wayfile.FORMS if form != "bash" or has_bash()]
    picked = []
    for way in wayfile.read_all(os.path.join(HERE, "ways")):
        if options.only and not any(fnmatch.fnmatch(way.name, pattern) for pattern in options.only):
            continue
        if options.limit and not set(options.limit) & set(way.limits):
            continue
        if not (options.long or options.only or options.limit or way.is_quick):
            continue
        picked += [(way, form) for form in way.forms if form in forms]
    return picked


def has_bash():
    done = subprocess.run([trial_program(), "run", "--isolation", "bash", "-c", ":"],
                          stdin=subprocess.DEVNULL, capture_output=True)
    return done.returncode == 0


def trial_program():
    path = os.environ.get("SNUG", "")
    if not os.access(path, os.X_OK):
        sys.exit("SNUG must hold the path of the program")
    return os.path.abspath(path)


def has_looks_only(options):
    """Whether nothing but looks bounds the processes of bash: root has neither a group nor RLIMIT_NPROC."""
    if os.geteuid() or options.user:
        return False
    doctor = subprocess.run([trial_program(), "doctor"], stdout=subprocess.PIPE, text=True).stdout
    return options.no_groups or "; cgroup v" not in doctor


def place_of(options, jobs):
    short = not (options.long or options.only or options.limit)
    return trial.Place(trial_program(), MOST_BYTES // jobs, options.user, options.no_groups,
                       0.5 if short else None)


def run_alone(place, way, form, result, known, number):
    """(the smallest figures of a run that was beyond and of up to TIMES_ALONE more, why there are none)."""
    error = None
    for i in range(TIMES_ALONE):
        try:
            again = trial.run(place, way, form, number + i)
        except (RuntimeError, OSError) as why:
            error = why
            continue
        result = table.lower(result, again) if result else again
        print(f"again, alone: {table.line(result)}", flush=True)
        if not table.unknown(result, known):
            break
    return result, error


def run_all(picked, options, known):
    """(results, sentences about runs that could not be)."""
    runs, failed, over = [], [], []
    started = time.monotonic()
    place = place_of(options, options.jobs)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {pool.submit(trial.run, place, way, form, i): (way, form)
                   for i, (way, form) in enumerate(picked)}
        for future in concurrent.futures.as_completed(futures):
            way, form = futures[future]
            try:
                result = future.result()
            except (RuntimeError, OSError) as error:
                print(f"not measured: {way.name} in {form}: {error}", flush=True)
                over.append((way, form, None))
                continue
            if table.unknown(result, known):
                print(table.line(result), flush=True)
                over.append((way, form, result))
            else:
                runs.append(result)
            if options.v:
                print(f"{time.monotonic() - started:6.1f} s  {table.line(result)}", flush=True)
    # What was beyond on a busy machine has to be so again, alone.
    place = place_of(options, 1)
    for i, (way, form, result) in enumerate(over):
        result, error = run_alone(place, way, form, result, known, len(picked) + i * TIMES_ALONE)
        if result:
            runs.append(result)
        else:
            failed.append(f"{way.name} in {form}: {error}")
    return runs, failed


def main():
    options = parse()
    in_own_mounts()
    meter.adopt_orphans()
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    picked = chosen(options)
    if not picked:
        sys.exit("no such way")
    known = table.read_known(os.path.join(HERE, "known.txt"), has_looks_only(options))
    runs, failed = run_all(picked, options, known)
    if options.json:
        with open(options.json, "w") as out:
            json.dump({"runs": runs, "failed": failed}, out, indent=1)
    for text in failed:
        print("FAILED", text)
    bad = table.show(runs, known) if runs else 0
    sys.exit(1 if bad or failed else 0)


if __name__ == "__main__":
    main()
