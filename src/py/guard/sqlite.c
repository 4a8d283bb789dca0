#include "py/guard/sqlite.h"
#include "py/core/cell_notes.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define SQLITE_CORE /* the table of functions, without macros that take it from a global */
#include <sqlite3ext.h>

#include "py/guard/audit.h"
#include "py/mend/librarymemory.h"
#include "py/mend/mend.h"

/* The exception to "no file-level state": the library and the extension's tables of methods are
 * the process's. */
static struct {
    pthread_mutex_t lock; /* of what is set at the first connection */
    __typeof__(sqlite3_auto_extension) *add_on_open;
    __typeof__(sqlite3_vfs_find) *find_vfs;
    __typeof__(stat) *stat; /* the library's own */
    __typeof__(access) *access;
    int has_calls;
    atomic_int is_stripped; /* the methods are refused */
} library = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- the tables ---- */

typedef enum pragma_verdict {
    DENIED,
    ALLOWED,
    READ,   /* setting it is denied */
    UNTUNED /* setting it does nothing: programs ask for it to be faster, and go on without */
} pragma_verdict;

/* By name, in the order of strcmp. What is not here is denied: heap limits and the folder for
 * temporary files are the process's, a schema that can be written is malformed. Where more than
 * the name decides, judge_pragma has the reason. */
static const struct pragma_row {
    const char *name;
    pragma_verdict verdict;
} pragmas[] = {
    { "analysis_limit", ALLOWED },
    { "application_id", ALLOWED },
    { "auto_vacuum", ALLOWED },
    { "automatic_index", ALLOWED },
    { "busy_timeout", ALLOWED },
    { "cache_size", ALLOWED },
    { "cache_spill", ALLOWED },
    { "case_sensitive_like", ALLOWED },
    { "cell_size_check", ALLOWED },
    { "checkpoint_fullfsync", ALLOWED },
    { "collation_list", ALLOWED },
    { "compile_options", ALLOWED },
    { "count_changes", ALLOWED },
    { "data_version", ALLOWED },
    { "database_list", ALLOWED },
    { "default_cache_size", ALLOWED },
    { "defer_foreign_keys", ALLOWED },
    { "empty_result_callbacks", ALLOWED },
    { "encoding", ALLOWED },
    { "foreign_key_check", ALLOWED },
    { "foreign_key_list", ALLOWED },
    { "foreign_keys", ALLOWED },
    { "freelist_count", ALLOWED },
    { "full_column_names", ALLOWED },
    { "fullfsync", ALLOWED },
    { "function_list", ALLOWED },
    { "ignore_check_constraints", ALLOWED },
    { "incremental_vacuum", ALLOWED },
    { "index_info", ALLOWED },
    { "index_list", ALLOWED },
    { "index_xinfo", ALLOWED },
    { "integrity_check", ALLOWED },
    { "journal_mode", ALLOWED },
    { "journal_size_limit", ALLOWED },
    { "legacy_alter_table", ALLOWED },
    { "locking_mode", ALLOWED },
    { "max_page_count", ALLOWED },
    { "mmap_size", UNTUNED }, /* a mapped file that is cut is a SIGBUS */
    { "module_list", ALLOWED },
    { "optimize", ALLOWED },
    { "page_count", ALLOWED },
    { "page_size", ALLOWED },
    { "pragma_list", ALLOWED },
    { "query_only", ALLOWED },
    { "quick_check", ALLOWED },
    { "read_uncommitted", ALLOWED },
    { "recursive_triggers", ALLOWED },
    { "reverse_unordered_selects", ALLOWED },
    { "schema_version", READ },
    { "secure_delete", ALLOWED },
    { "short_column_names", ALLOWED },
    { "shrink_memory", ALLOWED },
    { "synchronous", ALLOWED },
    { "table_info", ALLOWED },
    { "table_list", ALLOWED },
    { "table_xinfo", ALLOWED },
    { "temp_store", UNTUNED }, /* a session has no folder for SQLite's temporary files */
    { "threads", UNTUNED },    /* their processor time would be nobody's */
    { "user_version", ALLOWED },
    { "wal_autocheckpoint", ALLOWED },
    { "wal_checkpoint", ALLOWED },
};

/* The first takes the address of a table of functions, the other a library. */
static const char *const denied_functions[] = { "fts3_tokenizer", "load_extension" };

/* ---- the authorizer ---- */

/* https://www.sqlite.org/c3ref/set_authorizer.html: on the thread that prepares a statement,
 * without the GIL. */

static int deny_statement(const char *event, const char *detail)
{
    if (interp_current)
        interp_deny(interp_current, event, detail, strlen(detail));
    return SQLITE_DENY;
}

static pragma_verdict verdict_of(const char *name)
{
    for (size_t i = 0; i < sizeof pragmas / sizeof *pragmas; i++)
        if (strcasecmp(pragmas[i].name, name) == 0)
            return pragmas[i].verdict;
    return DENIED;
}

static int judge_pragma(const char *name, const char *value)
{
    switch (verdict_of(name)) {
    case ALLOWED:
        /* "wal", or its beginning: its index is a file that is mapped. */
        if (value && strcasecmp(name, "journal_mode") == 0 && (*value == 'w' || *value == 'W'))
            return SQLITE_IGNORE;
        return SQLITE_OK;
    case READ:
        return value ? deny_statement("sqlite3.pragma", name) : SQLITE_OK;
    case UNTUNED:
        return value ? SQLITE_IGNORE : SQLITE_OK;
    case DENIED:
        break;
    }
    return deny_statement("sqlite3.pragma", name);
}

static int judge_function(const char *name)
{
    for (size_t i = 0; i < sizeof denied_functions / sizeof *denied_functions; i++)
        if (strcasecmp(denied_functions[i], name) == 0)
            return deny_statement("sqlite3.function", name);
    return SQLITE_OK;
}

/* Also of VACUUM, which attaches what it writes: '' where that is the database itself. */
static int judge_attach(const char *name)
{
    if (!name) /* no literal: it would be known too late */
        return deny_statement("sqlite3.attach", "a name that is not written in the statement");
    if (!*name || strcmp(name, ":memory:") == 0)
        return SQLITE_OK;

    /* A URI chooses how the file is opened, and so shares memory with other connections. */
    if (strncasecmp(name, "file:", 5) == 0 || !interp_current ||
        !audit_has_path(interp_current, name, PATH_WRITE))
        return deny_statement("sqlite3.attach", name);
    return SQLITE_OK;
}

static int authorize_statement(void *ignored, int action, const char *first, const char *second,
                               const char *database, const char *trigger)
{
    (void)ignored;
    (void)database;
    (void)trigger;
    if (action == SQLITE_PRAGMA)
        return judge_pragma(first, second);
    if (action == SQLITE_FUNCTION)
        return judge_function(second);
    if (action == SQLITE_ATTACH)
        return judge_attach(first);
    return SQLITE_OK;
}

/* ---- at each connection ---- */

/* A file's schema may hold a function's name in a place that the authorizer is not asked about,
 * so the function itself goes. Functions of the session's own must work in views, triggers and
 * indexes: the schema stays trusted. */
static int protect_connection(sqlite3 *db, const sqlite3_api_routines *api)
{
    static const struct {
        int option, value;
    } settings[] = {
        { SQLITE_DBCONFIG_DEFENSIVE, 1 },
        { SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0 },
        { SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0 },
        { SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 },
    };
    int error = SQLITE_OK;
    for (size_t i = 0; !error && i < sizeof settings / sizeof *settings; i++)
        error = api->db_config(db, settings[i].option, settings[i].value, (int *)NULL);
    for (int count = 1; !error && count <= 2; count++)
        error =
            api->create_function(db, "fts3_tokenizer", count, SQLITE_UTF8, NULL, NULL, NULL, NULL);

    if (!error)
        error = api->exec(db, "pragma temp_store = memory", NULL, NULL, NULL);
    if (error)
        return error;
    api->limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
    return api->set_authorizer(db, authorize_statement, NULL);
}

/* A connection of the session's, from its opening to its close. */
struct sqlite_connection {
    struct sqlite_connection *next, *previous;
    interp *in;
    sqlite3 *db;
    const sqlite3_api_routines *api;
    const void *mutex; /* pthread's, which is the first in SQLite's; NULL: it is counted */
};

/* https://www.sqlite.org/c3ref/autovacuum_pages.html: the one place of a connection that SQLite
 * tells of its end and that Python does not reach. By the thread that closes it, with the
 * connection's mutex held once. */
static void on_connection_close(void *arg)
{
    struct sqlite_connection *c = arg;
    struct sqlite_connections *all = &c->in->databases;

    pthread_mutex_lock(&all->lock);
    *(c->previous ? &c->previous->next : &all->first) = c->next;
    if (c->next)
        c->next->previous = c->previous;
    pthread_mutex_unlock(&all->lock);
    if (c->mutex)
        guard_disown_lock(&c->in->own, c->mutex, 1);
    free(c);
}

/* As SQLite does without a function of its own. */
static unsigned int vacuum_all(void *ignored, const char *schema, unsigned int pages,
                               unsigned int free_pages, unsigned int page_bytes)
{
    (void)ignored;
    (void)schema;
    (void)pages;
    (void)page_bytes;
    return free_pages;
}

enum { FIRST_WITH_ON_CLOSE = 3037000 };

/* While it is opened its mutex is held once. */
static int remember_connection(interp *in, sqlite3 *db, const sqlite3_api_routines *api)
{
    struct sqlite_connections *all = &in->databases;

    if (api->libversion_number() < FIRST_WITH_ON_CLOSE)
        return SQLITE_OK;
    struct sqlite_connection *c = calloc(1, sizeof *c);
    if (!c)
        return SQLITE_NOMEM;

    *c = (struct sqlite_connection){ .in = in, .db = db, .api = api };
    const void *mutex = api->db_mutex(db);
    if (mutex && guard_own_lock(&in->own, mutex, 1))
        c->mutex = mutex;
    if (guard_here)
        guard_here->own = &in->own;
    pthread_mutex_lock(&all->lock);
    c->next = all->first;
    if (c->next)
        c->next->previous = c;
    all->first = c;
    pthread_mutex_unlock(&all->lock);

    /* From here on on_close frees it, also where this fails. */
    return api->autovacuum_pages(db, vacuum_all, c, on_connection_close);
}

/* The lock may be held by a thread that was torn out, or closes one: then at the next step. */
void sqlite_interrupt(interp *in)
{
    struct sqlite_connections *all = &in->databases;
    if (pthread_mutex_trylock(&all->lock) != 0)
        return;
    for (struct sqlite_connection *c = all->first; c; c = c->next)
        c->api->interruptx(c->db);
    pthread_mutex_unlock(&all->lock);
}

/* https://www.sqlite.org/c3ref/auto_extension.html: within sqlite3_open_v2 of every connection
 * of the process; an error is the connection's. */
static int on_connection_open(sqlite3 *db, const char **message, const sqlite3_api_routines *api)
{
    (void)message;
    if (!interp_current)
        return SQLITE_OK;

    int error = api ? protect_connection(db, api) : SQLITE_ERROR;
    if (!error)
        error = remember_connection(interp_current, db, api);
    interp_own.is_database_guarded = error == SQLITE_OK;
    return error;
}

/* ---- the library's system calls ---- */

/* A journal names another, and SQLite looks whether that one exists. Landlock does not judge
 * metadata. */
static int hide_path(const char *path)
{
    if (!interp_current || audit_has_path(interp_current, path, PATH_READ))
        return 0;
    errno = ENOENT;
    return 1;
}

static int stat_judged(const char *path, struct stat *facts)
{
    return hide_path(path) ? -1 : library.stat(path, facts);
}

static int access_judged(const char *path, int mode)
{
    return hide_path(path) ? -1 : library.access(path, mode);
}

/* https://www.sqlite.org/c3ref/vfs.html: one table for all connections to files. Once only, for
 * somebody may have put a function there that calls ours. */
static int replace_calls(void)
{
    if (library.has_calls)
        return 0;
    sqlite3_vfs *vfs = library.find_vfs("unix");
    if (!vfs || vfs->iVersion < 3 || !vfs->xSetSystemCall || !vfs->xGetSystemCall)
        return -1;

    library.stat = (__typeof__(stat) *)(void (*)(void))vfs->xGetSystemCall(vfs, "stat");
    library.access = (__typeof__(access) *)(void (*)(void))vfs->xGetSystemCall(vfs, "access");
    library.has_calls =
        library.stat && library.access &&
        vfs->xSetSystemCall(vfs, "stat", (sqlite3_syscall_ptr)(void (*)(void))stat_judged) ==
            SQLITE_OK &&
        vfs->xSetSystemCall(vfs, "access", (sqlite3_syscall_ptr)(void (*)(void))access_judged) ==
            SQLITE_OK;
    return library.has_calls ? 0 : -1;
}

/* ---- before and after a connection ---- */

void sqlite_find(void *extension)
{
    pthread_mutex_lock(&library.lock);
    librarymemory_count_sqlite(extension);
    *(void **)&library.add_on_open = dlsym(extension, "sqlite3_auto_extension");
    *(void **)&library.find_vfs = dlsym(extension, "sqlite3_vfs_find");
    pthread_mutex_unlock(&library.lock);
}

int sqlite_prepare(void)
{
    interp_own.is_database_guarded = 0;
    if (!atomic_load(&library.is_stripped))
        return -1;

    pthread_mutex_lock(&library.lock);
    /* Each time, for the host may have reset them; one that is there is not added again. Not
     * before a session has need of it: the library is configured until it is initialised. */
    int failed = !library.add_on_open || !library.find_vfs ||
                 library.add_on_open((void (*)(void))on_connection_open) != SQLITE_OK ||
                 replace_calls() != 0;
    pthread_mutex_unlock(&library.lock);
    return failed ? -1 : 0;
}

int sqlite_is_guarded(void)
{
    return interp_own.is_database_guarded;
}

/* ---- the extension module ---- */

/* They would take the authorizer away, or change what it protects. */
#define REFUSED(X)                                            \
    X(set_authorizer, "sqlite3.Connection.set_authorizer")    \
    X(setlimit, "sqlite3.Connection.setlimit")                \
    X(setconfig, "sqlite3.Connection.setconfig")              \
    X(load_extension, "sqlite3.Connection.load_extension")    \
    X(enable_load_extension, "sqlite3.enable_load_extension") \
    X(enable_shared_cache, "sqlite3.enable_shared_cache")

/* Called with whatever arguments the method has: only the first is looked at, by nobody. */
#define REFUSE(name, event)                        \
    static PyObject *refuse_##name(PyObject *self) \
    {                                              \
        (void)self;                                \
        if (interp_current)                        \
            audit_deny(interp_current, event);     \
        else                                       \
            PyErr_SetNone(PyExc_PermissionError);  \
        return NULL;                               \
    }
REFUSED(REFUSE)

static const struct refused_row {
    const char *name;
    PyCFunction refuse;
} refused[] = {
#define REFUSED_ROW(name, event) { #name, (PyCFunction)(void (*)(void))refuse_##name },
    REFUSED(REFUSED_ROW)
};

/* In the extension's own table, where method objects look when they are called: the guest's code
 * may have run in the midst of the import, and taken some. Answers whether it has "wanted". */
static int refuse_methods(PyMethodDef *methods, const char *wanted)
{
    int has_wanted = 0;

    for (PyMethodDef *method = methods; method && method->ml_name; method++) {
        has_wanted |= strcmp(method->ml_name, wanted) == 0;
        for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
            if (strcmp(method->ml_name, refused[i].name) == 0)
                __atomic_store_n(&method->ml_meth, refused[i].refuse, __ATOMIC_RELAXED);
    }

    return has_wanted;
}

int sqlite_adopt(interp *in, PyObject *module)
{
    (void)in;
    PyModuleDef *definition = PyModule_GetDef(module);
    PyObject *type = PyDict_GetItemString(PyModule_GetDict(module), "Connection"); /* borrowed */
    refuse_methods(definition ? definition->m_methods : NULL, "");

    /* Before its code ran there is none, and a cell may put something else there. */
    if (type && PyType_Check(type) &&
        refuse_methods(((PyTypeObject *)type)->tp_methods, "set_authorizer"))
        atomic_store(&library.is_stripped, 1);
    return mend_sqlite(module);
}
