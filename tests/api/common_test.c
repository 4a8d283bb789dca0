/* What sessions of a process share (py/shared/shared_objects.h) shows in none of them. On 3.11 and
 * in the shared library they share less, and what is said here holds all the same. */
#include "../unit/test.h"

#include <dlfcn.h>
#include <pthread.h>

#include <snug/snug.h>

#include "running.h"

static snug_host *host;

/* In the C library's place, for this program and the Python within it. */
static _Atomic(int) asked_for_stack;
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes);
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
    static int (*original)(pthread_t thread, pthread_attr_t * attributes);
    if (!original)
        *(void **)&original = dlsym(RTLD_NEXT, "pthread_getattr_np");
    asked_for_stack++;
    return original(thread, attributes);
}

static int open_host(void **state)
{
    return snug_host_open(&host, NULL);
}

static int close_host(void **state)
{
    return snug_host_close(host);
}

static snug_session *open_session(void)
{
    snug_session *session = NULL;
    if (snug_session_open(&session, host, NULL) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    return session;
}

/* malloc'ed */
static char *value_of(snug_session *session, const char *source)
{
    snug_result *result = run(session, source, 20000);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL), "");
    char *value = strdup(snug_result_text(result, SNUG_STREAM_VALUE, NULL));
    snug_result_free(result);
    assert_non_null(value);
    return value;
}

static void expect(snug_session *session, const char *source, const char *value)
{
    char *is = value_of(session, source);
    assert_string_equal(is, value);
    free(is);
}

/* The first closes before the others are opened: what it made by being looked at is gone then. */
static void expect_same_in_three(const char *source)
{
    char *first = NULL;
    for (int i = 0; i < 3; i++) {
        snug_session *session = open_session();
        char *value = value_of(session, source);
        snug_session_close(session);
        assert_true(strlen(value) > 10);
        if (first) {
            assert_string_equal(value, first);
            free(value);
        } else {
            first = value;
        }
    }
    free(first);
}

TEST(built_in_types_look_the_same_in_each_session)
{
    expect_same_in_three(
        "import hashlib\n"
        "types, seen, rows = [object], set(), []\n"
        "while types:\n"
        "    t = types.pop()\n"
        "    if t in seen or t.__module__ != 'builtins': continue\n"
        "    seen.add(t)\n"
        "    types += type.__subclasses__(t)\n"
        "    for name, v in t.__dict__.items():\n"
        "        about = [getattr(v, a, None) for a in ('__name__', '__qualname__', '__doc__',\n"
        "                                               '__text_signature__', '__objclass__')]\n"
        "        rows.append(repr((t.__qualname__, name, type(v).__name__, about)))\n"
        "rows = [r for r in rows if ' at 0x' not in r]\n"
        "len(rows) > 1000, hashlib.sha256('\\n'.join(sorted(rows)).encode()).hexdigest()");
}

TEST(a_descriptor_of_a_built_in_type_can_not_be_changed)
{
    snug_session *session = open_session();
    expect(session,
           "import weakref\n"
           "kinds = [str.join, int.__add__, int.__dict__['real'], range.__dict__['start'],\n"
           "         bytes.__dict__['fromhex']]\n"
           "def tries(v):\n"
           "    for change in (lambda: setattr(v, 'x', 1), lambda: setattr(v, '__doc__', 'x'),\n"
           "                   lambda: setattr(v, '__qualname__', 'x'),\n"
           "                   lambda: setattr(v, '__name__', 'x'),\n"
           "                   lambda: setattr(v, '__objclass__', int),\n"
           "                   lambda: delattr(v, '__qualname__'), \n"
           "                   lambda: weakref.ref(v), lambda: setattr(v, '__class__', int)):\n"
           "        try:\n"
           "            change()\n"
           "        except (AttributeError, TypeError):\n"
           "            continue\n"
           "        yield change\n"
           "sum(len(list(tries(v))) for v in kinds), [v.__qualname__ for v in kinds]",
           "(0, ['str.join', 'int.__add__', 'int.real', 'range.start', 'bytes.fromhex'])");
    snug_session_close(session);
}

/* All that there is of the code of some modules, as a digest. */
static const char look_at_code[] =
    "import base64, calendar, collections, csv, dataclasses, fractions, hashlib, json, re\n"
    "import statistics, string, textwrap, types, typing\n"
    "modules = (base64, calendar, collections, csv, dataclasses, fractions, json, re,\n"
    "           statistics, string, textwrap, typing)\n"
    "rows, codes = [], []\n"
    "def look(code):\n"
    "    codes.append(code)\n"
    "    rows.append(repr([code.co_filename, code.co_qualname, code.co_names, code.co_varnames,\n"
    "                      code.co_cellvars, code.co_freevars, list(code.co_lines()),\n"
    "                      code.co_exceptiontable, code.co_code, code.co_flags]))\n"
    "    for const in code.co_consts:\n"
    "        if isinstance(const, types.CodeType): look(const)\n"
    "        else: rows.append(repr(sorted(const, key=repr) if isinstance(const, frozenset)\n"
    "                               else const) + type(const).__name__)\n"
    "def look_at(value):\n"
    "    if isinstance(value, types.FunctionType): look(value.__code__)\n"
    "for m in modules:\n"
    "    for v in vars(m).values():\n"
    "        look_at(v)\n"
    "        if isinstance(v, type): [look_at(of) for of in vars(v).values()]\n"
    "len(rows) > 2000, hashlib.sha256('\\n'.join(rows).encode()).hexdigest()";

TEST(a_module_is_the_same_in_the_session_that_reads_it_first_and_in_later_ones)
{
    expect_same_in_three(look_at_code);
    expect_same_in_three("import json, traceback\n"
                         "try:\n"
                         "    json.loads('{\"a\": [1, 2}')\n"
                         "except ValueError:\n"
                         "    text = traceback.format_exc()\n"
                         "text");
}

/* The compiler puts an equal constant that it has seen in the place of what a constant tuple has,
 * in the tuple itself. Where that was shared, all sessions had an object of this one's. */
static const char change_tuples[] =
    "import ast\n"
    "def other(v):\n"
    "    if type(v) in (str, bytes): return v[:1] + v[1:]\n"
    "    return int(str(v)) if type(v) is int else v + 0.0 if type(v) is float else v\n"
    "def change(t):\n"
    "    own = [ast.Constant(other(v)) for v in t if type(v) in (str, bytes, int, float)]\n"
    "    row = ast.Tuple([*own, ast.Constant(t), ast.Name('x', ast.Load())], ast.Load())\n"
    "    for tree in ast.Expression(row), ast.Module([ast.Expr(row), ast.Return()], []):\n"
    "        try:\n"
    "            compile(ast.fix_missing_locations(tree), 'x',\n"
    "                    'eval' if isinstance(tree, ast.Expression) else 'exec')\n"
    "        except SyntaxError:\n"
    "            pass\n"
    "    return len(own)\n"
    "def tuples(value):\n"
    "    if isinstance(value, (tuple, frozenset)):\n"
    "        if isinstance(value, tuple) and all(map(is_constant, value)): yield value\n"
    "        for v in value: yield from tuples(v)\n"
    "def is_constant(v):\n"
    "    return (all(map(is_constant, v)) if isinstance(v, (tuple, frozenset))\n"
    "            else v is None or type(v) in (str, bytes, int, float, bool))\n"
    "count = 0\n"
    "for code in codes:\n"
    "    flat = tuple(c for c in code.co_consts if not isinstance(c, types.CodeType))\n"
    "    for t in (code.co_names, code.co_varnames, code.co_consts):\n"
    "        for inner in tuples(t): count += change(inner)\n"
    "    for t in tuples(flat): count += change(t)\n"
    "count > 1000";

TEST(a_session_that_has_constant_tuples_changed_changes_its_own)
{
    snug_session *first = open_session();
    free(value_of(first, look_at_code));
    snug_session *beside = open_session(), *changing = open_session();
    char *before = value_of(beside, look_at_code);
    free(value_of(changing, look_at_code));
    expect(changing, change_tuples, "True");
    snug_session_close(changing);
    snug_session_close(first);
    for (int i = 0; i < 2; i++) {
        char *after = value_of(beside, look_at_code);
        assert_string_equal(after, before);
        free(after);
        snug_session_close(beside);
        beside = open_session();
    }
    free(before);
    snug_session_close(beside);
}

int main(void)
{
    return run_all_tests(open_host, close_host);
}
