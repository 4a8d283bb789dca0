/* snug on a terminal: a notebook-like prompt, one session. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/str.h"
#include "cli/editor/editor.h"
#include "cli/editor/menu.h"
#include "cli/program/command.h"
#include "cli/program/limit_magic.h"
#include "cli/program/state_folder.h"
#include "cli/prompt/advice.h"
#include "cli/prompt/prompt.h"
#include "cli/prompt/shown_session.h"
#include "wire/json.h"

/* ---- session hooks ---- */

/* ---- bash words ---- */

/* What a word of bash could become: variables behind $, commands where one stands,
 * files elsewhere. The session's own bash is asked, beside its cells. */

enum { MOST_MS = 3000 };

/* ---- the word ---- */

static int ends_word(const char *text, size_t at)
{
    return strchr(" \t\n;|&()<>=`\"'", text[at]) && (at == 0 || text[at - 1] != '\\');
}

static size_t word_begin(const char *text, size_t cursor)
{
    while (cursor > 0 && !ends_word(text, cursor - 1))
        cursor--;
    return cursor;
}

/* Where the name of a variable begins that ends at cursor; cursor + 1: there is none. */
static size_t variable_begin(const char *text, size_t begin, size_t cursor)
{
    size_t at = cursor;

    while (at > begin && is_word(text[at - 1]))
        at--;
    if (at > begin + 1 && text[at - 1] == '{' && text[at - 2] == '$')
        return at;
    return at > begin && text[at - 1] == '$' ? at : cursor + 1;
}

/* Whether a command stands there: nothing, or what ends one, is before it. */
static int is_command(const char *text, size_t begin)
{
    static const char before[] = " then do else elif if while until ";
    char word[16] = " ";
    size_t at = begin, end;

    while (at > 0 && is_blank(text[at - 1]))
        at--;
    if (at == 0 || strchr("\n;|&(`", text[at - 1]))
        return 1;
    for (end = at; at > 0 && is_letter(text[at - 1]);)
        at--;
    if (end == at || end - at + 3 > sizeof word)
        return 0;
    memcpy(word + 1, text + at, end - at);
    word[1 + end - at] = ' ';
    return strstr(before, word) != NULL;
}

/* ---- the question ---- */

/* As one word of bash, without the backslashes that it was typed with. */
static int put_quoted(str *out, const char *word, size_t len)
{
    int error = str_add(out, "'");

    for (size_t i = 0; i < len && !error; i++) {
        if (word[i] == '\\' && i + 1 < len)
            i++;
        error = word[i] == '\'' ? str_add(out, "'\\''") : str_append(out, word + i, 1);
    }
    return error ? error : str_add(out, "'");
}

/* Of "$1". Folders have a slash, and what has to be quoted is. */
static const char ask_files[] =
    "\ncompgen -f -- \"$1\" | while IFS= read -r f; do printf -v q %q \"$f\"; q=${q/#\\\\~/\\~}; "
    "[ -d \"${f/#\\~/$HOME}\" ] && q+=/; printf '%s\\n' \"$q\"; done | sort -u";
static const char ask_commands[] =
    "\n{ compgen -c -- \"$1\"; compgen -d -S / -- \"$1\"; } | sort -u";
static const char ask_variables[] = "\ncompgen -v -- \"$1\" | sort -u";

static void add_lines(menu *out, const char *text, size_t len)
{
    str line = { 0 };

    for (size_t at = 0; at < len;) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t size = end ? (size_t)(end - text) - at : len - at;
        str_clear(&line);
        if (size > 0 && str_append(&line, text + at, size) == 0)
            menu_add(out, line.data);
        at += size + 1;
    }
    str_free(&line);
}

static void ask(shown_session *s, menu *out, const str *question)
{
    snug_limits limits = SNUG_LIMITS_INIT;
    snug_result *result = NULL;
    size_t len;

    limits.wall_ms = MOST_MS;
    s->show.is_quiet = 1;
    int error = snug_session_run_aside(&result, s->session, question->data, question->len, &limits);
    s->show.is_quiet = 0;
    if (error)
        return;
    const char *found = snug_result_text(result, SNUG_STREAM_STDOUT, &len);
    if (found && snug_result_status(result) == SNUG_STATUS_OK)
        add_lines(out, found, len);
    snug_result_free(result);
}

/* Adds what could stand at cursor, and sets where it begins. Nothing where bash does not answer in
 * some seconds. */
static void bash_words(shown_session *s, menu *out, const char *text, size_t cursor)
{
    size_t begin = word_begin(text, cursor), variable = variable_begin(text, begin, cursor);
    const char *kind = is_command(text, begin) && !memchr(text + begin, '/', cursor - begin)
                           ? ask_commands
                           : ask_files;
    str question = { 0 };

    if (variable <= cursor) {
        begin = variable;
        kind = ask_variables;
    }
    if (str_add(&question, "set -- ") == 0 &&
        put_quoted(&question, text + begin, cursor - begin) == 0 && str_add(&question, kind) == 0) {
        out->start = begin;
        ask(s, out, &question);
    }
    str_free(&question);
}

/* ---- completions ---- */

static void complete_python(shown_session *s, menu *out, const char *text, size_t cursor)
{
    snug_completion *completion = NULL;
    const char *match;

    if (snug_session_complete(&completion, s->session, text, cursor, cursor))
        return;
    out->start = snug_completion_start(completion);
    for (size_t i = 0; (match = snug_completion_match(completion, i)); i++)
        menu_add(out, match);
    snug_completion_free(completion);
}

static void complete(void *payload, menu *out, const char *text, size_t len, size_t cursor)
{
    shown_session *s = payload;

    (void)len;
    signals_watch(&s->signals, s->session);
    if (s->options->isolation == AS_BASH)
        bash_words(s, out, text, cursor);
    else
        complete_python(s, out, text, cursor);
    signals_watch(&s->signals, NULL);
    signals_forgive(&s->signals);
}

/* ---- descriptions ---- */

static const char *text_of(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    return text ? text : "";
}

/* "name(a, b=2)  The first line of what it says of itself." */
static void put_description(str *out, const cJSON *found)
{
    const char *signature = text_of(found, "signature"), *doc = text_of(found, "docstring");
    size_t line;

    if (!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(found, "found")))
        return;
    str_add(out, text_of(found, "name"));
    if (*signature) {
        for (; *signature; signature++)
            str_append(out, *signature == '\n' ? " " : signature, 1);
    } else {
        str_printf(out, ": %s", text_of(found, "type"));
    }

    doc += strspn(doc, " \t\n");
    line = strcspn(doc, "\n");
    if (line > 0 && *text_of(found, "signature")) {
        str_add(out, "  ");
        str_append(out, doc, line);
    }
}

static void describe(void *payload, str *out, const char *text, size_t len, size_t cursor)
{
    shown_session *s = payload;
    snug_description *description = NULL;
    cJSON *found = NULL;
    size_t json_len;

    signals_watch(&s->signals, s->session);
    int error = snug_session_inspect(&description, s->session, text, len, cursor);
    signals_watch(&s->signals, NULL);
    signals_forgive(&s->signals);
    if (error)
        return;

    const char *json = snug_description_json(description, &json_len);
    if (json_parse(&found, json, json_len) == SNUG_OK)
        put_description(out, found);
    cJSON_Delete(found);
    snug_description_free(description);
}

/* ---- whole cells ---- */

static int is_whole(void *payload, const char *text, size_t len)
{
    shown_session *s = payload;
    str lines = { 0 };

    /* A block is whole behind the end of its last line, a cell magic behind an empty one. Where the
     * session cannot say, the run says why. */
    const int is_magic = strncmp(text + strspn(text, " \t\n"), "%%", 2) == 0;
    int error = str_append(&lines, text, len);
    if (!error && !is_magic)
        error = str_add(&lines, "\n");
    int answer = error || snug_session_is_complete(s->session, lines.data, lines.len) != 0;
    str_free(&lines);
    return answer;
}

/* s outlives them. What is asked can be interrupted as a cell can. */
static editor_hooks session_hooks(shown_session *s)
{
    return (editor_hooks){
        .complete = complete, .describe = describe, .is_whole = is_whole, .payload = s
    };
}

/* ---- a cell ---- */

static int is_blank_source(const char *text)
{
    return !text[strspn(text, " \t\r\n\f")];
}

/* READER_TEXT: p->source is a cell. */
static reader_event read_prompt_cell(prompt *p)
{
    char label[40], more[40];
    int width = snprintf(label, sizeof label, "In [%" PRIu64 "]: ", p->number);

    snprintf(more, sizeof more, "%*s...: ", width - 5, "");
    reader_event event = reader_read(p->reader, label, more, &p->source);
    if (event == READER_TEXT)
        reader_remember(p->reader, str_text(&p->source), p->source.len);
    return event;
}

/* The cell ran and its session is gone: never silently a new one. */
static int renew_session(prompt *p)
{
    fputs("snug: a new session takes its place\n", stderr);
    if (snug_session_reset(p->shown.session))
        return command_fail_host();
    p->number = 1;
    prompt_forget_cells(p);
    return EXIT_FINE;
}

/* Takes lines "%limit" off the front of the code. 0: there is nothing left to run. */
static int take_limits(prompt *p, str *code)
{
    str text = { 0 };
    int error = limit_magic_take(code, &text, &p->limits, &p->shown.options->limits);

    if (error)
        fprintf(stderr, "snug: %s\n\n", error_message());
    else if (text.len > 0)
        printf("%s\n", text.data);
    str_free(&text);
    return !error && !is_blank_source(str_text(code));
}

static uint64_t memory_limit(const options *o)
{
    const snug_limit_description *limit;

    if (o->limits.memory_bytes)
        return o->limits.memory_bytes;
    for (size_t i = 0; (limit = snug_limit_info(i)); i++)
        if (strcmp(limit->name, "memory_bytes") == 0)
            return limit->default_value;
    return UINT64_MAX;
}

/* What %undo goes back to. It takes a tenth of a millisecond for 10,000 names, but keeps what the
 * cell replaces in memory until the next one: there must be room for both. */
static int keep_way_back(prompt *p)
{
    if (p->language != CODE_PYTHON)
        return 0;
    if (!p->is_heavy)
        return !snug_session_checkpoint(p->shown.session);
    snug_session_forget_checkpoint(p->shown.session);
    return 0;
}

/* Ctrl-C, or a signal that ends the prompt, has come before the cell began. */
static int is_called_off(prompt *p)
{
    if (!signals_watch(&p->shown.signals, p->shown.session))
        return 0;
    signals_watch(&p->shown.signals, NULL);
    ticker_end(&p->ticker);
    if (signals_forgive(&p->shown.signals))
        fputs("\nKeyboardInterrupt\n\n", stdout); /* behind the terminal's ^C */
    return 1;
}

static int run_prompt_cell(prompt *p, const str *code)
{
    snug_result *result;

    int is_undoable = keep_way_back(p);
    fflush(stdout);
    ticker_begin(&p->ticker, "");
    if (is_called_off(p))
        return EXIT_FINE;
    int error = snug_session_run(&result, p->shown.session, code->data, code->len, &p->limits);
    signals_watch(&p->shown.signals, NULL);
    signals_forgive(&p->shown.signals);
    int was_ticking = ticker_end(&p->ticker);
    if (error == SNUG_EDEAD)
        return renew_session(p);
    if (error)
        return command_fail_host();

    if (snug_result_status(result) == SNUG_STATUS_INTERRUPTED && !was_ticking)
        putchar('\n'); /* behind the terminal's ^C */
    char *advice = advice_on(&p->shown, result);
    show_result(&p->shown.show, result, advice);
    free(advice);
    session_files_add(&p->shown.files, p->source.data, p->source.len, result);
    p->number = snug_result_execution_count(result) + 1;
    prompt_keep_cell(p, p->number - 1, p->source.data);
    p->undoable = is_undoable ? p->number - 1 : 0;
    p->is_heavy = snug_result_peak_bytes(result) > memory_limit(p->shown.options) / 2;
    int is_lost = snug_result_state(result) == SNUG_STATE_LOST;
    snug_result_free(result);
    if (is_lost)
        return renew_session(p);
    return EXIT_FINE;
}

/* ---- what is said at first ---- */

static void print_banner(const prompt *p)
{
    static const char mark[] = "\npython: "; /* a line of the report: "python: 3.11.2" */
    const char *python = strstr(snug_host_report(p->shown.host), mark);

    printf("snug %s", snug_version());
    if (python) {
        python += strlen(mark);
        printf(", Python %.*s", (int)strcspn(python, "\n"), python);
    }
    printf("; help says more, Ctrl-D leaves\n\n");
}

/* ---- the command ---- */

/* The terminal is asked, unless an option says what it has. */
static int open_prompt(prompt *p, const options *o)
{
    int status = shown_session_open(&p->shown, 1);
    if (status)
        return status;

    p->number = snug_session_execution_count(p->shown.session) + 1;
    pictures_open(&p->pictures, (picture_mode)o->pictures);
    char *path = state_history(o, "SNUG_PROMPT_HISTORY", "history");
    p->language = o->isolation == AS_BASH ? CODE_BASH : CODE_PYTHON;
    const reader_options wanted = {
        .hooks = session_hooks(&p->shown),
        .language = p->language,
        .history_path = path,
        .theme = p->shown.show.colors.out ? THEME_COLOURS : THEME_NONE,
    };
    int error = reader_open(&p->reader, &p->shown.signals, &wanted);
    free(path);
    if (error)
        return command_fail(EXIT_USAGE, "%s", error_message());
    const term *colors = &p->shown.show.colors;
    ticker_open(&p->ticker, STDOUT_FILENO, term_on(colors, stdout, TERM_HINT),
                term_on(colors, stdout, TERM_OFF));
    p->shown.show.typed = p->reader;
    p->shown.show.ticker = &p->ticker;
    p->shown.show.pictures = &p->pictures;
    return EXIT_FINE;
}

static int take_prompt_cell(prompt *p)
{
    str code = { 0 };
    int status = EXIT_FINE;

    if (str_add_str(&code, &p->source))
        return command_fail_memory();
    if (take_limits(p, &code))
        status = run_prompt_cell(p, &code);
    str_free(&code);
    return status;
}

static int serve_prompt(prompt *p)
{
    int status = EXIT_FINE;

    print_banner(p);
    while (!status && !p->shown.show.is_broken) {
        str_clear(&p->source);
        reader_event event = read_prompt_cell(p);
        if (event == READER_CANCEL ||
            (event == READER_TEXT && is_blank_source(str_text(&p->source))))
            continue;
        word_answer word = event == READER_TEXT ? prompt_take_word(p) : WORD_LEAVES;
        if (word == WORD_LEAVES)
            break;
        if (word == WORD_NONE)
            status = take_prompt_cell(p);
    }

    return status;
}

int command_prompt(const options *o)
{
    prompt p = { .number = 1, .limits = SNUG_LIMITS_INIT };

    term_set_utf8();
    int status = shown_session_start(&p.shown, o);
    if (!status)
        status = open_prompt(&p, o);
    if (!status)
        status = shown_session_end(&p.shown, serve_prompt(&p));

    ticker_close(&p.ticker);
    pictures_close(&p.pictures);
    reader_close(p.reader);
    prompt_forget_cells(&p);
    int taken = shown_session_close(&p.shown);
    str_free(&p.source);
    if (taken)
        return 128 + taken;
    return status ? status : p.shown.replayed;
}
