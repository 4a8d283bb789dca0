/*
 * notebook.c - cells and their results as a file: Jupyter's nbformat 4.5
 * (https://nbformat.readthedocs.io/en/latest/format_description.html), or Python with "# %%".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

#include "base/array.h"
#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "base/utf8.h"
#include "wire/json.h"

typedef struct notebook_cell {
    str source;
    cJSON *outputs;           /* an array */
    uint64_t execution_count; /* 0: it was not run */
} notebook_cell;

typedef struct shown_output {
    char *id;
    cJSON *output; /* of a cell's */
} shown_output;

struct snug_notebook {
    notebook_cell *cells;
    size_t count, cap;
    shown_output *shown; /* displays with an id: what updates them takes their place */
    size_t shown_count, shown_cap;
    str text; /* that was asked for last */
};

int snug_notebook_open(snug_notebook **out)
{
    if (!out)
        return error_set(SNUG_EINVAL, "snug_notebook_open: out is NULL");
    snug_notebook *notebook = calloc(1, sizeof *notebook);
    if (!notebook)
        return error_no_memory();
    *out = notebook;
    return SNUG_OK;
}

void snug_notebook_close(snug_notebook *notebook)
{
    if (!notebook)
        return;
    for (size_t i = 0; i < notebook->count; i++) {
        str_free(&notebook->cells[i].source);
        cJSON_Delete(notebook->cells[i].outputs);
    }

    for (size_t i = 0; i < notebook->shown_count; i++)
        free(notebook->shown[i].id);
    free(notebook->shown);
    free(notebook->cells);
    str_free(&notebook->text);
    free(notebook);
}

/* ---- texts as lists of lines ---- */

/* What is added must end in a NUL. */
static int add_piece(cJSON *lines, const char *text, size_t len)
{
    str line = { 0 };
    int failed = str_append(&line, text, len) || json_add_text_len(lines, NULL, line.data, len);
    str_free(&line);
    return failed;
}

/* Each keeps its line end, as nbformat has it. */
static int add_lines(cJSON *object, const char *name, const char *text, size_t len)
{
    cJSON *lines = json_add_array(object, name);
    int failed = !lines;

    while (len > 0 && !failed) {
        const char *end = memchr(text, '\n', len);
        size_t line = end ? (size_t)(end - text) + 1 : len;
        failed = add_piece(lines, text, line);
        text += line;
        len -= line;
    }

    return failed;
}

/* ---- outputs ---- */

/* What a cell wrote to a stream, as far as it was passed on already. */
typedef struct told_stream {
    const char *name, *text;
    size_t len, told;
    int is_whole; /* else offsets are not those of the text */
} told_stream;

static told_stream stream_of(const snug_result *result, snug_stream which)
{
    told_stream s = { .name = which == SNUG_STREAM_STDOUT ? "stdout" : "stderr" };
    s.text = snug_result_text(result, which, &s.len);
    s.is_whole = snug_result_total_bytes(result, which) == s.len;
    return s;
}

static cJSON *add_typed_output(cJSON *outputs, const char *type)
{
    cJSON *output = json_add_object(outputs, NULL);
    if (!output || json_add_text(output, "output_type", type))
        return NULL;
    return output;
}

/* Up to the byte `to`. */
static int tell_stream(cJSON *outputs, told_stream *s, size_t to)
{
    to = to < s->len ? to : s->len;
    if (to <= s->told)
        return SNUG_OK;

    cJSON *output = add_typed_output(outputs, "stream");
    int failed = !output || json_add_text(output, "name", s->name) ||
                 add_lines(output, "text", s->text + s->told, to - s->told);
    s->told = to;
    return failed;
}

/* What was written before a display; before the value, which is last, all. */
static int tell_before(cJSON *outputs, told_stream *s, const cJSON *bundle, int is_value)
{
    if (is_value)
        return tell_stream(outputs, s, SIZE_MAX);

    const cJSON *after = cJSON_GetObjectItemCaseSensitive(bundle, "after");
    const cJSON *bytes = cJSON_GetObjectItemCaseSensitive(after, s->name);
    if (!s->is_whole || !cJSON_IsNumber(bytes) || bytes->valuedouble <= 0)
        return SNUG_OK;
    return tell_stream(outputs, s, (size_t)bytes->valuedouble);
}

static int add_copy(cJSON *object, const char *name, const cJSON *value)
{
    cJSON *copy = value ? cJSON_Duplicate(value, 1) : cJSON_CreateObject();
    cJSON_DeleteItemFromObjectCaseSensitive(object, name);
    if (copy && cJSON_AddItemToObject(object, name, copy))
        return SNUG_OK;
    cJSON_Delete(copy);
    return SNUG_ENOMEM;
}

/* nbconvert prefers SVG to PNG, and its HTML has nothing left of what matplotlib draws. */
static int add_data(cJSON *output, const cJSON *bundle)
{
    if (add_copy(output, "data", cJSON_GetObjectItemCaseSensitive(bundle, "data")))
        return SNUG_ENOMEM;

    cJSON *data = cJSON_GetObjectItemCaseSensitive(output, "data");
    if (cJSON_GetObjectItemCaseSensitive(data, "image/png"))
        cJSON_DeleteItemFromObjectCaseSensitive(data, "image/svg+xml");
    return SNUG_OK;
}

/* Displays, and the value of the last expression. */
static int add_bundle(cJSON *output, const cJSON *bundle, int is_value, double count)
{
    return !output || add_data(output, bundle) ||
           add_copy(output, "metadata", cJSON_GetObjectItemCaseSensitive(bundle, "metadata")) ||
           (is_value && json_add_number(output, "execution_count", count));
}

static const char *string_of(const cJSON *object, const char *name)
{
    const cJSON *text = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(text) ? text->valuestring : "";
}

/* The traceback's lines, without their ends. */
static int add_traceback(cJSON *outputs, const cJSON *error)
{
    if (!cJSON_IsObject(error))
        return SNUG_OK;

    cJSON *output = add_typed_output(outputs, "error");
    if (!output || json_add_text(output, "ename", string_of(error, "name")) ||
        json_add_text(output, "evalue", string_of(error, "value")))
        return SNUG_ENOMEM;

    cJSON *lines = json_add_array(output, "traceback");
    int failed = !lines;
    for (const char *at = string_of(error, "traceback"); *at && !failed;) {
        size_t len = strcspn(at, "\n");
        failed = add_piece(lines, at, len);
        at += len + (at[len] == '\n');
    }

    return failed;
}

/* The last one that was shown under an id, of any cell; NULL. */
static cJSON **find_shown(snug_notebook *notebook, const char *id)
{
    for (size_t i = notebook->shown_count; i-- > 0;)
        if (strcmp(notebook->shown[i].id, id) == 0)
            return &notebook->shown[i].output;
    return NULL;
}

static int remember_shown(snug_notebook *notebook, const char *id, cJSON *output)
{
    cJSON **known = find_shown(notebook, id);
    if (known) {
        *known = output;
        return SNUG_OK;
    }

    char *copy = strdup(id);
    if (!copy || array_reserve(&notebook->shown, &notebook->shown_cap, notebook->shown_count + 1,
                               sizeof *notebook->shown)) {
        free(copy);
        return SNUG_ENOMEM;
    }

    notebook->shown[notebook->shown_count++] = (shown_output){ copy, output };
    return SNUG_OK;
}

static int add_shown(snug_notebook *notebook, notebook_cell *cell, const cJSON *bundle)
{
    int is_value = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(bundle, "is_main_result"));
    const char *id = string_of(bundle, "display_id");
    int is_update = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(bundle, "is_update"));
    cJSON **known = is_update ? find_shown(notebook, id) : NULL;
    if (known)
        return add_bundle(*known, bundle, 0, 0);

    cJSON *output = add_typed_output(cell->outputs, is_value ? "execute_result" : "display_data");
    return add_bundle(output, bundle, is_value, (double)cell->execution_count) ||
           (*id && remember_shown(notebook, id, output));
}

static int add_outputs(snug_notebook *notebook, notebook_cell *cell, const snug_result *result)
{
    size_t len = 0;
    const char *json = snug_result_json(result, &len);
    cJSON *parsed = json ? cJSON_ParseWithLength(json, len) : NULL;
    const cJSON *bundle;
    int failed = !parsed;
    told_stream streams[] = { stream_of(result, SNUG_STREAM_STDOUT),
                              stream_of(result, SNUG_STREAM_STDERR) };

    cell->execution_count = snug_result_execution_count(result);
    cJSON_ArrayForEach(bundle, cJSON_GetObjectItemCaseSensitive(parsed, "results"))
    {
        int is_value = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(bundle, "is_main_result"));
        for (int i = 0; i < 2 && !failed; i++)
            failed = tell_before(cell->outputs, &streams[i], bundle, is_value);
        if (!failed)
            failed = add_shown(notebook, cell, bundle);
    }

    for (int i = 0; i < 2 && !failed; i++)
        failed = tell_stream(cell->outputs, &streams[i], SIZE_MAX);
    if (!failed)
        failed = add_traceback(cell->outputs, cJSON_GetObjectItemCaseSensitive(parsed, "error"));

    cJSON_Delete(parsed);
    if (failed)
        return error_no_memory();
    return SNUG_OK;
}

/* Of a cell that is not kept. */
static void forget_shown(snug_notebook *notebook, const cJSON *outputs)
{
    const cJSON *output;
    for (size_t i = notebook->shown_count; i-- > 0;)
        cJSON_ArrayForEach(output, outputs) if (notebook->shown[i].output == output)
        {
            free(notebook->shown[i].id);
            notebook->shown[i] = notebook->shown[--notebook->shown_count];
            break;
        }
}

int snug_notebook_add(snug_notebook *notebook, const char *source, size_t len,
                      const snug_result *result)
{
    size_t fault;

    if (!notebook || (!source && len > 0))
        return error_set(SNUG_EINVAL, "snug_notebook_add: %s is NULL",
                         notebook ? "source" : "notebook");

    if (len > 0 && (memchr(source, '\0', len) || utf8_check(source, len, &fault) != UTF8_FINE))
        return error_set(SNUG_EINVAL, "snug_notebook_add: source must be UTF-8 without NULs");
    if (array_reserve(&notebook->cells, &notebook->cap, notebook->count + 1,
                      sizeof *notebook->cells))
        return error_no_memory();

    notebook_cell cell = { .outputs = cJSON_CreateArray() };
    int error = SNUG_OK;
    if (!cell.outputs || str_append(&cell.source, len > 0 ? source : "", len) != SNUG_OK)
        error = error_no_memory();
    if (!error && result)
        error = add_outputs(notebook, &cell, result);
    if (error) {
        forget_shown(notebook, cell.outputs);
        str_free(&cell.source);
        cJSON_Delete(cell.outputs);
        return error;
    }

    notebook->cells[notebook->count++] = cell;
    return SNUG_OK;
}

/* ---- writing ---- */

static int add_cell(cJSON *list, const notebook_cell *cell, size_t number)
{
    char id[32];

    snprintf(id, sizeof id, "cell-%zu", number);
    cJSON *item = json_add_object(list, NULL);
    size_t len = cell->source.len;
    while (len > 0 && cell->source.data[len - 1] == '\n')
        len--;
    if (!item)
        return SNUG_ENOMEM;

    int failed = json_add_text(item, "cell_type", "code");
    failed |= json_add_text(item, "id", id);
    if (cell->execution_count)
        failed |= json_add_number(item, "execution_count", (double)cell->execution_count);
    else
        failed |= json_add_null(item, "execution_count");

    failed |= !json_add_object(item, "metadata");
    failed |= add_lines(item, "source", str_text(&cell->source), len);
    failed |= add_copy(item, "outputs", cell->outputs);
    return failed;
}

static int add_metadata(cJSON *root)
{
    cJSON *metadata = json_add_object(root, "metadata");
    if (!metadata)
        return SNUG_ENOMEM;

    cJSON *kernel = json_add_object(metadata, "kernelspec");
    if (!kernel)
        return SNUG_ENOMEM;

    cJSON *language = json_add_object(metadata, "language_info");
    return !language || json_add_text(kernel, "display_name", "Python 3") ||
           json_add_text(kernel, "language", "python") ||
           json_add_text(kernel, "name", "python3") || json_add_text(language, "name", "python");
}

static int write_ipynb(str *out, const snug_notebook *notebook)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *cells = root ? json_add_array(root, "cells") : NULL;
    int failed = !cells;

    for (size_t i = 0; i < notebook->count && !failed; i++)
        failed = add_cell(cells, &notebook->cells[i], i + 1);
    failed = failed || add_metadata(root) || json_add_number(root, "nbformat", 4) ||
             json_add_number(root, "nbformat_minor", 5);
    char *text = failed ? NULL : json_text(root);
    failed = !text || str_add(out, text) || str_add(out, "\n");
    free(text);
    cJSON_Delete(root);
    return failed;
}

static int write_py(str *out, const snug_notebook *notebook)
{
    int failed = 0;

    for (size_t i = 0; i < notebook->count && !failed; i++) {
        const str *source = &notebook->cells[i].source;
        size_t len = source->len;
        while (len > 0 && source->data[len - 1] == '\n')
            len--;
        failed = str_add(out, i > 0 ? "\n# %%\n" : "# %%\n") ||
                 str_append(out, str_text(source), len) || str_add(out, "\n");
    }

    return failed;
}

const char *snug_notebook_text(snug_notebook *notebook, snug_notebook_format format, size_t *len)
{
    int failed = 1;

    str_clear(&notebook->text);
    switch (format) {
    case SNUG_NOTEBOOK_IPYNB:
        failed = write_ipynb(&notebook->text, notebook);
        break;
    case SNUG_NOTEBOOK_PY:
        failed = write_py(&notebook->text, notebook);
        break;
    }

    if (len)
        *len = failed ? 0 : notebook->text.len;
    return failed ? NULL : str_text(&notebook->text);
}

static int ends_in(const char *path, const char *end)
{
    size_t len = strlen(path), end_len = strlen(end);
    return len > end_len && strcmp(path + len - end_len, end) == 0;
}

int snug_notebook_write(snug_notebook *notebook, const char *path)
{
    size_t len;

    if (!notebook || !path)
        return error_set(SNUG_EINVAL, "snug_notebook_write: %s is NULL",
                         notebook ? "path" : "notebook");

    if (!ends_in(path, ".ipynb") && !ends_in(path, ".py"))
        return error_set(SNUG_EINVAL,
                         "%s: a notebook is written to a path that ends in .ipynb or "
                         ".py",
                         path);

    const char *text = snug_notebook_text(
        notebook, ends_in(path, ".py") ? SNUG_NOTEBOOK_PY : SNUG_NOTEBOOK_IPYNB, &len);
    if (!text)
        return error_no_memory();
    const struct iovec piece = { (void *)(uintptr_t)text, len };
    return file_replace(path, &piece, 1);
}
