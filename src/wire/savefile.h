/*
 * savefile.h - the file of a saved session: its frame, and what lies in it.
 *
 * All numbers are little-endian. A file is
 *
 *     0   8 bytes   89 53 4e 55 47 0d 0a 1a
 *     8   u32       the format, 1
 *    12   u32       the number of parts, 4
 *    16   u16, u16  the Python that it was saved with: 3, 11
 *    20   u32       future flags in force, as CPython has them (CO_FUTURE_...)
 *    24   u64       cells that have run
 *    32   u64       Out has dropped the values of cells up to this one
 *    40   u64, u64  for each part: its length, its CRC
 *   104   u64       the CRC of the 104 bytes before
 *   112             the parts, in order, and nothing behind them
 *
 * The CRC is CRC-64/XZ: it tells of damage, not of intent. The parts:
 *
 *     plan      rows: u8 kind, u64 number, u32 length and text, u32 length and text, both UTF-8
 *               without NULs. First the values, in order: name (1; the name; "value", "source" or
 *               "import"), out (2; the cell's number), setting (3; its name). Then what was left
 *               out: skipped (4; the name; the reason). Then three last (5; the number of the
 *               cell whose value _, __ or ___ is; 0: of none)
 *     values    their pickles, one behind the other, with one memo
 *     sources   for each cell: u64 length, UTF-8 without NULs; length 2^64 - 1: it had none
 *     files     for each file of the work directory: u8 1 (0: a folder), u32 length of its path,
 *               the path, and of a file u64 length and bytes. Paths are relative, have no empty
 *               part, no "." and "..", and a folder comes before what is in it.
 *
 * Nothing here looks into the pickles.
 */
#ifndef SNUG_WIRE_SAVEFILE_H
#define SNUG_WIRE_SAVEFILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

typedef struct span {
    const char *at;
    size_t len;
} span;

enum { SAVEFILE_HEADER_BYTES = 112 };

typedef enum savefile_part {
    SAVEFILE_PLAN,
    SAVEFILE_VALUES,
    SAVEFILE_SOURCES,
    SAVEFILE_FILES,
    SAVEFILE_PARTS
} savefile_part;

typedef enum savefile_kind {
    SAVEFILE_NAME = 1,
    SAVEFILE_OUT,
    SAVEFILE_SETTING,
    SAVEFILE_SKIPPED,
    SAVEFILE_LAST
} savefile_kind;

typedef struct savefile_row {
    savefile_kind kind;
    uint64_t number;
    span first, second;
} savefile_row;

typedef struct savefile {
    unsigned python_major, python_minor;
    uint32_t future_flags;
    uint64_t cells, forgotten;
    span parts[SAVEFILE_PARTS];
    size_t values; /* pickles: rows of the plan that have one; not in the file */
} savefile;

/* The bytes in front of the parts. */
void savefile_header(char out[SAVEFILE_HEADER_BYTES], const savefile *file);
/* Understands data, which the spans then point into. SNUG_OK, or SNUG_EINVAL with the rest of
 * a sentence that begins with the file's name ("is not a saved session"). All of what is said
 * above is checked, but for the pickles. */
int savefile_read(savefile *out, const char *data, size_t len);

/* Each takes one piece from the front of a part; 0 at its end. Of parts that savefile_read has
 * checked. */
int savefile_next_row(span *part, savefile_row *row);
int savefile_next_source(span *part, span *source); /* source->at NULL: none */
typedef struct savefile_entry {
    int is_file;
    span path, content;
} savefile_entry;
int savefile_next_entry(span *part, savefile_entry *entry);

/* Each appends such a piece. SNUG_OK or SNUG_ENOMEM. */
int savefile_add_row(str *part, savefile_kind kind, uint64_t number, span first, span second);
int savefile_add_source(str *part, const char *source, size_t len); /* NULL: none */
/* In front of the file's bytes. */
int savefile_add_entry(str *part, int is_file, const char *path, size_t len, uint64_t bytes);

#endif
