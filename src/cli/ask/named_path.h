/*
 * named_path.h - what a path that a question names leads to.
 */
#ifndef SNUG_CLI_NAMED_PATH_H
#define SNUG_CLI_NAMED_PATH_H

#include <stdint.h>

typedef enum named_fact {
    NAMED_FILE,    /* regular, and may be read */
    NAMED_MISSING, /* nothing is there, or a device */
    NAMED_LINK,    /* the file or a folder on the way */
    NAMED_HIDDEN,  /* the same */
    NAMED_FOLDER,
    NAMED_UNREADABLE,
    NAMED_TOO_MANY /* for those who count */
} named_fact;

/* *bytes: the size of a file. path is changed meanwhile, and put back. */
named_fact named_path_look(char *path, uint64_t *bytes);

#endif
