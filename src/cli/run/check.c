/* snug check: what the scan finds in files, without running them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bashread.h"
#include "base/error.h"
#include "base/str.h"
#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/run/input.h"
#include "cli/run/name_use.h"
#include "cli/terminal/term.h"
#include "cli/tools/tool_list.h"
#include "cli/tools/user_tools.h"
#include "wire/json.h"
#include "wire/splice.h"

/* ---- scripts of bash ---- */

typedef struct bash_reader {
    options options; /* of its host and session; what they point to stays the command's */
    snug_host *host;
    snug_session *session;
} bash_reader;

/* ---- which they are ---- */

static int ends_with(const char *text, const char *end)
{
    const size_t len = strlen(text), end_len = strlen(end);
    return len > end_len && strcasecmp(text + len - end_len, end) == 0;
}

static int is_one_of(const char *name, const char *const *ends)
{
    for (; *ends; ends++)
        if (ends_with(name, *ends))
            return 1;
    return 0;
}

/* "#!/bin/sh", "#! /usr/bin/env -S bash -eu": a word of the line is a shell. */
static int begins_for_shell(const str *text)
{
    static const char *const shells[] = { "sh", "bash", "dash" };
    const char *at = str_text(text), *end = at + strcspn(at, "\r\n");

    if (strncmp(at, "#!", 2) != 0)
        return 0;
    for (at += 2; at < end; at += strspn(at, " \t")) {
        const char *word = at;
        at += strcspn(at, " \t\r\n");
        const char *slash = memrchr(word, '/', (size_t)(at - word));
        if (slash)
            word = slash + 1;
        for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
            if (strlen(shells[i]) == (size_t)(at - word) &&
                memcmp(shells[i], word, (size_t)(at - word)) == 0)
                return 1;
    }
    return 0;
}

/* By --language, else by the input's name, NAME.sh or NAME.bash, else by the line that it begins
 * with, "#!/bin/sh". */
static int bash_script_is_one(const options *o, const input *in, const str *text)
{
    static const char *const scripts[] = { ".sh", ".bash", NULL };
    static const char *const others[] = { ".py", ".ipynb", NULL };

    if (o->program_language != BY_QUESTION)
        return o->program_language == IN_BASH;
    if (!in->is_code && is_one_of(in->text, scripts))
        return 1;
    if (!in->is_code && is_one_of(in->text, others))
        return 0;
    return begins_for_shell(text);
}

/* ---- what bash finds ---- */

/* EXIT_FINE, or EXIT_USAGE after one sentence. Close in both cases; a zeroed one may be, too. */
static int bash_reader_open(bash_reader *r, const options *o)
{
    snug_session_options session = SNUG_SESSION_OPTIONS_INIT;
    int status = EXIT_FINE;

    r->options = options_in_bash(o);
    session.kind = SNUG_KIND_BASH;
    session.limits = &r->options.limits;
    if (!r->host)
        status = command_open_host(&r->host, &r->options, NULL);
    if (!status && snug_session_open(&r->session, r->host, &session))
        status = command_fail_host();
    return status;
}

/* EXIT_USAGE where bash did not come to its end. */
static int read_result(str *message, unsigned *line, const char *name, const snug_result *result)
{
    switch (snug_result_status(result)) {
    case SNUG_STATUS_OK:
        return EXIT_FINE;
    case SNUG_STATUS_ERROR:
        if (bashread_complaint(message, line, snug_result_error_value(result)))
            return command_fail_memory();
        return EXIT_FINE;
    case SNUG_STATUS_DENIED:
    case SNUG_STATUS_TIMEOUT:
    case SNUG_STATUS_INTERRUPTED:
    case SNUG_STATUS_MEMORY:
    case SNUG_STATUS_CRASHED:
    case SNUG_STATUS_STALLED:
        break;
    }
    return command_fail(EXIT_USAGE, "%s: bash could not read it: %s", name,
                        snug_result_error_value(result));
}

static int read_by_bash(str *message, unsigned *line, bash_reader *r, const char *name,
                        const str *script)
{
    str commands = { 0 };
    snug_result *result = NULL;
    int status;

    if (bashread_write(&commands, str_text(script), script->len))
        status = command_fail_memory();
    else if (snug_session_run_aside(&result, r->session, commands.data, commands.len, NULL))
        status = command_fail_host();
    else
        status = read_result(message, line, name, result);
    snug_result_free(result);
    str_free(&commands);
    return status;
}

/* message stays empty where nothing is found; *line is 0 where it is not told. The same statuses;
 * name is what the sentence calls the script. */
static int bash_reader_check(str *message, unsigned *line, bash_reader *r, const char *name,
                             const str *script)
{
    *line = 0;
    if (memchr(str_text(script), '\0', script->len))
        return str_add(message, "a NUL byte, which no script may have") ? command_fail_memory()
                                                                        : EXIT_FINE;

    const int whole = snug_session_is_complete(r->session, str_text(script), script->len);
    if (whole < 0)
        return command_fail_host();
    if (whole > 0)
        return read_by_bash(message, line, r, name, script);
    if (str_add(message, "the script ends within a quote, a here-document or a command"))
        return command_fail_memory();
    return EXIT_FINE;
}

static void bash_reader_close(bash_reader *r)
{
    snug_session_close(r->session);
    snug_host_close(r->host);
    r->session = NULL;
    r->host = NULL;
}

typedef struct checker {
    snug_host *host; /* of Python; both are opened for the first input that wants one */
    bash_reader bash;
    const options *options;
    signals signals; /* of the servers that tools belong to */
    tools tools;
    str before; /* the cells of this input that were checked */
    term colors;
} checker;

/* A piece of an input: how its place is named. */
typedef struct piece {
    const char *name;
    unsigned number; /* of the cell; 0: the input is not divided */
    unsigned line;   /* where it begins in the file, if lines are the file's; else 0 */
} piece;

/* Each line of the text behind that indentation. */
static void print_below(const char *indentation, const char *text)
{
    while (*text) {
        const size_t len = strcspn(text, "\n");
        fputs(indentation, stdout);
        term_put(stdout, text, len);
        fputc('\n', stdout);
        text += len + (text[len] == '\n');
    }
}

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
    print_below("    ", finding->excerpt);
    if (*finding->hint)
        term_printf(stdout, "  Hint: %s\n", finding->hint);
}

/* Of all the members that a finding of the report has. */
static cJSON *finding_json(const snug_finding *finding)
{
    cJSON *item = cJSON_CreateObject();

    if (!item || json_add_text(item, "rule", finding->rule) ||
        json_add_number(item, "line", finding->line) ||
        json_add_number(item, "column", finding->column) ||
        json_add_text(item, "subject", finding->subject) ||
        json_add_text(item, "message", finding->message) ||
        json_add_text(item, "hint", finding->hint) ||
        json_add_text(item, "excerpt", finding->excerpt)) {
        cJSON_Delete(item);
        return NULL;
    }

    return item;
}

/* The report as JSON with that finding in front; NULL if memory ran out. */
static char *put_in_front(const char *json, size_t len, const snug_finding *first)
{
    cJSON *root = NULL;
    char *text = NULL;
    int failed = json_parse(&root, json, len) != SNUG_OK;

    if (!failed)
        failed = !cJSON_ReplaceItemInObjectCaseSensitive(root, "ok", cJSON_CreateFalse());
    cJSON *item = failed ? NULL : finding_json(first);
    if (!failed)
        failed = !item || !cJSON_InsertItemInArray(
                              cJSON_GetObjectItemCaseSensitive(root, "findings"), 0, item);
    if (failed)
        cJSON_Delete(item);
    if (!failed)
        text = json_text(root);
    cJSON_Delete(root);
    return text;
}

/* {"file": name, "cell": 3, ...the report} */
static int print_scan_json(const piece *p, const snug_finding *first, snug_scan *report)
{
    size_t len = 0;
    const char *json = snug_scan_json(report, &len);
    char *joined = json && first ? put_in_front(json, len, first) : NULL;
    str line = { 0 };
    char digits[16];

    if (first) {
        json = joined;
        len = joined ? strlen(joined) : 0;
    }

    snprintf(digits, sizeof digits, "%u", p->number);
    const splice_member members[] = { { "file", NULL, p->name },
                                      { "cell", p->number ? digits : NULL, NULL } };
    int failed = !json || splice_members(&line, json, len, members, 2);
    if (!failed)
        term_printf(stdout, "%s\n", str_text(&line));

    free(joined);
    str_free(&line);
    if (failed)
        return command_fail_memory();
    return EXIT_FINE;
}

/* first: what was found before the scan; NULL: nothing. */
static int print_report(const checker *c, const piece *p, const snug_finding *first,
                        snug_scan *report)
{
    const size_t count = snug_scan_finding_count(report);
    int status = count > 0 || first ? EXIT_FAILED : EXIT_FINE;

    if (c->options->is_json) {
        int failed = print_scan_json(p, first, report);
        return failed ? failed : status;
    }

    if (first)
        print_scan_finding(c, p, first);
    for (size_t i = 0; i < count; i++)
        print_scan_finding(c, p, snug_scan_finding(report, i));
    return status;
}

static snug_scan_options scan_options(const checker *c)
{
    snug_scan_options how = SNUG_SCAN_OPTIONS_INIT;

    how.profile = c->options->session.profile;
    how.allow = c->options->session.allow;
    how.max_source_bytes = c->options->limits.source_bytes;
    how.wall_ms = c->options->limits.wall_ms;
    how.forbid = c->options->forbid.items;
    return how;
}

/* ---- calls of tools, in the cells behind the first ---- */

/* The scan of a cell does not know which names those before it have taken: it learns of the tools
 * whose names they surely left alone. NULL: memory ran out. */
static const char **list_tools(const checker *c)
{
    char *const *heads = c->tools.list->heads;
    const char *before = str_text(&c->before);
    size_t count = 0;

    for (size_t i = 0; heads[i]; i++)
        count++;
    const char **sure = calloc(count + 1, sizeof *sure);
    if (!sure || name_any_may_be_bound(before))
        return sure;
    for (size_t i = 0, kept = 0; i < count; i++)
        if (!name_may_be_bound(before, heads[i], strcspn(heads[i], ".(")))
            sure[kept++] = heads[i];
    return sure;
}

/* ---- Python ---- */

static int scan_text(const checker *c, const piece *p, const char *text, size_t len)
{
    snug_scan_options how = scan_options(c);
    snug_scan *report;
    const char **heads = list_tools(c);

    if (!heads)
        return command_fail_memory();
    how.tools = heads;
    const int error = snug_host_scan(&report, c->host, text, len, &how);
    free(heads);
    if (error)
        return command_fail_host();

    int status = print_report(c, p, NULL, report);
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

static int check_list(checker *c, const input *in, const cell_list *cells)
{
    const int is_notebook = input_is_notebook(in);
    int status = EXIT_FINE;

    for (size_t i = 0; i < cells->count && status <= EXIT_USAGE; i++) {
        const cell *one = &cells->items[i];
        piece p = { .name = input_name(in) };
        if (is_notebook || cells->count > 1)
            p.number = one->number;
        if (!is_notebook)
            p.line = one->line;

        int found = scan_in_place(c, &p, one);
        if (str_append(&c->before, one->source, one->len) || str_add(&c->before, "\n"))
            found = command_fail_memory();
        if (found > status)
            status = found;
    }

    str_clear(&c->before);
    return status;
}

/* Cell by cell, as run takes them. */
static int check_cells(checker *c, const input *in, const str *text)
{
    cell_list cells = { 0 };
    int status = c->host ? EXIT_FINE : command_open_host(&c->host, c->options, NULL);

    if (status)
        return status;
    if (input_split_cells(&cells, in, text))
        status = command_fail(EXIT_USAGE, "%s", error_message());
    else if (cells.count == 0 && !input_is_notebook(in))
        status = scan_text(c, &(piece){ input_name(in), 0, 0 }, "", 0);
    else
        status = check_list(c, in, &cells);

    cell_list_free(&cells);
    return status;
}

/* ---- bash ---- */

/* What snug ask does before it runs one: bash reads it, and the scan looks for what is forbidden.
 */
static int check_script(checker *c, const input *in, const str *text)
{
    const piece p = { .name = input_name(in) };
    snug_scan_options how = scan_options(c);
    snug_scan *report;
    str message = { 0 };
    unsigned line;
    int status = c->bash.session ? EXIT_FINE : bash_reader_open(&c->bash, c->options);

    if (!status)
        status = bash_reader_check(&message, &line, &c->bash, p.name, text);
    if (status)
        goto done;

    how.kind = SNUG_KIND_BASH;
    if (snug_host_scan(&report, c->bash.host, str_text(text), text->len, &how)) {
        status = command_fail_host();
        goto done;
    }

    const snug_finding syntax = { "syntax", line, 0, "", str_text(&message), "", "" };
    status = print_report(c, &p, message.len > 0 ? &syntax : NULL, report);
    snug_scan_free(report);

done:
    str_free(&message);
    return status;
}

/* ---- the command ---- */

static int check_input(checker *c, const input *in)
{
    str text = { 0 };
    int status;

    if (input_read(&text, in))
        status = command_fail(EXIT_USAGE, "%s", error_message());
    else if (bash_script_is_one(c->options, in, &text))
        status = check_script(c, in, &text);
    else
        status = check_cells(c, in, &text);

    str_free(&text);
    if (status == EXIT_FINE && c->options->is_verbose && !c->options->is_json)
        term_printf(stdout, "%s: no findings\n", input_name(in));
    return status;
}

static int check_inputs(checker *c)
{
    static const input from_stdin = { 0, "-" };
    const size_t count = c->options->input_count;
    int status = EXIT_FINE;

    if (count == 0)
        return check_input(c, &from_stdin);
    for (size_t i = 0; i < count; i++) {
        int one = check_input(c, &c->options->inputs[i]);
        if (one > status)
            status = one;
    }
    return status;
}

int command_check(const options *o)
{
    checker c = { .options = o, .colors = term_open((term_mode)o->color) };

    if (signals_start(&c.signals))
        return command_fail(EXIT_USAGE, "%s", error_message());
    int status = tools_open(&c.tools, o, &c.signals);
    if (!status)
        status = check_inputs(&c);

    bash_reader_close(&c.bash);
    snug_host_close(c.host);
    str_free(&c.before);
    tools_close(&c.tools);
    signals_stop(&c.signals);
    return status;
}
