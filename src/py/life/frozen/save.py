"""Saving: a session's values as pickles, its functions and classes by the cells' sources.

Runs in the session, under a cell's limits. No promise rests on it: a cell could do all that this does.

All values are written by one pickler, one after the other, so what they share they share again.
"""
import _pickle
import sys
import types
import warnings

from _snug_savebook import FUTURE, Book, cell_of, children, names_needed, walk
from _snug_savemakers import (
    BOUND, FUNCTION_PARTS, PLAIN, fill_class, fill_function, ids, is_full, make_attribute, make_bound,
    make_cached, make_cell, make_class, make_enumeration, make_function, make_generic, make_inner,
    make_iterator, make_lazy, make_member, make_method, make_module, make_named_tuple, make_reference,
    make_single, make_type_variable, make_union, make_wrapped, make_zone)
from _snug_savereasons import DEPTH, CannotSave, explain, refusals

_HIDDEN = {"In", "Out", "__builtins__", "__name__", "__doc__", "__loader__", "__spec__", "__package__",
           "__annotations__", "__warningregistry__"}
_MISSING = object()

_Cell = types.CellType
_Function = types.FunctionType
_Builtin = types.BuiltinFunctionType
_LAZY = getattr(types, "LazyImportType", _MISSING)  # 3.15

_ITERATORS = tuple(map(type, map(iter, ([], (), "", "\u0100", b"", bytearray(), range(0), {}, {}.values(),
                                        {}.items(), set(), range(1 << 70)))))


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
        self.refused = dict(refusals())
        self.dispatch = {complex: lambda z: (complex, (z.real, z.imag))}
        if "re" in sys.modules:
            import re
            self.dispatch[re.Pattern] = lambda p: (re._compile, (p.pattern, p.flags))
        self.simple_classes = {}
        self.references = None
        typing = sys.modules.get("typing")
        self.type_variable = typing.TypeVar if typing else None

    # -- one object --

    def reduce(self, thing, pickler):
        kind = type(thing)
        words = self.refused.get(kind)
        if words:
            raise CannotSave(f"{words} cannot be saved")
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
        if name in _NAMED_KINDS and self.reference_to(thing):
            return make_reference, self.reference_to(thing)
        if name == "ZoneInfo" and kind.__module__ == "zoneinfo" and thing.key:
            return make_zone, (thing.key,)
        if _is_enumeration(type(kind)):
            return make_member, (kind, thing._name_ if thing._name_ in kind._member_map_ else None,
                                 thing._value_)
        for base in kind.__mro__[1:-1]:
            if base in self.refused:
                raise CannotSave(f"{self.refused[base]} cannot be saved")
        return NotImplemented

    def reference_to(self, thing):
        """The module and the name that a cell imports it by, or None: randint is a method of an
        object that nobody names, and join of a module that no profile has."""
        if self.references is None:
            self.references = {}
            for module, name, value in _public_names():
                self.references.setdefault(id(value), []).append((module, name))
        for module, name in self.references.get(id(thing), ()):
            if _is_there(make_reference, module, name):
                return module, name
        return None

    def reduce_imported(self, thing):
        """By its own module, or where the profile has not that, by another."""
        if _is_there(make_reference, thing.__module__, thing.__qualname__):
            return NotImplemented
        found = self.reference_to(thing)
        return (make_reference, found) if found else NotImplemented

    def reduce_module(self, module):
        name = module.__name__
        if type(name) is not str or sys.modules.get(name) is not module or name == "__main__":
            raise CannotSave("a module that cannot be imported cannot be saved")
        name = _OURS.get(name, name)
        if not _is_there(make_module, name):  # posixpath is os.path
            others = [other for other, found in list(sys.modules.items()) if found is module]
            name = next((other for other in others if _is_there(make_module, other)), name)
        make_module(name)  # the profile must have it
        return make_module, (name,)

    def reduce_lazy_import(self, thing):
        parts = self.hooks.lazy_import(thing)
        make_lazy(*parts)  # the profile must have it
        return make_lazy, parts

    def reduce_method(self, method):
        found = self.reference_to(method)
        if found:
            return make_reference, found
        return make_method, (method.__func__, method.__self__)

    def reduce_builtin(self, function):
        if type(function.__self__) in BOUND:
            return make_bound, (function.__self__, function.__name__)
        if function.__self__ is None or type(function.__self__) is types.ModuleType:
            return self.reduce_library_builtin(function)
        found = self.reference_to(function)
        if found:
            return make_reference, found
        raise CannotSave("a method of a library object cannot be saved")

    def reduce_library_builtin(self, function):
        """By the module that a cell imports: operator.add says that it is of _operator."""
        module = function.__module__
        if type(module) is str and (module.startswith("_") or module == "posix"):
            module = "os" if module == "posix" else module.lstrip("_")
            if vars(sys.modules.get(module, types)).get(function.__name__) is function:
                make_reference(module, function.__name__)  # the profile must have it
                return make_reference, (module, function.__name__)
        return self.reduce_imported(function)

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
        if not cell_of(code):
            return self.reduce_library_function(function)
        if function.__globals__ is not self.main:
            raise CannotSave("a function with a namespace of its own cannot be saved")
        owner, name = self.owner_of(function)
        if owner is not None:
            return make_attribute, (owner, name)
        place = self.book.place(code)
        cells = function.__closure__ or ()
        fresh = _Function(code, self.main, None, None, cells or None)
        state = {part: getattr(function, part) for part in FUNCTION_PARTS
                 if part != "__annotations__" and getattr(function, part) is not getattr(fresh, part)}
        annotations = {name: value for name, value in function.__annotations__.items()
                       if self.is_annotation(value)}
        if annotations:
            state["__annotations__"] = annotations
        if function.__dict__:
            state["dict"] = function.__dict__
        contents = {i: cell.cell_contents for i, cell in enumerate(cells) if is_full(cell)}
        if contents:
            state["closure"] = contents
        return make_function, (place, cells), state or None, None, None, fill_function

    def reduce_library_function(self, function):
        contextlib = sys.modules.get("contextlib")
        inner = getattr(function, "__wrapped__", None)
        for name in ("contextmanager", "asynccontextmanager"):
            if inner is not None and contextlib and \
                    function.__code__ in children(getattr(contextlib, name).__code__):
                return make_wrapped, (name, inner)
        if function.__code__.co_filename.startswith("<string>"):
            raise CannotSave("a function that was made from text cannot be saved")
        if function.__code__.co_filename == "<snug tool>":
            raise CannotSave("a function of the host is bound by it, and not saved")
        return self.reduce_imported(function)

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
            raise CannotSave(f"the class {cls.__name__} was made in a function")
        if id(cls) in pickler.classes:
            raise CannotSave(f"what the class {cls.__name__} is made from needs the class itself")
        pickler.classes.add(id(cls))
        path = qualname.split(".")
        if len(path) > 1:
            outer = self.resolve(path[:-1])
            if not isinstance(outer, type) or vars(outer).get(path[-1]) is not cls:
                raise CannotSave(f"the class {qualname} is not where its name says")
            return make_inner, (outer, path[-1])
        place, statement = self.statement_of(cls)
        if place is None:
            found = self.reference_to(cls)
            return (make_reference, found) if found else self.reduce_made_class(cls)
        needs = {name: self.main[name] for name in names_needed(statement, place[-1])
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
        raise CannotSave(f"the class {cls.__name__} was not made by a class statement")

    def statement_of(self, cls):
        """Where the class statement is, for make_class, and its node; (None, None)."""
        codes = [f.__code__ for f in map(_plain_function, vars(cls).values()) if f is not None]
        codes = {cell_of(code): code for code in codes
                 if code.co_qualname == f"{cls.__qualname__}.{code.co_name}"}
        codes.pop(0, None)
        found = []
        for number in sorted(codes) or range(1, len(self.book.sources) + 1):
            found += self.statements_named(cls, number, codes.get(number))
        if not found:
            return None, None
        if len(found) > 1 and not codes and self.main.get(cls.__name__) is not cls:
            raise CannotSave(f"the class {cls.__name__} was defined again")
        number, flags, which, node = found[-1]
        kept = tuple(i for i, decorator in enumerate(node.decorator_list)
                     if not self.is_of_cells(decorator))
        return (number, flags, cls.__name__, which, kept), node

    def statements_named(self, cls, number, code):
        """Those of a cell that may have made the class, one of whose functions has that code."""
        source = self.book.sources[number - 1] if number <= len(self.book.sources) else None
        if source is None or cls.__name__ not in source:
            return
        flags = code.co_flags & FUTURE if code else self.book.flags
        try:
            statements = self.book.statements(number, flags)
        except SyntaxError:
            return
        begins = vars(cls).get("__firstlineno__")  # 3.13
        for which, node in enumerate(statements.get(cls.__name__, ())):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if begins in (None, first) and (
                    code is None or first <= code.co_firstlineno <= node.end_lineno):
                yield number, flags, which, node

    def is_of_cells(self, decorator):
        """A decorator of the session's own: what it did to the class is saved, and it is not called
        again."""
        names = [node.id for node in walk(decorator) if type(node).__name__ == "Name"]
        root = self.main.get(names[0]) if names else None
        code = getattr(root, "__code__", None)
        if type(code) is types.CodeType:
            return bool(cell_of(code))
        return isinstance(root, type) and not self.is_library(root)

    def add_needs_of_functions(self, needs, cls):
        """What the functions of cells read that a class statement calls. They get copies of what
        they may change: what they did to it is saved."""
        waiting = [value for value in needs.values() if type(value) is _Function]
        for base in (*cls.__mro__[1:], *type(cls).__mro__):
            functions = map(_plain_function, map(vars(base).get, _CALLED))
            waiting += [function for function in functions if function is not None]
        for function in waiting:
            for name in function.__code__.co_names if cell_of(function.__code__) else ():
                value = self.main.get(name, _MISSING)
                if name in needs or value is _MISSING or value is cls or not self.is_plain(value):
                    continue
                if type(value) in (list, dict, set):
                    value = value.copy() if all(type(item) in PLAIN for item in _items(value)) \
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
            if function is not None and cell_of(function.__code__):
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
        if kind in PLAIN:
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
        """None, or why a value cannot be saved, by trying it."""
        if type(value) in PLAIN:
            return None
        mark = self.hooks.mark()
        try:
            _Pickler(self.hooks, self).dump(value)
        except BaseException as error:  # a stop comes again behind it
            self.hooks.drop(mark)
            return explain(error)
        self.hooks.drop(mark)
        return None

    def write(self, values):
        """One pickle for each. The index of the first that cannot be saved, or None."""
        self.hooks.drop(0)
        pickler = _Pickler(self.hooks, self)
        for index, value in enumerate(values):
            try:
                pickler.dump(value)
            except BaseException as error:
                return index, explain(error)
        return None


_CALLED = ("__init_subclass__", "__prepare__", "__new__", "__init__", "__call__")  # to make a class
_NAMED_KINDS = ("_Environ", "Stream")  # os.environ, sys.stdout
_SINGLE_TYPES = (type(None), type(...), type(NotImplemented))
_REDUCERS = {
    types.ModuleType: _Saver.reduce_module, types.MethodType: _Saver.reduce_method,
    _Builtin: _Saver.reduce_builtin, _Function: _Saver.reduce_function, _Cell: _Saver.reduce_cell,
    property: _Saver.reduce_property, staticmethod: _Saver.reduce_wrapper,
    classmethod: _Saver.reduce_wrapper, types.UnionType: _Saver.reduce_union,
    _LAZY: _Saver.reduce_lazy_import,
}


def _is_there(make, *arguments):
    """Whether the profile has it."""
    try:
        make(*arguments)
    except Exception:
        return False
    return True


# Under which name cells import modules of ours.
_OURS = {"_snug_display": "IPython.display", "_snug_ipython": "IPython", "_snug_getpass": "getpass"}


def _public_names():
    """What modules have for import: (module, name, value)."""
    kinds = (_Function, _Builtin, types.MethodType, type)
    for module, found in list(sys.modules.items()):
        module = _OURS.get(module, module)
        if type(found) is not types.ModuleType or type(module) is not str or module[:1] == "_":
            continue
        for name, value in list(vars(found).items()):
            if type(name) is str and name[:1] != "_" and (
                    isinstance(value, kinds) or type(value).__name__ in _NAMED_KINDS):
                yield module, name, value


def _is_text(name):
    try:
        return bool(name.encode()) and "\0" not in name
    except UnicodeEncodeError:
        return False


def _items(value):
    return (*value, *value.values()) if type(value) is dict else value


def _plain_function(value):
    value = value.__func__ if type(value) in (staticmethod, classmethod) else value
    return value if type(value) is _Function else None


def _is_enumeration(metaclass):
    enum = sys.modules.get("enum")
    return enum is not None and issubclass(metaclass, enum.EnumMeta)


def _how(value, saver):
    try:
        return _way(value, saver)
    except BaseException:  # of a class that lies
        return "value"


def _way(value, saver):
    kind = type(value)
    if kind is types.ModuleType or kind is _LAZY:
        return "import"
    if issubclass(kind, type):
        is_imported = saver.is_library(value) or value.__module__ != "__main__" and saver.reference_to(value)
        return "import" if is_imported else "source"
    if kind is _Function:
        made_here = getattr(getattr(value, "__wrapped__", value), "__code__", value.__code__)
        return "source" if cell_of(made_here) else "import"
    if (kind in (_Builtin, types.MethodType) or kind.__name__ in _NAMED_KINDS) and saver.reference_to(value):
        return "import"
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
            sys.setrecursionlimit(max(limit, DEPTH))
            return _save(_Saver(Book(main, sources, flags, hooks), hooks), out, last)
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
        reason = saver.reason_against(value) if _is_text(name) else "its name is not text"
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
