#include "cli/ask/program_output.h"

#include <snug/snug.h>

#include <string.h>
#include <sys/ioctl.h>

#include "cli/terminal/columns.h"

enum {
    WHOLE_BYTES = 64 * 1024, /* a line that goes on is broken there */
    MARK_COLUMNS = 4
};

static void put_mark(const program_output *o)
{
    fprintf(o->stream, "%s  | %s", o->on, o->off);
}

/* ---- where lines are whole ---- */

/* What was written over is not told: of a progress bar the last state is there. */
static void put_whole(program_output *o)
{
    const char *text = str_text(&o->whole), *over;
    size_t len = o->whole.len;

    while (len > 0 && text[len - 1] == '\r')
        len--;
    over = memrchr(text, '\r', len);
    if (over) {
        len -= (size_t)(over + 1 - text);
        text = over + 1;
    }

    put_mark(o);
    term_put(o->stream, text, len);
    fputc('\n', o->stream);
    str_clear(&o->whole);
    o->is_inside = 0;
}

static void take_whole(program_output *o, const char *text, size_t len)
{
    while (len > 0) {
        const char *end = memchr(text, '\n', len);
        const size_t line = end ? (size_t)(end - text) : len;
        str_append(&o->whole, text, line);
        o->is_inside = 1;
        if (end || o->whole.len > WHOLE_BYTES)
            put_whole(o);
        text += line + (end != NULL);
        len -= line + (end != NULL);
    }
}

/* ---- live ---- */

static size_t room(const program_output *o)
{
    struct winsize size = { 0 };

    ioctl(fileno(o->stream), TIOCGWINSZ, &size);
    return size.ws_col > 2 * MARK_COLUMNS ? size.ws_col - MARK_COLUMNS : 76;
}

static void hide(program_output *o, const char *text, size_t len)
{
    o->bytes_hid += len;
    for (const char *at = text; (at = memchr(at, '\n', len - (size_t)(at - text))); at++)
        o->lines_hid++;
}

static int is_full(const program_output *o)
{
    return o->most_rows > 0 && o->rows >= o->most_rows;
}

/* A piece of a line without its end, and how it ends: by '\n', '\r', or 0: it goes on. */
static void put_piece(program_output *o, const char *text, size_t len, char end)
{
    if (!o->is_inside || o->is_back)
        put_mark(o);
    fwrite(text, 1, len, o->stream);
    o->columns += columns_of(text, len);
    o->is_inside = end != '\n';
    o->is_back = end == '\r';
    if (end == 0)
        return;
    fputc(end, o->stream);
    o->rows += (end == '\n') + o->columns / room(o);
    o->columns = 0;
}

/* How much of a piece of a line has room in the rows that are left. */
static size_t fitting(const program_output *o, const char *text, size_t len)
{
    if (o->most_rows == 0)
        return len;
    const size_t columns = (o->most_rows - o->rows) * room(o);
    return columns_fit(text, len, columns > o->columns ? columns - o->columns : 0);
}

/* The end of a line that begins text; how many bytes it has. */
static size_t line_end(char *end, const char *text, size_t len)
{
    *end = len > 0 ? *text : '\0';
    if (*end == '\r' && len > 1 && text[1] == '\n') {
        *end = '\n';
        return 2;
    }
    return len > 0;
}

/* Text that is clean. What there are no rows for is hidden. */
static void take_live(program_output *o, const char *text, size_t len)
{
    size_t at = 0;

    while (at < len && !is_full(o)) {
        size_t piece = 0;
        char end = '\0';
        while (at + piece < len && text[at + piece] != '\n' && text[at + piece] != '\r')
            piece++;
        const size_t fits = fitting(o, text + at, piece);
        const size_t behind =
            fits < piece ? 0 : line_end(&end, text + at + piece, len - at - piece);
        put_piece(o, text + at, fits, end);
        if (fits < piece) {
            fputc('\n', o->stream);
            program_output_leave_line(o);
            o->rows = o->most_rows;
        }
        at += fits + behind;
    }
    if (at < len)
        hide(o, text + at, len - at);
}

/* ---- both ---- */

static void end_line(program_output *o)
{
    str rest = { 0 };

    if (!o->is_live) {
        if (o->is_inside)
            put_whole(o);
        return;
    }
    if (clean_end(&rest, &o->clean) == 0)
        take_live(o, str_text(&rest), rest.len);
    str_free(&rest);
    if (o->is_inside)
        fputc('\n', o->stream);
    program_output_leave_line(o);
}

void program_output_leave_line(program_output *o)
{
    if (!o->is_live || !o->is_inside)
        return;
    o->rows += 1 + o->columns / room(o);
    o->columns = 0;
    o->is_inside = o->is_back = 0;
}

void program_output_take(program_output *o, int which, const char *text, size_t len)
{
    str shown = { 0 };

    if (which != o->which)
        end_line(o);
    o->which = which;
    if (!o->is_live)
        take_whole(o, text, len);
    else if (clean_text(&shown, &o->clean, text, len, CLEAN_RETURNS) == 0)
        take_live(o, str_text(&shown), shown.len);
    str_free(&shown);
}

void program_output_end(program_output *o)
{
    end_line(o);
    if (o->lines_hid > 0)
        fprintf(o->stream, "%s  | ... %zu more line%s, %.1f kB ...%s\n", o->on, o->lines_hid,
                o->lines_hid == 1 ? "" : "s", (double)o->bytes_hid / 1000, o->off);
    else if (o->bytes_hid > 0)
        fprintf(o->stream, "%s  | ... %.1f kB more ...%s\n", o->on, (double)o->bytes_hid / 1000,
                o->off);
    o->rows = o->lines_hid = 0;
    o->bytes_hid = 0;
}

void program_output_free(program_output *o)
{
    str_free(&o->whole);
}
