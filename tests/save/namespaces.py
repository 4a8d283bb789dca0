"""Makes namespaces from seeds, with what becomes of each name when they are saved and restored.

A piece is the source of a cell's part, in which N stands for the piece's own name, and for each
name that it leaves either how it is saved or why it is not. Some have a check: an expression whose
text must be the same before and after.
"""
import random
import re
import sys


class Piece:
    def __init__(self, source, check=None, **names):
        self.source, self.check, self.names = source, check, names


def value(source, check="N"):
    return Piece(source, check, N="value")


GENERATOR = "a generator cannot be saved"
FILE = "an open file cannot be saved"
LOCAL = "the class {N}_C was made in a function"
# Since 3.14 no iterator of itertools can be pickled.
COUNT = (value("import itertools; N = itertools.count(7, 2)", "repr(N)") if sys.version_info < (3, 14) else
         Piece("import itertools; N = itertools.count(7, 2)", N="TypeError: cannot pickle 'itertools.count' object"))

PIECES = [
    # values
    value("N = 42"), value("N = -(2 ** 100)"), value("N = 1.5e300"), value("N = float('inf')"),
    value("N = 3 - 4j"), value("N = 'text é \\u4e00 \\U0001f600'"), value("N = b'bytes\\x00\\xff'"),
    value("N = bytearray(b'abc')"), value("N = None"), value("N = True"),
    value("N = [1, [2, (3, {'a': {4, 5}})]]"), value("N = {1: 'a', 'b': [None], (1, 2): 3.0}"),
    value("N = frozenset({1, 2}), {3}", "(sorted(N[0]), N[1])"), value("N = range(1, 10, 2)"),
    value("N = slice(1, None, 2)"), value("N = list(range(3000))", "(len(N), sum(N))"),
    value("N = tuple(range(2000))", "(len(N), sum(N))"), value("N = {i: str(i) for i in range(2000)}",
                                                               "(len(N), N[1999])"),
    value("N = 'x' * 200000", "len(N)"), value("N = ValueError('wrong', 3)", "(type(N), N.args)"),
    value("import datetime as N_dt; N = N_dt.datetime(2024, 2, 29, 12, tzinfo=N_dt.timezone.utc)"),
    value("from decimal import Decimal; N = Decimal('1.10')"),
    value("from fractions import Fraction; N = Fraction(3, 7)"),
    value("import uuid; N = uuid.UUID(int=5)"),
    value("import re; N = re.compile('(a+)b', re.I)", "(N.pattern, N.flags, N.sub('-', 'xAAby'))"),
    value("from collections import OrderedDict; N = OrderedDict(b=1, a=2)", "list(N.items())"),
    value("from collections import Counter; N = Counter('abca')", "sorted(N.items())"),
    value("from collections import deque; N = deque([1, 2, 3], 5)"),
    value("from collections import defaultdict; N = defaultdict(list); N['k'].append(1)", "dict(N)"),
    value("from collections import ChainMap; N = ChainMap({1: 2}, {3: 4})", "dict(N)"),
    value("from types import SimpleNamespace; N = SimpleNamespace(a=1, b=[2])"),
    value("import array; N = array.array('d', [1, 2.5])"),
    value("import io; N = io.StringIO('some text'); N.read(4)", "(N.tell(), N.getvalue())"),
    value("import io; N = io.BytesIO(b'some')", "N.getvalue()"),
    value("import ipaddress; N = ipaddress.ip_address('10.0.0.1')"),
    value("import random; N = random.Random(N_SEED)", "N.getrandbits(30)"),
    COUNT,
    value("N = iter([1, 2, 3]); next(N)", "N.__length_hint__()"),
    value("N = enumerate(['a', 'b']); next(N)", "N.__reduce__()[1][1]"),
    value("import functools; N = functools.partial(max, 5)", "N(3)"),
    value("import operator; N = operator.itemgetter(1)", "N('ab')"),
    value("N = [len, max]", "N[0]('abc')"),
    value("import operator; N = {'+': operator.add, 'max': max}", "N['+'](1, 2)"),
    value("N = {'sqrt': __import__('math').sqrt}", "N['sqrt'](9)"),
    value("import typing; N = typing.Optional[int]"), value("N = list[int]"), value("N = int | None"),
    value("import typing; N = typing.Dict[str, typing.List[int]]"),
    # what is shared, and what goes in a circle
    value("N = []; N.append(N)", "N[0] is N"),
    value("N = {}; N['self'] = [N]", "N['self'][0] is N"),
    Piece("N_a = [1]; N_b = {'a': N_a}; N_c = (N_a, N_b)",
          "N_b['a'] is N_a and N_c[0] is N_a and N_c[1] is N_b", N_a="value", N_b="value", N_c="value"),
    value("N = ([],); N[0].append(N)", "N[0][0] is N"),
    value("N = None\nfor N_i in range(300): N = [N]\ndel N_i", "str(N).count('[')"),
    # imports
    Piece("import math as N", "N.pi", N="import"),
    Piece("from json import dumps as N", "N([1])", N="import"),
    Piece("from collections import OrderedDict as N", "N.__name__", N="import"),
    Piece("N = print", "N.__name__", N="import"), Piece("N = int", "N('3')", N="import"),
    Piece("import collections.abc as N", "N.__name__", N="import"),
    # functions
    Piece("def N(a, b=[1], *, c=3):\n    'doc'\n    return a, b, c", "(N(1), N.__doc__, N.__name__)", N="source"),
    Piece("def N(n):\n    return 1 if n < 2 else n * N(n - 1)", "N(10)", N="source"),
    Piece("N = lambda x: x * 2; N_other = lambda x: x * 3", "(N(2), N_other(2))", N="source",
          N_other="source"),
    Piece("N_l = [lambda: 1, lambda: 2, lambda: 1]", "[f() for f in N_l]", N_l="value"),
    Piece("def N():\n    yield 1\n    yield 2", "list(N())", N="source"),
    Piece("async def N():\n    return 5", "(await N())", N="source"),
    Piece("def N_make():\n    n = 0\n    def step():\n        nonlocal n\n        n += 1\n        return n\n"
          "    def peek():\n        return n\n    return step, peek\nN_step, N_peek = N_make()\nN_step(); N_step()",
          "(N_peek(), N_step(), N_peek())", N_make="source", N_step="source", N_peek="source"),
    Piece("def N_fact():\n    def f(n):\n        return 1 if n < 2 else n * f(n - 1)\n    return f\nN = N_fact()",
          "N(6)", N_fact="source", N="source"),
    Piece("def N(x):\n    return x\nN.calls = 3\nN.__defaults__ = (9,)", "(N.calls, N())", N="source"),
    Piece("import functools\n@functools.lru_cache(maxsize=8)\ndef N(n):\n    return n + 1",
          "(N(4), N.cache_parameters()['maxsize'])", N="value"),
    Piece("import contextlib\n@contextlib.contextmanager\ndef N():\n    yield 7\n",
          "N().__enter__()", N="source"),
    Piece("import functools\ndef N_deco(f):\n    @functools.wraps(f)\n    def wrapper(*a):\n"
          "        wrapper.n += 1\n        return f(*a)\n    wrapper.n = 0\n    return wrapper\n"
          "@N_deco\ndef N(x):\n    return x + 1\nN(1)", "(N(5), N.n, N.__name__)",
          N_deco="source", N="source"),
    Piece("def N(a: int, b: 'str' = '') -> list[int]:\n    return [a]", "N.__annotations__", N="source"),
    value("N = [].append", "N.__name__"), value("N = 'abc'.upper", "N()"),
    # classes
    Piece("class N_C:\n    limit = [1]\n    def __init__(self, x):\n        self.x = x\n    def double(self):\n"
          "        return self.x * 2\n    @classmethod\n    def make(cls):\n        return cls(9)\n"
          "    @staticmethod\n    def one():\n        return 1\n    @property\n    def p(self):\n        return self.x\n"
          "N = N_C(4); N_C.limit.append(2)", "(N.double(), N_C.make().p, N_C.one(), N.limit, type(N) is N_C)",
          N_C="source", N="value"),
    Piece("class N_A:\n    def who(self):\n        return 'A'\nclass N_B(N_A):\n    def who(self):\n"
          "        return 'B' + super().who()\nN = [N_B(), N_A()]", "[x.who() for x in N]",
          N_A="source", N_B="source", N="value"),
    Piece("class N_C:\n    class Inner:\n        v = 3\n    def make(self):\n        return self.Inner()\nN = N_C().make()",
          "(N.v, type(N) is N_C.Inner)", N_C="source", N="value"),
    Piece("class N_C:\n    __slots__ = ('a', 'b')\nN = N_C(); N.a = [1]", "(N.a, hasattr(N, 'b'))",
          N_C="source", N="value"),
    Piece("class N_C(dict):\n    def get2(self):\n        return self['k'] * 2\nN = N_C(k=4)", "N.get2()",
          N_C="source", N="value"),
    Piece("class N_E(Exception):\n    pass\nN = N_E('m', 1)", "(N.args, type(N) is N_E)", N_E="source", N="value"),
    Piece("class N_C:\n    pass\nN_C.later = lambda self: 8\nN_C.number = 6\nN = N_C()", "(N.later(), N.number)",
          N_C="source", N="value"),
    Piece("N_all = []\nclass N_Base:\n    def __init_subclass__(cls):\n        N_all.append(cls)\n"
          "class N_One(N_Base):\n    pass\nclass N_Two(N_Base):\n    pass",
          "[c.__name__[-3:] for c in N_all] == ['One', 'Two'] and N_all[0] is N_One", N_all="value",
          N_Base="source", N_One="source", N_Two="source"),
    Piece("N_K = 5\nclass N_C:\n    k = N_K + 1\nN_K = 50", "(N_C.k, N_K)", N_K="value", N_C="source"),
    Piece("class N_C:\n    count = 0\n    def __init__(self):\n        N_C.count += 1\nN_C(); N_C()", "N_C.count",
          N_C="source"),
    Piece("class N_M(type):\n    def __call__(cls, *a):\n        return super().__call__(*a)\n"
          "class N_C(metaclass=N_M):\n    z = 1\nN = N_C()", "(N.z, type(N_C) is N_M)", N_M="source",
          N_C="source", N="value"),
    Piece("class N_Node:\n    def __init__(self):\n        self.next = self\nN = N_Node()", "N.next is N",
          N_Node="source", N="value"),
    Piece("class N_C:\n    def m(self):\n        return 3\nN = N_C().m", "N()", N_C="source", N="value"),
    Piece("class N_C:\n    def __reduce__(self):\n        return N_C, ()\nN = N_C()", "type(N) is N_C",
          N_C="source", N="value"),
    Piece("class N_C:\n    def __getstate__(self):\n        return {'kept': self.v + 1}\n    def __setstate__(self, s):\n"
          "        self.v = s['kept']\nN = N_C(); N.v = 1", "N.v in (1, 2)", N_C="source", N="value"),
    Piece("def N_reg(cls):\n    cls.marked = True\n    N_list.append(cls)\n    return cls\nN_list = []\n"
          "@N_reg\nclass N_C:\n    pass", "(N_C.marked, len(N_list), N_list[0] is N_C)", N_reg="source",
          N_list="value", N_C="source"),
    Piece("from dataclasses import dataclass, field\n@dataclass(order=True)\nclass N_D:\n    x: int = 1\n"
          "    y: list = field(default_factory=list)\n    def area(self):\n        return self.x\nN = N_D(2, [3])",
          "(N, N.area(), N < N_D(3), N == N_D(2, [3]))", N_D="source", N="value"),
    Piece("import dataclasses as N_dc\n@N_dc.dataclass(frozen=True)\nclass N_D:\n    x: float\nN = {N_D(1.0): 'a'}",
          "N", N_D="source", N="value", N_dc="import"),
    Piece("import enum as N_e\nclass N_C(N_e.Enum):\n    RED = 1\n    BLUE = N_e.auto()\n    def low(self):\n"
          "        return self.name.lower()\nN = [N_C.BLUE, N_C.RED]", "(N[0] is N_C.BLUE, N[0].low(), list(N_C))",
          N_C="source", N="value", N_e="import"),
    Piece("import enum as N_e\nclass N_F(N_e.Flag):\n    A = 1\n    B = 2\nN = N_F.A | N_F.B", "(N.value, N_F.A in N)",
          N_F="source", N="value", N_e="import"),
    Piece("import enum as N_e\nN_C = N_e.Enum('N_C', 'X Y')\nN = N_C.Y", "(N is N_C.Y, N.value)", N_C="source",
          N="value", N_e="import"),
    Piece("from collections import namedtuple\nN_P = namedtuple('N_P', 'x y', defaults=[7])\nN = N_P(1)",
          "(N, N.y, type(N) is N_P)", N_P="source", N="value"),
    Piece("import typing as N_t\nclass N_P(N_t.NamedTuple):\n    x: int\n    y: str = 'd'\nN = N_P(1)",
          "(N, type(N) is N_P)", N_P="source", N="value", N_t="import"),
    Piece("import abc as N_abc\nclass N_A(N_abc.ABC):\n    @N_abc.abstractmethod\n    def f(self): ...\n"
          "class N_B(N_A):\n    def f(self):\n        return 1\nN = N_B()", "N.f()", N_A="source",
          N_B="source", N="value", N_abc="import"),
    Piece("import typing as N_t\nN_T = N_t.TypeVar('N_T')\nclass N_C(N_t.Generic[N_T]):\n    def g(self) -> N_T:\n"
          "        return 1\nN = N_C()", "N.g()", N_T="value", N_C="source", N="value", N_t="import"),
    # what cannot be saved
    Piece("N = (i for i in range(3))", N=GENERATOR),
    Piece("def N_g():\n    yield 1\nN = N_g()", N_g="source", N=GENERATOR),
    Piece("N = [1, (i for i in 'ab')]", N=GENERATOR),
    Piece("async def N_c():\n    pass\nN = N_c()", N_c="source", N="a coroutine cannot be saved"),
    Piece("N = open('N.txt', 'w')", N=FILE), Piece("N = {'f': open('N.txt', 'w')}", N=FILE),
    Piece("N = map(str, [1])", N="an iterator (map) cannot be saved"),
    Piece("N = filter(None, [1])", N="an iterator (filter) cannot be saved"),
    Piece("N = reversed([1])", N="an iterator (reversed) cannot be saved"),
    Piece("N = memoryview(b'abc')", N="a memoryview cannot be saved"),
    Piece("N = {}.keys()", N="a view of a dict cannot be saved"),
    Piece("N = (lambda: 0).__code__", N="a code object cannot be saved"),
    Piece("import weakref\nclass N_C:\n    pass\nN_x = N_C()\nN = weakref.ref(N_x)", "type(N_x) is N_C",
          N_C="source", N_x="value", N="a weak reference cannot be saved"),
    Piece("import contextvars\nN = contextvars.ContextVar('N')", N="a context variable cannot be saved"),
    Piece("def N_f():\n    class N_C:\n        pass\n    return N_C()\nN = N_f()", N_f="source", N=LOCAL),
    Piece("exec('def N(): return 1')", N="a function that was made from text cannot be saved"),
    Piece("N = type('N', (), {})", N="the class N was not made by a class statement"),
    Piece("class N_C:\n    def __reduce__(self):\n        return eval, ('1',)\nN = N_C()", "N_C.__name__", N_C="source",
          N="value"),
    Piece("class N_C:\n    def __getstate__(self):\n        raise ValueError('no  state')\nN = N_C()", N_C="source",
          N="ValueError: no state"),
    Piece("def N_f():\n    gen = (i for i in 'ab')\n    return lambda: gen\nN = N_f()", N_f="source", N=GENERATOR),
]

# Names that pieces import under names of their own, and how they are saved.
COMMON = ["Decimal", "Fraction", "uuid", "re", "OrderedDict", "Counter", "deque", "defaultdict", "ChainMap",
          "SimpleNamespace", "array", "io", "ipaddress", "random", "itertools", "functools", "operator",
          "typing", "contextlib", "dataclass", "field", "namedtuple", "weakref", "contextvars"]


# Before 3.15 they are a syntax error. The type is what the name stands for once it was used.
KIND = "type(globals()['N']).__name__"
if sys.version_info >= (3, 15):
    PIECES += [
        Piece("lazy import colorsys as N", f"({KIND}, N.__name__, {KIND})", N="import"),
        Piece("lazy from textwrap import dedent as N", f"({KIND}, N(' a'), {KIND})", N="import"),
        Piece("lazy import xml.etree.ElementTree as N", f"({KIND}, N.__name__, {KIND})", N="import"),
        Piece("lazy import bisect as N; N.__name__", f"({KIND}, N.__name__)", N="import"),
        Piece("lazy import heapq as N_l\nN = [globals()['N_l']] * 2", "N[0] is N[1] and type(N[0]).__name__",
              N="value", N_l="import"),
        Piece("import builtins\nN = builtins.__lazy_import__('math', globals(), None, ('pi',), 0)", "N.pi",
              N="import", builtins="import"),
    ]


def make(seed):
    """(cells, {name: how}, {name: reason}, [checks]) of a namespace."""
    chance = random.Random(seed)
    cells, kept, skipped, checks = [], {}, {}, []
    pieces = chance.sample(PIECES, chance.randint(3, 9))
    lines = []
    for number, piece in enumerate(pieces):
        own = f"n{number}"
        source = _named(piece.source, own, seed)
        for name in COMMON:
            if _imports(piece.source, name):
                kept[name] = "import"
        if "import datetime as N_dt" in piece.source:
            kept[f"{own}_dt"] = "import"
        for name, what in piece.names.items():
            name = _named(name, own, seed)
            if what in ("value", "source", "import"):
                kept[name] = what
            else:
                skipped[name] = what.replace("{N}", own).replace("class N ", f"class {own} ")
        if piece.check:
            checks.append(_named(piece.check, own, seed))
        lines.append(source)
        if chance.random() < 0.5:
            cells.append("\n".join(lines))
            lines = []
    if lines:
        cells.append("\n".join(lines))
    return cells, kept, skipped, checks


def _named(text, own, seed):
    return re.sub(r"\bN(?=\b|_)", own, text.replace("N_SEED", str(seed)))


def _imports(source, name):
    return any(re.search(rf"\b{name}\b", line) and " as " not in line
               for line in re.split(r"[\n;]", source) if re.match(r"\s*(import|from) ", line))
