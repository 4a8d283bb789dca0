#include "cli/ask/talk.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/str.h"
#include "cli/ask/talk_words.h"
#include "cli/editor/menu.h"
#include "cli/program/command.h"
#include "cli/program/state_folder.h"

/* ---- completions ---- */

/* ---- files ---- */

static void add_file(menu *out, const str *folder, const struct dirent *entry)
{
    str path = { 0 };

    if (!str_add_str(&path, folder) && !str_add(&path, entry->d_name) &&
        (entry->d_type != DT_DIR || !str_add(&path, "/")))
        menu_add(out, path.data);
    str_free(&path);
}

static int compare_items(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Of the folder that the word names, and hidden ones only where it begins so. */
static void complete_files(menu *out, const char *word, size_t len)
{
    str folder = { 0 };
    size_t begin = len;
    struct dirent *entry;

    while (begin > 0 && word[begin - 1] != '/')
        begin--;
    if (str_append(&folder, word, begin))
        return;
    DIR *dir = opendir(begin ? folder.data : ".");
    while (dir && (entry = readdir(dir)))
        if (strncmp(entry->d_name, word + begin, len - begin) == 0 &&
            (entry->d_name[0] != '.' || word[begin] == '.') && strcmp(entry->d_name, ".") != 0 &&
            strcmp(entry->d_name, "..") != 0)
            add_file(out, &folder, entry);
    if (dir)
        closedir(dir);
    if (out->count > 0)
        qsort(out->items, out->count, sizeof *out->items, compare_items);
    str_free(&folder);
}

/* ---- all ---- */

static void complete_words(menu *out, const char *word, size_t len)
{
    const char *name;

    for (size_t i = 0; (name = talk_word(i)); i++)
        if (strncmp(name, word, len) == 0)
            menu_add(out, name);
}

/* For editor_hooks; payload is the talk. */
static void talk_complete(void *payload, menu *out, const char *text, size_t len, size_t cursor)
{
    size_t begin = cursor;

    (void)payload;
    (void)len;
    while (begin > 0 && !strchr(" \t\n\"'`(", text[begin - 1]))
        begin--;
    out->start = begin;
    if (begin == 0 && (cursor == 0 || text[0] == '/'))
        complete_words(out, text, cursor);
    else if (cursor > begin || text[0] == '/')
        complete_files(out, text + begin, cursor - begin);
}

static const char fence[] = "\"\"\"";

/* ---- what is said at first ---- */

const char *talk_model(const talk *t)
{
    const char *variable = getenv("SNUG_MODEL");
    const char *name = t->asker->seats.wanted.model;

    if (name)
        return name;
    return variable ? variable : "";
}

static const char *form_of(const options *o)
{
    static const char *const forms[] = { [IN_PROCESS] = "Python in this process",
                                         [IN_WORKER] = "Python in a worker",
                                         [AS_FULL] = "Python with packages in C, in a worker",
                                         [AS_BASH] = "bash" };

    if (o->docker_image)
        return "Python in a container";
    return o->worker_command ? "Python in a worker elsewhere" : forms[o->isolation];
}

/* How many questions a conversation has that is kept. */
static size_t count_kept(const asker *a)
{
    snug_agent_conversation *c = NULL;
    size_t count = 0;

    if (a->options->conversation &&
        snug_agent_conversation_of(&c, a->seats.last->agent) == SNUG_OK) {
        count = snug_agent_conversation_turn_count(c);
        snug_agent_conversation_close(c);
    }
    return count;
}

static void print_banner(const talk *t)
{
    const options *o = t->asker->options;
    const size_t count = count_kept(t->asker);

    term_printf(stdout, "snug %s, %s, %s; /help says more, Ctrl-D leaves\n", snug_version(),
                talk_model(t), form_of(o));
    if (count > 0)
        term_printf(stdout, "The conversation %s goes on after %zu question%s.\n", o->conversation,
                    count, count == 1 ? "" : "s");
    putchar('\n');
}

/* ---- a question ---- */

static int is_blank_line(const char *text)
{
    return !text[strspn(text, " \t\r\n\f")];
}

/* A line ends a question, unless it ends with a backslash or quotes of three are open. */
static int is_whole(void *payload, const char *text, size_t len)
{
    size_t quotes = 0;

    (void)payload;
    if (len > 0 && text[0] == '/')
        return 1;
    for (const char *at = text; (at = strstr(at, fence)); at += sizeof fence - 1)
        quotes++;
    return quotes % 2 == 0 && (len == 0 || text[len - 1] != '\\');
}

/* Without the marks of its lines: quotes around all of it, and backslashes at their ends. */
static void take_marks(str *line)
{
    const size_t width = sizeof fence - 1;
    char *text = line->data, *to = text;
    size_t len = line->len;

    if (!text)
        return;
    if (len >= 2 * width && strncmp(text, fence, width) == 0 &&
        strcmp(text + len - width, fence) == 0) {
        text[len - width] = '\0';
        memmove(text, text + width, len - 2 * width + 1);
    }
    for (const char *from = text; *from; from++)
        if (!(from[0] == '\\' && (from[1] == '\n' || !from[1])))
            *to++ = *from;
    *to = '\0';
    line->len = (size_t)(to - text);
}

/* EXIT_FINE: the next one may come. Who wants to end it twice, ends the prompt. */
static int ask_question(talk *t)
{
    asker *a = t->asker;

    take_marks(&t->line);
    if (is_blank_line(str_text(&t->line)))
        return EXIT_FINE;

    const int ended = asker_ask(a, str_text(&t->line));
    const int is_left = signals_count(&a->signals) > 1;
    fflush(stdout);
    putchar('\n');
    if (ended > 128 && (is_left || !signals_forgive(&a->signals)))
        return ended;
    return EXIT_FINE;
}

/* ---- the prompt ---- */

static int open_reader(talk *t)
{
    const asker *a = t->asker;
    const options *o = a->options;
    char *path = state_history(o, "SNUG_ASK_HISTORY", "ask-history");
    const reader_options how = {
        .hooks = { .complete = talk_complete, .is_whole = is_whole, .payload = t },
        .language = CODE_TEXT,
        .history_path = path,
        .theme = a->steps.colors.out ? THEME_COLOURS : THEME_NONE,
    };
    const int error = reader_open(&t->reader, &t->asker->signals, &how);

    free(path);
    if (error)
        return command_fail(EXIT_USAGE, "%s", error_message());
    t->asker->permit.typed = t->reader;
    return EXIT_FINE;
}

/* EXIT_FINE: it goes on. *leaves: somebody wants to go. */
static int take_line(talk *t, int *leaves)
{
    int status = EXIT_FINE;

    reader_remember(t->reader, str_text(&t->line), t->line.len);
    switch (talk_take_word(t)) {
    case WORD_IS_DONE:
        break;
    case WORD_IS_LEAVING:
        *leaves = 1;
        break;
    case WORD_IS_QUESTION:
        status = ask_question(t);
        break;
    }

    /* An interrupt of a word of the prompt's has done its part. */
    if (!status)
        signals_forgive(&t->asker->signals);
    return status;
}

static int serve(talk *t)
{
    int status = EXIT_FINE, leaves = 0;

    while (!status && !leaves) {
        str_clear(&t->line);
        const reader_event event = reader_read(t->reader, "ask> ", "...> ", &t->line);
        if (event == READER_END)
            break;
        if (event == READER_TEXT && !is_blank_line(str_text(&t->line)))
            status = take_line(t, &leaves);
    }

    const int taken = signals_taken(&t->asker->signals);
    return !status && taken ? 128 + taken : status;
}

int talk_hold(asker *a)
{
    talk t = { .asker = a };

    term_set_utf8();
    int status = open_reader(&t);
    if (!status) {
        print_banner(&t);
        status = serve(&t);
    }

    a->permit.typed = NULL;
    reader_close(t.reader);
    str_free(&t.line);
    str_free(&t.model);
    return status;
}
