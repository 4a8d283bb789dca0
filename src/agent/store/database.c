#include "agent/store/database.h"

#include <snug/snug.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/utf8.h"

/* Where SQLite keeps the application_id in a file, big-endian: https://sqlite.org/fileformat2.html
 */
enum { HEADER_BYTES = 100, ID_AT = 68 };

static const struct kind_row {
    const char *title;
    int32_t id;
    int format;
    int is_exclusive;
    const char *schema;
} kinds[DATABASE_KINDS] = {
    [DATABASE_CONVERSATION] = { "conversation", 0x736e6701, 1, 1,
                                "create table turn (n integer primary key, question text not null, "
                                "code text not null,"
                                " output text not null, answer text not null);"
                                "create table summary (id integer primary key check (id = 1), text "
                                "text not null,"
                                " turns integer not null);"
                                "create table session (id integer primary key check (id = 1), "
                                "saved blob not null,"
                                " turns integer not null);" },
    [DATABASE_LIBRARY] = { "library", 0x736e6702, 1, 0,
                           "create table document (id integer primary key, name text not null "
                           "unique,"
                           " kind text not null, title text not null, bytes integer not null);"
                           "create table passage (id integer primary key, document integer not "
                           "null,"
                           " text text not null);"
                           "create index passage_document on passage (document);"
                           "create table vector (passage integer primary key, model text not null,"
                           " value blob not null);"
                           "create virtual table words using fts5 (title, body,"
                           " tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');" },
    [DATABASE_CACHE] = { "cache", 0x736e6703, 1, 0,
                         "create table entry (id integer primary key, kind integer not null,"
                         " hash integer not null, at_ms integer not null, bytes integer not null,"
                         " request blob not null, reply blob not null);"
                         "create index entry_hash on entry (hash);" },
};

/* ---- faults ---- */

static int say(const database *d, int error, const char *fact)
{
    return error_set(error, "the %s %s %s", kinds[d->kind].title, str_text(&d->path), fact);
}

static int fail_code(const database *d, int code)
{
    const int errnum = d->db ? sqlite3_system_errno(d->db) : 0;
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return error_no_memory();
    case SQLITE_NOTADB:
        return say(d, SNUG_EINVAL, "is not a snug database, or its header is damaged");
    case SQLITE_CORRUPT:
        return say(d, SNUG_EINVAL, "is damaged");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return say(d, SNUG_EBUSY, "is in use by another process, for longer than 5 s");
    case SQLITE_FULL:
        return say(d, SNUG_ESYSTEM, "cannot grow: the disk is full");
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return say(d, SNUG_ESYSTEM, "cannot be written: it, or its folder, is read-only");
    case SQLITE_TOOBIG:
        return say(d, SNUG_EINVAL, "cannot hold a value of that size");
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
        if (errnum == ENOSPC || errnum == EDQUOT || errnum == EFBIG)
            return say(d, SNUG_ESYSTEM, "cannot grow: the disk is full");
        if (errnum == EROFS || errnum == EACCES || errnum == EPERM)
            return say(d, SNUG_ESYSTEM, "cannot be written: it, or its folder, is read-only");
        /* SQLite does not tell the errno of its log: a limit of sizes, or a quota. */
        if (code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_SHMSIZE)
            return say(d, SNUG_ESYSTEM, "cannot grow: the disk is full, or fails");
        errno = errnum ? errnum : EIO;
        return error_system("the %s %s cannot be read or written", kinds[d->kind].title,
                            str_text(&d->path));
    default: /* a table that is not as it was made */
        return say(d, SNUG_EINVAL, "is damaged: its tables are not those of snug");
    }
}

int database_fail(database *d)
{
    return fail_code(d, sqlite3_extended_errcode(d->db));
}

/* ---- statements ---- */

int database_run(database *d, const char *sql)
{
    if (sqlite3_exec(d->db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return SNUG_OK;
    return database_fail(d);
}

static int prepare(sqlite3_stmt **out, database *d, const char *sql, const char *types,
                   va_list values)
{
    *out = NULL;
    if (sqlite3_prepare_v2(d->db, sql, -1, out, NULL))
        return database_fail(d);

    int code = SQLITE_OK;
    for (int i = 1; !code && types[i - 1]; i++) {
        const char type = types[i - 1];
        const char *text = type == 't' ? va_arg(values, const char *) : NULL;
        const str *given = type == 's' || type == 'b' ? va_arg(values, const str *) : NULL;
        const size_t len = text ? strlen(text) : 0;
        if (text)
            code = sqlite3_bind_text64(*out, i, text, len, SQLITE_STATIC, SQLITE_UTF8);
        else if (type == 's')
            code = sqlite3_bind_text64(*out, i, str_text(given), given->len, SQLITE_STATIC,
                                       SQLITE_UTF8);
        else if (type == 'b')
            code = sqlite3_bind_blob64(*out, i, str_text(given), given->len, SQLITE_STATIC);
        else
            code = sqlite3_bind_int64(*out, i, va_arg(values, int64_t));
    }
    if (!code)
        return SNUG_OK;
    sqlite3_finalize(*out);
    *out = NULL;
    return fail_code(d, code);
}

int database_select(sqlite3_stmt **out, database *d, const char *sql, const char *types, ...)
{
    va_list values;

    va_start(values, types);
    const int error = prepare(out, d, sql, types, values);
    va_end(values);
    return error;
}

int database_row(database *d, sqlite3_stmt *statement, int *has_row)
{
    int code = sqlite3_step(statement);
    *has_row = code == SQLITE_ROW;
    if (code == SQLITE_ROW || code == SQLITE_DONE)
        return SNUG_OK;
    return database_fail(d);
}

int database_next(database *d, sqlite3_stmt *statement, int *error)
{
    int has_row = 0;

    if (!*error)
        *error = database_row(d, statement, &has_row);
    return has_row && !*error;
}

int database_change(database *d, const char *sql, const char *types, ...)
{
    sqlite3_stmt *statement;
    va_list values;

    va_start(values, types);
    int error = prepare(&statement, d, sql, types, values);
    va_end(values);
    while (database_next(d, statement, &error))
        continue;
    sqlite3_finalize(statement);
    return error;
}

int database_column(str *out, sqlite3_stmt *statement, int column)
{
    const char *bytes = sqlite3_column_blob(statement, column);
    int len = sqlite3_column_bytes(statement, column);
    if (len > 0 && bytes)
        return str_append(out, bytes, (size_t)len);
    return SNUG_OK;
}

int database_text(str *out, const database *d, sqlite3_stmt *statement, int column)
{
    size_t at;
    if (database_column(out, statement, column))
        return error_no_memory();
    if (utf8_check(str_text(out), out->len, &at) != UTF8_FINE)
        return say(d, SNUG_EINVAL, "is damaged: a text in it is not UTF-8");
    return SNUG_OK;
}

int database_begin(database *d)
{
    return database_run(d, "begin immediate");
}

int database_end(database *d, int error)
{
    if (!error && !(error = database_run(d, "commit")))
        return SNUG_OK;
    /* The fault itself may have ended the transaction. */
    sqlite3_exec(d->db, "rollback", NULL, NULL, NULL);
    return error;
}

/* ---- opening ---- */

static int query_number(database *d, const char *sql, int64_t *out)
{
    sqlite3_stmt *statement;
    int has_row = 0;
    int error = database_select(&statement, d, sql, "");

    if (!error)
        error = database_row(d, statement, &has_row);
    *out = has_row ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return error;
}

static int check_pages(database *d)
{
    sqlite3_stmt *statement;
    int has_row = 0;
    int error = database_select(&statement, d, "pragma quick_check(1)", "");

    if (!error)
        error = database_row(d, statement, &has_row);
    const char *said = has_row ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    if (!error && (!said || strcmp(said, "ok") != 0))
        error = say(d, SNUG_EINVAL, "is damaged");
    sqlite3_finalize(statement);
    return error;
}

/* 1: a database of this kind, 0: an empty one. */
static int identify(database *d, int *is_ours)
{
    const struct kind_row *kind = &kinds[d->kind];
    int64_t id, format, tables;
    int error = query_number(d, "pragma application_id", &id);

    if (!error)
        error = query_number(d, "pragma user_version", &format);
    if (!error)
        error = query_number(d, "select count(*) from sqlite_schema", &tables);
    if (error)
        return error;

    *is_ours = id == kind->id;
    if (id == 0 && tables == 0)
        return SNUG_OK;
    if (!*is_ours) {
        for (int i = 0; i < DATABASE_KINDS; i++)
            if (kinds[i].id == id)
                return error_set(SNUG_EINVAL, "%s is a %s of snug, and no %s", str_text(&d->path),
                                 kinds[i].title, kind->title);
        return error_set(SNUG_EINVAL, "%s is a database, and no %s of snug", str_text(&d->path),
                         kind->title);
    }

    if (format > kind->format)
        return error_set(SNUG_EINVAL,
                         "the %s %s is of a newer snug: it has the format %lld, and this one "
                         "knows those up to %d",
                         kind->title, str_text(&d->path), (long long)format, kind->format);

    return SNUG_OK;
}

static int make_tables(database *d)
{
    const struct kind_row *kind = &kinds[d->kind];
    char identity[100];
    int is_ours = 0;

    snprintf(identity, sizeof identity, "pragma application_id = %d; pragma user_version = %d",
             (int)kind->id, kind->format);
    int error = database_run(d, "pragma journal_mode = wal");
    if (error || (error = database_begin(d)))
        return error;

    /* Another process may have been faster. */
    error = identify(d, &is_ours);
    if (!error && !is_ours && !(error = database_run(d, kind->schema)))
        error = database_run(d, identity);
    return database_end(d, error);
}

/* A schema of a stranger's runs nothing: no functions in it, no extensions. */
static int protect_database(database *d)
{
    static const struct {
        int option, value;
    } settings[] = {
        { SQLITE_DBCONFIG_DEFENSIVE, 1 },
        { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
        { SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
        { SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
        { SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 },
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (sqlite3_db_config(d->db, settings[i].option, settings[i].value, (int *)NULL))
            return database_fail(d);

    sqlite3_busy_timeout(d->db, DATABASE_BUSY_MS);
    return database_run(d, "pragma cell_size_check = on; pragma temp_store = memory");
}

static int connect_file(database *d)
{
    str uri = { 0 };
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW;
    const char *name = str_text(&d->path);

    /* SQLite refuses folders that are links, too. */
    if (!d->is_read_only) {
        const char *slash = strrchr(name, '/');
        char folder[PATH_MAX];
        int error = slash ? str_append(&uri, name, (size_t)(slash - name) + 1) : str_add(&uri, ".");
        if (error || !realpath(str_text(&uri), folder))
            return error ? error_no_memory() : error_system("%s", name);
        str_free(&uri);
        if (str_printf(&uri, "%s/%s", folder, slash ? slash + 1 : name))
            return error_no_memory();
        name = str_text(&uri);
    }

    if (d->is_read_only) {
        /* Its index of the log cannot be made: it is read as it is. */
        flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI;
        int error = str_add(&uri, *name == '/' ? "file://" : "file:");
        for (const char *c = name; !error && *c; c++)
            error = strchr("%?#", *c) ? str_printf(&uri, "%%%02x", (unsigned char)*c)
                                      : str_append(&uri, c, 1);
        if (error || str_add(&uri, "?immutable=1")) {
            str_free(&uri);
            return error_no_memory();
        }
        name = str_text(&uri);
    }

    int code = sqlite3_open_v2(name, &d->db, flags, NULL);
    str_free(&uri);
    if (code)
        return fail_code(d, code);
    return protect_database(d);
}

static int has_log(const database *d)
{
    struct stat facts;
    str log = { 0 };
    int has = str_printf(&log, "%s-wal", str_text(&d->path)) == SNUG_OK &&
              stat(str_text(&log), &facts) == 0 && facts.st_size > 0;
    str_free(&log);
    return has;
}

/* A library may lie where nothing can be written. */
static int can_write(const database *d)
{
    str folder = { 0 };
    const char *path = str_text(&d->path), *slash = strrchr(path, '/');
    int can = access(path, W_OK) == 0;

    if (can && slash && str_append(&folder, path, (size_t)(slash - path) + 1) == SNUG_OK)
        can = access(str_text(&folder), W_OK) == 0;
    else if (can && !slash)
        can = access(".", W_OK) == 0;

    str_free(&folder);
    return can;
}

/* Nobody else may have put there what SQLite reads or writes, be it the file or one beside it. By
 * name, for to close a descriptor of it would drop the locks of another connection. */
static int check_database_files(const database *d)
{
    static const char *const ends[] = { "", "-wal", "-shm", "-journal" };
    int error = SNUG_OK;

    for (size_t i = 0; !error && i < sizeof ends / sizeof *ends; i++) {
        struct stat facts;
        str path = { 0 };
        error = str_printf(&path, "%s%s", str_text(&d->path), ends[i]);
        if (!error && lstat(str_text(&path), &facts) == 0)
            error = file_check_private(&facts, str_text(&path));
        str_free(&path);
    }
    return error;
}

/* The file, empty and readable by nobody else, where there is none. SQLite's own files beside it
 * get its mode. */
static int make_database_file(database *d, int makes)
{
    struct stat facts;
    const char *path = str_text(&d->path);
    if (stat(path, &facts) == 0) {
        if (S_ISDIR(facts.st_mode))
            return error_set(SNUG_EINVAL, "%s is a folder, and no %s", path, kinds[d->kind].title);
        if (!S_ISREG(facts.st_mode))
            return error_set(SNUG_EINVAL, "%s is not a file, and so not a %s", path,
                             kinds[d->kind].title);
        d->is_read_only = !can_write(d);
        return d->is_read_only ? SNUG_OK : check_database_files(d);
    }

    if (errno != ENOENT)
        return error_system("the %s %s", kinds[d->kind].title, path);
    if (!makes)
        return error_set(SNUG_ENOTFOUND, "there is no %s %s", kinds[d->kind].title, path);

    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 && errno != EEXIST) /* made by another process, a moment ago */
        return error_system("the %s %s cannot be made", kinds[d->kind].title, path);
    if (fd >= 0)
        close(fd);
    d->is_read_only = !can_write(d);
    return check_database_files(d);
}

static int open_database_file(database *d, int makes)
{
    int is_ours = 0;
    int error = make_database_file(d, makes);
    if (error)
        return error;

    const int was_open = has_log(d);
    if (d->is_read_only && d->kind != DATABASE_LIBRARY)
        return say(d, SNUG_ESYSTEM, "cannot be written: it, or its folder, is read-only");
    if ((error = connect_file(d)))
        return error;

    if (kinds[d->kind].is_exclusive)
        error = database_run(d, "pragma locking_mode = exclusive");
    if (!error)
        error = identify(d, &is_ours);
    if (!error && !is_ours)
        error = d->is_read_only ? say(d, SNUG_EINVAL, "is empty, and cannot be written")
                                : make_tables(d);

    /* A conversation is read as a whole anyway. */
    if (!error && is_ours && (was_open || d->kind == DATABASE_CONVERSATION))
        error = check_pages(d);
    if (!error && d->kind == DATABASE_CACHE)
        error = database_run(d, "pragma synchronous = normal");

    /* Taken now and not at the first write, when there is something to lose. */
    if (!error && kinds[d->kind].is_exclusive && !(error = database_begin(d)))
        error = database_end(d, SNUG_OK);
    return error;
}

int database_open(database **out, const char *path, database_kind kind, int makes)
{
    database *d = calloc(1, sizeof *d);
    if (!d || str_add(&d->path, path)) {
        free(d);
        return error_no_memory();
    }

    d->kind = kind;
    int error = open_database_file(d, makes);
    if (error) {
        database_close(d);
        return error;
    }

    *out = d;
    return SNUG_OK;
}

void database_close(database *d)
{
    if (!d)
        return;
    sqlite3_close_v2(d->db);
    str_free(&d->path);
    free(d);
}

int database_is_kind(const char *path, database_kind kind)
{
    unsigned char header[HEADER_BYTES];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return 0;

    ssize_t len = read(fd, header, sizeof header);
    close(fd);
    if (len != HEADER_BYTES || memcmp(header, "SQLite format 3", 16) != 0)
        return 0;

    const uint32_t id = (uint32_t)header[ID_AT] << 24 | (uint32_t)header[ID_AT + 1] << 16 |
                        (uint32_t)header[ID_AT + 2] << 8 | header[ID_AT + 3];
    return id == (uint32_t)kinds[kind].id;
}
