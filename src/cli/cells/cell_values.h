/*
 * cell_values.h - values of programs as JSON, and back.
 */
#ifndef SNUG_CLI_CELL_VALUES_H
#define SNUG_CLI_CELL_VALUES_H

#include <snug/program.h>

#include "base/str.h"
#include "wire/json.h"

/* The type of that name; -1: there is none. */
int cell_type_named(const char *name);
/* A value of the type, whose texts and arrays lie in held. SNUG_EINVAL with what it must be as the
 * message, or SNUG_ENOMEM. */
int cell_value_read(snug_value *out, str *held, const cJSON *json, snug_type type);
/* Adds it to an object, or to a list where name is NULL. SNUG_OK or SNUG_ENOMEM. */
int cell_value_add(cJSON *to, const char *name, const snug_value *value);

/* The texts of a column. */
typedef struct cell_column {
    str data, ends, missing;
} cell_column;

/* The column of a list. As cell_value_read. */
int cell_column_read(snug_column *out, cell_column *held, const cJSON *list, snug_type type);
void cell_column_free(cell_column *held);
/* The same as a list of that name. */
int cell_column_add(cJSON *to, const char *name, const snug_column *column, uint64_t row_count);

#endif
