/*
 * lists.c - the lists of what was found, completed and saved, without Python: libsnug frees them,
 * and has those of its workers.
 */
#include <snug/snug.h>

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "py/core/names.h"
#include "py/queries/save_namespace.h"
#include "py/queries/scan_source.h"

/* ---- of a scan ---- */

/* An empty one at the end of the list, or NULL. */
static scan_finding *add_finding(scan_findings *list, const char *rule, unsigned line,
                                 unsigned column)
{
    /* Doubles at each power of two. */
    if ((list->count & (list->count - 1)) == 0) {
        size_t room = list->count ? list->count * 2 : 1;
        scan_finding *items = realloc(list->items, room * sizeof *items);
        if (!items)
            return NULL;
        list->items = items;
    }

    scan_finding *finding = &list->items[list->count++];
    *finding = (scan_finding){ .rule = rule, .line = line, .column = column };
    return finding;
}

int scan_add(scan_findings *list, const char *rule, unsigned line, unsigned column,
             const char *subject, const char *message)
{
    scan_finding *finding = add_finding(list, rule, line, column);
    if (!finding || str_add(&finding->subject, subject) || str_add(&finding->message, message))
        return error_no_memory();
    return SNUG_OK;
}

void scan_findings_free(scan_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        str_free(&findings->items[i].subject);
        str_free(&findings->items[i].message);
        str_free(&findings->items[i].hint);
        str_free(&findings->items[i].excerpt);
    }
    free(findings->items);
    *findings = (scan_findings){ 0 };
}

/* ---- of completion ---- */

void name_list_free(name_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        str_free(&list->items[i].text);
    free(list->items);
    *list = (name_list){ 0 };
}

/* ---- of a save ---- */

void save_list_free(save_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        str_free(&list->rows[i].name);
        str_free(&list->rows[i].what);
    }
    free(list->rows);
    *list = (save_list){ 0 };
}

int save_list_add(save_list *list, save_kind kind, uint64_t number, const char *name,
                  size_t name_len, const char *what, size_t what_len)
{
    if (array_reserve(&list->rows, &list->cap, list->count + 1, sizeof *list->rows))
        return SNUG_ENOMEM;

    save_row row = { .kind = kind, .number = number };
    if (str_append(&row.name, name, name_len) || str_append(&row.what, what, what_len)) {
        str_free(&row.name);
        str_free(&row.what);
        return SNUG_ENOMEM;
    }

    list->rows[list->count++] = row;
    return SNUG_OK;
}
