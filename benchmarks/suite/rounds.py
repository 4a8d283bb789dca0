"""The rounds. Each starts the programs again and lets them take turns at every row, so that what
else the machine does meets all of them; who is first changes from round to round."""
import sys
import time

from suite import memory
from suite.programs import Failed, Running
from suite.rows import MOST_QUICK, SLOW, SLOW_GROUPS, command_of, figure_of


class Results:
    """One figure a round by row and program, and what the programs said of themselves."""

    def __init__(self, commands):
        self.commands = dict(commands)
        self.figures = {}
        self.about = {}
        self.failed = {}
        self.notes = {}  # why there is no figure

    def fail(self, name, why):
        """It takes no further part."""
        self.failed[name] = str(why)
        self.commands.pop(name, None)

    def add(self, number, row, name, value):
        samples = self.figures.setdefault((row.group, row.name), {}).setdefault(name, [])
        samples += [None] * (number - len(samples))
        samples.append(value)

    def note(self, row, name, why):
        self.notes.setdefault((row.group, row.name), {})[name] = why


def start(results, is_whole):
    """Those that are slow only where all are wanted."""
    running = {}
    for name, command in list(results.commands.items()):
        if name in SLOW and not is_whole:
            continue
        try:
            running[name] = Running(command)
            results.about[name] = running[name].about
        except Failed as why:
            results.fail(name, why)
    return running


def measure_start(command):
    """ns from starting a process to having its first answer."""
    begin = time.perf_counter_ns()
    program = Running(command)
    program.ask("first")
    took = time.perf_counter_ns() - begin
    program.close()
    return took


def measure_row(results, running, number, row, programs, times, answers):
    for name in programs:
        command = command_of(row, name)
        if name not in running or command is None:
            continue
        command = command.format(**times)
        try:
            if command == "start":
                if running[name].knows("first"):
                    results.add(number, row, name, measure_start(results.commands[name]))
                continue
            if not running[name].knows(command):
                continue
            key = name, command
            if key not in answers:
                answers[key] = running[name].ask(command)
            value = answers[key].get(figure_of(row, name))
        except Failed as why:
            running.pop(name).close()
            results.fail(name, f"{command}: {why}")
            continue
        if value is None and "cannot" in answers[key]:
            results.note(row, name, answers[key]["cannot"])
        results.add(number, row, name, value)


def rotated(names, by):
    return names[by % len(names):] + names[:by % len(names)] if names else names


def run(results, rows, groups, rounds, few, times, is_whole, tell):
    """few: of groups that are in the first rounds only, in how many."""
    programs_of = {group.key: group.programs for group in groups}
    for number in range(rounds):
        running, answers = start(results, is_whole or number == 0), {}
        for row in rows:
            if number >= few.get(row.group, rounds):
                continue
            tell(f"round {number + 1} of {rounds}: {row.group}, {row.name}")
            names = [name for name in programs_of[row.group] if name in running
                     and (is_whole or name not in SLOW or row.group in SLOW_GROUPS)]
            measure_row(results, running, number, row, rotated(names, number), times, answers)
        for program in running.values():
            program.close()


def hold(results, groups, rounds, most, is_whole, tell):
    """KiB of each program with its sessions, in processes of their own."""
    for group in groups:
        here = most if is_whole else min(most, MOST_QUICK[group.key])
        names = [name for name in group.programs if name in results.commands
                 and (is_whole or name not in SLOW)]
        for number in range(rounds):
            for name in rotated(names, number):
                tell(f"round {number + 1} of {rounds}: {group.title}, {name}")
                memory.measure(results, group.key, number, name, here)


def teller(is_shown):
    def tell(what):
        if is_shown:
            print(f"\r\033[K{what[:78]}", end="", file=sys.stderr, flush=True)
    return tell
