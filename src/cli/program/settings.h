/*
 * settings.h - the keys of the configuration, in one table, and where each value comes from.
 *
 * A key is an option under another name: its value is read by the option's own code. What was
 * given as an option wins over an override (KEY=VALUE on the command line), that over the file,
 * that over a variable of the environment, that over the default. A list is replaced as a whole.
 */
#ifndef SNUG_CLI_SETTINGS_H
#define SNUG_CLI_SETTINGS_H

#include <stddef.h>

#include "cli/program/configfile.h"
#include "cli/program/options.h"

typedef enum setting_source {
    FROM_DEFAULT,
    FROM_VARIABLE,
    FROM_FILE,
    FROM_OVERRIDE,
    FROM_OPTION
} setting_source;

typedef struct setting {
    const char *key;
    const char *option;   /* that sets it too; NULL: none */
    const char *fallback; /* the default as text; NULL: none */
    const char *about;
    int is_list;
    int is_secret; /* of an item no more than its name is to be shown */
    setting_source source;
    const char *place; /* FROM_VARIABLE: its name; FROM_FILE: the file's */
    size_t line;
    const char *const *items; /* the values; of a default or a variable there are none */
    size_t count;
} setting;

typedef struct settings settings;

/* Reads the file and the overrides that the options name, and fills in the options that were not
 * given. EXIT_FINE, or EXIT_USAGE after one sentence. */
int settings_apply(settings **out, options *o);
/* Sets all entries of a file called name in o, whatever else names them: are they right? */
int settings_try(options *o, const char *name, const config_entries *entries);
void settings_free(settings *s);
/* The file that was read, or "the preset fast"; NULL: none. */
const char *settings_file(const settings *s);
/* Where the value of a key comes from that is not the default: "c.yaml, line 2". */
void settings_place(char *out, size_t size, const settings *s, const char *key);
/* The next setting in the order of the table, whose rows *index counts; false past its end. Its
 * texts live as long as s and o do. buffer, of size bytes, is for the default's text. */
int settings_get(setting *out, char *buffer, size_t size, const settings *s, const options *o,
                 size_t *index);

#endif
