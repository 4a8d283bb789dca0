"""The cell that runs one of CPython's test modules: run(NAME, SEED, CPU_S, WALL_S) is its value.

It is the same text in a session and in plain Python. What it lends are things that tests of other
things want at their import. Nothing of what a session refuses is got round by it.
"""
import contextlib, io, random, sys, time, unittest

os = sys.modules["os"]

load = unittest.defaultTestLoader.loadTestsFromName # which imports, as a cell of a full session may not

# Modules in C that exist for tests only. No session has them; a test that asks one is skipped.
ONLY_FOR_TESTS = ("_testcapi", "_testinternalcapi", "_testlimitedcapi", "_testsinglephase", "_testmultiphase",
                  "_ctypes_test")


class Empty:
    """What a test's import asks of ctypes or _testcapi; it does nothing."""

    def __getattr__(self, name):
        return self

    def __call__(self, *given):
        return self


class StandIn(type(sys)):
    CHAR_MIN, CHAR_MAX, UCHAR_MAX = -128, 127, 255
    SHRT_MIN, SHRT_MAX, USHRT_MAX = -2**15, 2**15 - 1, 2**16 - 1
    INT_MIN, INT_MAX, UINT_MAX = -2**31, 2**31 - 1, 2**32 - 1
    LONG_MIN, LONG_MAX, ULONG_MAX = -2**63, 2**63 - 1, 2**64 - 1
    LLONG_MIN, LLONG_MAX, ULLONG_MAX = LONG_MIN, LONG_MAX, ULONG_MAX
    PY_SSIZE_T_MIN, PY_SSIZE_T_MAX, SIZE_MAX = LONG_MIN, LONG_MAX, ULONG_MAX
    SIZEOF_WCHAR_T, SIZEOF_TIME_T, SIZEOF_PYGC_HEAD = 4, 8, 16
    asked = AttributeError # while modules are imported: they have another way then

    def __getattr__(self, name):
        if name.lower().startswith("meth"):
            return Empty()
        raise StandIn.asked(f"{self.__name__}.{name}: no session has this module")

    def get_config(self):
        return {"code_debug_ranges": 1, "run_presite": None}

    def get_recursion_depth(self):
        return 20

    def suppress_immortalization(self, *given):
        pass

    def get_immortalize_deferred(self):
        return False

    def has_inline_values(self, *given):
        raise unittest.SkipTest("no session can look at inline values")


CTYPES = dict.fromkeys("pythonapi CFUNCTYPE POINTER LibraryLoader c_voidp c_void_p c_int c_ssize_t".split(), Empty())
CTYPES.update(dict.fromkeys("Structure Union Array _Pointer _SimpleCData py_object".split(), Empty))
CTYPES.update(c_wchar="wchar", sizeof={"wchar": 4}.get)


class Terminal:
    """A session's streams have no descriptor; one that no file has."""

    def fileno(self):
        return -1


def fill(name, **values):
    """Gives a module what it lacks, if it is there."""
    try:
        load(name)
    except (ImportError, AttributeError):
        pass
    for key, value in values.items():
        if name in sys.modules and not hasattr(sys.modules[name], key):
            setattr(sys.modules[name], key, value)


def lend():
    for name in ONLY_FOR_TESTS:
        if name not in sys.modules:
            sys.modules[name] = StandIn(name)
    fill("os", getuid=lambda: 1000, geteuid=lambda: 1000, getgid=lambda: 1000, getegid=lambda: 1000)
    fill("gc", set_debug=lambda flags: None, get_debug=lambda: 0, DEBUG_SAVEALL=32)
    fill("test.win_console_handler") # imports ctypes, which is an empty one in a restricted session
    if "_snug_ctypes" in sys.modules:
        vars(sys.modules["_snug_ctypes"]).update(CTYPES)
    try:
        sys.__stdout__.fileno()
    except (AttributeError, OSError): # a session
        sys.__stdout__ = Terminal()
        load("test.support.socket_helper")
        sys.modules["test.support.socket_helper"]._bind_nix_socket_error = OSError("a session has no sockets")
    load("test.support.import_helper")
    helper = sys.modules["test.support.import_helper"]
    helper.frozen_modules = lambda *given: contextlib.nullcontext() # a session's _imp has not that switch


class Result(unittest.TestResult):
    """Stops after a test when the module has had its time."""
    cut = False

    def stopTest(self, test):
        super().stopTest(test)
        if time.process_time() > self.cpu_end or time.monotonic() > self.wall_end:
            self.cut = True
            self.stop()


def shuffle(suite, order):
    """Classes in another order, and the tests of each: a class's fixtures run once all the same."""
    for inner in suite:
        if isinstance(inner, unittest.TestSuite):
            shuffle(inner, order)
    if isinstance(getattr(suite, "_tests", None), list):
        order.shuffle(suite._tests)


def tests_of(suite):
    for inner in suite:
        if isinstance(inner, unittest.TestSuite):
            yield from tests_of(inner)
        else:
            yield inner


def run(name, seed, cpu_s, wall_s):
    """Tests run, failures, errors, skipped, whether time cut it, and why nothing ran if so."""
    result = Result()
    result.cpu_end, result.wall_end = time.process_time() + cpu_s, time.monotonic() + wall_s
    lend()
    suite = load("test." + name)
    for test in tests_of(suite):
        if type(test).__name__ == "_FailedTest":
            raise test._exception
    shuffle(suite, random.Random(seed))
    StandIn.asked = unittest.SkipTest
    keep, sys.stdout = sys.stdout, io.StringIO()
    try:
        suite.run(result)
    finally:
        sys.stdout = keep
    why = ""
    if result.testsRun == len(result.skipped):
        told = result.errors[:1] or result.skipped[:1]
        why = told[0][1].strip().rpartition("\n")[2] if told else "has no tests"
    return (result.testsRun, len(result.failures), len(result.errors), len(result.skipped), result.cut, why)
