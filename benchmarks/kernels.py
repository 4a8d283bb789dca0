"""Kernels of Jupyter's beside each other, asked by a client in C (kernel_turns.c), by turns: their start,
turns and memory, with that of their workers: of one alone, and of each of several at once, which share
what they map of the same files.

usage: kernels.py [--build FOLDER] [--python PROGRAM] [--rounds N] [--turns N] [--at-once N]
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))


def commands(snug, python):
    kernel = [snug, "kernel", "-f", "{connection_file}"]
    return {
        "snug": kernel,
        "snug, local": [*kernel, "--isolation", "local"],
        "snug, full": [*kernel, "--isolation", "full"],
        "ipykernel": [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
    }


def ask(client, folder, turns, at_once, command):
    """Its figures; None: it could not be asked."""
    done = subprocess.run([client, folder, str(turns), str(at_once), *command], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, env={**os.environ, "IPYTHONDIR": folder})
    return json.loads(done.stdout.strip().splitlines()[-1]) if done.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=os.path.join(os.path.dirname(HERE), "build", "release"))
    parser.add_argument("--python", default="/usr/bin/python3", help="whose ipykernel it is")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--turns", type=int, default=500)
    parser.add_argument("--at-once", type=int, default=10, help="kernels whose memory is shared out")
    chosen = parser.parse_args()
    client = os.path.join(chosen.build, "benchmarks", "snug_kernel_turns")
    all_commands = commands(os.path.join(chosen.build, "src", "snug"), chosen.python)
    figures = {name: [] for name in all_commands}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(chosen.rounds):
            for name, command in all_commands.items():
                answer = ask(client, folder, chosen.turns, chosen.at_once, command)
                if answer:
                    figures[name].append(answer)
    print(f"medians of {chosen.rounds} rounds of {chosen.turns} turns\n")
    print(f"| kernel | start, ms | turn, ms | p99, ms | memory of one, MiB | of each of {chosen.at_once}, MiB |\n"
          "|---|---|---|---|---|---|")
    for name, rows in figures.items():
        if rows:
            median = {key: statistics.median(row[key] for row in rows) for key in rows[0]}
            print(f"| {name} | {median['start'] / 1e6:.0f} | {median['median'] / 1e6:.3f} "
                  f"| {median['p99'] / 1e6:.2f} | {median['pss_kib'] / 1024:.1f} "
                  f"| {median['each_pss_kib'] / 1024:.1f} |")
        else:
            print(f"| {name} | cannot be asked | | | | |")


if __name__ == "__main__":
    main()
