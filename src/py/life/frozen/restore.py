"""Restoring: the values of a saved session, put into a new one.

Runs in the session, under a cell's limits. No promise rests on it: a cell could do all that this
and the pickles of a file do.
"""
import _pickle
import sys
import types
import warnings

import _snug_savemakers as makers
from _snug_savebook import Book
from _snug_savemakers import PLAIN, helpers, is_full
from _snug_savereasons import DEPTH, explain

_Function = types.FunctionType


class _Unpickler(_pickle.Unpickler):
    def persistent_load(self, name):
        return helpers[name]


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
            sys.setrecursionlimit(max(limit, DEPTH))
            return _restore(Book(main, sources, flags, hooks), out, items, skipped, hooks)
        finally:
            sys.setrecursionlimit(limit)


def _load(items, hooks):
    reader = _Unpickler(hooks)
    return [reader.load() for _ in items], [None] * len(items)


def _restore(book, out, items, skipped, hooks):
    main, before = book.main, dict(book.main)
    makers.book = book
    try:
        try:
            values, reasons = _load(items, hooks)
        except BaseException:
            values, reasons = _load_what_can_be(items, hooks)
    finally:
        makers.book = None
    for name in [name for name in main if name not in before]:
        del main[name]
    main.update(before)
    restored = []
    for (kind, name, how), value, reason in zip(items, values, reasons):
        try:
            if reason is None:
                _bind(main, kind, name, value, out)
        except BaseException as error:
            reason = explain(error)
        if kind == "name" and reason is None:
            restored.append((name, how))
        elif kind == "name":
            skipped.append((name, reason))
    # What the session has by itself: functions of the host.
    restored += [(name, "tool") for name, _ in skipped if name in before]
    return restored, [pair for pair in skipped if pair[0] not in before]


def _load_what_can_be(items, hooks):
    """Again, with something in the place of what cannot be made, and slowly."""
    import pickle

    class Broken:
        reason = "a part of it cannot be restored"

        def __new__(cls, *args, **keywords):
            return object.__new__(cls)

        def __setstate__(self, state):
            pass

        def __call__(self, *args, **keywords):
            return self

    def broken(error):
        thing = Broken()
        thing.reason = explain(error)
        return thing

    class Tolerant(pickle._Unpickler):
        dispatch = dict(pickle._Unpickler.dispatch)

        def persistent_load(self, name):
            return helpers[name]

        def find_class(self, module, name):
            try:
                return super().find_class(module, name)
            except BaseException as error:
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
            except BaseException as error:
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
        if id(thing) in seen or type(thing) in PLAIN:
            continue
        seen.add(id(thing))
        kind = type(thing)
        if kind in (list, tuple, set, frozenset):
            waiting.extend(thing)
        elif issubclass(kind, dict):
            waiting.extend(dict.keys(thing))
            waiting.extend(dict.values(thing))
        elif kind is _Function:
            waiting.extend(cell.cell_contents for cell in thing.__closure__ or () if is_full(cell))
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
