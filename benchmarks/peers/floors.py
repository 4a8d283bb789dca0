"""The floors: cells in plain Python, inside one CPython process. A session is a dict: nothing is
isolated, limited or interruptible."""
import ast
import io
import sys
import traceback


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
