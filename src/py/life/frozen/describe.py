"""What front ends and people ask of a session's names: a listing, and one thing in detail.

Code of the guest's runs (__repr__, __len__, properties), and may raise anything: one value never
keeps the others from being shown. A stop comes again after each except. The answers are plain data.
"""
import sys

import _snug

_MOST_CHARS = 80
_MOST_NAME = 200
_MOST_TEXT = 4000
_MOST_SOURCE = 20000


def _plain(text):
    """Without lone surrogates."""
    return text.encode("utf-8", "backslashreplace").decode()


def _clip(text, most):
    return _plain(text if len(text) <= most else text[:most - 3] + "...")


def _type_name(value):
    return _clip(type.__dict__["__name__"].__get__(type(value)), _MOST_NAME)


def _length(value):
    try:
        return len(value) if hasattr(type(value), "__len__") else None
    except BaseException:
        return None


def _signature(value):
    if not callable(value):
        return None
    try:
        import inspect
        return str(inspect.signature(value))
    except BaseException:
        return None


def summary(value):
    """A short text of value that does not look at all of it."""
    kind = type(value)
    try:
        if isinstance(value, type(sys)):
            return _clip(f"module {value.__name__}", _MOST_CHARS)
        if isinstance(value, type):
            return _clip(f"class {value.__qualname__}", _MOST_CHARS)
        if kind.__name__ in ("function", "builtin_function_or_method", "method"):
            return _clip(f"{value.__name__}{_signature(value) or '(...)'}", _MOST_CHARS)
        if kind is int and value.bit_length() > 1000:
            return f"int of {value.bit_length()} bits"
        import reprlib
        short = reprlib.Repr()
        short.maxstring = short.maxother = short.maxlong = _MOST_CHARS
        return _clip(" ".join(short.repr(value).split()), _MOST_CHARS)
    except BaseException as error:
        return _plain(f"<{_type_name(value)}, whose repr raises {_type_name(error)}>")


def _size(value):
    try:
        return sys.getsizeof(value)
    except BaseException:
        return None


def variables():
    rows = []
    for name, value in _snug.names():
        row = {"name": _plain(str(name)), "type": _plain(_type_name(value)), "bytes": _size(value)}
        length = _length(value)
        if type(length) is int:
            row["length"] = length
        row["summary"] = summary(value)
        rows.append(row)
    return rows


# ---- one thing --------------------------------------------------------------------------

def _find(path):
    """The object of a dotted name; LookupError where there is none."""
    first, *rest = path.split(".")
    namespace = _snug.namespace()
    if first in namespace:
        value = namespace[first]
    else:
        import builtins
        if not hasattr(builtins, first):
            raise LookupError(first)
        value = getattr(builtins, first)
    for name in rest:
        try:
            value = getattr(value, name)
        except BaseException as error:
            raise LookupError(path) from error
    return value


def _source(value):
    try:
        import inspect
        return inspect.getsource(value)
    except BaseException:
        return None


def _docstring(value):
    try:
        import inspect
        text = inspect.getdoc(value)
    except BaseException:
        text = None
    return text if isinstance(text, str) else None


def _module(value):
    try:
        module = getattr(value, "__module__", None)
    except BaseException:
        return None
    return _clip(str(module), _MOST_NAME) if isinstance(module, str) else None


def inspect(path):
    """What is known of a dotted name; {"found": False} where it is none."""
    try:
        value = _find(path)
    except LookupError:
        return {"found": False, "name": path}
    answer = {"found": True, "name": path, "type": _plain(_type_name(value))}
    length = _length(value)
    if type(length) is int:
        answer["length"] = length
    is_callable = callable(value)
    try:
        text = None if is_callable else _snug.text(value)
    except BaseException:
        text = None
    for name, text, most in (("text", text, _MOST_TEXT),
                             ("signature", _signature(value), _MOST_TEXT),
                             ("docstring", _docstring(value), _MOST_SOURCE),
                             ("source", _source(value) if is_callable else None, _MOST_SOURCE)):
        answer[name] = None if text is None else _clip(str(text), most)
    answer["module"] = _module(value)
    return answer


_LABELS = (("Signature:", "signature"), ("Type:", "type"), ("String form:", "text"),
           ("Length:", "length"), ("Source:", "source"), ("Docstring:", "docstring"))


def page(path, is_long):
    """The text that `name?` shows; with is_long, `name??`, which has the source."""
    found = inspect(path)
    if not found["found"]:
        return f"Object `{path}` not found."
    lines = []
    for label, key in _LABELS:
        value = found.get(key)
        if value is None or key == "source" and not is_long:
            continue
        if key == "docstring" and is_long and found.get("source"):
            continue
        if key == "signature":
            value = path.rpartition(".")[2] + value
        is_block = "\n" in str(value) or key == "source"
        lines.append(f"{label}\n{value}" if is_block else f"{label:12} {value}")
    return "\n".join(lines)
