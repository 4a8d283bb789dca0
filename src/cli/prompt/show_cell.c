#include "cli/prompt/show_cell.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/program/command.h"
#include "cli/terminal/ticker.h"

static void check_stdout(show *s)
{
    if (!fflush(stdout) || s->is_broken)
        return;
    s->is_broken = 1;
    s->why = errno;
    if (s->session)
        snug_session_interrupt(s->session);
}

static void put_label(show *s, term_style style, const char *name, uint64_t number)
{
    const char *on = term_on(&s->colors, stdout, style);
    const char *bold = term_on(&s->colors, stdout, TERM_NUMBER);
    const char *off = term_on(&s->colors, stdout, TERM_OFF);
    printf("%s%s[%s%" PRIu64 "%s%s]:%s", on, name, bold, number, off, on, off);
}

void show_source(show *s, uint64_t number, const char *source, size_t len)
{
    char digits[24];
    int width = snprintf(digits, sizeof digits, "%" PRIu64, number);

    while (len > 0 && (source[len - 1] == '\n' || source[len - 1] == '\r'))
        len--;
    put_label(s, TERM_IN, "In ", number);
    for (size_t at = 0, lines = 0; at < len; lines++) {
        const char *end = memchr(source + at, '\n', len - at);
        size_t next = end ? (size_t)(end - source) + 1 : len;
        if (lines > 0)
            printf("%s%*s...:%s", term_on(&s->colors, stdout, TERM_IN), width + 2, "",
                   term_on(&s->colors, stdout, TERM_OFF));
        putchar(' ');
        term_show(stdout, NULL, source + at, next - at, 0);
        at = next;
    }

    putchar('\n');
    check_stdout(s);
}

void show_output(void *payload, snug_stream stream, const char *text, size_t len)
{
    show *s = payload;

    if (len == 0 || s->is_quiet)
        return;

    const int which = stream == SNUG_STREAM_STDERR;
    ticker_hold(s->ticker);
    term_show(which ? stderr : stdout, &s->output[which], text, len, CLEAN_COLOURS | CLEAN_RETURNS);
    s->is_inside[which] = text[len - 1] != '\n';

    /* Flushed at once, as stderr is: the two streams keep their order. */
    check_stdout(s);
    ticker_let_go(s->ticker, s->is_inside[0] || s->is_inside[1]);
}

static void put_kind(const char *before, const snug_mime *part)
{
    printf("%s<", before);
    term_show(stdout, NULL, part->type, strlen(part->type), 0);
    printf(", %zu bytes>", part->len);
}

/* The richest form that a terminal has, or what it is where there is none. */
static void put_display(const show *s, const snug_display *display)
{
    const snug_mime *text = form_find(display, "text/plain");

    if (pictures_show(s->pictures, display))
        return;
    if (!text)
        text = form_find(display, "text/markdown");
    if (!text)
        text = form_find(display, "text/latex");
    if (text)
        term_show(stdout, NULL, text->data, text->len, CLEAN_COLOURS);
    for (size_t i = 0; i < display->part_count && !text; i++)
        put_kind(i > 0 ? " " : "", &display->parts[i]);
}

void show_display(void *payload, snug_display_event event, const snug_display *display)
{
    show *s = payload;

    ticker_hold(s->ticker);
    /* What has scrolled away stays. The line that is being written can be cleared, for progress
     * bars. */
    if (event == SNUG_DISPLAY_EVENT_CLEAR && s->colors.out)
        fputs("\033[2K\r", stdout);
    else if (s->is_inside[0])
        putchar('\n');

    s->is_inside[0] = 0;

    if (event != SNUG_DISPLAY_EVENT_CLEAR) {
        put_display(s, display);
        putchar('\n');
    }

    check_stdout(s);
    ticker_let_go(s->ticker, 0);
}

static void end_output_lines(show *s)
{
    term_end(stdout, &s->output[0]);
    if (s->is_inside[0])
        putchar('\n');
    fflush(stdout);
    term_end(stderr, &s->output[1]);
    if (s->is_inside[1])
        fputc('\n', stderr);
    s->is_inside[0] = s->is_inside[1] = 0;
}

/* The picture that the value is; NULL: it is none that is shown. */
static const snug_display *find_main_display(const show *s, const snug_result *result)
{
    const snug_display *display;

    for (size_t i = 0; s->pictures && (display = snug_result_display(result, i)); i++)
        if (display->is_main_result && pictures_has_one(s->pictures, display))
            return display;
    return NULL;
}

static void show_out_value(show *s, const snug_result *result)
{
    size_t len;
    const char *text = snug_result_text(result, SNUG_STREAM_VALUE, &len);
    const snug_display *display = find_main_display(s, result);
    if (!*snug_result_value_type(result))
        return;

    put_label(s, TERM_OUT, "Out", snug_result_execution_count(result));
    putchar(display || memchr(text, '\n', len) ? '\n' : ' ');
    if (display)
        put_display(s, display);
    else
        term_show(stdout, NULL, text, len, CLEAN_COLOURS);
    putchar('\n');
}

/* A line on stderr whose first two texts are in that style; the last one is the cell's as well. */
static void put_styled(const show *s, term_style style, const char *before, const char *text,
                       const char *between, const char *behind)
{
    fprintf(stderr, "%s%s", term_on(&s->colors, stderr, style), before);
    term_show(stderr, NULL, text, strlen(text), 0);
    fprintf(stderr, "%s%s", term_on(&s->colors, stderr, TERM_OFF), between);
    term_show(stderr, NULL, behind, strlen(behind), 0);
    fputc('\n', stderr);
}

static void show_error(show *s, const snug_result *result, const char *advice)
{
    const char *traceback = snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL);
    const char *hint = snug_result_error_hint(result);

    if (*traceback)
        term_traceback(&s->colors, stderr, traceback);
    else if (snug_result_status(result) != SNUG_STATUS_OK)
        put_styled(s, TERM_ERROR, "", snug_result_error_name(result), ": ",
                   snug_result_error_value(result));

    /* A denied import says it all in its message. */
    if (advice || !strcmp(hint, snug_result_error_value(result)))
        hint = advice ? advice : "";
    if (*hint)
        put_styled(s, TERM_HINT, "Hint: ", hint, "", "");
    if (snug_result_state(result) == SNUG_STATE_LOST)
        fprintf(stderr, "%sThe session is lost with all its names.%s\n",
                term_on(&s->colors, stderr, TERM_HINT), term_on(&s->colors, stderr, TERM_OFF));
}

static void tell_displays_left_out(const snug_result *result)
{
    const uint64_t count = snug_result_displays_left_out(result);
    if (count > 0)
        command_fail(EXIT_FINE, "%" PRIu64 " more display%s not shown: --displays SIZE allows more",
                     count, count == 1 ? " is" : "s are");
}

void show_result(show *s, const snug_result *result, const char *advice)
{
    /* The cell was interrupted for that, and its end is nobody's. */
    if (s->is_broken)
        return;
    end_output_lines(s);
    show_out_value(s, result);
    fflush(stdout);
    tell_displays_left_out(result);
    show_error(s, result, advice);
    if (s->is_verbose)
        fprintf(stderr, "cell %" PRIu64 ": %s, %.1f ms, cpu %.1f ms\n",
                snug_result_execution_count(result), snug_status_name(snug_result_status(result)),
                (double)snug_result_wall_ns(result) / 1e6,
                (double)snug_result_cpu_ns(result) / 1e6);

    putchar('\n');
    check_stdout(s);
}

const char *show_script_end(show *s, const snug_result *result, const char *advice)
{
    const char *value = snug_result_error_value(result);
    const int is_exit = strcmp(snug_result_error_name(result), "SystemExit") == 0;

    term_end(stdout, &s->output[0]);
    fflush(stdout);
    term_end(stderr, &s->output[1]);
    tell_displays_left_out(result);
    if (!is_exit) {
        show_error(s, result, advice);
        return NULL;
    }

    if (value[strspn(value, "-0123456789")]) {
        term_show(stderr, NULL, value, strlen(value), 0);
        fputc('\n', stderr);
    }
    return value;
}

void show_json(show *s, const char *json, size_t len)
{
    term_show(stdout, NULL, json, len, 0);
    putchar('\n');
    check_stdout(s);
}
