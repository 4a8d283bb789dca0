#include "cli/run/ipynb.h"

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

static int add_notebook_cell(cell_list *list, const cJSON *item, unsigned number)
{
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(item, "cell_type");
    if (!cJSON_IsString(type))
        return fail_cell(number, "no cell_type");

    if (strcmp(type->valuestring, "code") != 0)
        return SNUG_OK;
    str source = { 0 };
    int error = read_cell_source(&source, cJSON_GetObjectItemCaseSensitive(item, "source"), number);
    if (!error)
        error = cell_list_add(list, str_text(&source), source.len);
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
