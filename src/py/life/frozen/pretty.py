"""The text of a value as a notebook shows it: repr, and large containers over lines.

Loaded when a value is neither small nor plain. What is printed for which type, and the
interface that an object's own _repr_pretty_(p, cycle) finds, are IPython's.
"""
import collections
import types

WIDTH = 79
MOST_ITEMS = 1000

_BREAK, _LINE, _OPEN, _CLOSE = range(4)


class _Group:
    def __init__(self, printer, indent, start, end):
        self.printer, self.indent, self.start, self.end = printer, indent, start, end

    def __enter__(self):
        self.printer.begin_group(self.indent, self.start)

    def __exit__(self, *ignored):
        self.printer.end_group(self.indent, self.end)


class Printer:
    """Takes down text, places where a line may break, and groups that break as a whole."""

    def __init__(self, most_chars):
        self.tokens = []
        self.chars_left = most_chars
        self.stack = []
        self.max_seq_length = MOST_ITEMS
        self.max_width = WIDTH
        self.verbose = False

    def text(self, text):
        text = str(text)
        self.chars_left -= len(text)
        self.tokens.append(text)

    def breakable(self, sep=" "):
        self.tokens.append((_BREAK, sep))

    def break_(self):
        self.tokens.append((_LINE, ""))

    newline = break_

    def begin_group(self, indent=0, open=""):
        if open:
            self.text(open)
        self.tokens.append((_OPEN, indent))

    def end_group(self, dedent=0, close=""):
        self.tokens.append((_CLOSE, 0))
        if close:
            self.text(close)

    def group(self, indent=0, open="", close=""):
        return _Group(self, indent, open, close)

    def items(self, items, show):
        """With commas; those past MOST_ITEMS, or past what is shown of the whole, are left out."""
        for count, item in enumerate(items):
            if count:
                self.text(",")
                self.breakable()
            if count >= MOST_ITEMS or self.chars_left <= 0:
                self.text("...")
                return
            show(item)

    def pretty(self, value):
        for depth in range(len(self.stack)):
            if self.stack[depth] is value:
                return _show(self, value, True)
        self.stack.append(value)
        try:
            return _show(self, value, False)
        finally:
            self.stack.pop()

    def lines(self, text):
        with self.group():
            for number, line in enumerate(text.split("\n")):
                if number:
                    self.break_()
                self.text(line)


# ---- layout -------------------------------------------------------------------

def _widths(tokens):
    """For each token, how much of a line it takes up to the next place that may break."""
    widths = [0] * (len(tokens) + 1)
    for at in range(len(tokens) - 1, -1, -1):
        token = tokens[at]
        if isinstance(token, str):
            widths[at] = len(token) + widths[at + 1]
        elif token[0] in (_OPEN, _CLOSE):
            widths[at] = widths[at + 1]
    return widths


def _flat_width(tokens, at, widths, most):
    """Of the group that opens at that token, with what follows it until a line may break."""
    width, depth = 0, 0
    while at < len(tokens) and width <= most:
        token = tokens[at]
        if isinstance(token, str):
            width += len(token)
        elif token[0] == _OPEN:
            depth += 1
        elif token[0] == _CLOSE:
            depth -= 1
            if depth == 0:
                return width + widths[at + 1]
        elif token[0] == _LINE:
            return width
        else:
            width += len(token[1])
        at += 1
    return width


def _lay_out(tokens):
    widths = _widths(tokens)
    out, column, base = [], 0, 0
    groups = [(0, True)]  # indent and whether it is broken
    for at, token in enumerate(tokens):
        if isinstance(token, str):
            out.append(token)
            column += len(token)
        elif token[0] == _OPEN:
            # Within one that is on one line, all are.
            breaks = groups[-1][1] and column + _flat_width(tokens, at, widths,
                                                            WIDTH - column) > WIDTH
            groups.append((groups[-1][0] + token[1], breaks))
        elif token[0] == _CLOSE:
            groups.pop()
        elif token[0] == _LINE or groups[-1][1]:
            base = groups[-1][0]
            out.append("\n" + " " * base)
            column = base
        else:
            out.append(token[1])
            column += len(token[1])
    return "".join(out)


# ---- types --------------------------------------------------------------------

def _sequence(start, end):
    def show(p, value, cycle):
        if cycle:
            return p.text(start + "..." + end)
        with p.group(len(start), start, end):
            p.items(value, p.pretty)
            if len(value) == 1 and isinstance(value, tuple):
                p.text(",")
    return show


def _set(start, end):
    def show(p, value, cycle):
        if cycle:
            return p.text(start + "..." + end)
        if not value:
            return p.text(type(value).__name__ + "()")
        items = value
        if len(value) <= MOST_ITEMS:
            try:
                items = sorted(value)
            except Exception:
                pass
        with p.group(len(start), start, end):
            p.items(items, p.pretty)
    return show


def _dict(p, value, cycle):
    if cycle:
        return p.text("{...}")

    def show(key):
        p.pretty(key)
        p.text(": ")
        p.pretty(value[key])

    with p.group(1, "{", "}"):
        p.items(value, show)


def _call(p, name, args, keywords=()):
    """NAME(args, keyword=value)"""
    def show(item):
        keyword, value = item
        prefix = keyword + "=" if keyword else ""
        with p.group(len(prefix), prefix):
            p.pretty(value)

    with p.group(len(name) + 1, name + "(", ")"):
        p.items([(None, arg) for arg in args] + list(keywords), show)


def _collection(arguments):
    def show(p, value, cycle):
        name = type(value).__name__
        if cycle:
            return p.text(name + "(...)")
        _call(p, name, *arguments(value))
    return show


def _name(thing):
    module = getattr(thing, "__module__", None)
    name = getattr(thing, "__qualname__", None) or getattr(thing, "__name__", "?")
    if not isinstance(name, str):
        name = "<unknown type>"
    return name if module in (None, "builtins") else f"{module}.{name}"


def _type(p, value, cycle):
    if type(value).__repr__ is not type.__repr__:
        return p.lines(repr(value))
    p.text(_name(value))


def _function(p, value, cycle):
    text = _name(value)
    try:
        import inspect
        text += str(inspect.signature(value))
    except Exception:
        pass
    p.text(f"<function {text}>")


def _exception(p, value, cycle):
    if type(value).__repr__ is not BaseException.__repr__:
        return p.lines(repr(value))
    name = _name(type(value))
    if cycle:
        return p.text(name + "(...)")
    _call(p, name, getattr(value, "args", ()))


def _repr(p, value, cycle):
    p.lines(repr(value))


def _default(p, value, cycle):
    p.text(f"<{_name(type(value))} at 0x{id(value):x}>")


_printers = {
    list: _sequence("[", "]"),
    tuple: _sequence("(", ")"),
    set: _set("{", "}"),
    frozenset: _set("frozenset({", "})"),
    dict: _dict,
    type: _type,
    types.FunctionType: _function,
    types.BuiltinFunctionType: _function,
    BaseException: _exception,
    collections.OrderedDict: _collection(lambda v: ([list(v.items())] if v else [],)),
    collections.defaultdict: _collection(lambda v: ([v.default_factory, dict(v)],)),
    collections.Counter: _collection(lambda v: ([dict(v.most_common())] if v else [],)),
    collections.deque: _collection(lambda v: (
        [list(v)], [] if v.maxlen is None else [("maxlen", v.maxlen)])),
    types.SimpleNamespace: lambda p, v, cycle: (
        p.text("namespace(...)") if cycle else _call(p, "namespace", (), vars(v).items())),
}


def _show(p, value, cycle):
    for base in type(value).__mro__:
        printer = _printers.get(base)
        if printer:
            return printer(p, value, cycle)
        own = base.__dict__.get("_repr_pretty_")
        if callable(own):
            return own(value, p, cycle)
        if base is object:
            return _default(p, value, cycle)
        if "__repr__" in base.__dict__:
            return _repr(p, value, cycle)


def pretty(value, most_chars=1 << 20):
    """The text of value; of one with more characters than that, a part."""
    p = Printer(most_chars)
    p.pretty(value)
    return _lay_out(p.tokens)
