#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/file.h"
#include "cli/prompt/prompt.h"

/* ---- cells that have run ---- */

void prompt_keep_cell(prompt *p, uint64_t number, const char *source)
{
    if (p->cell_count == p->cell_cap) {
        size_t cap = p->cell_cap ? p->cell_cap * 2 : 32;
        prompt_cell *bigger = realloc(p->cells, cap * sizeof *bigger);
        if (!bigger)
            return;
        p->cells = bigger;
        p->cell_cap = cap;
    }

    prompt_cell *cell = &p->cells[p->cell_count];
    *cell = (prompt_cell){ number, strdup(source) };
    p->cell_count += cell->source != NULL;
}

void prompt_forget_cells(prompt *p)
{
    for (size_t i = 0; i < p->cell_count; i++)
        free(p->cells[i].source);
    free(p->cells);
    p->cells = NULL;
    p->cell_count = p->cell_cap = 0;
    p->undoable = 0;
    p->is_heavy = 0;
}

/* A sentence on stderr, in the place of what a cell would have shown. */
__attribute__((format(printf, 1, 2))) static void complain(const char *format, ...)
{
    va_list args;

    fputs("snug: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs("\n\n", stderr);
}

/* ---- %undo ---- */

static word_answer undo_cell(prompt *p, char *words)
{
    if (*words)
        complain("%%undo takes nothing: it takes back the last cell");
    else if (!p->undoable && p->is_heavy)
        complain("there is no way back: the session uses more than half of its memory, and what a "
                 "cell replaces would be kept beside it");
    else if (!p->undoable)
        complain("there is no cell to take back");
    else if (snug_session_rollback(p->shown.session))
        complain("%s", snug_error_message());
    else
        printf("Names are as they were before cell %" PRIu64
               "; what was changed within an object or "
               "a file stays.\n\n",
               p->undoable);
    p->undoable = 0;
    return WORD_DONE;
}

/* ---- %save ---- */

typedef struct range {
    uint64_t first, last;
} range;

/* "3", "2-5", "7-". 0: it is not one. */
static int read_range(range *out, const char *word)
{
    char *end;

    if (!is_digit(*word))
        return 0;
    out->first = out->last = strtoull(word, &end, 10);
    if (*end == '-') {
        out->last = end[1] ? strtoull(end + 1, &end, 10) : UINT64_MAX;
        end += *end == '-';
    }
    return !*end;
}

/* Appends the cells of a range, behind marks that snug run divides a file by. */
static size_t add_cells(str *out, const prompt *p, range wanted)
{
    size_t added = 0;

    for (size_t i = 0; i < p->cell_count; i++) {
        const prompt_cell *cell = &p->cells[i];
        if (cell->number < wanted.first || cell->number > wanted.last)
            continue;
        str_printf(out, "%s# %%%% cell %" PRIu64 "\n%s\n", out->len > 0 ? "\n" : "", cell->number,
                   cell->source);
        added++;
    }
    return added;
}

static char *next_word(char **rest)
{
    char *word = *rest + strspn(*rest, " \t"), *end = word + strcspn(word, " \t");

    *rest = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

/* "~/talk.py" is in the home folder, as in a shell. NULL: there is no memory. */
static char *path_of(const char *word)
{
    const char *home = getenv("HOME");
    char *path;

    if (!home || strncmp(word, "~/", 2) != 0)
        return strdup(word);
    return asprintf(&path, "%s%s", home, word + 1) < 0 ? NULL : path;
}

/* 0, or -1 with errno, and nothing is left of it. */
static int write_new(const char *path, const str *text)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;

    int failed = file_write_all(fd, text->data, text->len), error = errno;
    if (close(fd) && !failed) {
        failed = -1;
        error = errno;
    }
    if (failed)
        unlink(path);
    errno = error;
    return failed;
}

/* -f replaces what is there as a whole: a link becomes a file. */
static void write_cells(const char *path, const str *text, size_t count, int replaces)
{
    struct iovec piece = { text->data, text->len };

    if (replaces && file_replace(path, &piece, 1))
        complain("%s", error_message());
    else if (replaces || !write_new(path, text))
        printf("%zu cell%s saved to %s\n\n", count, count == 1 ? "" : "s", path);
    else if (errno == EEXIST)
        complain("%s is there already; %%save -f %s replaces it", path, path);
    else
        complain("%s cannot be written: %s", path, strerror(errno));
}

static word_answer save_cells(prompt *p, char *words)
{
    char *path = next_word(&words);
    int replaces = strcmp(path, "-f") == 0;
    str text = { 0 };
    size_t count = 0;

    if (replaces)
        path = next_word(&words);
    if (!*path) {
        complain("%%save FILE [NUMBER|FIRST-LAST...] wants the name of a file");
        return WORD_DONE;
    }

    char *word = next_word(&words);
    if (!*word)
        count = add_cells(&text, p, (range){ 0, UINT64_MAX });
    for (; *word; word = next_word(&words)) {
        range wanted;
        if (!read_range(&wanted, word)) {
            complain("%s is neither the number of a cell nor a range, as 2-5", word);
            str_free(&text);
            return WORD_DONE;
        }
        count += add_cells(&text, p, wanted);
    }

    char *own = path_of(path);
    if (count == 0)
        complain("no such cell has run");
    else if (own)
        write_cells(own, &text, count, replaces);
    free(own);
    str_free(&text);
    return WORD_DONE;
}

/* ---- help and leaving ---- */

static word_answer leave(prompt *p, char *words)
{
    (void)p;
    (void)words;
    return WORD_LEAVES;
}

static word_answer help(prompt *p, char *words)
{
    (void)words;
    prompt_print_help(p);
    return WORD_DONE;
}

void prompt_print_help(const prompt *p)
{
    printf(
        "A cell is run when it is whole; an empty line ends a block.\n"
        "\n"
        "  Tab           completes, and indents at the start of a line\n"
        "  Shift-Tab     shows the signature of what the cursor is at\n"
        "  Up, Down      lines, then the history: cells that begin as what is before the cursor\n"
        "  Ctrl-R        searches the history\n"
        "  Alt-Enter     begins a new line\n"
        "  Ctrl-_        undoes what was typed\n"
        "  Ctrl-C        clears the cell, or interrupts it\n"
        "  Ctrl-D        leaves, as exit and quit do\n"
        "\n");
    if (p->language == CODE_PYTHON)
        printf("  name?, name?? tells what a name is, with its source\n"
               "  %%undo         takes back what the last cell did to names\n");
    printf("  %%save FILE [FIRST-LAST...]\n"
           "                writes the cells that have run to a file\n"
           "  %%limit [timeout=5m...]\n"
           "                limits of the cells from here on; alone it lists them\n"
           "\n");
    if (p->language == CODE_PYTHON)
        printf(
            "Names stay from cell to cell; _, __, Out[1] and In[1] are there as in a notebook.\n");
    printf("Files of the session: %s\n\n", snug_session_workdir(p->shown.session));
}

/* ---- all words ---- */

static const struct {
    const char *word;
    int takes_more; /* words behind it */
    word_answer (*act)(prompt *p, char *words);
} table[] = {
    { "exit", 0, leave },       { "quit", 0, leave },      { "exit()", 0, leave },
    { "quit()", 0, leave },     { "help", 0, help },       { "?", 0, help },
    { "%save", 1, save_cells }, { "%undo", 1, undo_cell },
};

word_answer prompt_take_word(prompt *p)
{
    const char *text = str_text(&p->source) + strspn(str_text(&p->source), " \t");
    size_t len = strlen(text);

    while (len > 0 && strchr(" \t\n;", text[len - 1]))
        len--;
    if (memchr(text, '\n', len))
        return WORD_NONE;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t word = strlen(table[i].word);
        if (len < word || memcmp(text, table[i].word, word) != 0)
            continue;
        if (len > word && !(table[i].takes_more && is_blank(text[word])))
            continue;

        char *words = strndup(text + word, len - word);
        if (!words)
            return WORD_DONE;
        char *begin = words + strspn(words, " \t");
        word_answer answer = table[i].act(p, begin);
        free(words);
        fflush(stdout);
        return answer;
    }

    return WORD_NONE;
}
