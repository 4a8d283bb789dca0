/* Full sessions with numpy, pandas and matplotlib, one after the other in one process. */
#include "full.h"

#include <sys/resource.h>

/* ---- opening ---- */

static void restricted_sessions_and_scans_are_made_elsewhere(void **state)
{
    snug_session *session;
    snug_scan *report;
    assert_int_equal(snug_session_open(&session, host, NULL), SNUG_EINVAL);
    expect_words(snug_error_message(), "restricted ones live in another");
    assert_int_equal(snug_host_scan(&report, host, "1", 1, NULL), SNUG_EINVAL);
    expect_words(snug_error_message(),
                 "this process cannot scan: it is reserved for full sessions");
}

static void there_is_one_at_a_time(void **state)
{
    snug_session_options options = full_options(NULL);
    snug_session *first = open_session(&options), *second;
    assert_int_equal(snug_session_open(&second, host, &options), SNUG_EBUSY);
    close_session(first);
    second = open_session(&options);
    expect(second, "6 * 7", "42");
    close_session(second);
}

static void packages_that_are_not_there_are_told_at_once(void **state)
{
    static const char *const names[] = { "json", "nunpy", NULL };
    snug_session_options options = full_options(names);
    snug_session *session;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_ENOTFOUND);
    expect_words(snug_error_message(), "nunpy is not installed in /usr/lib/python3/dist-packages; "
                                       "did you mean numpy?");
    options.packages = "/nowhere";
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_ESYSTEM);
}

static void packages_come_from_the_folder_that_is_named(void **state)
{
    static const char *const names[] = { "ours", NULL };
    char folder[] = "/tmp/snug-full-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/ours.py", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("import socket, subprocess\nanswer = 42\n", file);
    fclose(file);
    snug_session_options options = full_options(names);
    options.packages = folder;
    snug_session *session = open_session(&options);
    expect(session, "import ours; ours.answer", "42");
    expect(session, "import sys; sys.path[0] == ours.__file__.rpartition('/')[0]", "True");
    snug_result *result = expect_status(session, "import theirs", SNUG_STATUS_ERROR);
    expect_words(snug_result_error_hint(result), "theirs is not installed in /tmp/snug-");
    snug_result_free(result);
    close_session(session);
    unlink(path);
    rmdir(folder);
}

/* ---- what a cell is ---- */

static void a_cell_is_what_it_is_elsewhere(void **state)
{
    snug_session *session = open_numeric();
    expect(session, "import numpy as np, pandas as pd", "");
    expect(session, "x = np.arange(6).reshape(2, 3); x.sum().item()", "15");
    expect(session, "print('out'); _ == 15", "True");
    expect(session, "(In[2][:4], len(Out), _2 == 15, __name__)", "('x = ', 2, True, '__main__')");
    close_session(session);
}

static void double_it(void *payload, snug_call *call, const char *arguments)
{
    char answer[32];
    int len = snprintf(answer, sizeof answer, "%d", 2 * atoi(strchr(arguments, ':') + 1));
    snug_call_return(call, answer, (size_t)len);
}

static void tools_outlive_a_reset(void **state)
{
    snug_session_options options = full_options(NULL);
    snug_session *session = open_session(&options);
    snug_tool tool = SNUG_TOOL_INIT;
    tool.name = "double_it";
    tool.signature = "n: int";
    tool.fn = double_it;
    assert_int_equal(snug_session_bind_tool(session, &tool), SNUG_OK);
    expect(session, "double_it(4)", "8");
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    expect(session, "double_it(n=5)", "10");
    close_session(session);
}

static void names_changes_and_files_are_told(void **state)
{
    snug_session *session = open_numeric();
    snug_completion *completion;
    snug_description *variables;
    snug_result *result = expect_status(
        session, "import numpy as np; array = np.ones(3); np.save('a', array)", SNUG_STATUS_OK);
    assert_int_equal(snug_result_change_count(result), 2);
    assert_int_equal(snug_result_artifact_count(result), 1);
    snug_result_free(result);
    assert_int_equal(snug_session_complete(&completion, session, "np.lin", 6, 6), SNUG_OK);
    snug_completion_free(completion);
    assert_int_equal(snug_session_list_variables(&variables, session), SNUG_OK);
    snug_description_free(variables);
    assert_int_equal(snug_session_checkpoint(session), SNUG_OK);
    expect(session, "array = 1", "");
    assert_int_equal(snug_session_rollback(session), SNUG_OK);
    expect(session, "array.tolist()", "[1.0, 1.0, 1.0]");
    close_session(session);
}

static void input_and_await_are_there(void **state)
{
    snug_session_options options = full_options(NULL);
    snug_session *session = open_session(&options);
    expect(session, "import asyncio; await asyncio.sleep(0, 7)", "7");
    expect(session, "asyncio.run(asyncio.sleep(0, 8))", "8");
    expect(session, "import time; time.sleep(0.01)", "");
    expect(session, "import os; os.getcwd() == os.environ['HOME'] == os.environ['TMPDIR']", "True");
    expect(session, "open('a', 'w').write('abc'); os.chmod('a', 0o600); os.path.getsize('a')", "3");
    expect(session, "import shutil; shutil.copy('a', 'b'); sorted(os.listdir())", "['a', 'b']");
    expect(session, "%timeit -n 1 -r 1 pass", "");
    snug_result *result = expect_status(session, "input()", SNUG_STATUS_ERROR);
    assert_string_equal(snug_result_error_name(result), "EOFError");
    snug_result_free(result);
    close_session(session);
}

static void what_packages_try_when_imported_is_not_the_cells(void **state)
{
    snug_session *session = open_numeric();
    snug_result *result =
        expect_status(session, "import pandas, matplotlib.pyplot", SNUG_STATUS_OK);
    expect_words(snug_result_json(result, NULL), "\"denied\":[]");
    expect_words(snug_result_json(result, NULL), "\"artifacts\":[]");
    snug_result_free(result);
    close_session(session);
}

static void a_reset_gives_names_and_builtins_anew_and_keeps_modules(void **state)
{
    snug_session *session = open_numeric();
    expect(session, "import sys, numpy; numpy.mark = 1; y = 2", "");
    expect(session, "import builtins; builtins.len = lambda x: 99; len('')", "99");
    expect(session, "builtins.extra = 1; sys.path.append('/x'); sys.meta_path.insert(0, None)", "");
    expect(session, "sys.modules['time'] = 3; sys.modules['__main__'] = 4", "");
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    expect(session, "[name for name in ('y', 'numpy', 'sys') if name in globals()]", "[]");
    expect(session, "(len(''), len(In), len(Out), __name__)", "(0, 3, 1, '__main__')");
    expect(session, "import numpy, sys, time; (numpy.mark, '/x' in sys.path, time.sleep(0))",
           "(1, False, None)");
    expect(session, "try: extra\nexcept NameError: print(1)", "");
    assert_int_equal(snug_session_execution_count(session), 4);
    close_session(session);
}

static void finalizers_that_a_reset_meets_have_limits(void **state)
{
    snug_session_options options = full_options(NULL);
    snug_limits limits = SNUG_LIMITS_INIT;
    options.limits = &limits;
    limits.wall_ms = 200;
    snug_session *session = open_session(&options);
    expect(session,
           "import builtins\nclass K:\n  def __del__(self):\n    while True: pass\n"
           "builtins.k = K()",
           "");
    assert_int_equal(snug_session_reset(session), SNUG_ESTOPPED);
    close_session(session);
    session = open_session(&options);
    expect(session, "1 + 1", "2");
    close_session(session);
}

static void threads_of_a_cell_are_its_own(void **state)
{
    snug_session_options options = full_options(NULL);
    snug_session *session = open_session(&options);
    for (int i = 0; i < 2; i++) {
        expect(session,
               "from concurrent.futures import ThreadPoolExecutor\n"
               "with ThreadPoolExecutor(4) as pool: answer = list(pool.map(str, range(3)))\nanswer",
               "['0', '1', '2']");
        expect(session, "import threading\nthreading.current_thread() is threading.main_thread()",
               "True");
        assert_int_equal(snug_session_reset(session), SNUG_OK);
    }
    close_session(session);
}

/* ---- what is refused ---- */

static void what_the_kernel_would_refuse_is_denied_with_a_sentence(void **state)
{
    static const char *const sources[] = {
        "open('/etc/passwd')",
        "import numpy; numpy.loadtxt('/etc/passwd', dtype=str)",
        "import pandas; pandas.read_csv('/etc/passwd')",
        "open('/usr/lib/x', 'w')",
        "import os; os.listdir('/root')",
        "__import__('numpy'); import sys; sys.modules['socket'].socket()",
        "sys.modules['os'].system('true')",
        "sys.modules['os'].kill(sys.modules['os'].getppid(), 9)",
        "sys.modules['subprocess'].run(['true'])",
    };
    snug_session *session = open_numeric();
    expect(session, "import pandas", "");
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        snug_result *result = expect_status(session, sources[i], SNUG_STATUS_DENIED);
        expect_words(snug_result_json(result, NULL), "\"denied\":[{");
        snug_result_free(result);
    }
    close_session(session);
}

/* Behind the sentences: what a cell reaches by ctypes, without Python's events. */
static void the_kernel_refuses_it_too(void **state)
{
    static const char *const sources[] = {
        "libc.open(b'/etc/passwd', 0)",
        "libc.socket(2, 1, 0)",
        "libc.kill(libc.getppid(), 0)",
        "libc.fork()",
        "libc.execve(b'/bin/true', None, None)",
        "libc.chmod(b'/tmp', 0o777)",
        "libc.open(b'/usr/lib/snug', 0o102, 0o600)",
        "libc.ptrace(0, 0, 0, 0)",
    };
    snug_session *session = open_numeric();
    expect(session, "import numpy.ctypeslib; ctypes = numpy.ctypeslib.ctypes", "");
    expect(session, "libc = ctypes.CDLL(None, use_errno=True)", "");
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        expect(session, sources[i], "-1");
        expect(session, "ctypes.get_errno() in (1, 13)", "True");
    }
    close_session(session);
}

static void modules_that_are_not_allowed_are_refused_to_cells_only(void **state)
{
    static const char *const numpy[] = { "numpy", NULL };
    static const char *const sources[] = {
        "import pandas",
        "import subprocess",
        "import socket",
        "import pandas.core",
        "exec('import pandas')",
        "def f():\n  from pandas import DataFrame\nf()",
        "open('own.py', 'w').write('import socket'); import own"
    };
    snug_session_options options = full_options(numpy);
    snug_session *session = open_session(&options);
    expect(session, "import numpy, sys; 'subprocess' in sys.modules or numpy.pi > 3", "True");
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        snug_result *result = expect_status(session, sources[i], SNUG_STATUS_DENIED);
        if (strstr(sources[i], "pandas"))
            expect_words(snug_result_error_hint(result), "allow it by --allow pandas");
        snug_result_free(result);
    }
    snug_result *result = expect_status(session, "import pandsa", SNUG_STATUS_ERROR);
    assert_string_equal(snug_result_error_name(result), "ModuleNotFoundError");
    expect_words(snug_result_error_hint(result), "did you mean pandas?");
    snug_result_free(result);
    close_session(session);
}

/* ---- limits ---- */

static void hangs_in_python_and_in_polling_c_are_stopped(void **state)
{
    static const char *const sources[] = {
        "while True: pass",
        "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
        "import re; re.match(r'(a+)+$', 'a' * 40 + 'b')",
        "import time; time.sleep(100)",
        "import threading; lock = threading.Lock(); lock.acquire(); lock.acquire()",
        "import numpy\nwhile True: numpy.ones(1000).sum()",
        "import pandas\npandas.Series(range(10)).apply(lambda x: [0 for _ in iter(int, 1)])",
    };
    snug_session_options options = full_options(numerics);
    snug_limits limits = SNUG_LIMITS_INIT;
    options.limits = &limits;
    limits.threads = 4;
    snug_session *session = open_session(&options);
    expect(session, "import numpy, pandas; x = 1", "");
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        snug_result *result = run_within(session, sources[i], 100);
        if (snug_result_status(result) != SNUG_STATUS_TIMEOUT ||
            snug_result_state(result) != SNUG_STATE_KEPT)
            fail_msg("%s\n%s", sources[i], snug_result_json(result, NULL));
        snug_result_free(result);
        expect(session, "x", "1");
    }
    close_session(session);
}

static uint64_t soft_limit(void)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_DATA, &limit), 0);
    return limit.rlim_cur;
}

static void memory_of_extensions_has_the_sessions_limit(void **state)
{
    static const char *const bombs[] = {
        "np.ones(100_000_000)",
        "np.zeros((10**6, 10**6))",
        "kept = []\nwhile True: kept.append(np.ones(100_000))",
        "kept = []\nwhile True: kept.append(np.ones(100))",
        "kept = [1]\nwhile True: kept.append(kept * 2); kept = kept + kept",
    };
    uint64_t before = soft_limit();
    snug_session_options options = full_options(numerics);
    snug_limits limits = SNUG_LIMITS_INIT;
    options.limits = &limits;
    limits.memory_bytes = 128 << 20;
    snug_session *session = open_session(&options);
    expect(session, "import numpy as np; x = np.arange(3)", "");
    assert_true(soft_limit() < before);
    snug_result *shared = expect_status(session, "exec('import mmap; mmap.mmap(-1, 1 << 30)', {})",
                                        SNUG_STATUS_ERROR);
    assert_string_equal(snug_result_error_name(shared), "PermissionError");
    snug_result_free(shared);
    for (size_t i = 0; i < sizeof bombs / sizeof *bombs; i++) {
        snug_result *result = expect_status(session, bombs[i], SNUG_STATUS_MEMORY);
        expect_words(snug_result_error_name(result), "MemoryError");
        snug_result_free(result);
        expect(session, "kept = None; x.tolist()", "[0, 1, 2]");
        expect(session, "len(np.ones(5_000_000))", "5000000");
    }
    close_session(session);
    assert_true(soft_limit() == before);
}

static void the_work_directory_has_its_quota(void **state)
{
    snug_session_options options = full_options(numerics);
    snug_limits limits = SNUG_LIMITS_INIT;
    options.limits = &limits;
    limits.disk_bytes = 1 << 20;
    snug_session *session = open_session(&options);
    expect(session,
           "import numpy as np; np.save('a', np.ones(1000)); np.load('a.npy').sum().item()",
           "1000.0");
    snug_result *result = expect_status(session, "np.save('b', np.ones(10**6))", SNUG_STATUS_ERROR);
    expect_words(snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL), "OSError");
    snug_result_free(result);
    close_session(session);
}

/* ---- what is shown ---- */

static const char *part_of(snug_result *result, size_t index, const char *type)
{
    const snug_display *display = snug_result_display(result, index);
    for (size_t i = 0; display && i < display->part_count; i++)
        if (strcmp(display->parts[i].type, type) == 0)
            return display->parts[i].data;
    return "";
}

static void figures_are_displays_of_the_cell_that_drew_them(void **state)
{
    snug_session *session = open_numeric();
    expect(session, "import matplotlib.pyplot as plt", "");
    snug_result *result =
        expect_status(session, "plt.plot([1, 2]); plt.figure(); plt.plot([2]); 5", SNUG_STATUS_OK);
    assert_int_equal(snug_result_display_count(result), 3);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(strncmp(part_of(result, i, "image/png"), "iVBORw0KGgo", 11), 0);
        assert_int_equal(strncmp(part_of(result, i, "image/svg+xml"), "<svg ", 5), 0);
        expect_words(part_of(result, i, "text/plain"), "<Figure size 640x480 with 1 Axes>");
    }
    snug_result_free(result);
    expect(session, "plt.get_fignums()", "[]");
    result = expect_status(session, "plt.plot([1]); plt.show(); print('after')", SNUG_STATUS_OK);
    assert_int_equal(snug_result_display_count(result), 1);
    assert_int_equal(snug_result_display(result, 0)->stdout_bytes, 0);
    snug_result_free(result);
    result = expect_status(session, "fig, ax = plt.subplots(); fig", SNUG_STATUS_OK);
    assert_int_equal(snug_result_display_count(result), 1);
    assert_true(snug_result_display(result, 0)->is_main_result);
    expect_words(part_of(result, 0, "image/png"), "iVBORw0KGgo");
    snug_result_free(result);
    result = expect_status(session, "figure = plt.figure()", SNUG_STATUS_OK);
    assert_int_equal(snug_result_display_count(result), 1);
    assert_string_equal(part_of(result, 0, "image/png"), "");
    expect_words(part_of(result, 0, "text/plain"), "with 0 Axes");
    snug_result_free(result);
    result = expect_status(session, "plt.plot([1]); 1 / 0", SNUG_STATUS_ERROR);
    assert_int_equal(snug_result_display_count(result), 1);
    snug_result_free(result);
    close_session(session);
}

static void figures_are_shown_by_a_package_that_imports_matplotlib(void **state)
{
    snug_session *session = open_numeric();
    snug_result *result = expect_status(
        session, "import pandas as pd; axes = pd.Series([1, 3, 2]).plot()", SNUG_STATUS_OK);
    assert_int_equal(snug_result_display_count(result), 1);
    expect_words(part_of(result, 0, "image/png"), "iVBORw0KGgo");
    snug_result_free(result);
    result = expect_status(session, "pd.Series([2]).plot().figure", SNUG_STATUS_OK);
    assert_int_equal(snug_result_display_count(result), 1);
    assert_true(snug_result_display(result, 0)->is_main_result);
    snug_result_free(result);
    close_session(session);
}

static void figures_of_a_stopped_cell_are_gone(void **state)
{
    snug_session *session = open_numeric();
    expect(session, "import matplotlib.pyplot as plt", "");
    snug_result *result = run_within(session, "plt.plot([1])\nwhile True: pass", 1000);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_TIMEOUT);
    snug_result_free(result);
    result = expect_status(session, "plt.get_fignums()", SNUG_STATUS_OK);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "[]");
    snug_result_free(result);
    close_session(session);
}

static void frames_are_short_and_have_a_table(void **state)
{
    snug_session *session = open_numeric();
    snug_result *result =
        expect_status(session,
                      "import pandas as pd\n"
                      "pd.DataFrame({f'column{c}': range(1000) for c in range(40)})",
                      SNUG_STATUS_OK);
    const char *text = part_of(result, 0, "text/plain");
    text = *text ? text : snug_result_text(result, SNUG_STREAM_VALUE, NULL);
    size_t lines = 1;
    for (const char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        size_t len = strcspn(line, "\n");
        if (len > 80)
            fail_msg("%zu columns:\n%s", len, text);
        lines++;
    }
    if (lines < 10 || lines > 16)
        fail_msg("%zu lines:\n%s", lines, text);
    expect_words(part_of(result, 0, "text/html"), "<table");
    snug_result_free(result);
    close_session(session);
}

/* People see it, who are used to the notebook's. */
static void the_table_of_a_frame_has_the_notebook_s_rows_and_columns(void **state)
{
    snug_session *session = open_numeric();
    expect(session,
           "import pandas as pd; f = pd.DataFrame({f'c{n}': range(50) for n in range(20)})", "");
    expect(session, "f._repr_html_().count('<tr'), f._repr_html_().count('<th>c19')", "(51, 1)");
    expect(session, "pd.set_option('display.max_rows', 4); f._repr_html_().count('<tr')", "6");
    close_session(session);
}

static void a_printed_frame_has_pandas_own_rows_and_columns(void **state)
{
    snug_session *session = open_numeric();
    expect(session, "import pandas as pd; f = pd.DataFrame({'month': range(12)})", "");
    expect(session, "len(str(f).splitlines()), len(f'{f.month}'.splitlines())", "(13, 13)");
    expect(session, "'column_13' in str(pd.DataFrame({f'column_{i}': [i] for i in range(14)}))",
           "True");
    snug_result *result = expect_status(session, "f.month", SNUG_STATUS_OK);
    expect_words(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "..\n");
    snug_result_free(result);
    close_session(session);
}

/* ---- saved ---- */

static void a_frame_is_saved_and_restored(void **state)
{
    char path[] = "/tmp/snug-full-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    snug_session *session = open_numeric();
    snug_saved *saved;
    expect(session,
           "import numpy as np, pandas as pd\n"
           "frame = pd.DataFrame({'a': [1, 2], 'b': ['x', 'y'], 'c': [0.5, None]})\n"
           "series = frame['a']; array = np.arange(4.0); when = pd.Timestamp('2020-01-01')",
           "");
    if (snug_session_save(&saved, session, path))
        fail_msg("%s", snug_error_message());
    for (size_t i = 0; i < snug_saved_binding_count(saved); i++)
        if (snug_saved_binding(saved, i)->reason)
            fail_msg("%s: %s", snug_saved_binding(saved, i)->name,
                     snug_saved_binding(saved, i)->reason);
    snug_saved_free(saved);
    close_session(session);
    session = open_numeric();
    if (snug_session_restore(&saved, session, path))
        fail_msg("%s", snug_error_message());
    snug_saved_free(saved);
    expect(session,
           "(frame.shape, series.sum().item(), array.tolist(), when.year, pd.isna(frame.c[1]))",
           "((2, 3), 3, [0.0, 1.0, 2.0, 3.0], 2020, True)");
    close_session(session);
    unlink(path);
}

static void check_columns(snug_session *session, const char *source, const char *first,
                          const char *second)
{
    const char *const expected[] = { first, second };
    const size_t len = strlen(source);
    snug_completion *found;

    assert_int_equal(snug_session_complete(&found, session, source, len, len), SNUG_OK);
    for (size_t i = 0; i < 2 && expected[i]; i++) {
        assert_true(i < snug_completion_match_count(found));
        assert_string_equal(snug_completion_match(found, i), expected[i]);
        assert_string_equal(snug_completion_type(found, i), "dict key");
    }
    if (!second)
        assert_int_equal(snug_completion_match_count(found), first != NULL);
    snug_completion_free(found);
}

static void columns_of_a_frame_are_completed_without_code_of_the_session(void **state)
{
    snug_session *session = open_numeric();
    expect(session,
           "import pandas as pd\n"
           "calls = []\n"
           "class Frame(pd.DataFrame):\n"
           "    @property\n"
           "    def columns(self): calls.append('columns'); return pd.Index(['name'])\n"
           "df = pd.DataFrame({'name': [1], 'na me': [2], 3: [4]})\n"
           "numbers = pd.DataFrame([[1, 2]])\n"
           "other = object.__new__(Frame)",
           "");
    check_columns(session, "df['na", "na me", "name");
    check_columns(session, "df[[\"na m", NULL, NULL);
    check_columns(session, "df['na m", "na me", NULL);
    check_columns(session, "numbers['n", NULL, NULL);
    check_columns(session, "other['n", NULL, NULL);
    expect(session, "calls", "[]");
    close_session(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* First: modules stay loaded from session to session. */
        cmocka_unit_test(figures_are_shown_by_a_package_that_imports_matplotlib),
        cmocka_unit_test(columns_of_a_frame_are_completed_without_code_of_the_session),
        cmocka_unit_test(restricted_sessions_and_scans_are_made_elsewhere),
        cmocka_unit_test(there_is_one_at_a_time),
        cmocka_unit_test(packages_that_are_not_there_are_told_at_once),
        cmocka_unit_test(packages_come_from_the_folder_that_is_named),
        cmocka_unit_test(a_cell_is_what_it_is_elsewhere),
        cmocka_unit_test(input_and_await_are_there),
        cmocka_unit_test(tools_outlive_a_reset),
        cmocka_unit_test(names_changes_and_files_are_told),
        cmocka_unit_test(what_packages_try_when_imported_is_not_the_cells),
        cmocka_unit_test(a_reset_gives_names_and_builtins_anew_and_keeps_modules),
        cmocka_unit_test(finalizers_that_a_reset_meets_have_limits),
        cmocka_unit_test(threads_of_a_cell_are_its_own),
        cmocka_unit_test(what_the_kernel_would_refuse_is_denied_with_a_sentence),
        cmocka_unit_test(the_kernel_refuses_it_too),
        cmocka_unit_test(modules_that_are_not_allowed_are_refused_to_cells_only),
        cmocka_unit_test(hangs_in_python_and_in_polling_c_are_stopped),
        cmocka_unit_test(memory_of_extensions_has_the_sessions_limit),
        cmocka_unit_test(the_work_directory_has_its_quota),
        cmocka_unit_test(figures_are_displays_of_the_cell_that_drew_them),
        cmocka_unit_test(figures_of_a_stopped_cell_are_gone),
        cmocka_unit_test(frames_are_short_and_have_a_table),
        cmocka_unit_test(the_table_of_a_frame_has_the_notebook_s_rows_and_columns),
        cmocka_unit_test(a_printed_frame_has_pandas_own_rows_and_columns),
        cmocka_unit_test(a_frame_is_saved_and_restored),
    };
    if (!has_packages())
        return SKIPPED;
    if (full_allow() != SNUG_OK)
        return 1;
    open_host();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return snug_host_close(host) != SNUG_OK || failed;
}
