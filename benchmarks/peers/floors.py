"""The floors: cells in plain Python, inside one CPython process. A session is a dict: nothing is
isolated, limited or interruptible."""
import array
import ast
import io
import sys
import time
import traceback

try:
    import _snug_floor  # of python_floor.c
except ImportError:
    _snug_floor = None


def computed(x, y):
    """The program of bench_programs.c."""
    return x * y + 1.0


def loop(x, y):
    """A loop in plain Python over two columns, into a third: the quickest of some ways."""
    return array.array("d", map(computed, x, y))


class Raw:
    """exec(compile(source)): no value, no capture; a traceback where a cell raises."""

    def __init__(self):
        self.printed = sys.stdout = io.StringIO()

    def open(self):
        return {"__name__": "__main__"}

    def run(self, namespace, source):
        try:
            exec(compile(source, "<turn>", "exec"), namespace)
        except BaseException:
            return None, None, traceback.format_exc()
        if self.printed.tell():
            self.printed.seek(0)
            self.printed.truncate()
        return None, None, None

    def close(self, namespace):
        namespace.clear()

    def open_with_tool(self):
        namespace = self.open()
        namespace["echo"] = lambda n: 1
        return namespace


    def call_by_c(self, count):
        """ns of that many calls by the C interface."""
        if not _snug_floor:
            raise LookupError("this Python has not the module _snug_floor")
        took, total = _snug_floor.call(computed, count)
        assert total == 0.5 * count * (count - 1) / 2 + count, total
        return took

    def map_rows(self, count):
        """ns of the loop over that many rows."""
        if not hasattr(self, "columns"):
            self.columns = array.array("d", range(count)), array.array("d", [1.0]) * count
        start = time.perf_counter_ns()
        column = loop(*self.columns)
        took = time.perf_counter_ns() - start
        assert column[-1] == count, column[-1]
        return took


class Floor(Raw):
    """What a session gives back, written in Python: repr of the last expression, what was
    printed, the traceback."""

    def run(self, namespace, source):
        printed = io.StringIO()
        stdout, stderr = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = printed
        value = None
        try:
            tree = ast.parse(source, "<turn>")
            last = tree.body[-1] if tree.body else None
            if isinstance(last, ast.Expr):
                del tree.body[-1]
                if tree.body:
                    exec(compile(tree, "<turn>", "exec"), namespace)
                result = eval(compile(ast.Expression(last.value), "<turn>", "eval"), namespace)
                if result is not None:
                    value = repr(result)
            else:
                exec(compile(tree, "<turn>", "exec"), namespace)
        except BaseException:
            return None, printed.getvalue(), traceback.format_exc()
        finally:
            sys.stdout, sys.stderr = stdout, stderr
        return value, printed.getvalue(), None
