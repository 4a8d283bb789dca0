#include "cli/ask/conversation_export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/error.h"
#include "base/file.h"
#include "cli/program/command.h"
#include "wire/json.h"

/* ---- markdown ---- */

/* A fence that is longer than any in the text. */
static int add_fenced(str *out, const char *text, const char *language)
{
    size_t longest = 2, here = 0;
    char fence[64];

    if (!*text)
        return SNUG_OK;
    for (const char *c = text; *c; c++) {
        here = *c == '`' ? here + 1 : 0;
        longest = here > longest ? here : longest;
    }
    const int len = longest < sizeof fence - 2 ? (int)longest + 1 : (int)sizeof fence - 1;
    memset(fence, '`', sizeof fence);
    const size_t end = strlen(text);
    return str_printf(out, "%.*s%s\n%s%s%.*s\n\n", len, fence, language, text,
                      end > 0 && text[end - 1] == '\n' ? "" : "\n", len, fence);
}

/* A question of several lines is still one heading. */
static int add_question(str *out, const char *question)
{
    int error = str_add(out, "## ");
    for (; *question && !error; question++)
        error = str_append(out, *question == '\n' ? " " : question, 1);
    return error || str_add(out, "\n\n");
}

int conversation_write_markdown(str *out, const snug_agent_conversation *c, const char *language)
{
    const snug_agent_turn *t;
    int failed = 0;

    for (size_t i = 0; !failed && (t = snug_agent_conversation_turn(c, i)); i++)
        failed = add_question(out, t->question) || add_fenced(out, t->code, language) ||
                 add_fenced(out, t->output, "") || str_printf(out, "%s\n\n", t->answer);
    return failed ? SNUG_ENOMEM : SNUG_OK;
}

/* ---- a notebook ---- */

typedef struct notebook {
    cJSON *cells;
    size_t count;
} notebook;

/* Its source, which is a string as well as a list of lines. */
static cJSON *add_cell(notebook *n, const char *type, const char *before, const char *source)
{
    char id[32];
    str text = { 0 };
    cJSON *cell = json_add_object(n->cells, NULL);

    snprintf(id, sizeof id, "cell-%zu", ++n->count);
    int failed = !cell || json_add_text(cell, "cell_type", type) || json_add_text(cell, "id", id) ||
                 !json_add_object(cell, "metadata") || str_printf(&text, "%s%s", before, source) ||
                 json_add_text(cell, "source", str_text(&text));
    str_free(&text);
    return failed ? NULL : cell;
}

static int add_code(notebook *n, const snug_agent_turn *t, int is_bash)
{
    cJSON *cell = add_cell(n, "code", is_bash ? "%%bash\n" : "", t->code);
    if (!cell || json_add_null(cell, "execution_count"))
        return SNUG_ENOMEM;

    cJSON *outputs = json_add_array(cell, "outputs");
    if (!outputs || !*t->output)
        return outputs ? SNUG_OK : SNUG_ENOMEM;
    cJSON *output = json_add_object(outputs, NULL);
    return !output || json_add_text(output, "output_type", "stream") ||
           json_add_text(output, "name", "stdout") || json_add_text(output, "text", t->output);
}

static int add_turn(notebook *n, const snug_agent_turn *t, int is_bash)
{
    if (!add_cell(n, "markdown", "", t->question) || (*t->code && add_code(n, t, is_bash)))
        return SNUG_ENOMEM;
    return *t->answer && !add_cell(n, "markdown", "", t->answer) ? SNUG_ENOMEM : SNUG_OK;
}

static int add_metadata(cJSON *root)
{
    cJSON *metadata = json_add_object(root, "metadata");
    cJSON *kernel = metadata ? json_add_object(metadata, "kernelspec") : NULL;
    cJSON *language = kernel ? json_add_object(metadata, "language_info") : NULL;

    return !language || json_add_text(kernel, "display_name", "Python 3") ||
           json_add_text(kernel, "language", "python") ||
           json_add_text(kernel, "name", "python3") || json_add_text(language, "name", "python") ||
           json_add_number(root, "nbformat", 4) || json_add_number(root, "nbformat_minor", 5);
}

int conversation_write_notebook(str *out, const snug_agent_conversation *c, const char *language)
{
    const int is_bash = strcmp(language, "bash") == 0;
    cJSON *root = cJSON_CreateObject();
    notebook n = { .cells = root ? json_add_array(root, "cells") : NULL };
    const snug_agent_turn *t;
    int failed = !n.cells;

    for (size_t i = 0; !failed && (t = snug_agent_conversation_turn(c, i)); i++)
        failed = add_turn(&n, t, is_bash);
    char *text = failed || add_metadata(root) ? NULL : json_text(root);
    failed = !text || str_printf(out, "%s\n", text);
    free(text);
    cJSON_Delete(root);
    return failed ? SNUG_ENOMEM : SNUG_OK;
}

/* ---- into a file ---- */

int conversation_save(const char *file, const char *said, const snug_agent_conversation *c,
                      const char *language)
{
    const char *dot = strrchr(file, '.');
    const int is_notebook = dot && strcmp(dot, ".ipynb") == 0;
    str text = { 0 };
    int status = EXIT_FINE;

    if (!dot || (!is_notebook && strcmp(dot, ".md") != 0))
        return command_fail(EXIT_USAGE, "%s \"%s\": expected a name that ends in .ipynb or .md",
                            said, file);
    if (is_notebook ? conversation_write_notebook(&text, c, language)
                    : conversation_write_markdown(&text, c, language))
        status = command_fail_memory();

    const struct iovec piece = { text.data, text.len };
    if (!status && file_replace(file, &piece, 1))
        status = command_fail(EXIT_USAGE, "%s", error_message());
    str_free(&text);
    return status;
}
