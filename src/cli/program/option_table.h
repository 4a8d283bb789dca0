/*
 * option_table.h - all options of all commands, and the keys of the configuration: a row for each,
 * with its kind, the commands that take it, and its line of help.
 */
#ifndef SNUG_CLI_OPTION_TABLE_H
#define SNUG_CLI_OPTION_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "cli/program/options.h"

/* What is in the field of an option, and how its value is read. */
typedef enum option_kind {
    KIND_FLAG,   /* int */
    KIND_SHORT,  /* no field: it stands for another option */
    KIND_TEXT,   /* const char * */
    KIND_URL,    /* the same, of an address without a secret in it */
    KIND_LIMIT,  /* uint64_t, in the unit that snug_limit_info says */
    KIND_BUDGET, /* the same, of snug_agent_limit_info */
    KIND_SERVED, /* the same, of mcp_limit_info */
    KIND_NUMBER, /* double, from 0 to 2 */
    KIND_CHOICE, /* int, one of choices */
    KIND_LIST,   /* text_list */
    KIND_PAIR,   /* text_list of NAME=VALUE */
    KIND_MOUNT,
    KIND_TIME,  /* uint64_t, in ms */
    KIND_COUNT, /* uint64_t */
    KIND_WHOLE, /* the same, from 0 to 999 */
    KIND_SIZE,  /* the same, in bytes, up to 256 MiB */
    KIND_CODE,
    KIND_REFUSED /* no field: of a key that can only be false; with says why */
} option_kind;

typedef struct option_choice {
    const char *word;
    int value;
    const char *instead; /* of a word that is none: what there is; else NULL */
} option_choice;

typedef struct option_row {
    const char *name;  /* for limits as in snug_limit_info; NULL: its key alone gives it */
    const char *value; /* what help calls its value; NULL: it takes none */
    option_kind kind;
    unsigned commands;
    size_t field; /* in options */
    const option_choice *choices;
    const char *about;      /* NULL: of a limit its own, of others: not in the help */
    uint64_t least;         /* of a limit, as the library has it */
    const char *key;        /* of the configuration; NULL: there is none */
    const char *fallback;   /* the default, for people; NULL: that of the limit, or none */
    const char *variable;   /* of the environment that gives it too; NULL: none */
    int is_off;             /* the key is true where the flag is not given, */
    const char *key_about;  /* and this is said of it */
    const char *stands_for; /* of KIND_SHORT: the other option, */
    const char *with;       /* and its value; NULL: that takes none */
    int is_common;          /* also in a help of a few lines */
    uint64_t zero; /* what "0" is in the library, where 0 is the default; 0: it is refused */
} option_row;

enum { MOST_OPTIONS = 220 };

extern const option_row option_rows[];
extern const size_t option_count;

/* NULL: there is none of that name. Of two the first one. */
const option_row *option_find(const char *name, size_t len);
/* Of two that of these commands. */
const option_row *option_find_of(const char *name, size_t len, unsigned commands);
/* NULL: there is no such key. */
const option_row *option_of_key(const char *key);
/* What the library says of an option that is a limit; NULL: it is not one. */
const snug_limit_description *option_limit(const option_row *row);

#endif
