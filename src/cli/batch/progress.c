#include "cli/batch/progress.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "cli/program/quantity.h"
#include "cli/terminal/term.h"

enum { BAR_CELLS = 20 };

progress progress_open(int is_quiet, int is_verbose)
{
    int is_terminal = isatty(STDERR_FILENO) && term_has_sequences();
    return (progress){ !is_quiet && is_terminal, !is_quiet && is_verbose, clock_now_ns() };
}

static void put_bar(const summary *s)
{
    size_t full = s->tasks ? s->finished * BAR_CELLS / s->tasks : 0;
    fprintf(stderr, "\r\x1b[K%zu/%zu [", s->finished, s->tasks);
    for (size_t i = 0; i < BAR_CELLS; i++)
        fputc(i < full ? '#' : '.', stderr);
    fputc(']', stderr);
}

void progress_show(const progress *p, const summary *s)
{
    char text[32];

    if (!p->has_bar)
        return;

    /* Those of an earlier run took none of this time. */
    double done = (double)(s->finished - s->resumed);
    double seconds = (double)(clock_now_ns() - p->start_ns) / (double)NS_PER_S;

    put_bar(s);
    if (done > 0 && seconds > 0)
        fprintf(stderr, " %.2g/s", done / seconds);
    fprintf(stderr, ", %s tokens",
            quantity_text(text, sizeof text, (uint64_t)(s->input_tokens + s->output_tokens), ""));
    if (s->has_cost)
        fprintf(stderr, ", $%.4f", s->cost_usd);
    fflush(stderr);
}

void progress_tell(const progress *p, const char *format, ...)
{
    char text[2048];
    va_list args;

    if (!p->has_lines)
        return;

    va_start(args, format);
    utf8_format(text, sizeof text, format, args);
    va_end(args);

    progress_end(p);
    term_put(stderr, text, strlen(text));
    fputc('\n', stderr);
}

void progress_end(const progress *p)
{
    if (p->has_bar)
        fputs("\r\x1b[K", stderr);
    fflush(stderr);
}
