"""How much memory sessions hold: proportional set size, in which pages that several processes share
are counted once, of a program and all that came of it."""
import os

from suite.programs import Failed, Running
from suite.rows import COUNTS, HOLD, MOST_SESSIONS, Row

LEAST_AVAILABLE_KIB = 2 << 20
MOST_OTHERS = 100


def tree(pid):
    """pid and all that came of it."""
    children = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as facts:
                parent = facts.read().rpartition(")")[2].split()[1]
        except OSError:
            continue
        children.setdefault(int(parent), []).append(int(name))
    found = [pid]
    for process in found:
        found += children.get(process, ())
    return found


def pss_kib(pid):
    total = 0
    for process in tree(pid):
        try:
            with open(f"/proc/{process}/smaps_rollup") as lines:
                total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        except (OSError, StopIteration):
            pass  # it has ended
    return total


def available_kib():
    with open("/proc/meminfo") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))


def row_of(group, count):
    name = "1 session" if count == 1 else f"{count:,} sessions"
    return Row(group, name, "KiB", None, None, count)


def each_row_of(group):
    return Row(group, "each further one", "KiB", None, None, None)


def has_room(by_count, count):
    """Whether that many are likely to fit, by what those so far have taken."""
    if len(by_count) < 2:
        return True
    (first, low), *_, (last, high) = sorted(by_count.items())
    wanted = (high - low) / (last - first) * (count - last)
    return available_kib() - wanted > LEAST_AVAILABLE_KIB


def measure(results, group, number, name, most):
    by_count, row = {}, row_of(group, COUNTS[group][0])
    try:
        program = Running(results.commands[name])
        results.about.setdefault(name, program.about)
        for count in COUNTS[group] if program.knows("hold") else ():
            if count > min(most, MOST_SESSIONS.get(name, MOST_OTHERS)):
                break
            row = row_of(group, count)
            if not has_room(by_count, count):
                results.note(row, name, "there is not the memory for that many")
                break
            answer = program.ask(HOLD[group].format(count=count))
            if "cannot" in answer:
                results.note(row, name, answer["cannot"])
                break
            by_count[count] = pss_kib(program.process.pid)
            results.add(number, row, name, by_count[count])
        program.close()
    except Failed as why:
        results.note(row, name, str(why))
    if len(by_count) > 1:
        (first, low), *_, (last, high) = sorted(by_count.items())
        results.add(number, each_row_of(group), name, max(0, high - low) / (last - first))


def rows_of(group):
    return [row_of(group, count) for count in COUNTS[group]] + [each_row_of(group)]
