/* A host that uses SQLite itself, beside a session that does: it is one library. */
#include "../unit/test.h"

#include <dlfcn.h>

#include <snug/snug.h>
#include <sqlite3.h>

#define FUNCTIONS(X)     \
    X(close)             \
    X(config)            \
    X(db_config)         \
    X(errmsg)            \
    X(exec)              \
    X(free)              \
    X(hard_heap_limit64) \
    X(open)              \
    X(open_v2)           \
    X(reset_auto_extension)

/* The host's, from the library that the extension module of Python links. */
static struct {
#define MEMBER(name) __typeof__(sqlite3_##name) *name;
    FUNCTIONS(MEMBER)
} sqlite;

static snug_host *host;
static snug_session *session;

static int find_functions(void)
{
    void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return -1;
#define FIND(name)                                                    \
    if (!(*(void **)&sqlite.name = dlsym(library, "sqlite3_" #name))) \
        return -1;
    FUNCTIONS(FIND)
    return 0;
}

static int open_host(void **state)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.profile = "data";
    return find_functions() || snug_host_open(&host, NULL) ||
           snug_session_open(&session, host, &options);
}

static int close_host(void **state)
{
    snug_session_close(session);
    return snug_host_close(host);
}

/* Where the kernel keeps too little from a session, it has no SQLite: there is nothing to see. */
static void skip_without_kernel(void)
{
    const char *line = strstr(snug_host_report(host), "kernel:");
    assert_non_null(line);
    const char *missing = strstr(line, "missing:"), *end = strchr(line, '\n');
    if (missing && missing < end) {
        print_message("%.*s\n", (int)(end - line), line);
        skip();
    }
}

/* What the cell prints. */
static void check_output(const char *source, const char *wanted)
{
    snug_result *result = NULL;
    assert_int_equal(snug_session_run(&result, session, source, strlen(source), NULL), SNUG_OK);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL), "");
    assert_string_equal(snug_result_text(result, SNUG_STREAM_STDOUT, NULL), wanted);
    snug_result_free(result);
}

static int take_value(void *text, int count, char **values, char **names)
{
    if (count > 0)
        snprintf(text, 100, "%s", values[0] ? values[0] : "NULL");
    return 0;
}

/* The first value of the last row. */
static void check_value(sqlite3 *db, const char *statement, const char *wanted)
{
    char text[100] = "", *message = NULL;
    sqlite.exec(db, statement, take_value, text, &message);
    assert_string_equal(message ? message : text, wanted);
    sqlite.free(message);
}

static sqlite3 *open_database(void)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite.open(":memory:", &db), SQLITE_OK);
    return db;
}

/* ---- tests ---- */

/* Before anything has used it: that is when a library can be configured. */
TEST(an_open_session_leaves_the_library_to_be_configured)
{
    assert_int_equal(sqlite.config(SQLITE_CONFIG_URI, 1), SQLITE_OK);
}

TEST(the_host_has_what_sessions_do_not_have)
{
    skip_without_kernel();
    check_output(
        "import sqlite3\ndb = sqlite3.connect('a.db')\nprint(db.execute('select 1').fetchall())",
        "[(1,)]\n");
    sqlite3 *db = open_database();
    check_value(db, "pragma threads = 4", "4");
    check_value(db, "pragma temp_store", "0");
    check_value(db, "pragma writable_schema = 1; pragma writable_schema", "1");
    check_value(db, "pragma trusted_schema", "1");
    check_value(db, "attach 'file:of-host?mode=memory&cache=shared' as x; select 1", "1");
    assert_int_equal(sqlite.db_config(db, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 1, NULL),
                     SQLITE_OK);
    check_value(db, "select length(fts3_tokenizer('simple')) > 0", "1");
    sqlite.close(db);
}

TEST(a_session_does_not_change_the_hosts_heap_limit)
{
    skip_without_kernel();
    sqlite3 *db = open_database();
    check_value(db, "pragma hard_heap_limit = 123456789", "123456789");
    check_output("for name in ('hard_heap_limit', 'soft_heap_limit'):\n"
                 "    try:\n"
                 "        print(db.execute(f'pragma {name} = 1').fetchall())\n"
                 "    except sqlite3.Error as error:\n"
                 "        print(error)\n",
                 "not authorized\nnot authorized\n");
    check_value(db, "pragma hard_heap_limit", "123456789");
    sqlite.hard_heap_limit64(0); /* the pragma only lowers it */
    sqlite.close(db);
}

TEST(a_session_does_not_see_the_hosts_shared_database)
{
    static const char *const names[] = { "file:/of-host?vfs=memdb",
                                         "file:of-host?mode=memory&cache=shared" };
    char source[400];
    skip_without_kernel();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sqlite3 *db = NULL, *other = NULL;
        int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;
        assert_int_equal(sqlite.open_v2(names[i], &db, flags, NULL), SQLITE_OK);
        assert_int_equal(sqlite.open_v2(names[i], &other, flags, NULL), SQLITE_OK);
        check_value(db, "create table t (a); insert into t values ('secret')", "");
        check_value(other, "select a from t", "secret");
        snprintf(source, sizeof source,
                 "for call in (lambda: db.execute(\"attach '%s' as x\"),\n"
                 "             lambda: sqlite3.connect('%s', uri=True)):\n"
                 "    try:\n"
                 "        print(call())\n"
                 "    except (sqlite3.Error, PermissionError):\n"
                 "        print('no')\n",
                 names[i], names[i]);
        check_output(source, "no\nno\n");
        sqlite.close(other);
        sqlite.close(db);
    }
}

TEST(a_session_is_guarded_after_the_host_reset_what_opens_run)
{
    skip_without_kernel();
    sqlite.reset_auto_extension();
    check_output("try:\n"
                 "    sqlite3.connect(':memory:').execute('pragma hard_heap_limit = 1')\n"
                 "except sqlite3.Error as error:\n"
                 "    print(error)\n",
                 "not authorized\n");
    sqlite3 *db = open_database();
    check_value(db, "pragma threads = 4", "4");
    sqlite.close(db);
}

int main(void)
{
    return run_all_tests(open_host, close_host);
}
