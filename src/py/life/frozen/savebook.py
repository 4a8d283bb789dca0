"""The book of cells: their sources, and the code and class statements in them.

A function is found again as a piece of its cell's code, by the names and lines on the way to it, so
nothing of the cell runs. A class is found by its class statement.
"""
import types

from _snug_savereasons import CannotSave

FUTURE = 0x1FE0000  # CO_FUTURE_...
_ONLY_AST = 0x400
_AWAIT = 0x2000  # PyCF_ALLOW_TOP_LEVEL_AWAIT


class Book:
    """The sources of the cells, compiled when asked."""

    def __init__(self, main, sources, flags, hooks):
        self.main = main
        self.sources = sources
        self.python = hooks.python
        self.flags = flags & FUTURE
        self.codes, self.places, self.trees, self.made = {}, {}, {}, {}

    def source(self, number):
        source = self.sources[number - 1] if 0 < number <= len(self.sources) else None
        if source is None:
            raise CannotSave("the source of its cell is not kept")
        return self.python(source) if "%" in source or "?" in source else source

    def compile(self, number, what, flags):
        return compile(what, f"<cell {number}>", "exec", flags | _AWAIT, True)

    def code(self, number, flags):
        key = number, flags
        if key not in self.codes:
            self.codes[key] = self.compile(number, self.source(number), flags)
        return self.codes[key]

    def place(self, code):
        """(cell, flags, ((name, line, which of these), ...)) of a function's code."""
        number, flags = cell_of(code), code.co_flags & FUTURE
        if (number, flags) not in self.places:
            places = self.places[number, flags] = {}
            _collect(self.code(number, flags), (), places)
        steps = self.places[number, flags].get(code)
        if steps is None:
            raise CannotSave("its code is not in the source of its cell")
        return number, flags, steps

    def find(self, place):
        number, flags, steps = place
        code = self.code(number, flags)
        for name, line, which in steps:
            code = [child for child in children(code)
                    if (child.co_name, child.co_firstlineno) == (name, line)][which]
        return code

    def statements(self, number, flags):
        """{name: [class statements]} of a cell, those in functions left out."""
        if (number, flags) not in self.trees:
            tree = self.compile(number, self.source(number), flags | _ONLY_AST)
            found = self.trees[number, flags] = {}
            for node in _class_statements(tree.body):
                found.setdefault(node.name, []).append(node)
        return self.trees[number, flags]


def cell_of(code):
    """The number of the cell that the code is of, or 0."""
    name = code.co_filename
    digits = name[6:-1] if name.startswith("<cell ") and name.endswith(">") else ""
    return int(digits) if digits.isdigit() else 0


def children(code):
    return [const for const in code.co_consts if type(const) is types.CodeType]


def _collect(code, steps, places):
    seen = {}
    for child in children(code):
        key = child.co_name, child.co_firstlineno
        which = seen[key] = seen.get(key, -1) + 1
        here = (*steps, (*key, which))
        places.setdefault(child, here)
        _collect(child, here, places)


def _class_statements(body):
    for node in body:
        kind = type(node).__name__
        if kind == "ClassDef":
            yield node
        if kind in ("ClassDef", "FunctionDef", "AsyncFunctionDef"):
            continue
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, field, None)
            if type(inner) is list:
                yield from _class_statements(inner)


def walk(node):
    """The nodes that run when a class statement does: not the bodies of functions."""
    kind = type(node).__name__
    yield node
    for field in node._fields:
        if field == "body" and kind in ("FunctionDef", "AsyncFunctionDef", "Lambda"):
            continue
        value = getattr(node, field, None)
        for item in value if type(value) is list else (value,):
            if hasattr(item, "_fields"):
                yield from walk(item)


def names_needed(statement, kept):
    """The names of the namespace that a class statement reads, in order."""
    needed, bound = {}, set()
    head = [*(statement.decorator_list[i] for i in kept), *statement.bases, *statement.keywords]
    for part in (*head, *statement.body):
        names = [node for node in walk(part) if type(node).__name__ == "Name"]
        for node in names:
            if type(node.ctx).__name__ == "Load" and node.id not in bound:
                needed[node.id] = True
        bound.update(node.id for node in names if type(node.ctx).__name__ == "Store")
        if hasattr(part, "name"):
            bound.add(part.name)
    return needed
