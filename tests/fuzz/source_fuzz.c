/* A prepared cell is UTF-8 without NULs: its lines are those of the input without some blanks at
 * their beginning. A fault lies in the text, where the message says it does. */
#include "fuzz.h"

#include <snug/snug.h>

#include "base/transcript.h"
#include "base/utf8.h"
#include "policy/source.h"

static const char bom[] = "\xef\xbb\xbf";

static int begins_with_bom(const char *text)
{
    return !strncmp(text, bom, 3);
}

static void check_lines(const source_text *cell, const char *text, size_t len)
{
    size_t ours_len, theirs_len;
    unsigned n = 1;
    for (;; n++) {
        const char *ours = source_line(cell->text, cell->len, n, &ours_len);
        const char *theirs = source_line(text, len, n, &theirs_len);
        /* A last line of blanks only may be gone. */
        if (!ours && theirs) {
            HOLDS(strspn(theirs, " \t") == theirs_len && theirs + theirs_len == text + len);
            return;
        }
        HOLDS(!ours == !theirs);
        if (!ours)
            return;
        HOLDS(ours_len <= theirs_len);
        size_t removed = theirs_len - ours_len;
        HOLDS(strspn(theirs, " \t") >= removed);
        HOLDS(!memcmp(theirs + removed, ours, ours_len));
    }
}

static void check_cell(const source_text *cell, const char *text, size_t len)
{
    size_t at;
    HOLDS(cell->text[cell->len] == '\0');
    HOLDS(strlen(cell->text) == cell->len);
    HOLDS(utf8_check(cell->text, cell->len, &at) == UTF8_FINE);
    HOLDS(cell->own.data || (cell->text >= text && cell->text + cell->len == text + len));
    size_t skipped = begins_with_bom(text) ? 3 : 0;
    str typed = { 0 };
    int is_transcript = transcript_read(&typed, text + skipped, len - skipped, 1);
    str_free(&typed);
    if (is_transcript != 0)
        return;
    check_lines(cell, text + skipped, len - skipped);
    /* Nothing is left to take off. */
    source_text again;
    source_fault fault;
    if (begins_with_bom(cell->text))
        return;
    HOLDS(source_prepare(&again, &fault, cell->text, cell->len, UINT64_MAX) == 1);
    HOLDS(again.text == cell->text && again.len == cell->len);
    source_free(&again);
}

/* Whether the fault's line and column are those of at, a byte of that line. */
static int is_at(const source_fault *fault, const char *line, size_t line_len, const char *at)
{
    return at >= line && at < line + line_len &&
           fault->column == utf8_length(line, (size_t)(at - line)) + 1;
}

static void check_fault(const source_fault *fault, const char *text, size_t len)
{
    size_t skipped = begins_with_bom(text) ? 3 : 0, line_len, at;
    HOLDS(!fault->is_length);
    HOLDS(*fault->message && strlen(fault->message) < sizeof fault->message - 1);
    const char *line = source_line(text + skipped, len - skipped, fault->line, &line_len);
    HOLDS(line);
    if (strstr(fault->message, "null bytes")) {
        HOLDS(is_at(fault, line, line_len, text + strlen(text)));
        return;
    }
    const char *position = strstr(fault->message, " at byte ");
    if (position) {
        HOLDS(utf8_check(text, len, &at) != UTF8_FINE);
        HOLDS(strtoul(position + 9, NULL, 10) == at + 1);
        HOLDS(is_at(fault, line, line_len, text + at));
        return;
    }
    /* The column is that of the encoding's name. */
    const char *name = strchr(fault->message, '"') + 1, *found = line;
    size_t name_len = strcspn(name, "\"");
    HOLDS(name_len >= 1 && name_len <= 60 && fault->line <= 2);
    while (!is_at(fault, line, line_len, found) || memcmp(found, name, name_len)) {
        HOLDS(found + name_len < line + line_len);
        found++;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    source_text cell;
    source_fault fault;
    input in = input_of(data, size);
    char *text = copy_of(in.at, in.left);
    int answer = source_prepare(&cell, &fault, text, size, size);
    HOLDS(answer == 0 || answer == 1 || answer == SNUG_ENOMEM);
    if (answer == 1)
        check_cell(&cell, text, size);
    else if (answer == 0)
        check_fault(&fault, text, size);
    source_free(&cell);
    if (size) {
        HOLDS(source_prepare(&cell, &fault, text, size, size - 1) == 0);
        HOLDS(fault.is_length && !fault.line && !fault.column);
        source_free(&cell);
    }
    free(text);
    return 0;
}
