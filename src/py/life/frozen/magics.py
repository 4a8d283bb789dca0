"""Magics: %time, %who, %%capture and the others that people type in notebooks.

A line that begins with % is not Python; py/cell/magic.c makes it a call of line(). What the
results look like is IPython's.
"""
import sys
import time

import _snug


class UsageError(Exception):
    """A magic that is not there, or is not used so."""


UsageError.__module__ = "builtins"


def _names():
    """The names of the namespace that cells have made, sorted."""
    return _snug.names()


def _options(args, known):
    """The options at the beginning, {"n": "5"}, and what follows. known: those with a value
    are followed by a colon, as in getopt."""
    found = {}
    rest = args.lstrip()
    while rest.startswith("-") and rest[1:2].isalpha():
        letter = rest[1]
        if letter not in known:
            raise UsageError(f"option -{letter} is not known; there are: "
                             + ", ".join("-" + c for c in known if c != ":"))
        if known[known.index(letter) + 1:][:1] == ":":
            value, _, rest = rest[2:].lstrip().partition(" ")
            found[letter] = value
        else:
            found[letter] = True
            rest = rest[2:]
        rest = rest.lstrip()
    return found, rest


def _number(options, letter, default):
    text = options.get(letter)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit()) or not 0 < int(text) <= 10 ** 9:
        raise UsageError(f"option -{letter} takes a whole number above 0, not {text!r}")
    return int(text)


# ---- time -------------------------------------------------------------------------

def _span(seconds, precision=3):
    """As IPython writes a time: 1.23 ms, 1min 3s."""
    if seconds >= 60:
        parts, left = [], int(seconds)
        for unit, size in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
            value, left = divmod(left, size)
            if value:
                parts.append(f"{value}{unit}")
        return " ".join(parts)
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6), ("ns", 1e9)):
        if seconds * scale >= 1 or unit == "ns":
            return f"{seconds * scale:.{precision}g} {unit}"


def _timed(run):
    wall, cpu, system = time.perf_counter(), time.thread_time(), _snug.system_time()
    try:
        return run()
    finally:
        cpu, wall = time.thread_time() - cpu, time.perf_counter() - wall
        system = min(_snug.system_time() - system, cpu)
        print(f"CPU times: user {_span(cpu - system)}, sys: {_span(system)}, total: {_span(cpu)}\n"
              f"Wall time: {_span(wall)}")


def _code(text):
    """Compiled, and whether it is an expression."""
    try:
        return compile(text, "<magic>", "eval"), True
    except SyntaxError:
        return compile(text, "<magic>", "exec"), False


def _time(args):
    code, has_value = _code(args)
    value = _timed(lambda: _snug.evaluate(code))
    return value if has_value else None


def _report(run, options, is_quiet):
    """run(loops) gives the seconds of that many."""
    repeat = _number(options, "r", 7)
    loops = _number(options, "n", 0)
    while not loops:
        for loops in (base * 10 ** power for power in range(10) for base in (1, 2, 5)):
            if run(loops) >= 0.2:
                break
    times = [run(loops) / loops for _ in range(repeat)]
    mean = sum(times) / repeat
    deviation = (sum((t - mean) ** 2 for t in times) / repeat) ** 0.5
    precision = _number(options, "p", 3)
    if not is_quiet:
        print(f"{_span(mean, precision)} ± {_span(deviation, precision)} per loop (mean ± std. dev. "
              f"of {repeat} run{'s' * (repeat != 1)}, {loops:,} loop{'s' * (loops != 1)} each)")
    return TimeitResult(mean, deviation, loops, repeat, times) if "o" in options else None


class TimeitResult:
    """What %timeit -o gives: average, stdev, best, worst, loops, repeat."""

    def __init__(self, average, stdev, loops, repeat, timings):
        self.average, self.stdev, self.loops, self.repeat = average, stdev, loops, repeat
        self.timings, self.best, self.worst = timings, min(timings), max(timings)

    def __repr__(self):
        return (f"<TimeitResult : {_span(self.average)} ± {_span(self.stdev)} per loop "
                f"(mean ± std. dev. of {self.repeat} runs, {self.loops:,} loops each)>")


TIMEIT_OPTIONS = "n:r:p:qo"


def _timeit(args):
    import timeit
    options, statement = _options(args, TIMEIT_OPTIONS)
    timer = timeit.Timer(statement, globals=_snug.namespace())
    return _report(timer.timeit, options, "q" in options)


# ---- names --------------------------------------------------------------------------

def _of_types(args):
    wanted = args.split()
    names = [(name, value) for name, value in _names()
             if not wanted or type(value).__name__ in wanted]
    return sorted(names, key=lambda item: item[0])


def _who(args):
    names = [name for name, _ in _of_types(args)]
    if names:
        print("\t ".join(names))
    else:
        print("No variables match your requested type." if args else
              "Interactive namespace is empty.")


def _who_ls(args):
    return [name for name, _ in _of_types(args)]


def _whos(args):
    import _snug_describe
    rows = [(name, type(value).__name__, _snug_describe.summary(value))
            for name, value in _of_types(args)]
    if not rows:
        return _who(args)
    wide = [max(len(row[i]) for row in rows + [("Variable", "Type")]) for i in (0, 1)]
    print(f"{'Variable':{wide[0]}}   {'Type':{wide[1]}}   Data/Info")
    print("-" * (wide[0] + wide[1] + 15))
    for name, kind, text in rows:
        print(f"{name:{wide[0]}}   {kind:{wide[1]}}   {text}")


def _reset(args):
    _options(args, "f")
    namespace = _snug.namespace()
    for name, _ in _names():
        del namespace[name]
    outputs = namespace.get("Out")
    if isinstance(outputs, dict):
        for number in list(outputs):
            namespace.pop(f"_{number}", None)
        outputs.clear()


# ---- files ----------------------------------------------------------------------------

def _words(text):
    """As a shell has them: a name with spaces stands in quotes."""
    import shlex
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"{error}: {text}") from None


def _pwd(args):
    return _snug.workdir()


def _run(args):
    options, rest = _options(args, "i")
    words = _words(rest)
    if not words:
        raise UsageError("%run takes the name of a file in the work directory")
    with open(words[0], encoding="utf-8") as file:
        code = compile(file.read(), words[0], "exec")
    namespace = _snug.namespace()
    argv, sys.argv = sys.argv, words
    try:
        if "i" in options:
            _snug.evaluate(code)
            return
        names = {"__name__": "__main__", "__file__": words[0],
                 "__builtins__": namespace["__builtins__"]}
        try:
            exec(code, names)
        except SystemExit as end:
            if end.code not in (None, 0):
                raise
        finally:
            namespace.update((name, value) for name, value in names.items()
                             if not name.startswith("__"))
    finally:
        sys.argv = argv


def _inspect(args):
    import _snug_describe
    print(_snug_describe.page(args.rstrip(";").strip(), is_long=False))


def _inspect_long(args):
    import _snug_describe
    print(_snug_describe.page(args.rstrip(";").strip(), is_long=True))


def _nothing(args):
    """For what only sets a notebook up: plots."""


def _ignored(name):
    def say(args):
        if not args.startswith("InlineBackend.") and args != "autoreload":
            print(f"%{name} {args}".rstrip() + " is not supported here and is ignored.",
                  file=sys.stderr)
    return say


def _lsmagic(args):
    print("Available line magics:\n" + "  ".join(f"%{name}" for name in _shown(_lines))
          + "\n\nAvailable cell magics:\n" + "  ".join(f"%%{name}" for name in _shown(_cells | _texts)))


# ---- cells ------------------------------------------------------------------------------

class CapturedIO:
    """What %%capture kept: stdout, stderr, outputs; show() shows it."""

    def __init__(self, stdout, stderr, outputs):
        self.stdout, self.stderr, self.outputs = stdout, stderr, outputs

    def __str__(self):
        return self.stdout

    def show(self):
        sys.stdout.write(self.stdout)
        sys.stderr.write(self.stderr)
        for output in self.outputs:
            output.display()

    __call__ = show


def _time_cell(args, code):
    _timed(lambda: _snug.run(code))
    return True


def _timeit_cell(args, code):
    options, rest = _options(args, TIMEIT_OPTIONS)
    setup = compile(rest, "<magic>", "exec")

    def run(loops):
        _snug.evaluate(setup)
        start = time.perf_counter()
        for _ in range(loops):
            _snug.run(code)
        return time.perf_counter() - start

    _report(run, options, "q" in options)
    return False


def _capture_cell(args, code):
    import io
    import _snug_display
    words = [word for word in args.split() if not word.startswith("--no-")]
    left = {word for word in args.split() if word.startswith("--no-")}
    if len(words) > 1 or words and not words[0].isidentifier() or left - {
            "--no-stdout", "--no-stderr", "--no-display"}:
        raise UsageError("%%capture [--no-stdout] [--no-stderr] [--no-display] [NAME]")
    kept = {name: io.StringIO() for name in ("stdout", "stderr") if f"--no-{name}" not in left}
    before = {name: getattr(sys, name) for name in kept}
    outputs = []
    captured = None if "--no-display" in left else (_snug.number(), outputs)
    displays, _snug_display.captured = _snug_display.captured, captured
    for name in kept:
        setattr(sys, name, kept[name])
    try:
        _snug.run(code)
    finally:
        for name in kept:
            setattr(sys, name, before[name])
        _snug_display.captured = displays
        if words:
            texts = [kept[name].getvalue() if name in kept else "" for name in ("stdout", "stderr")]
            _snug.namespace()[words[0]] = CapturedIO(*texts, outputs)
    return False


def _write_file(args, body):
    import os
    words = _words(args)
    appends = words[:1] in (["-a"], ["--append"])
    if len(words) != 1 + appends:
        raise UsageError("%%writefile [-a] takes the name of a file in the work directory, in quotes "
                         "where it has spaces")
    name = words[-1]
    verb = "Appending to" if appends else "Overwriting" if os.path.exists(name) else "Writing"
    with open(name, "a" if appends else "w", encoding="utf-8") as file:
        file.write(body + "\n" * (body[-1:] not in ("", "\n")))
    print(verb, name)


def _show_as(kind):
    def show(args, body):
        import _snug_display
        _snug_display.display(getattr(_snug_display, kind)(body))
    return show


_lines = {
    "time": _time, "timeit": _timeit, "who": _who, "who_ls": _who_ls, "whos": _whos,
    "reset": _reset, "pwd": _pwd, "run": _run, "pinfo": _inspect, "pinfo2": _inspect_long,
    "lsmagic": _lsmagic, "matplotlib": _nothing, "autoreload": _nothing,
    **{name: _ignored(name) for name in ("config", "load_ext", "reload_ext", "precision", "pylab")},
}
# Cells of Python get their code; the others, which py/cell/magic.c knows by name, their text.
_cells = {"time": _time_cell, "timeit": _timeit_cell, "capture": _capture_cell}
_texts = {
    "writefile": _write_file, "file": _write_file, "html": _show_as("HTML"), "HTML": _show_as("HTML"),
    "markdown": _show_as("Markdown"), "latex": _show_as("Latex"), "svg": _show_as("SVG"),
    "SVG": _show_as("SVG"), "javascript": _show_as("Javascript"), "js": _show_as("Javascript"),
}


def _shown(table):
    return [name for name in table if name not in ("pinfo", "pinfo2")]


def refusal(name):
    """The error of a line %name that there is not; None where there is one."""
    if name in ("pip", "conda", "mamba", "uv"):
        return UsageError("nothing is installed from a cell; snug packages install adds packages, "
                          "outside of sessions")
    if name not in _lines:
        return UsageError(f"%{name} is not a magic of this session; there are "
                          + ", ".join(f"%{other}" for other in _shown(_lines)[:8])
                          + " (%lsmagic lists them)")
    return None


def python_in(name, args, is_cell):
    """The Python that stands in the arguments of a magic: what it times, or prepares that with."""
    if name == "time" and not is_cell:
        return args
    if name == "timeit":
        try:
            return _options(args, TIMEIT_OPTIONS)[1]
        except UsageError:
            pass
    return ""


def line(name, args):
    """A line %name args."""
    error = refusal(name)
    if error:
        raise error
    return _lines[name](args)


def text(name, args, body):
    """A cell %%name args whose body is not Python."""
    return _texts[name](args, body)


def run_cell(name, args, body):
    """The same by call, as a script has it."""
    if name in _texts:
        text(name, args, body)
    elif name in _cells:
        cell(name, args, compile(body, "<magic>", "exec"))
    else:
        raise UsageError(f"%%{name} is not a magic of this session (%lsmagic lists them)")


def cell(name, args, code):
    """A cell %%name args. The answer: whether its value is to be shown."""
    return _cells[name](args, code)
