/* Any bytes are a notebook or an error with a message. The pieces of the input, put into a
 * notebook as cells of code and of text, come back as its cells. */
#include "fuzz.h"

#include <snug/snug.h>

#include "base/error.h"
#include "base/utf8.h"
#include "cli/run/ipynb.h"
#include "wire/json.h"

static void check_cells(const cell_list *cells)
{
    size_t at;
    for (size_t i = 0; i < cells->count; i++) {
        const cell *c = &cells->items[i];
        HOLDS(c->number == i + 1);
        HOLDS(c->len && strlen(c->source) == c->len);
        HOLDS(utf8_check(c->source, c->len, &at) == UTF8_FINE);
    }
}

static void read_any(input in)
{
    cell_list cells = { 0 };
    cJSON *value = NULL;
    int is_json = json_parse(&value, in.at, in.left) == SNUG_OK;
    error_set(0, "untouched");
    int error = ipynb_cells(&cells, in.at, in.left);
    HOLDS(error == SNUG_OK || error == SNUG_EINVAL);
    if (error)
        HOLDS(strcmp(error_message(), "untouched"));
    else
        HOLDS(is_json && cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(value, "cells")));
    check_cells(&cells);
    cell_list_free(&cells);
    cJSON_Delete(value);
}

/* As one text, or as lines that keep their ends. */
static void add_source(cJSON *item, input text, int as_lines)
{
    char *whole = copy_of(text.at, text.left);
    if (!as_lines) {
        HOLDS(json_add_text(item, "source", whole) == SNUG_OK);
    } else {
        cJSON *lines = json_add_array(item, "source");
        while (text.left) {
            const char *begin = text.at;
            take_until(&text, "\n");
            char *line = copy_of(begin, (size_t)(text.at - begin));
            HOLDS(json_add_text(lines, NULL, line) == SNUG_OK);
            free(line);
        }
    }
    free(whole);
}

/* A piece begins with what it is and ends with a NUL. */
static void write_and_read(input in)
{
    cell_list expected = { 0 }, cells = { 0 };
    cJSON *notebook = cJSON_CreateObject();
    cJSON *list = json_add_array(notebook, "cells");
    HOLDS(json_add_number(notebook, "nbformat", 4) == SNUG_OK);
    while (in.left) {
        unsigned kind = take_byte(&in);
        input text = { in.at, strnlen(in.at, in.left) };
        size_t at;
        in.at += text.left + (text.left < in.left);
        in.left -= text.left + (text.left < in.left);
        if (utf8_check(text.at, text.left, &at) != UTF8_FINE)
            text.left = at;
        cJSON *item = json_add_object(list, NULL);
        HOLDS(json_add_text(item, "cell_type", kind & 1 ? "code" : "markdown") == SNUG_OK);
        add_source(item, text, kind & 2);
        if (kind & 1)
            HOLDS(cell_list_add(&expected, text.at, text.left) == SNUG_OK);
    }
    char *written = json_text(notebook);
    HOLDS(written && ipynb_cells(&cells, written, strlen(written)) == SNUG_OK);
    check_cells(&cells);
    HOLDS(cells.count == expected.count);
    for (size_t i = 0; i < cells.count; i++)
        HOLDS(!strcmp(cells.items[i].source, expected.items[i].source));
    free(written);
    cell_list_free(&cells);
    cell_list_free(&expected);
    cJSON_Delete(notebook);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_any(input_of(data, size));
    write_and_read(input_of(data, size));
    return 0;
}
