#include "cli/run/ipynb.h"

#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

#include "base/error.h"
#include "base/str.h"
#include "wire/json.h"

static int fail_cell(unsigned number, const char *what)
{
    return error_set(SNUG_EINVAL, "not a notebook: cell %u has %s", number, what);
}

/* A source is one string, or a list of lines that keep their line ends. */
static int read_cell_source(str *out, const cJSON *source, unsigned number)
{
    if (cJSON_IsString(source)) {
        if (str_add(out, source->valuestring))
            return error_no_memory();
        return SNUG_OK;
    }

    if (!cJSON_IsArray(source))
        return fail_cell(number, "no source that is a text or a list of lines");

    const cJSON *line;
    cJSON_ArrayForEach(line, source)
    {
        if (!cJSON_IsString(line))
            return fail_cell(number, "a source line that is not text");
        if (str_add(out, line->valuestring))
            return error_no_memory();
    }
    return SNUG_OK;
}

/* Whether an error of the cell is expected, as nbclient has it. */
static int has_raises_tag(const cJSON *item)
{
    const cJSON *metadata = cJSON_GetObjectItemCaseSensitive(item, "metadata"), *tag;
    cJSON_ArrayForEach(tag, cJSON_GetObjectItemCaseSensitive(metadata, "tags"))
    {
        if (cJSON_IsString(tag) && !strcmp(tag->valuestring, "raises-exception"))
            return 1;
    }
    return 0;
}

static int add_notebook_cell(cell_list *list, const cJSON *item, unsigned number)
{
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(item, "cell_type");
    if (!cJSON_IsString(type))
        return fail_cell(number, "no cell_type");

    if (strcmp(type->valuestring, "code") != 0)
        return SNUG_OK;
    str source = { 0 };
    int error = read_cell_source(&source, cJSON_GetObjectItemCaseSensitive(item, "source"), number);
    size_t count = list->count;
    if (!error)
        error = cell_list_add(list, str_text(&source), source.len);
    if (list->count > count)
        list->items[count].may_raise = has_raises_tag(item);
    str_free(&source);
    return error;
}

static int add_cells(cell_list *list, const cJSON *notebook)
{
    const cJSON *format = cJSON_GetObjectItemCaseSensitive(notebook, "nbformat");
    const cJSON *cells = cJSON_GetObjectItemCaseSensitive(notebook, "cells");

    if (!cJSON_IsNumber(format))
        return error_set(SNUG_EINVAL, "not a notebook: nbformat is missing");
    if (format->valueint != 4)
        return error_set(SNUG_EINVAL,
                         "a notebook of nbformat %d, and snug reads 4; \"jupyter nbconvert --to "
                         "notebook\" converts it",
                         format->valueint);

    if (!cJSON_IsArray(cells))
        return error_set(SNUG_EINVAL, "not a notebook: the list of cells is missing");
    const cJSON *item;
    unsigned number = 0;
    cJSON_ArrayForEach(item, cells)
    {
        int error = add_notebook_cell(list, item, ++number);
        if (error)
            return error;
    }
    return SNUG_OK;
}

int ipynb_cells(cell_list *list, const char *text, size_t len)
{
    cJSON *notebook;
    int error = json_parse(&notebook, text, len);
    if (error)
        return error;
    error = add_cells(list, notebook);
    cJSON_Delete(notebook);
    return error;
}

/* One of the run's members, or a new one that is empty. */
static int replace_member(cJSON *item, const char *name, const cJSON *ran, cJSON *empty)
{
    cJSON *value = ran ? cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(ran, name), 1) : empty;

    cJSON_DeleteItemFromObjectCaseSensitive(item, name);
    if (value && cJSON_AddItemToObject(item, name, value))
        return SNUG_OK;
    cJSON_Delete(value);
    return error_no_memory();
}

static int replace_outputs(cJSON *notebook, const cJSON *run)
{
    const cJSON *cells = cJSON_GetObjectItemCaseSensitive(run, "cells");
    const cJSON *ran = cells ? cells->child : NULL;
    cell_list one = { 0 };
    cJSON *item;
    int error = SNUG_OK;

    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(notebook, "cells"))
    {
        const cJSON *type = cJSON_GetObjectItemCaseSensitive(item, "cell_type");
        if (error || !cJSON_IsString(type) || strcmp(type->valuestring, "code") != 0)
            continue;

        size_t count = one.count;
        error = add_notebook_cell(&one, item, 0);
        const cJSON *of = one.count > count ? ran : NULL;
        if (!error)
            error = replace_member(item, "outputs", of, of ? NULL : cJSON_CreateArray());
        if (!error)
            error = replace_member(item, "execution_count", of, of ? NULL : cJSON_CreateNull());
        ran = of ? of->next : ran;
    }

    cell_list_free(&one);
    return error;
}

int ipynb_with_outputs(str *out, const str *notebook, const char *run, size_t run_len)
{
    cJSON *root = NULL, *outputs = NULL;
    char *text = NULL;
    int error = json_parse(&root, str_text(notebook), notebook->len);

    if (!error)
        error = json_parse(&outputs, run, run_len);
    if (!error)
        error = replace_outputs(root, outputs);
    if (!error && (!(text = json_text(root)) || str_add(out, text) || str_add(out, "\n")))
        error = error_no_memory();

    free(text);
    cJSON_Delete(outputs);
    cJSON_Delete(root);
    return error;
}
