/* Any bytes are a saved session or an error with a message, also with the checksums that they
 * should have; and what is fine is read to its end. */
#include "fuzz.h"

#include <snug/snug.h>

#include "base/error.h"
#include "wire/savefile.h"

static void read_pieces(const savefile *file)
{
    span plan = file->parts[SAVEFILE_PLAN], sources = file->parts[SAVEFILE_SOURCES];
    span files = file->parts[SAVEFILE_FILES], source;
    savefile_row row;
    savefile_entry entry;
    uint64_t cells = 0;
    size_t values = 0;
    while (plan.len) {
        HOLDS(savefile_next_row(&plan, &row));
        values += row.kind <= SAVEFILE_SETTING;
    }
    for (; sources.len; cells++)
        HOLDS(savefile_next_source(&sources, &source));
    while (files.len) {
        HOLDS(savefile_next_entry(&files, &entry));
        HOLDS(entry.path.len && entry.path.at[0] != '/');
        HOLDS(!memchr(entry.path.at, '\0', entry.path.len));
    }
    HOLDS(values == file->values && cells == file->cells);
}

static void read_any(const char *data, size_t len)
{
    savefile file;
    error_set(0, "untouched");
    int error = savefile_read(&file, data, len);
    HOLDS(error == SNUG_OK || error == SNUG_EINVAL);
    if (error)
        HOLDS(strcmp(error_message(), "untouched"));
    else
        read_pieces(&file);
}

/* The first bytes are the lengths of parts, and the number of cells. */
static void read_mended(input in)
{
    savefile file = { .cells = take_byte(&in) };
    char header[SAVEFILE_HEADER_BYTES];
    str whole = { 0 };
    for (int i = 0; i < SAVEFILE_PARTS; i++) {
        size_t len = take_byte(&in) * 4u;
        len = len < in.left ? len : in.left;
        file.parts[i] = (span){ in.at, len };
        in.at += len;
        in.left -= len;
    }
    savefile_header(header, &file);
    HOLDS(str_append(&whole, header, sizeof header) == SNUG_OK);
    for (int i = 0; i < SAVEFILE_PARTS; i++)
        HOLDS(str_append(&whole, file.parts[i].at, file.parts[i].len) == SNUG_OK);
    char *copy = copy_of(whole.data, whole.len);
    read_any(copy, whole.len);
    free(copy);
    str_free(&whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = input_of(data, size);
    read_any(in.at, in.left);
    read_mended(in);
    return 0;
}
