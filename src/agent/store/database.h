/*
 * database.h - a file of SQLite that is ours: opened, checked, and its faults said in a sentence.
 *
 * The copy of SQLite is the program's own (src/CMakeLists.txt): what a session does with the one
 * that Python's extension module uses, or a jump out of it, does not reach it.
 *
 * A file belongs to one kind, by SQLite's application_id, and has a format, its user_version. It
 * is made with mode 0600, written by a log (WAL), and checked where the one who wrote it last did
 * not close it. Functions answer SNUG_OK, or an error with a message that names kind and path:
 * SNUG_EINVAL for a file that is not such a database, damaged, or of a newer snug; SNUG_EBUSY where
 * another process holds it for longer than DATABASE_BUSY_MS; SNUG_ESYSTEM where the disk is full,
 * or the file cannot be read or written; SNUG_ENOMEM. From one thread at a time.
 */
#ifndef SNUG_AGENT_DATABASE_H
#define SNUG_AGENT_DATABASE_H

#include <stddef.h>
#include <stdint.h>

#include <sqlite3.h>

#include "base/str.h"

enum { DATABASE_BUSY_MS = 5000 };

typedef enum database_kind {
    DATABASE_CONVERSATION, /* held by one process as long as it is open */
    DATABASE_LIBRARY,      /* one that cannot be written is opened all the same, to be read */
    DATABASE_CACHE,
    DATABASE_KINDS
} database_kind;

typedef struct database {
    sqlite3 *db;
    database_kind kind;
    str path;
    int is_read_only;
} database;

/* makes: where there is no file, it is made, else that is SNUG_ENOTFOUND. The path is taken as it
 * is. */
int database_open(database **out, const char *path, database_kind kind, int makes);
void database_close(database *d);
/* Whether the file at path begins as a database of that kind does. 0 also where it cannot be
 * read. */
int database_is_kind(const char *path, database_kind kind);

/* The fault of SQLite's last call on d: its error, with the message. */
int database_fail(database *d);

/* One statement without rows. */
int database_run(database *d, const char *sql);
/* A statement with its parameters: a letter of types each, 't' for a text, 's' for a str, 'b' for
 * one that is not text, 'i' for an int64_t. They must live until it is finalized, with
 * sqlite3_finalize, which accepts NULL; *out is NULL where it fails. */
int database_select(sqlite3_stmt **out, database *d, const char *sql, const char *types, ...);
/* The next row: *has_row is 0 past the last. */
int database_row(database *d, sqlite3_stmt *statement, int *has_row);
/* The same: 1, or 0 past the last or with an error, which is that of *error already or set there.
 */
int database_next(database *d, sqlite3_stmt *statement, int *error);
/* A statement as that of database_select, to its end. */
int database_change(database *d, const char *sql, const char *types, ...);
/* Appends the column's bytes. SNUG_OK or SNUG_ENOMEM. */
int database_column(str *out, sqlite3_stmt *statement, int column);
/* The same where they are text: SNUG_EINVAL with a message if they are not UTF-8, SNUG_ENOMEM with
 * one. */
int database_text(str *out, const database *d, sqlite3_stmt *statement, int column);

/* A transaction that writes; end commits it where error is SNUG_OK, and else takes it back and
 * answers error with the message that it had. */
int database_begin(database *d);
int database_end(database *d, int error);

#endif
