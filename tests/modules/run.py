"""Every module of every profile, imported behind the kernel's filters, is the same as in plain Python.

usage: SNUG=PROGRAM SNUG_PYTHON=PYTHON run.py SOURCE_DIR

An extension module that cannot be loaded there, or a library that it misses, often shows as
nothing but a slower or poorer module: hashlib goes without OpenSSL, decimal and datetime take their
halves in Python. So what each module's names are made of is compared, and what a few of them answer.
"""
import ast
import json
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(SOURCE / "tests/cells"))
import client  # noqa: E402

# What is otherwise by design: module, or module.name. 3.11's _asyncio and _zoneinfo share state
# between interpreters and are refused; asyncio has an event loop of its own; exit, quit and help
# come without site; types.coroutine marks bytecode, which is for C alone. From 3.14 on BLAKE2 is a function
# (src/py/life/blake2.c).
OTHERWISE = {"asyncio", "builtins.exit", "builtins.quit", "builtins.help", "types.coroutine"}
OF_OPENSSL = {"hashlib.blake2b", "hashlib.blake2s"}
IN_VERSION = {(3, 11): {"zoneinfo"}, (3, 14): OF_OPENSSL, (3, 15): OF_OPENSSL}
# A session's own __main__; imported only to print.
LEFT_OUT = {"__main__", "this"}

PROBE = '''
def made_of(thing):
    if isinstance(thing, type):
        kinds = {type(part).__name__ for part in vars(thing).values()}
        return "Python class" if "function" in kinds else "class"
    return type(thing).__name__

def probe(name):
    module = __import__(name, fromlist=["*"])
    return {key: made_of(value) for key, value in vars(module).items()
            if not key.startswith("_") and (callable(value) or isinstance(value, type))}
'''

ANSWERS = [
    ("hashlib", "sorted({type(hashlib.new(n)).__module__ for n in ('md5', 'sha256', 'sha3_256')})"),
    ("hashlib", "hashlib.sha256.__name__, hashlib.pbkdf2_hmac('sha256', b'a', b'b', 2).hex()"),
    ("hashlib", "hashlib.scrypt(b'a', salt=b'b', n=2, r=1, p=1).hex(), len(hashlib.algorithms_available)"),
    ("hmac", "hmac.new(b'k', b'm', 'sha512').hexdigest()"),
    ("decimal", "type(decimal.Decimal.__add__).__name__, decimal.__libmpdec_version__"),
    ("datetime", "type(datetime.datetime.__add__).__name__, str(datetime.datetime.fromtimestamp(86400 * 200))"),
    ("datetime", "datetime.datetime.strptime('2024-05-06', '%Y-%m-%d').strftime('%A %d %B')"),
    ("zoneinfo", "str(zoneinfo.ZoneInfo('Europe/Berlin').utcoffset(__import__('datetime').datetime(2024, 7, 1)))"),
    ("zoneinfo", "len(zoneinfo.available_timezones()) > 300"),
    ("time", "time.tzname, time.localtime(86400 * 200)[:6], time.strftime('%c', time.gmtime(0))"),
    ("zlib", "zlib.decompress(zlib.compress(b'a' * 999)) == b'a' * 999, zlib.ZLIB_RUNTIME_VERSION"),
    ("bz2", "bz2.decompress(bz2.compress(b'a' * 999)) == b'a' * 999"),
    ("lzma", "lzma.decompress(lzma.compress(b'a' * 999)) == b'a' * 999"),
    ("gzip", "gzip.decompress(gzip.compress(b'a' * 999)) == b'a' * 999"),
    ("zipfile", "zipfile.ZipFile(__import__('io').BytesIO(), 'w', zipfile.ZIP_LZMA).writestr('a', 'b')"),
    ("sqlite3", "sqlite3.sqlite_version, type(sqlite3.Connection).__name__"),
    ("xml.etree.ElementTree", "xml.etree.ElementTree.fromstring('<a><b/></a>')[0].tag"),
    ("json", "json.decoder.c_scanstring is not None, json.encoder.c_make_encoder is not None"),
    ("pickle", "pickle.Pickler.__module__, pickle.loads(pickle.dumps({1: [2]}))"),
    ("csv", "list(csv.reader(['a,b']))"),
    ("uuid", "str(uuid.UUID(int=5)), uuid.uuid4().version, uuid.uuid1().version"),
    ("random", "random.Random(7).random(), type(random.Random.random).__name__"),
    ("secrets", "len(secrets.token_hex(8))"),
    ("codecs", "[len('\\u4e2d'.encode(name)) for name in ('gbk', 'big5', 'shift_jis', 'euc_kr', 'iso2022_jp')]"),
    ("queue", "queue.SimpleQueue.__module__"),
    ("heapq", "type(heapq.heappush).__name__"),
    ("bisect", "type(bisect.bisect).__name__"),
    ("statistics", "statistics.NormalDist().inv_cdf(0.9)"),
    ("unicodedata", "unicodedata.lookup('SNOWMAN'), unicodedata.unidata_version"),
    ("asyncio", "asyncio.run(asyncio.wait_for(asyncio.sleep(0.001, 5), 9))"),
    ("os", "os.cpu_count(), len(os.urandom(5)), os.path.exists('/usr/share/zoneinfo')"),
    ("struct", "struct.calcsize('<if')"),
    ("math", "math.sin(1), math.gcd(6, 9)"),
]


def modules(profile):
    """The names that cells may import by this profile."""
    names = set()
    for line in (SOURCE / f"stdlib_allowlist/{profile}.txt").read_text("utf-8").splitlines():
        words = line.partition("#")[0].split()
        if words[:1] == ["include"]:
            names |= modules(words[1])
        elif words and words[1:2] != ["(internal)"] and not words[0].startswith("_"):
            names.add(words[0])
    return names - LEFT_OUT


def cells(names):
    for name in sorted(names):
        yield name, PROBE + f"print(probe({name!r}))"
    for module, expression in ANSWERS:
        if module.partition(".")[0] in names:
            yield expression, f"import {module}\nprint(repr(({expression})))"


def in_plain_python(codes):
    program = ("import sys, json, io, contextlib\nfor line in sys.stdin:\n    out = io.StringIO()\n"
               "    with contextlib.redirect_stdout(out):\n        try:\n"
               "            exec(json.loads(line), {'__name__': '__main__'})\n"
               "        except Exception as error:\n            print(type(error).__name__, error)\n"
               "    print(json.dumps(out.getvalue()), flush=True)\n")
    done = subprocess.run([os.environ["SNUG_PYTHON"], "-I", "-X", "utf8", "-c", program], text=True, timeout=600,
                          input="".join(json.dumps(code) + "\n" for code in codes),
                          stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def in_session(snug, profile, code):
    answer = snug.ask({"session": profile, "code": code})
    error = answer.get("error")
    return f"{error['name']} {error['value']}\n" if error else answer["stdout"]


def differences(name, here, plain, otherwise):
    """None where the texts say the same, but for names that a session's module is without."""
    if here == plain or name.partition(".")[0] in otherwise:
        return None
    try:
        ours, theirs = ast.literal_eval(here), ast.literal_eval(plain)
        wrong = {key: f"{ours[key]} instead of {kind}" for key, kind in theirs.items()
                 if key in ours and ours[key] != kind and f"{name}.{key}" not in otherwise}
        if not ours:
            wrong[name] = "empty"
    except (ValueError, SyntaxError, AttributeError, TypeError):
        wrong = f"{here.strip()} instead of {plain.strip()}"
    return wrong or None


def main():
    failed = count = 0
    version = tuple(json.loads(in_plain_python(["import sys\nprint(list(sys.version_info[:2]))"])[0]))
    otherwise = OTHERWISE | IN_VERSION.get(version, set())
    for profile in ("strict", "core", "data"):
        snug = client.Snug(["--profile", profile, "--output", "1MiB"])
        wanted = list(cells(modules(profile)))
        for (name, code), plain in zip(wanted, in_plain_python([code for _, code in wanted])):
            wrong = differences(name, in_session(snug, profile, code), plain, otherwise)
            count += 1
            if wrong:
                failed += 1
                print(f"{profile}: {name}: {wrong}")
        snug.finish()
    print(f"{count - failed} as in plain Python, {failed} not")
    return failed > 0 or count < 100


sys.exit(main())
