"""Saving and restoring: a session's values as pickles, its functions and classes by the cells' sources.

Runs in the session, under a cell's limits. No promise rests on it: what a file may build is judged
in C before anything of it is read here (policy/unpickle.h), and a cell could do all that this does.

A function is found again as a piece of its cell's code, by the names and lines on the way to it, so
nothing of the cell runs. A class is made by its class statement alone. All values are written by one
pickler, one after the other, so what they share they share again.
"""
import _pickle
import io
import sys
import types
import warnings

_FUTURE = 0x1FE0000  # CO_FUTURE_...
_ONLY_AST = 0x400
_AWAIT = 0x2000  # PyCF_ALLOW_TOP_LEVEL_AWAIT
_DEPTH = 10000  # of recursion: a list of some thousand links
_HIDDEN = {"In", "Out", "__builtins__", "__name__", "__doc__", "__loader__", "__spec__", "__package__",
           "__annotations__", "__warningregistry__"}
_MISSING = object()

_CannotSave = type("_CannotSave", (Exception,), {})
_Cell = types.CellType
_Function = types.FunctionType
_Builtin = types.BuiltinFunctionType


# ---- the cells ----------------------------------------------------------------

class _Book:
    """The sources of the cells, compiled when asked."""

    def __init__(self, main, sources, flags, hooks):
        self.main = main
        self.sources = sources
        self.python = hooks.python
        self.flags = flags & _FUTURE
        self.codes, self.places, self.trees, self.made = {}, {}, {}, {}

    def source(self, number):
        source = self.sources[number - 1] if 0 < number <= len(self.sources) else None
        if source is None:
            raise _CannotSave("the source of its cell is not kept")
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
        number, flags = _cell_of(code), code.co_flags & _FUTURE
        if (number, flags) not in self.places:
            places = self.places[number, flags] = {}
            _collect(self.code(number, flags), (), places)
        steps = self.places[number, flags].get(code)
        if steps is None:
            raise _CannotSave("its code is not in the source of its cell")
        return number, flags, steps

    def find(self, place):
        number, flags, steps = place
        code = self.code(number, flags)
        for name, line, which in steps:
            code = [child for child in _children(code)
                    if (child.co_name, child.co_firstlineno) == (name, line)][which]
        return code

    def statements(self, number, flags):
        """{name: [class statements]} of a cell, those in functions left out."""
        if (number, flags) not in self.trees:
            tree = self.compile(number, self.source(number), flags | _ONLY_AST)
            found = self.trees[number, flags] = {}
            for node in _class_statements(tree.body):
                found.setdefault(node.name, []).append((node, type(tree)))
        return self.trees[number, flags]


def _cell_of(code):
    """The number of the cell that the code is of, or 0."""
    name = code.co_filename
    digits = name[6:-1] if name.startswith("<cell ") and name.endswith(">") else ""
    return int(digits) if digits.isdigit() else 0


def _children(code):
    return [const for const in code.co_consts if type(const) is types.CodeType]


def _collect(code, steps, places):
    seen = {}
    for child in _children(code):
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


def _walk(node):
    """The nodes that run when a class statement does: not the bodies of functions."""
    kind = type(node).__name__
    yield node
    for field in node._fields:
        if field == "body" and kind in ("FunctionDef", "AsyncFunctionDef", "Lambda"):
            continue
        value = getattr(node, field, None)
        for item in value if type(value) is list else (value,):
            if hasattr(item, "_fields"):
                yield from _walk(item)


def _names_needed(statement, kept):
    """The names of the namespace that a class statement reads, in order."""
    needed, bound = {}, set()
    head = [*(statement.decorator_list[i] for i in kept), *statement.bases, *statement.keywords]
    for part in (*head, *statement.body):
        names = [node for node in _walk(part) if type(node).__name__ == "Name"]
        for node in names:
            if type(node.ctx).__name__ == "Load" and node.id not in bound:
                needed[node.id] = True
        bound.update(node.id for node in names if type(node.ctx).__name__ == "Store")
        if hasattr(part, "name"):
            bound.add(part.name)
    return needed


# ---- what a pickle may call, by persistent id -----------------------------------

_book = None  # of the restore that runs


def make_cell():
    return _Cell()


def make_function(place, cells):
    return _Function(_book.find(place), _book.main, None, None, cells or None)


def fill_function(function, state):
    for index, value in state.pop("closure", {}).items():
        function.__closure__[index].cell_contents = value
    function.__dict__.update(state.pop("dict", {}))
    for name, value in state.items():
        if name in _FUNCTION_PARTS:
            setattr(function, name, value)


_FUNCTION_PARTS = ("__defaults__", "__kwdefaults__", "__annotations__", "__name__", "__qualname__",
                   "__doc__", "__module__")


def make_class(place, needs):
    """Runs the class statement, with no more decorators than the library's."""
    if place in _book.made:
        return _book.made[place]
    number, flags, name, which, kept = place
    main = _book.main
    for needed, value in needs.items():
        main.setdefault(needed, value)
    statement, module = _book.statements(number, flags)[name][which]
    decorators = statement.decorator_list
    try:
        statement.decorator_list = [decorators[i] for i in kept]
        code = _book.compile(number, module([statement], []), flags)
    finally:
        statement.decorator_list = decorators
    before = main.get(name, _MISSING)
    exec(code, main)
    made = _book.made[place] = main.pop(name)
    if before is not _MISSING:
        main[name] = before
    return made


def fill_class(cls, state):
    for name, value in state.items():
        type.__setattr__(cls, name, value)


def make_inner(cls, name):
    inner = vars(cls)[name]
    if not isinstance(inner, type):
        raise TypeError(f"{name} is no class")
    return inner


def make_attribute(cls, name):
    value = vars(cls)[name]
    return value.__func__ if type(value) in (staticmethod, classmethod) else value


def make_named_tuple(name, fields, defaults):
    import collections
    return collections.namedtuple(name, fields, defaults=defaults, module="__main__")


def make_enumeration(base, name, members):
    return base(name, members, module="__main__")


def make_member(cls, name, value):
    return cls(value) if name is None else cls._member_map_[name]


def make_module(name):
    __import__(name)
    return sys.modules[name]


def make_reference(module, name):
    if name.startswith("_"):
        raise TypeError(f"{name} is no name of a saved session")
    __import__(module)
    return vars(sys.modules[module])[name]


def make_method(function, owner):
    return types.MethodType(function, owner)


_BOUND = (list, dict, set, str, bytes, bytearray, tuple, frozenset)


def make_bound(owner, name):
    method = getattr(owner, name) if type(owner) in _BOUND else None
    if type(method) is not _Builtin:
        raise TypeError(f"{name} is no built-in method")
    return method


def make_cached(function, size, typed):
    import functools
    return functools.lru_cache(size, typed)(function)


def make_wrapped(name, function):
    import contextlib
    return {"contextmanager": contextlib.contextmanager,
            "asynccontextmanager": contextlib.asynccontextmanager}[name](function)


_ITERABLE = (list, tuple, str, bytes, bytearray, range)


def make_iterator(values, index):
    if type(values) not in _ITERABLE:
        raise TypeError("no iterator of a saved session")
    iterator = iter(values)
    if index:
        iterator.__setstate__(index)
    return iterator


def make_generic(origin, arguments):
    if not (isinstance(origin, type) or type(origin).__module__ == "typing"):
        raise TypeError("no generic type")
    return origin[arguments]


def make_union(arguments):
    import typing
    return typing.Union[arguments] if len(arguments) < 2 else _join(arguments)


def _join(arguments):
    union = arguments[0]
    for argument in arguments[1:]:
        union = union | argument
    return union


def make_single(name):
    return {"NoneType": type(None), "ellipsis": type(...),
            "NotImplementedType": type(NotImplemented)}[name]


def make_type_variable(name, constraints, bound, covariant, contravariant):
    import typing
    return typing.TypeVar(name, *constraints, bound=bound, covariant=covariant,
                          contravariant=contravariant)


def make_zone(key):
    import zoneinfo
    return zoneinfo.ZoneInfo(key)


_helpers = {name[5:]: value for name, value in globals().items() if name.startswith("make_")}
_helpers |= {"fill_function": fill_function, "fill_class": fill_class}
ids = {id(value): name for name, value in _helpers.items()}  # for C, which asks at every object


# ---- reasons --------------------------------------------------------------------

def _refusals():
    """Types that never can be saved, and what people call them."""
    yield types.GeneratorType, "a generator"
    yield types.CoroutineType, "a coroutine"
    yield types.AsyncGeneratorType, "an asynchronous generator"
    yield types.FrameType, "a frame"
    yield types.TracebackType, "a traceback"
    yield types.CodeType, "a code object"
    yield types.MappingProxyType, "a view of a dict"
    yield memoryview, "a memoryview"
    yield type({}.keys()), "a view of a dict"
    yield type({}.values()), "a view of a dict"
    yield type({}.items()), "a view of a dict"
    yield map, "an iterator (map)"
    yield filter, "an iterator (filter)"
    yield reversed, "an iterator (reversed)"
    yield type(reversed([])), "an iterator (reversed)"
    for name in ("TextIOWrapper", "BufferedReader", "BufferedWriter", "BufferedRandom", "FileIO"):
        yield getattr(io, name), "an open file"
    for module, name, words in (
            ("_thread", "LockType", "a lock"), ("_thread", "RLock", "a lock"),
            ("_weakref", "ReferenceType", "a weak reference"),
            ("_weakref", "ProxyType", "a weak reference"),
            ("_contextvars", "ContextVar", "a context variable"),
            ("_socket", "socket", "a socket"), ("asyncio", "Future", "a future"),
            ("asyncio", "Task", "a task"), ("_sqlite3", "Connection", "a database connection"),
            ("_sqlite3", "Cursor", "a database cursor"), ("threading", "Thread", "a thread")):
        loaded = vars(sys.modules[module]).get(name) if module in sys.modules else None
        if isinstance(loaded, type):
            yield loaded, words


_ITERATORS = tuple(map(type, map(iter, ([], (), "", "\u0100", b"", bytearray(), range(0), {}, {}.values(),
                                        {}.items(), set(), range(1 << 70)))))


def _explain(error):
    """A sentence's end for what kept a value from being saved or restored."""
    if isinstance(error, _CannotSave):
        return str(error)
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, MemoryError):
        return "the session has not enough memory for it"
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = ""
    return f"{type(error).__name__}: {text}"[:300] if text else type(error).__name__


# ---- saving ---------------------------------------------------------------------

class _Pickler(_pickle.Pickler):
    """Pickles by value what only the session has."""

    def __init__(self, file, saver):
        super().__init__(file, 5)
        self.dispatch_table = saver.dispatch
        self.persistent_id = saver.persistent_id
        self.saver = saver
        self.classes = set()

    def reducer_override(self, thing):
        return self.saver.reduce(thing, self)


class _Saver:
    def __init__(self, book, hooks):
        self.book, self.main, self.hooks = book, book.main, hooks
        self.persistent_id = hooks.persistent_id
        self.refused = dict(_refusals())
        self.dispatch = {complex: lambda z: (complex, (z.real, z.imag))}
        if "re" in sys.modules:
            import re
            self.dispatch[re.Pattern] = lambda p: (re._compile, (p.pattern, p.flags))
        self.simple_classes = {}
        typing = sys.modules.get("typing")
        self.type_variable = typing.TypeVar if typing else None

    # -- one object --

    def reduce(self, thing, pickler):
        kind = type(thing)
        words = self.refused.get(kind)
        if words:
            raise _CannotSave(f"{words} can not be saved")
        if issubclass(kind, type):
            return self.reduce_class(thing, pickler)
        if kind in _REDUCERS:
            return _REDUCERS[kind](self, thing)
        if kind in _ITERATORS:
            parts = thing.__reduce__()
            return make_iterator, (parts[1][0], parts[2] if len(parts) > 2 else 0)
        name = kind.__name__
        if name == "_lru_cache_wrapper" and kind.__module__ == "functools":
            options = thing.cache_parameters()
            return make_cached, (thing.__wrapped__, options["maxsize"], options["typed"])
        if kind.__module__ == "typing" and hasattr(thing, "__origin__"):
            parts = thing.__reduce__()
            if type(parts) is tuple:
                return make_generic, parts[1]
        if kind is self.type_variable:
            return make_type_variable, (thing.__name__, thing.__constraints__, thing.__bound__,
                                        thing.__covariant__, thing.__contravariant__)
        if name == "array" and kind.__module__ == "array":
            return kind, (thing.typecode, thing.tobytes())
        if kind.__module__ == "__future__":
            return next(filter(lambda word: getattr(sys.modules["__future__"], word) is thing,
                               sys.modules["__future__"].all_feature_names), NotImplemented)
        if name == "ZoneInfo" and kind.__module__ == "zoneinfo" and thing.key:
            return make_zone, (thing.key,)
        if _is_enumeration(type(kind)):
            return make_member, (kind, thing._name_ if thing._name_ in kind._member_map_ else None,
                                 thing._value_)
        for base in kind.__mro__[1:-1]:
            if base in self.refused:
                raise _CannotSave(f"{self.refused[base]} can not be saved")
        return NotImplemented

    def reduce_module(self, module):
        name = module.__name__
        if type(name) is not str or sys.modules.get(name) is not module or name == "__main__":
            raise _CannotSave("a module that can not be imported can not be saved")
        make_module(name)  # the profile must have it
        return make_module, (name,)

    def reduce_method(self, method):
        return make_method, (method.__func__, method.__self__)

    def reduce_builtin(self, function):
        if type(function.__self__) in _BOUND:
            return make_bound, (function.__self__, function.__name__)
        if function.__self__ is None or type(function.__self__) is types.ModuleType:
            return self.reduce_library_builtin(function)
        raise _CannotSave("a method of a library object can not be saved")

    def reduce_library_builtin(self, function):
        """By the module that a cell imports: operator.add says that it is of _operator."""
        module = function.__module__
        if type(module) is str and (module.startswith("_") or module == "posix"):
            module = "os" if module == "posix" else module.lstrip("_")
            if vars(sys.modules.get(module, types)).get(function.__name__) is function:
                make_reference(module, function.__name__)  # the profile must have it
                return make_reference, (module, function.__name__)
        return NotImplemented

    def reduce_property(self, thing):
        return property, (thing.fget, thing.fset, thing.fdel, thing.__doc__)

    def reduce_wrapper(self, thing):
        return type(thing), (thing.__func__,)

    def reduce_union(self, union):
        return make_union, (union.__args__,)

    def reduce_cell(self, cell):
        return make_cell, ()

    # -- functions --

    def reduce_function(self, function):
        code = function.__code__
        if not _cell_of(code):
            return self.reduce_library_function(function)
        if function.__globals__ is not self.main:
            raise _CannotSave("a function with a namespace of its own can not be saved")
        owner, name = self.owner_of(function)
        if owner is not None:
            return make_attribute, (owner, name)
        place = self.book.place(code)
        cells = function.__closure__ or ()
        fresh = _Function(code, self.main, None, None, cells or None)
        state = {part: getattr(function, part) for part in _FUNCTION_PARTS
                 if part != "__annotations__" and getattr(function, part) is not getattr(fresh, part)}
        annotations = {name: value for name, value in function.__annotations__.items()
                       if self.is_annotation(value)}
        if annotations:
            state["__annotations__"] = annotations
        if function.__dict__:
            state["dict"] = function.__dict__
        contents = {i: cell.cell_contents for i, cell in enumerate(cells) if _is_full(cell)}
        if contents:
            state["closure"] = contents
        return make_function, (place, cells), state or None, None, None, fill_function

    def reduce_library_function(self, function):
        contextlib = sys.modules.get("contextlib")
        inner = getattr(function, "__wrapped__", None)
        for name in ("contextmanager", "asynccontextmanager"):
            if inner is not None and contextlib and \
                    function.__code__ in _children(getattr(contextlib, name).__code__):
                return make_wrapped, (name, inner)
        if function.__code__.co_filename.startswith("<string>"):
            raise _CannotSave("a function that was made from text can not be saved")
        return NotImplemented

    def owner_of(self, function):
        """The class that has the function under its own name, or None."""
        path = function.__qualname__.split(".")
        owner = self.resolve(path[:-1]) if len(path) > 1 else None
        if isinstance(owner, type):
            value = vars(owner).get(path[-1])
            if _plain_function(value) is function and self.is_own(owner, function):
                return owner, path[-1]
        return None, None

    def resolve(self, path):
        found = self.main.get(path[0])
        for name in path[1:]:
            found = vars(found).get(name) if isinstance(found, type) else None
        return found

    def is_annotation(self, value):
        if value is None or type(value) is str:
            return True
        if isinstance(value, type):
            return self.is_simple_class(value)
        arguments = getattr(value, "__args__", None)
        if type(arguments) is tuple and type(value).__module__ in ("types", "typing"):
            return all(self.is_annotation(argument) for argument in arguments)
        return value is ... or type(value).__module__ == "typing" and type(value.__reduce__()) is str \
            and getattr(sys.modules["typing"], value.__reduce__(), None) is value

    # -- classes --

    def is_library(self, cls):
        module, found = sys.modules.get(cls.__module__), None
        if module is not None and cls.__module__ != "__main__":
            found = module
            for name in cls.__qualname__.split("."):
                found = getattr(found, name, None)
        return found is cls

    def is_simple_class(self, cls):
        """Whether it can be saved; asked by annotations, which can do without."""
        if id(cls) not in self.simple_classes:
            self.simple_classes[id(cls)] = True, cls  # within itself
            self.simple_classes[id(cls)] = self.reason_against(cls) is None, cls
        return self.simple_classes[id(cls)][0]

    def reduce_class(self, cls, pickler):
        if cls in _SINGLE_TYPES:
            return make_single, (cls.__name__,)
        if self.is_library(cls):
            return NotImplemented
        qualname = cls.__qualname__
        if "<locals>" in qualname:
            raise _CannotSave(f"the class {cls.__name__} was made in a function")
        if id(cls) in pickler.classes:
            raise _CannotSave(f"what the class {cls.__name__} is made from needs the class itself")
        pickler.classes.add(id(cls))
        path = qualname.split(".")
        if len(path) > 1:
            outer = self.resolve(path[:-1])
            if not isinstance(outer, type) or vars(outer).get(path[-1]) is not cls:
                raise _CannotSave(f"the class {qualname} is not where its name says")
            return make_inner, (outer, path[-1])
        place, statement = self.statement_of(cls)
        if place is None:
            return self.reduce_made_class(cls)
        needs = {name: self.main[name] for name in _names_needed(statement, place[-1])
                 if name in self.main and self.main[name] is not cls}
        self.add_needs_of_functions(needs, cls)
        changes = self.changes_of(cls)
        return make_class, (place, needs), changes or None, None, None, fill_class

    def reduce_made_class(self, cls):
        """By a call and not by a statement."""
        fields = vars(cls).get("_fields")
        if cls.__bases__ == (tuple,) and type(fields) is tuple:
            defaults = cls._field_defaults
            return make_named_tuple, (cls.__name__, fields, tuple(defaults.values()))
        if _is_enumeration(type(cls)) and self.is_library(cls.__base__):
            members = [(name, member._value_) for name, member in cls._member_map_.items()]
            return make_enumeration, (cls.__base__, cls.__name__, members)
        raise _CannotSave(f"the class {cls.__name__} was not made by a class statement")

    def statement_of(self, cls):
        """Where the class statement is, for make_class, and its node; (None, None)."""
        codes = [f.__code__ for f in map(_plain_function, vars(cls).values()) if f is not None]
        codes = {_cell_of(code): code for code in codes
                 if code.co_qualname == f"{cls.__qualname__}.{code.co_name}"}
        codes.pop(0, None)
        found = []
        for number in sorted(codes) or range(1, len(self.book.sources) + 1):
            found += self.statements_named(cls, number, codes.get(number))
        if not found:
            return None, None
        if len(found) > 1 and not codes and self.main.get(cls.__name__) is not cls:
            raise _CannotSave(f"the class {cls.__name__} was defined again")
        number, flags, which, node = found[-1]
        kept = tuple(i for i, decorator in enumerate(node.decorator_list)
                     if not self.is_of_cells(decorator))
        return (number, flags, cls.__name__, which, kept), node

    def statements_named(self, cls, number, code):
        """Those of a cell that may have made the class, one of whose functions has that code."""
        source = self.book.sources[number - 1] if number <= len(self.book.sources) else None
        if source is None or cls.__name__ not in source:
            return
        flags = code.co_flags & _FUTURE if code else self.book.flags
        try:
            statements = self.book.statements(number, flags)
        except SyntaxError:
            return
        begins = vars(cls).get("__firstlineno__")  # 3.13
        for which, (node, _) in enumerate(statements.get(cls.__name__, ())):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if begins in (None, first) and (
                    code is None or first <= code.co_firstlineno <= node.end_lineno):
                yield number, flags, which, node

    def is_of_cells(self, decorator):
        """A decorator of the session's own: what it did to the class is saved, and it is not called
        again."""
        names = [node.id for node in _walk(decorator) if type(node).__name__ == "Name"]
        root = self.main.get(names[0]) if names else None
        code = getattr(root, "__code__", None)
        if type(code) is types.CodeType:
            return bool(_cell_of(code))
        return isinstance(root, type) and not self.is_library(root)

    def add_needs_of_functions(self, needs, cls):
        """What the functions of cells read that a class statement calls. They get copies of what
        they may change: what they did to it is saved."""
        waiting = [value for value in needs.values() if type(value) is _Function]
        for base in (*cls.__mro__[1:], *type(cls).__mro__):
            functions = map(_plain_function, map(vars(base).get, _CALLED))
            waiting += [function for function in functions if function is not None]
        for function in waiting:
            for name in function.__code__.co_names if _cell_of(function.__code__) else ():
                value = self.main.get(name, _MISSING)
                if name in needs or value is _MISSING or value is cls or not self.is_plain(value):
                    continue
                if type(value) in (list, dict, set):
                    value = value.copy() if all(type(item) in _PLAIN for item in _items(value)) \
                        else type(value)()
                needs[name] = value
                if type(value) is _Function:
                    waiting.append(value)

    def is_own(self, cls, function):
        """Whether the class statement itself makes the function."""
        steps = self.book.place(function.__code__)[2]
        return len(steps) > 1 and steps[-2][0] == cls.__name__ and steps[-1][0] == function.__name__

    def changes_of(self, cls):
        """Attributes as they are now: plain values, and functions that came later."""
        if _is_enumeration(type(cls)) or "_field_defaults" in vars(cls):
            return {}
        changes = {}
        for name, value in vars(cls).items():
            function = _plain_function(value)
            if function is not None and _cell_of(function.__code__):
                if not self.is_own(cls, function):
                    changes[name] = value
            elif name.startswith("__") and name.endswith("__"):
                continue
            elif isinstance(value, type) and value.__qualname__ == f"{cls.__qualname__}.{name}":
                continue  # a class in the class
            elif self.is_plain(value):
                changes[name] = value
        return changes

    def is_plain(self, value, depth=0):
        kind = type(value)
        if kind in _PLAIN:
            return True
        if depth > 50:
            return False
        if kind in (list, tuple, set, frozenset):
            return all(self.is_plain(item, depth + 1) for item in value)
        if kind is dict:
            return all(self.is_plain(key, depth + 1) and self.is_plain(item, depth + 1)
                       for key, item in value.items())
        return kind is _Function or kind is types.ModuleType or issubclass(kind, type)

    # -- all --

    def reason_against(self, value):
        """None, or why a value can not be saved, by trying it."""
        if type(value) in _PLAIN:
            return None
        mark = self.hooks.mark()
        try:
            _Pickler(self.hooks, self).dump(value)
        except Exception as error:
            self.hooks.drop(mark)
            return _explain(error)
        judged = self.hooks.judge(mark)
        return judged and f"its pickle would {judged}"

    def write(self, values):
        """One pickle for each. The index of the first that can not be saved, or None."""
        self.hooks.drop(0)
        pickler = _Pickler(self.hooks, self)
        for index, value in enumerate(values):
            try:
                pickler.dump(value)
            except Exception as error:
                return index, _explain(error)
        return None


_PLAIN = (type(None), bool, int, float, complex, str, bytes)
_CALLED = ("__init_subclass__", "__prepare__", "__new__", "__init__", "__call__")  # to make a class
_SINGLE_TYPES = (type(None), type(...), type(NotImplemented))
_REDUCERS = {
    types.ModuleType: _Saver.reduce_module, types.MethodType: _Saver.reduce_method,
    _Builtin: _Saver.reduce_builtin, _Function: _Saver.reduce_function, _Cell: _Saver.reduce_cell,
    property: _Saver.reduce_property, staticmethod: _Saver.reduce_wrapper,
    classmethod: _Saver.reduce_wrapper, types.UnionType: _Saver.reduce_union,
}


def _is_text(name):
    try:
        return bool(name.encode()) and "\0" not in name
    except UnicodeEncodeError:
        return False


def _is_full(cell):
    try:
        cell.cell_contents
    except ValueError:
        return False
    return True


def _items(value):
    return (*value, *value.values()) if type(value) is dict else value


def _plain_function(value):
    value = value.__func__ if type(value) in (staticmethod, classmethod) else value
    return value if type(value) is _Function else None


def _is_enumeration(metaclass):
    enum = sys.modules.get("enum")
    return enum is not None and issubclass(metaclass, enum.EnumMeta)


def _how(value, saver):
    kind = type(value)
    if kind is types.ModuleType:
        return "import"
    if issubclass(kind, type):
        return "import" if saver.is_library(value) else "source"
    if kind is _Function:
        made_here = getattr(getattr(value, "__wrapped__", value), "__code__", value.__code__)
        return "source" if _cell_of(made_here) else "import"
    if kind is _Builtin and (value.__self__ is None or type(value.__self__) is types.ModuleType):
        return "import"
    return "import" if kind.__module__ == "__future__" else "value"


def _settings():
    """What libraries keep for the session, under names that no cell has."""
    random, decimal = sys.modules.get("random"), sys.modules.get("decimal")
    if random is not None:
        yield "random", random.getstate()
    if decimal is not None:
        yield "decimal", decimal.getcontext()


def save(main, sources, flags, out, last, hooks):
    """Writes the values by hooks.write, and answers [(kind, name or number, how)] for them,
    [(name, why not)], and the numbers of the cells whose values _, __ and ___ are."""
    limit = sys.getrecursionlimit()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            sys.setrecursionlimit(max(limit, _DEPTH))
            return _save(_Saver(_Book(main, sources, flags, hooks), hooks), out, last)
        finally:
            sys.setrecursionlimit(limit)


def _save(saver, out, last):
    main, shown = saver.main, {}
    own = {f"_{number}": value for number, value in out.items()}
    own |= {name: value for name, value in zip(("_", "__", "___"), last)}
    items, skipped = [], []
    for name, value in list(main.items()):
        if type(name) is not str or name in _HIDDEN or (name in own and own[name] is value):
            continue
        reason = saver.reason_against(value) if _is_text(name) else "its name is no text"
        if reason is None:
            items.append(("name", name, value, _how(value, saver)))
        else:
            skipped.append((name, reason))
    for number, value in out.items():
        if type(number) is int and 0 < number <= len(saver.book.sources) and \
                saver.reason_against(value) is None:
            items.append(("out", number, value, None))
            shown[id(value)] = number
    for name, value in _settings():
        if saver.reason_against(value) is None:
            items.append(("setting", name, value, None))
    annotations = main.get("__annotations__")
    if type(annotations) is dict and annotations and saver.reason_against(annotations) is None:
        items.append(("setting", "annotations", annotations, None))
    while (failed := saver.write([item[2] for item in items])) is not None:
        index, reason = failed
        kind, name, _, _ = items.pop(index)
        if kind == "name":
            skipped.append((name, reason))
    return ([(kind, name, how) for kind, name, _, how in items], skipped,
            [shown.get(id(value)) if main.get(name, _MISSING) is value else None
             for name, value in zip(("_", "__", "___"), last)])


# ---- restoring ------------------------------------------------------------------

class _Unpickler(_pickle.Unpickler):
    def persistent_load(self, name):
        return _helpers[name]


def _bind(main, kind, name, value, out):
    if kind == "name":
        main[name] = value
    elif kind == "out":
        out[name] = value
        main[f"_{name}"] = value
    elif name == "random":
        import random
        random.setstate(value)
    elif name == "decimal":
        import decimal
        decimal.setcontext(value)
    elif name == "annotations":
        main.setdefault("__annotations__", {}).update(value)


def restore(main, sources, flags, out, items, skipped, hooks):
    """Puts the names into main and the values of cells into out; answers what is restored and
    what is not."""
    limit = sys.getrecursionlimit()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            sys.setrecursionlimit(max(limit, _DEPTH))
            return _restore(_Book(main, sources, flags, hooks), out, items, skipped, hooks)
        finally:
            sys.setrecursionlimit(limit)


def _load(items, hooks):
    reader = _Unpickler(hooks)
    return [reader.load() for _ in items], [None] * len(items)


def _restore(book, out, items, skipped, hooks):
    global _book
    main, before = book.main, dict(book.main)
    _book = book
    try:
        try:
            values, reasons = _load(items, hooks)
        except Exception:
            values, reasons = _load_what_can_be(items, hooks)
    finally:
        _book = None
    for name in [name for name in main if name not in before]:
        del main[name]
    main.update(before)
    restored = []
    for (kind, name, how), value, reason in zip(items, values, reasons):
        try:
            if reason is None:
                _bind(main, kind, name, value, out)
        except Exception as error:
            reason = _explain(error)
        if kind == "name" and reason is None:
            restored.append((name, how))
        elif kind == "name":
            skipped.append((name, reason))
    # What the session has by itself: functions of the host.
    restored += [(name, "tool") for name, _ in skipped if name in before]
    return restored, [pair for pair in skipped if pair[0] not in before]


def _load_what_can_be(items, hooks):
    """Again, with something in the place of what can not be made, and slowly."""
    import pickle

    class Broken:
        reason = "a part of it can not be restored"

        def __new__(cls, *args, **keywords):
            return object.__new__(cls)

        def __setstate__(self, state):
            pass

        def __call__(self, *args, **keywords):
            return self

    def broken(error):
        thing = Broken()
        thing.reason = _explain(error)
        return thing

    class Tolerant(pickle._Unpickler):
        dispatch = dict(pickle._Unpickler.dispatch)

        def persistent_load(self, name):
            return _helpers[name]

        def find_class(self, module, name):
            try:
                return super().find_class(module, name)
            except Exception as error:
                return broken(error)

    def tolerant(code, takes):
        original = pickle._Unpickler.dispatch[code]

        def load(self):
            stack = self.stack
            depth = len(stack) - takes
            try:
                parts = [part for part in stack[depth:] if type(part) is Broken]
                if parts:
                    stack[depth:] = [parts[0]]
                else:
                    original(self)
            except Exception as error:
                self.stack[depth:] = [broken(error)]
        Tolerant.dispatch[code] = load

    # REDUCE, NEWOBJ, NEWOBJ_EX take a callable and arguments, BUILD a value and its state.
    for code, takes in ((ord("R"), 2), (0x81, 2), (0x92, 3), (ord("b"), 2)):
        tolerant(code, takes)

    hooks.rewind()
    reader = Tolerant(hooks)
    values = [reader.load() for _ in items]
    return values, [_breakage(value, Broken) for value in values]


def _breakage(value, broken):
    """The reason of the first broken thing in a value, or None."""
    seen, waiting = set(), [value]
    while waiting:
        thing = waiting.pop()
        if type(thing) is broken:
            return thing.reason
        if id(thing) in seen or type(thing) in _PLAIN:
            continue
        seen.add(id(thing))
        kind = type(thing)
        if kind in (list, tuple, set, frozenset):
            waiting.extend(thing)
        elif issubclass(kind, dict):
            waiting.extend(dict.keys(thing))
            waiting.extend(dict.values(thing))
        elif kind is _Function:
            waiting.extend(cell.cell_contents for cell in thing.__closure__ or () if _is_full(cell))
            waiting.extend((thing.__defaults__, thing.__kwdefaults__, thing.__dict__))
        elif kind is types.MethodType:
            waiting.extend((thing.__func__, thing.__self__))
        elif kind is types.ModuleType or issubclass(kind, type):
            continue
        else:
            parts = getattr(thing, "__dict__", None)
            if type(parts) is dict:
                waiting.append(parts)
            for base in kind.__mro__:
                for slot in _slots(base):
                    waiting.append(getattr(thing, slot, None))
    return None


def _slots(cls):
    slots = vars(cls).get("__slots__", ())
    return (slots,) if type(slots) is str else tuple(slots)
