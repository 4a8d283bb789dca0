#include "recipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    long size;
    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 &&
        (text = calloc(1, (size_t)size + 1))) {
        rewind(file);
        if (fread(text, 1, (size_t)size, file) != (size_t)size) {
            free(text);
            text = NULL;
        }
    }
    fclose(file);
    return text;
}

/* ---- expectations ---- */

static const struct {
    const char *word;
    unsigned expect;
} words[] = {
    { "rung 1", EXPECT_RUNG_1 },
    { "rung 2", EXPECT_RUNG_1 | EXPECT_RUNG_2 },
    { "rung 3", EXPECT_RUNG_1 | EXPECT_RUNG_2 | EXPECT_RUNG_3 },
    { "rung 4", EXPECT_RUNGS },
    { "recursion", EXPECT_RECURSION },
    { "memory", EXPECT_MEMORY },
    { "crash", EXPECT_CRASH },
    { "error", EXPECT_ERROR },
    { "denied", EXPECT_DENIED },
    { "ok", EXPECT_OK },
    { "hang", EXPECT_HANG },
    { "died", EXPECT_DIED },
};

/* "memory or rung 3 the loop of deque.extend": the loop is the rest of the line. Answers 0
 * for a word that is none. */
static unsigned read_expect(const char *text, char *loop, size_t loop_size)
{
    unsigned expect = 0;
    for (;;) {
        size_t i = 0, count = sizeof words / sizeof *words;
        while (i < count && strncmp(text, words[i].word, strlen(words[i].word)) != 0)
            i++;
        if (i == count)
            return 0;
        expect |= words[i].expect;
        text += strlen(words[i].word);
        if (strncmp(text, " or ", 4) == 0) {
            text += 4;
            continue;
        }
        if (!*text)
            return expect;
        /* A comma or a space, then the loop: only a jump has one. */
        if (!(words[i].expect & EXPECT_RUNG_3) || (*text != ' ' && *text != ','))
            return 0;
        if (loop)
            snprintf(loop, loop_size, "%s", text + 1 + (text[0] == ','));
        return expect;
    }
}

/* ---- header ---- */

/* The line "# key: value" or "# key QUALIFIER: value" of the header: its value, with the
 * most special qualifier there is. NULL without one. */
static char *header_value(char **lines, size_t count, const char *key, const char *python,
                          int is_short)
{
    char *found = NULL;
    int best = -1;
    for (size_t i = 0; i < count; i++) {
        char *colon = strchr(lines[i], ':');
        size_t len = strlen(key);
        if (!colon || strncmp(lines[i], "# ", 2) != 0 || strncmp(lines[i] + 2, key, len) != 0)
            continue;
        const char *qualifier = lines[i] + 2 + len;
        size_t rest = (size_t)(colon - qualifier);
        char short_here[32];
        int rank = -1;
        snprintf(short_here, sizeof short_here, " short %s", python);
        if (rest == 0)
            rank = 0;
        else if (rest == strlen(python) + 1 && *qualifier == ' ' &&
                 strncmp(qualifier + 1, python, rest - 1) == 0)
            rank = 1;
        else if (is_short && rest == 6 && strncmp(qualifier, " short", 6) == 0)
            rank = 2;
        else if (is_short && rest == strlen(short_here) &&
                 strncmp(qualifier, short_here, rest) == 0)
            rank = 3;
        if (rank <= best)
            continue;
        best = rank;
        found = colon + 1 + strspn(colon + 1, " ");
    }
    return found;
}

static int bad(const recipe *r, const char *what, const char *value)
{
    fprintf(stderr, "%s: %s: %s\n", r->path, what, value ? value : "missing");
    return -1;
}

/* Any end of a cell that is an answer. */
static char answered[] = "ok or error or denied or recursion or memory";

static int read_breach(recipe *r, const char *value)
{
    static const char *const wanted[] = { "secret", "marker", "neighbour", "setting" };
    size_t i = 0;
    while (i < 4 && strncmp(value, wanted[i], strlen(wanted[i])) != 0)
        i++;
    if (i == 4 || strlen(value) >= sizeof r->breach)
        return bad(r, "breach", value);
    snprintf(r->breach, sizeof r->breach, "%s", value);
    return 0;
}

/* "3.14", or "3.14+" for later ones too. */
static int is_for(const char *only, const char *python)
{
    size_t len = strlen(only);
    if (len < 3 || only[len - 1] != '+')
        return strcmp(only, python) == 0;
    return strncmp(python, "3.", 2) == 0 && atoi(python + 2) >= atoi(only + 2);
}

static int read_header(recipe *r, char **lines, size_t count, const char *python, int is_short)
{
    char *value;
    if (count == 0 || strncmp(lines[0], "# ", 2) != 0)
        return bad(r, "the first line is not a comment", NULL);
    snprintf(r->title, sizeof r->title, "%s", lines[0] + 2);

    value = header_value(lines, count, "breach", python, is_short);
    if (value && read_breach(r, value) != 0)
        return -1;
    value = header_value(lines, count, "expect", python, is_short);
    if (!value && r->breach[0])
        value = answered;
    if (!value || !(r->expect = read_expect(value, r->loop, sizeof r->loop)))
        return bad(r, "expect", value);
    snprintf(r->expected, sizeof r->expected, "%s", value == answered ? "an answer" : value);
    if ((r->expect & EXPECT_RUNG_3) && !(r->expect & EXPECT_RUNG_4) && !r->loop[0])
        return bad(r, "rung 3 names no loop", value);

    value = header_value(lines, count, "mended", python, is_short);
    if (value && !(r->mended = read_expect(value, NULL, 0)))
        return bad(r, "mended", value);

    value = header_value(lines, count, "state", python, is_short);
    if (!value || strcmp(value, "kept") == 0)
        r->state = RECIPE_KEPT;
    else if (strcmp(value, "lost") == 0)
        r->state = RECIPE_LOST;
    else if (strcmp(value, "any") == 0)
        r->state = RECIPE_ANY;
    else
        return bad(r, "state", value);

    value = header_value(lines, count, "when", python, is_short);
    snprintf(r->when, sizeof r->when, "%s", value ? value : "run");
    value = header_value(lines, count, "profile", python, is_short);
    snprintf(r->profile, sizeof r->profile, "%s", value ? value : "");
    value = header_value(lines, count, "limit-ms", python, is_short);
    r->limit_ms = value ? strtoull(value, NULL, 10) : 0;
    value = header_value(lines, count, "threads", python, is_short);
    r->threads = value ? strtoull(value, NULL, 10) : 0;
    value = header_value(lines, count, "tools", python, is_short);
    if (value && strcmp(value, "yes") != 0)
        return bad(r, "tools", value);
    r->has_tools = value != NULL;
    value = header_value(lines, count, "cell", python, is_short);
    r->cell = value ? strtoull(value, NULL, 10) - 1 : 0;
    value = header_value(lines, count, "known", python, is_short);
    if (value && strcmp(value, "neighbour") != 0)
        return bad(r, "known", value);
    r->is_known = value != NULL;
    value = header_value(lines, count, "only", python, is_short);
    r->is_elsewhere = value && !is_for(value, python);
    return 0;
}

/* ---- cells ---- */

/* Where the next "# %%" line begins, or the end. */
static char *cell_end(char *text)
{
    for (char *at = text; (at = strstr(at, "# %%")); at += 4)
        if (at == text || at[-1] == '\n')
            return at;
    return text + strlen(text);
}

static int add_cell(recipe *r, char *source)
{
    recipe_cell *more = realloc(r->cells, (r->cell_count + 1) * sizeof *more);
    if (!more)
        return -1;
    r->cells = more;
    more[r->cell_count] = (recipe_cell){ source, EXPECT_OK };
    if (strncmp(source, "# expect: ", 10) == 0) {
        char line[160];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(source + 10, "\n"), source + 10);
        if (!(more[r->cell_count].expect = read_expect(line, NULL, 0)))
            return bad(r, "expect of a cell", line);
    }
    r->cell_count++;
    return 0;
}

static int read_cells(recipe *r, char *text)
{
    while (*text) {
        char *end = cell_end(text);
        int is_last = !*end;
        *end = '\0';
        if (add_cell(r, text) != 0)
            return -1;
        if (is_last)
            break;
        text = end + 4;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return r->cell < r->cell_count ? 0 : bad(r, "has no such cell", NULL);
}

int recipe_read(recipe *out, const char *path, const char *python, int is_short)
{
    char *lines[16];
    size_t count = 0;
    *out = (recipe){ .path = strdup(path) };
    const char *base = strrchr(path, '/');
    const char *folder = base;
    while (folder && folder > path && folder[-1] != '/')
        folder--;
    if (base)
        snprintf(out->kind, sizeof out->kind, "%.*s", (int)(base - folder), folder);

    char *copy = read_file(path);
    out->text = read_file(path);
    if (!copy || !out->text) {
        perror(path);
        free(copy);
        return -1;
    }
    size_t length = 0;
    for (char *at = copy; at[0] == '#' && strncmp(at, "# %%", 4) != 0 && count < 16; count++) {
        lines[count] = at;
        at += strcspn(at, "\n");
        length = (size_t)(at - copy);
        if (*at)
            *at++ = '\0';
    }
    int failed = read_header(out, lines, count, python, is_short);
    char *body = (char *)out->text + length;
    body += *body == '\n';
    if (!failed)
        failed = read_cells(out, body);
    free(copy);
    return failed;
}

void recipe_free(recipe *r)
{
    free(r->path);
    free(r->cells);
    free(r->text);
    *r = (recipe){ 0 };
}
