/* Sessions from a pool: they are as those that were opened cold. */
#include "../counters.h"
#include "../unit/test.h"

#include <dirent.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>

#include <snug/snug.h>

enum { BOUND_S = 600, TEXT = 64 * 1024 };

static char folder[] = "/tmp/spares_test-XXXXXX";
static char work[64], data[64];

static snug_host *open_host(size_t sessions)
{
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    snug_host *host = NULL;
    options.pool_sessions = sessions;
    options.pool_idle_ms = SNUG_UNLIMITED;
    assert_int_equal(snug_host_open(&host, &options), SNUG_OK);
    return host;
}

static void await_ready(const snug_host *host, size_t halves)
{
    time_t end = time(NULL) + BOUND_S;
    for (snug_pool p = pool_of(host);
         (p.ready < p.wanted || (p.wanted && p.ready_half < halves)) && time(NULL) < end;
         p = pool_of(host))
        sched_yield();
    assert_true(pool_of(host).ready == pool_of(host).wanted);
}

static snug_session *open_session(snug_host *host, const snug_session_options *options)
{
    snug_session *session = NULL;
    if (snug_session_open(&session, host, options))
        fail_msg("%s", snug_error_message());
    return session;
}

static void run(char *value, snug_session *session, const char *source)
{
    static const snug_limits wide = { .size = sizeof(snug_limits), .value_bytes = TEXT };
    snug_result *result = NULL;
    assert_int_equal(snug_session_run(&result, session, source, strlen(source), &wide), SNUG_OK);
    if (snug_result_status(result) != SNUG_STATUS_OK)
        fail_msg("%s", snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL));
    snprintf(value, TEXT, "%s", snug_result_text(result, SNUG_STREAM_VALUE, NULL));
    snug_result_free(result);
}

/* ---- what a session is ---- */

/* clang-format off */
static const char look[] =
    "import sys, time, builtins\n"
    "def attempt(f, *args):\n"
    "    try:\n"
    "        return f(*args)\n"
    "    except BaseException as e:\n"
    "        return f'{type(e).__name__}: {e}'\n"
    "os, gc = attempt(__import__, 'os'), attempt(__import__, 'gc')\n"
    "def of_os(name, *args): return attempt(getattr(os, name, None), *args)\n"
    "def read(path):\n"
    "    with open(path) as f: return f.read()\n"
    "def write(path):\n"
    "    with open(path, 'w') as f: return f.write('x')\n"
    "def depth(n=0):\n"
    "    try: return depth(n + 1)\n"
    "    except RecursionError: return n\n"
    "def load(name): return type(__import__(name)).__name__\n"
    "clocks = [time.get_clock_info(n) for n in ('monotonic', 'perf_counter', 'process_time')]\n"
    "modules = ('json random sqlite3 csv socket subprocess threading ctypes _posixsubprocess asyncio '\n"
    "           'tempfile zipfile pickle logging xml.etree nothing_of_that_name sympy').split()\n"
    "[('modules', sorted(sys.modules)), ('names', sorted(globals())), ('In', len(In)),\n"
    " ('builtins', [(n, type(v).__name__) for n, v in sorted(vars(builtins).items())]),\n"
    " ('sys', sorted(dir(sys))), ('path', sys.path), ('argv', sys.argv),\n"
    " ('executable', sys.executable), ('flags', str(sys.flags)), ('hash', hash('x')),\n"
    " ('digits', sys.get_int_max_str_digits()), ('recursion', sys.getrecursionlimit()),\n"
    " ('streams', [str(type(s)) for s in (sys.stdin, sys.stdout, sys.stderr)]),\n"
    " ('os', sorted(dir(os))), ('environ', dict(getattr(os, 'environ', {}))),\n"
    " ('gc', str(gc)[:20], attempt(getattr(gc, 'get_threshold', None))),\n"
    " ('clocks', [(c.monotonic, c.adjustable) for c in clocks]), ('zone', time.tzname),\n"
    " ('folder', of_os('listdir')), ('root', of_os('listdir', '/')), ('umask', of_os('umask', 0)),\n"
    " ('passwd', attempt(read, '/etc/passwd')), ('proc', attempt(read, '/proc/self/status')),\n"
    " ('own', attempt(write, 'own.txt'), attempt(read, 'own.txt')),\n"
    " ('up', attempt(read, '../x')), ('outside', attempt(write, '/tmp/spares_test.txt')),\n"
    " ('mount', attempt(read, 'data/d.txt'), attempt(write, 'data/d.txt')),\n"
    " ('input', attempt(input, 'name? ')), ('line', attempt(sys.stdin.readline)),\n"
    " ('depth', depth() > 100), ('large', type(attempt(bytearray, 300 << 20)).__name__),\n"
    " ('exit', of_os('_exit')), ('fork', of_os('fork')),\n"
    " ('imports', [(n, attempt(load, n)) for n in modules]), ('modules', sorted(sys.modules))]\n";
/* clang-format on */

/* What the kernel tells of its thread, which stands in the work directory. */
static int tell_status(char *out, size_t size, const char *thread, const char *workdir)
{
    static const char *const keys[] = {
        "Umask",      "SigBlk",  "SigIgn",          "CapEff",
        "NoNewPrivs", "Seccomp", "Seccomp_filters", "Cpus_allowed"
    };
    char path[128], cwd[256] = "", line[512];
    snprintf(path, sizeof path, "/proc/self/task/%.20s/cwd", thread);
    if (readlink(path, cwd, sizeof cwd - 1) < 0 || strcmp(cwd, workdir) != 0)
        return 0;
    snprintf(path, sizeof path, "/proc/self/task/%.20s/status", thread);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0; /* it has ended */
    *out = '\0';
    while (fgets(line, sizeof line, file))
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            if (strncmp(line, keys[i], strlen(keys[i])) == 0 && line[strlen(keys[i])] == ':')
                strncat(out, line, size - strlen(out) - 1);
    fclose(file);
    return 1;
}

/* How many threads stand in the session's folder, and what is told of the last of them. */
static int tell_threads(char *out, size_t size, snug_session *session)
{
    int found = 0;
    DIR *tasks = opendir("/proc/self/task");

    for (const struct dirent *item; (item = readdir(tasks));)
        if (item->d_name[0] != '.')
            found += tell_status(out, size, item->d_name, snug_session_workdir(session));
    closedir(tasks);
    return found;
}

/* A thread of the session that had this folder before may be on its way out. */
static void tell_thread(char *out, size_t size, snug_session *session)
{
    time_t end = time(NULL) + BOUND_S;
    int found;

    while ((found = tell_threads(out, size, session)) > 1 && time(NULL) < end)
        sched_yield();
    assert_in_range(found, 0, 1);
    if (!found)
        snprintf(out, size, "no folder of its own");
}

static void answer(void *payload, snug_call *call, const char *prompt)
{
    snug_call_return_line(call, "Ada", 3);
}

static void ignore(void *payload, snug_stream stream, const char *text, size_t len)
{
    atomic_fetch_add((_Atomic size_t *)payload, len);
}

enum { PLAIN, ANSWERED, OTHER, FORMS };

static _Atomic size_t heard;

static snug_session_options options_of(int form)
{
    static const char *const allow[] = { "xml.etree", NULL };
    static snug_mount mount = { .name = "data" };
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    static snug_limits limits = SNUG_LIMITS_INIT;
    mount.path = data;
    if (form == ANSWERED) {
        options.name = "named";
        options.on_input = answer;
        options.on_output = ignore;
        options.payload = &heard;
        options.limits = &limits;
        limits.wall_ms = 20000;
    } else if (form == OTHER) {
        options.profile = "data";
        options.allow = allow;
        options.workdir = work;
        options.mounts = &mount;
        options.mount_count = 1;
    }
    return options;
}

typedef struct facts {
    char cells[TEXT], after_reset[TEXT], thread[2048];
} facts;

static void learn(facts *f, snug_session *session)
{
    tell_thread(f->thread, sizeof f->thread, session);
    run(f->cells, session, look);
    assert_int_equal(snug_session_execution_count(session), 1);
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    run(f->after_reset, session, look);
    assert_int_equal(snug_session_execution_count(session), 1);
    assert_int_equal(snug_session_remove_file(session, "own.txt"), SNUG_OK);
    snug_session_close(session);
}

static void learn_all(facts *all, snug_host *host)
{
    for (int form = 0; form < FORMS; form++) {
        snug_session_options options = options_of(form);
        if (form == OTHER)
            snug_session_close(open_session(host, &options)); /* asks for half-warm ones */
        await_ready(host, form == OTHER);
        learn(&all[form], open_session(host, &options));
    }
}

TEST(a_session_from_a_pool_is_as_one_that_was_opened_cold)
{
    static facts cold[FORMS], pooled[FORMS];
    snug_host *host = open_host(0);
    learn_all(cold, host);
    assert_int_equal(snug_host_close(host), SNUG_OK);
    host = open_host(2);
    learn_all(pooled, host);
    snug_pool p = pool_of(host);
    assert_int_equal(p.hits, 2);
    assert_int_equal(p.half_warm, 1);
    assert_int_equal(snug_host_close(host), SNUG_OK);
    for (int form = 0; form < FORMS; form++) {
        assert_string_equal(pooled[form].cells, cold[form].cells);
        assert_string_equal(pooled[form].after_reset, cold[form].after_reset);
        assert_string_equal(pooled[form].thread, cold[form].thread);
    }
    assert_string_not_equal(cold[PLAIN].cells, cold[OTHER].cells);
    assert_non_null(strstr(cold[ANSWERED].cells, "'Ada'"));
}

TEST(two_spares_have_neither_random_numbers_nor_folders_in_common)
{
    static const char draw[] = "import random, uuid, secrets\n"
                               "(random.random(), uuid.uuid4(), secrets.token_hex())";
    char first[TEXT], second[TEXT];
    snug_host *host = open_host(2);
    await_ready(host, 0);
    snug_session *a = open_session(host, NULL), *b = open_session(host, NULL);
    assert_int_equal(pool_of(host).hits, 2);
    assert_string_not_equal(snug_session_workdir(a), snug_session_workdir(b));
    assert_string_equal(snug_session_name(a), "s1");
    assert_string_equal(snug_session_name(b), "s2");
    run(first, a, draw);
    run(second, b, draw);
    assert_string_not_equal(first, second);
    snug_session_close(a);
    snug_session_close(b);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

/* ---- limits and callbacks that come with the open ---- */

TEST(the_limits_of_the_open_hold_in_a_spare)
{
    static const char loop[] = "while True: pass", prints[] = "print('x' * 1000)";
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    snug_result *result = NULL;
    snug_host *host = open_host(1);
    await_ready(host, 0);
    options.limits = &limits;
    limits.wall_ms = 50;
    limits.output_bytes = 100;
    snug_session *session = open_session(host, &options);
    assert_int_equal(pool_of(host).hits, 1);
    assert_int_equal(snug_session_run(&result, session, loop, strlen(loop), NULL), SNUG_OK);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_TIMEOUT);
    assert_int_equal(snug_result_state(result), SNUG_STATE_KEPT);
    snug_result_free(result);
    assert_int_equal(snug_session_run(&result, session, prints, strlen(prints), NULL), SNUG_OK);
    assert_string_equal(snug_result_spill(result, SNUG_STREAM_STDOUT), "out-2.txt");
    snug_result_free(result);
    snug_session_close(session);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

/* ---- neighbours ---- */

/* On 3.11 a session sees the types of all interpreters, those of spares too: what ends one runs
 * this, on a thread that has belonged to nobody yet. */
/* clang-format off */
static const char tamper[] =
    "import sys\n"
    "log = []\n"
    "class Exits:\n"
    "    def _run_exitfuncs(self):\n"
    "        try: log.append('read ' + open('/etc/passwd').read(1))\n"
    "        except BaseException as e: log.append(f'{type(e).__name__}: {e}')\n"
    "others = {}\n"
    "for cls in object.__subclasses__():\n"
    "    for thing in list(vars(cls).values()):\n"
    "        modules = getattr(getattr(thing, '__globals__', {}).get('sys'), 'modules', sys.modules)\n"
    "        if modules is not sys.modules: others[id(modules)] = modules\n"
    "for modules in others.values(): modules['atexit'] = Exits()\n"
    "len(others)\n";
/* clang-format on */

TEST(what_a_neighbour_has_put_into_a_spare_runs_under_the_filters)
{
    char others[TEXT], log[TEXT] = "[]";
    snug_session_options other = options_of(OTHER), small = options_of(PLAIN);
    snug_limits small_limits = SNUG_LIMITS_INIT;
    snug_host *host = open_host(1);
    snug_session_close(open_session(host, &other)); /* asks for half-warm ones */
    await_ready(host, 1);
    small_limits.memory_bytes = 64 << 20;
    small.limits = &small_limits; /* takes no spare */
    snug_session *session = open_session(host, &small), *nobody = NULL;
    run(others, session, tamper);
    time_t end = time(NULL) + BOUND_S;
    other.profile = "nothing_of_that_name"; /* the spare that it takes is ended */
    assert_int_equal(snug_session_open(&nobody, host, &other), SNUG_ENOTFOUND);
    while (strcmp(others, "0") != 0 && strcmp(log, "[]") == 0 && time(NULL) < end)
        run(log, session, "log");
    snug_session_close(session);
    assert_int_equal(snug_host_close(host), SNUG_OK);
    assert_null(strstr(log, "read"));
    if (strcmp(others, "0") != 0)
        assert_non_null(strstr(log, "Error"));
}

/* ---- the folders of the tests ---- */

static int make_folders(void **state)
{
    char path[128];
    if (!mkdtemp(folder))
        return -1;
    snprintf(work, sizeof work, "%s/work", folder);
    snprintf(data, sizeof data, "%s/data", folder);
    snprintf(path, sizeof path, "%s/d.txt", data);
    if (mkdir(work, 0700) || mkdir(data, 0700))
        return -1;
    FILE *file = fopen(path, "w");
    return !file || fputs("rows", file) < 0 || fclose(file) ? -1 : 0;
}

static int remove_folders(void **state)
{
    char path[128];
    snprintf(path, sizeof path, "%s/d.txt", data);
    return unlink(path) || rmdir(data) || rmdir(work) || rmdir(folder);
}

/* An argument chooses tests, as "*cold*". */
int main(int count, char **arguments)
{
    if (count > 1)
        cmocka_set_test_filter(arguments[1]);
    return run_all_tests(make_folders, remove_folders);
}
