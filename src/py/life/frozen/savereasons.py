"""Why a value cannot be saved or restored, in words for people."""
import io
import sys
import types

DEPTH = 10000  # of recursion: a list of some thousand links

CannotSave = type("CannotSave", (Exception,), {})


def refusals():
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
            ("_sqlite3", "Cursor", "a database cursor"), ("threading", "Thread", "a thread"),
            ("_snug_ipython", "InteractiveShell", "what get_ipython() answers")):
        loaded = vars(sys.modules[module]).get(name) if module in sys.modules else None
        if isinstance(loaded, type):
            yield loaded, words


def explain(error):
    """A sentence's end for what kept a value from being saved or restored."""
    if isinstance(error, CannotSave):
        return str(error)
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, MemoryError):
        return "the session has not enough memory for it"
    try:
        text = " ".join(str(error).split())
    except BaseException:
        text = ""
    return f"{type(error).__name__}: {text}"[:300] if text else type(error).__name__
