/*
 * configfile.h - a configuration file as a list of keys and values, with the lines they are in.
 *
 *     improvement:
 *       max_attempts: 5        # improvement.max_attempts
 *     generation:
 *       request: {seed: 7}     # generation.request, with the text seed=7
 *
 * Knows YAML, and not which keys there are: that is settings.h. Read event by event with libyaml.
 * libcyaml, which stands on it, fills in structures by a schema and keeps no lines, so that a
 * value out of its range could not be pointed at.
 */
#ifndef SNUG_CLI_CONFIGFILE_H
#define SNUG_CLI_CONFIGFILE_H

#include <stddef.h>

/* A larger file is not a configuration. */
enum { CONFIG_FILE_BYTES = 256 * 1024 };

typedef struct config_entry {
    char *key;    /* "improvement.max_attempts"; of a section itself "improvement", and null */
    char **items; /* the value's texts: one, or those of a list */
    size_t count, cap;
    int is_list;
    int is_null; /* null, ~ or nothing: as if the key were not there */
    size_t line; /* from 1; 0: not from a file */
} config_entry;

typedef struct config_entries {
    config_entry *items;
    size_t count, cap;
} config_entries;

/* Appends what a text of len bytes has; name is what messages call it. SNUG_OK, SNUG_ENOMEM, or
 * SNUG_EINVAL with a message that has the line: not YAML, a mapping or list where none may be, a
 * key that is given twice. */
int configfile_parse(config_entries *out, const char *name, const char *text, size_t len);
/* The value of an override, as behind KEY=: text is taken as it is, but "[a, b]" is a list and
 * "null" none. SNUG_OK, SNUG_ENOMEM, or SNUG_EINVAL with a message that names the key. */
int configfile_parse_value(config_entries *out, const char *key, const char *text);
void configfile_free(config_entries *entries);

#endif
