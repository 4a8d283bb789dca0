/* snug check: what the scan finds in files, without running them. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/program/command.h"
#include "cli/run/input.h"
#include "cli/terminal/term.h"
#include "wire/splice.h"

typedef struct checker {
    snug_host *host;
    const options *options;
    term colors;
} checker;

/* A piece of an input: how its place is named. */
typedef struct piece {
    const char *name;
    unsigned number; /* of the cell; 0: the input is not divided */
    unsigned line;   /* where it begins in the file, if lines are the file's; else 0 */
} piece;

static void print_scan_finding(const checker *c, const piece *p, const snug_finding *finding)
{
    fputs(term_on(&c->colors, stdout, TERM_PLACE), stdout);
    term_printf(stdout, "%s:", p->name);
    if (p->number && (!p->line || !finding->line))
        printf("cell %u:", p->number);
    if (finding->line)
        printf("%u:", finding->line);
    if (finding->line && finding->column)
        printf("%u:", finding->column);
    printf("%s %s%s%s: ", term_on(&c->colors, stdout, TERM_OFF),
           term_on(&c->colors, stdout, TERM_ERROR), finding->rule,
           term_on(&c->colors, stdout, TERM_OFF));
    term_printf(stdout, "%s\n", finding->message);
}

/* {"file": name, "cell": 3, ...the report}. */
static int print_scan_json(const piece *p, snug_scan *report)
{
    size_t len = 0;
    const char *json = snug_scan_json(report, &len);
    str line = { 0 };
    char digits[16];

    snprintf(digits, sizeof digits, "%u", p->number);
    const splice_member members[] = { { "file", NULL, p->name },
                                      { "cell", p->number ? digits : NULL, NULL } };
    int failed = !json || splice_members(&line, json, len, members, 2);
    if (!failed)
        term_printf(stdout, "%s\n", str_text(&line));

    str_free(&line);
    if (failed)
        return command_fail_memory();
    return EXIT_FINE;
}

static int scan_text(const checker *c, const piece *p, const char *text, size_t len)
{
    snug_scan_options how = SNUG_SCAN_OPTIONS_INIT;
    snug_scan *report;

    how.profile = c->options->session.profile;
    how.allow = c->options->session.allow;
    how.max_source_bytes = c->options->limits.source_bytes;
    how.wall_ms = c->options->limits.wall_ms;
    if (snug_host_scan(&report, c->host, text, len, &how))
        return command_fail_host();

    size_t count = snug_scan_finding_count(report);
    int status = count > 0 ? EXIT_FAILED : EXIT_FINE;
    if (c->options->is_json) {
        int failed = print_scan_json(p, report);
        if (failed)
            status = failed;
    } else {
        for (size_t i = 0; i < count; i++)
            print_scan_finding(c, p, snug_scan_finding(report, i));
    }

    snug_scan_free(report);
    return status;
}

/* With an empty line for each line of the file before it: all line numbers are the
 * file's then, those in messages too. */
static int scan_in_place(const checker *c, const piece *p, const cell *one)
{
    str text = { 0 };
    int error = SNUG_OK, status;

    for (unsigned line = 1; line < p->line && !error; line++)
        error = str_add(&text, "\n");
    if (!error)
        error = str_append(&text, one->source, one->len);

    if (error)
        status = command_fail_memory();
    else
        status = scan_text(c, p, str_text(&text), text.len);

    str_free(&text);
    return status;
}

/* Cell by cell, as run takes them. */
static int check_input(const checker *c, const input *in)
{
    cell_list cells = { 0 };
    int status = EXIT_FINE, is_notebook = input_is_notebook(in);

    if (input_read_cells(&cells, in))
        status = command_fail(EXIT_USAGE, "%s", error_message());
    else if (cells.count == 0 && !is_notebook)
        status = scan_text(c, &(piece){ input_name(in), 0, 0 }, "", 0);

    for (size_t i = 0; i < cells.count; i++) {
        const cell *one = &cells.items[i];
        piece p = { .name = input_name(in) };
        if (is_notebook || cells.count > 1)
            p.number = one->number;
        if (!is_notebook)
            p.line = one->line;

        int found = scan_in_place(c, &p, one);
        if (found > status)
            status = found;
    }

    cell_list_free(&cells);
    if (status == EXIT_FINE && c->options->is_verbose && !c->options->is_json)
        term_printf(stdout, "%s: no findings\n", input_name(in));
    return status;
}

int command_check(const options *o)
{
    static const input from_stdin = { 0, "-" };
    checker c = { .options = o, .colors = term_open((term_mode)o->color) };
    const input *inputs = o->inputs;
    size_t count = o->input_count;

    if (count == 0) {
        inputs = &from_stdin;
        count = 1;
    }

    int status = command_open_host(&c.host, o);
    if (status)
        return status;

    for (size_t i = 0; i < count; i++) {
        int one = check_input(&c, &inputs[i]);
        if (one > status)
            status = one;
    }

    snug_host_close(c.host);
    return status;
}
