# Code that re did not make: the engine jumps where it says, and writes marks that nobody has made room for.
# expect: ok
import re
compile = re._compiler._sre.compile
FAILURE, SUCCESS, BIGCHARSET, IN, INFO, LITERAL, MARK, REPEAT_ONE = 0, 1, 10, 13, 14, 16, 17, 24
PREFIX, CHARSET = 1, 4
plain = [INFO, 4, 0, 0, 0]
tables = [0] * 64 + [0] * 8
forged = {
    "a mark behind the last": (plain + [MARK, 0, MARK, 3, SUCCESS], 1),
    "a mark where there is none": (plain + [MARK, 1, SUCCESS], 0),
    "a skip behind the code": ([INFO, 8, PREFIX, 1, 1, 1, 1 << 20, 97, 0, LITERAL, 97, SUCCESS], 0),
    "a skip that is longer than its prefix": ([INFO, 8, PREFIX, 1, 1, 1, 2, 97, 0, LITERAL, 97, LITERAL, 97, SUCCESS], 0),
    "a skip into an argument": ([INFO, 8, PREFIX, 1, 1, 1, 1, 97, 0, IN, 4, LITERAL, 97, FAILURE, SUCCESS], 0),
    "a literal that takes nothing": ([INFO, 8, PREFIX | 2, 1, 1, 1, 0, 97, 0, LITERAL, 97, SUCCESS], 0),
    "an overlap that goes on": ([INFO, 12, PREFIX, 1, 1, 3, 0, 97, 97, 98, 2, 2, 2, LITERAL, 97, SUCCESS], 0),
    "a charset that is not there": ([INFO, 4, CHARSET, 1, FAILURE, LITERAL, 97, SUCCESS], 0),
    "blocks that are not there": (plain + [IN, 2 + 64 + 2, BIGCHARSET, 0x20000000] + [0xFFFFFFFF] * 64 + [FAILURE, SUCCESS], 0),
    "a set of no length": (plain + [IN, 0, FAILURE, SUCCESS], 0),
    "a repeat of nothing": (plain + [REPEAT_ONE, 4, 1, 1, SUCCESS, SUCCESS], 0),
    "a repeat of two": (plain + [REPEAT_ONE, 8, 1, 1, LITERAL, 97, LITERAL, 97, SUCCESS, SUCCESS], 0),
    "no end": (plain + [LITERAL, 97], 0),
    "nothing": ([], 0),
}
taken = []
for name, (code, groups) in forged.items():
    try:
        pattern = compile("a", 0, code, groups, {}, (None,) * (groups + 1))
    except RuntimeError:
        continue
    taken.append(name)
    pattern.search("aaab" * 100), pattern.match("aaab")
assert not taken, taken
# %%
try:
    compile("a", 0, plain + [27, 2] * 100000 + [SUCCESS] * 100001, 0, {}, ())
except (RecursionError, RuntimeError):
    pass
else:
    raise AssertionError("too deep")
# %%
class Shrinks(list):
    pass
code = Shrinks(plain + [LITERAL, 97, SUCCESS])
class Flags:
    def __index__(self):
        code.clear()
        return 0
for arguments in (("a", Flags(), code, 0, {}, ()), ("a", 0, code, Flags(), {}, ()), ("a", 0, tuple(code), 0, {}, ()),
                  ("a", 0, [0.5], 0, {}, ()), ("a", 0, code, 0, [], ()), ("a", 0, code, 0, {}, []), ("a",)):
    try:
        compile(*arguments)
    except TypeError:
        continue
    raise AssertionError(arguments)
assert len(code) == 8 and compile("a", 0, code, 0, {}, ()).match("ab")
# %%
import string
patterns = [
    r"", r"abc", r"a|b|cd", r"(a)(b)?\1", r"(?P<x>a+)(?P=x)", r"(?i)abc[d-fx]\d", r"(?i)straße", r"[^\W\d_]+", r"(?s).*?x",
    r"(?:ab)*?c", r"(?:ab){2,5}+c", r"a*+b", r"(?>ab|a)c", r"(?<=ab)c(?!d)(?=e)", r"(?<!x)y", r"(a)?(?(1)b|c)", r"(a)?(?(1)b)",
    r"^\s*(\w+)\s*=\s*(.*?)\s*$", r"(?m)^a$", r"(?a:\w)\W", r"(?x) a b # c", r"[\u0100-\u2000x\uffff]", r"(?i)[а-яё\u0130k]+",
    r"x{3}", r"[^a]{2,}?", r"(?!)", r"((((a))))", r"(abc)def", r"a(bc)", r"(?:abc)d(e)", r"\bfoo\B", r"\A\Z", r"(?i:a)b(?-i:c)",
    r"(?:(?:a|b)+|c)*d", r"(a|ab)(c|bcd)(d*)", r"(?i)(k)\1", "[%s]" % re.escape(string.punctuation), "[\U00010000-\U0010ffff]",
]
for pattern in patterns:
    re.compile(pattern)
    re.compile(pattern, re.I | re.S)
for pattern in (rb"(?L)\w\b[a-z]", rb"(?Li)(a[bc]d)\1", rb"[\x80-\xff]+", rb"(?i)abc"):
    re.compile(pattern)
assert re.fullmatch(r"(?P<key>\w+)=(?P<value>[^;]*);?", "a=b c;").groupdict() == {"key": "a", "value": "b c"}
depth = 150
assert re.fullmatch("(?:" * depth + "a" + ")*" * depth, "aa")
