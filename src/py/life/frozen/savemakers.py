"""What a pickle calls by persistent id: the makers of what has no pickle of its own."""
import sys
import types

PLAIN = (type(None), bool, int, float, complex, str, bytes)  # need no maker
_MISSING = object()

_Cell = types.CellType
_Function = types.FunctionType
_Builtin = types.BuiltinFunctionType

book = None  # of the restore that runs


def make_cell():
    return _Cell()


def is_full(cell):
    try:
        cell.cell_contents
    except ValueError:
        return False
    return True


def make_function(place, cells):
    return _Function(book.find(place), book.main, None, None, cells or None)


def fill_function(function, state):
    for index, value in state.pop("closure", {}).items():
        function.__closure__[index].cell_contents = value
    function.__dict__.update(state.pop("dict", {}))
    for name, value in state.items():
        if name in FUNCTION_PARTS:
            setattr(function, name, value)


FUNCTION_PARTS = ("__defaults__", "__kwdefaults__", "__annotations__", "__name__", "__qualname__",
                  "__doc__", "__module__")


def make_class(place, needs):
    """Runs the class statement, with no more decorators than the library's."""
    if place in book.made:
        return book.made[place]
    number, flags, name, which, kept = place
    main = book.main
    for needed, value in needs.items():
        main.setdefault(needed, value)
    statement = book.statements(number, flags)[name][which]
    code = book.compile(number, _text_of(statement, book.source(number), kept), flags)
    before = main.get(name, _MISSING)
    exec(code, main)
    made = book.made[place] = main.pop(name)
    if before is not _MISSING:
        main[name] = before
    return made


def _text_of(statement, source, kept):
    """Of a class statement, on its lines, with those decorators."""
    lines = [""] * statement.end_lineno
    text = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    def copy(node):
        lines[node.lineno - 1:node.end_lineno] = text[node.lineno - 1:node.end_lineno]
    copy(statement)
    for i in kept:
        copy(statement.decorator_list[i])
    if statement.col_offset:  # within another statement, which begins on a line before
        lines[0] = "if 1:"
    return "\n".join(lines)


def fill_class(cls, state):
    for name, value in state.items():
        type.__setattr__(cls, name, value)


def make_inner(cls, name):
    inner = vars(cls)[name]
    if not isinstance(inner, type):
        raise TypeError(f"{name} is not a class")
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


def make_lazy(module, is_from, path):
    """What `lazy import module` binds, or with a path `lazy import module as x` and `lazy from module
    import path as x`. Without lazy imports (before 3.15), what that name would be."""
    if not all(map(str.isidentifier, (*module.split("."), *path))):
        raise TypeError("no lazy import of a saved session")
    lazy = "lazy " if hasattr(types, "LazyImportType") else ""
    if is_from and path:
        statement = f"{lazy}from {module} import {path[-1]} as made"
    elif is_from or path:
        statement = f"{lazy}import {module} as made"
    else:
        statement = f"{lazy}import {module}"
    names = {}
    exec(statement, names)
    return names["made" if is_from or path else module.partition(".")[0]]


def make_reference(module, name):
    if name.startswith("_"):
        raise TypeError(f"{name} is not a name of a saved session")
    return vars(__import__(module, None, None, (name,)))[name]


def make_method(function, owner):
    return types.MethodType(function, owner)


BOUND = (list, dict, set, str, bytes, bytearray, tuple, frozenset)


def make_bound(owner, name):
    method = getattr(owner, name) if type(owner) in BOUND else None
    if type(method) is not _Builtin:
        raise TypeError(f"{name} is not a built-in method")
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


helpers = {name[5:]: value for name, value in globals().items() if name.startswith("make_")}
helpers |= {"fill_function": fill_function, "fill_class": fill_class}
ids = {id(value): name for name, value in helpers.items()}  # for C, which asks at every object
