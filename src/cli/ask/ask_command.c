/* snug ask: questions to a model, whose programs run in one session. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/ask/asker.h"
#include "cli/ask/talk.h"
#include "cli/program/command.h"

/* Of a question; the agent has a limit of its own, which is lower. */
enum { MOST_STDIN_BYTES = 16 << 20 };

/* Whether it ended otherwise than by its end or a signal. */
static int check_stdin_end(asker *a)
{
    if (!ferror(stdin) || signals_taken(&a->signals))
        return EXIT_FINE;
    if (errno == EBADF)
        return command_fail(EXIT_USAGE, "stdin is closed, and there is no question: give it as an "
                                        "argument");
    return command_fail(EXIT_USAGE, "stdin: %s", strerror(errno));
}

/* All of stdin is one question. */
static int ask_stdin(asker *a)
{
    str text = { 0 };
    char bytes[8192];
    size_t len;
    int status = EXIT_FINE;

    while ((len = fread(bytes, 1, sizeof bytes, stdin)) > 0)
        if (text.len > MOST_STDIN_BYTES || str_append(&text, bytes, len)) {
            status = command_fail(EXIT_USAGE, "the question on stdin is too long");
            break;
        }

    if (!status)
        status = check_stdin_end(a);
    if (!status && memchr(str_text(&text), '\0', text.len))
        status = command_fail(EXIT_USAGE, "the question on stdin has a NUL byte");
    if (!status)
        status = asker_ask(a, str_text(&text));
    str_free(&text);
    return status;
}

/* A line of stdin without its end: 1; 0 at the end of the input, also where it cannot be read. One
 * that is too long goes no further: it may have no end. */
static int read_line(str *line)
{
    int c;

    str_clear(line);
    while ((c = getc_unlocked(stdin)) != EOF && c != '\n' && line->len <= MOST_STDIN_BYTES) {
        char byte = (char)c;
        if (str_append(line, &byte, 1))
            return 0;
    }
    return c != EOF || (line->len > 0 && !ferror(stdin));
}

/* One question of a line. */
static int ask_line(asker *a, str *line)
{
    if (memchr(str_text(line), '\0', line->len))
        return command_fail(EXIT_USAGE, "a question on stdin has a NUL byte");

    char *text = line->data;
    text[strcspn(text, "\r")] = '\0';
    return asker_ask(a, text);
}

/* Each line of stdin is a question, the first that fails decides the exit status. */
static int ask_lines(asker *a)
{
    const int is_terminal = isatty(STDIN_FILENO);
    str line = { 0 };
    int status = EXIT_FINE;

    for (;;) {
        if (is_terminal)
            fputs("ask> ", stderr);
        if (!read_line(&line) || signals_taken(&a->signals))
            break;
        if (line.len > MOST_STDIN_BYTES) {
            status = command_fail(EXIT_USAGE, "a question on stdin is too long");
            break;
        }
        if (strspn(str_text(&line), " \t\r") == line.len)
            continue;

        int ended = ask_line(a, &line);
        if (!status || ended >= 128)
            status = ended;
        if (ended > 128 && !(is_terminal && signals_forgive(&a->signals)))
            break;
    }

    if (!status)
        status = check_stdin_end(a);
    if (is_terminal)
        fputc('\n', stderr);
    str_free(&line);
    return status;
}

/* "snug ask what is new" is one question, whose quotes were forgotten: no word has a blank in it,
 * and none is empty. */
static int is_one_of_words(const options *o)
{
    for (size_t i = 0; i < o->input_count; i++)
        if (!*o->inputs[i].text || o->inputs[i].text[strcspn(o->inputs[i].text, " \t\n")] ||
            strcmp(o->inputs[i].text, "-") == 0)
            return 0;
    return o->input_count > 1;
}

static int ask_words(asker *a)
{
    const options *o = a->options;
    str question = { 0 };
    int failed = 0;

    for (size_t i = 0; i < o->input_count && !failed; i++)
        failed = str_printf(&question, "%s%s", i ? " " : "", o->inputs[i].text);
    const int status = failed ? command_fail_memory() : asker_ask(a, question.data);
    str_free(&question);
    return status;
}

static int ask_each(asker *a)
{
    const options *o = a->options;
    int status = EXIT_FINE;

    if (o->input_count == 0 && o->code_path)
        return asker_ask(a, "");
    if (o->input_count == 0)
        return a->is_talk ? talk_hold(a) : ask_lines(a);
    if (is_one_of_words(o))
        return ask_words(a);

    for (size_t i = 0; i < o->input_count; i++) {
        const char *question = o->inputs[i].text;
        int ended = strcmp(question, "-") ? asker_ask(a, question) : ask_stdin(a);
        if (!status || ended >= 128)
            status = ended;
        if (ended == EXIT_USAGE || ended > 128)
            break;
    }

    return status;
}

int command_ask(const options *o)
{
    const int is_talk = o->input_count == 0 && !o->code_path && !o->is_json &&
                        isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    asker a;
    int status = asker_open(&a, o, is_talk);

    if (!status && !a.is_done)
        status = ask_each(&a);
    const int replayed = asker_close(&a);
    return status ? status : replayed;
}
