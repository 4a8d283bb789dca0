/*
 * key_table.h - the keys of the configuration: the options that they stand for.
 */
#ifndef SNUG_CLI_KEY_TABLE_H
#define SNUG_CLI_KEY_TABLE_H

#include <stddef.h>

typedef enum key_kind {
    KEY_VALUE, /* the option takes it */
    KEY_LIST,  /* each of it */
    KEY_YES,   /* true: as if the option, a flag, were given */
    KEY_NO,    /* false: the same */
    KEY_ONLY   /* fallback is the only value; otherwise says why */
} key_kind;

typedef struct key_row {
    const char *name;
    key_kind kind;
    const char *option;
    const char *fallback;  /* NULL: the default of the option's limit, or none */
    const char *otherwise; /* of KEY_ONLY */
    const char *variable;  /* of the environment; NULL: none */
    const char *about;
} key_row;

/* In the order in which they are shown; NULL past the end. */
const key_row *key_at(size_t index);
/* NULL: there is none of this name. */
const key_row *key_called(const char *name);

#endif
