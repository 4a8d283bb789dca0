/*
 * recipe.h - reads a file of tests/escapes: what it expects, and its cells.
 * README.md beside it has the format.
 */
#ifndef ESCAPES_RECIPE_H
#define ESCAPES_RECIPE_H

#include <stddef.h>
#include <stdint.h>

/* What may come of the cell; a set. A rung stands for those below it too. */
enum {
    EXPECT_RUNG_1 = 1 << 0,
    EXPECT_RUNG_2 = 1 << 1,
    EXPECT_RUNG_3 = 1 << 2,
    EXPECT_RUNG_4 = 1 << 3,
    EXPECT_RUNGS = EXPECT_RUNG_1 | EXPECT_RUNG_2 | EXPECT_RUNG_3 | EXPECT_RUNG_4,
    EXPECT_RECURSION = 1 << 4,
    EXPECT_MEMORY = 1 << 5,
    EXPECT_CRASH = 1 << 6,
    EXPECT_ERROR = 1 << 7,
    EXPECT_DENIED = 1 << 8,
    EXPECT_OK = 1 << 9,
    EXPECT_HANG = 1 << 10, /* the whole process hangs: known of a shorter ladder only */
    EXPECT_DIED = 1 << 11  /* the process ends: the same */
};

typedef enum recipe_state { RECIPE_KEPT, RECIPE_LOST, RECIPE_ANY } recipe_state;

typedef struct recipe_cell {
    char *source;
    unsigned expect; /* of the first or the one that `cell` names: the file's */
} recipe_cell;

typedef struct recipe {
    char *path;
    char kind[32];   /* the folder's name */
    char title[160]; /* the first line */
    unsigned expect;
    unsigned mended;    /* what it may also say where the distribution has mended it; 0: nothing */
    char expected[160]; /* as it stands in the file */
    char loop[160];     /* behind "rung 3": the loop in C */
    recipe_state state;
    char when[32];
    char profile[32];  /* of its session; empty: the kind's */
    uint64_t limit_ms; /* 0: the driver's */
    uint64_t threads;  /* of the session: the limit */
    int has_tools;     /* of the host, tools.c */
    char breach[64];   /* what it is after, "secret" or "setting pid"; empty in other kinds */
    int is_known;      /* that it gets at a neighbour, on this Python */
    int is_elsewhere;  /* `only` names another Python */
    size_t cell;       /* index of the cell that is the escape */
    recipe_cell *cells;
    size_t cell_count;
    void *text; /* what the cells are made of */
} recipe;

/* python is "3.11" or the like: of lines for one version, those of this one are taken. With
 * is_short those for a shorter ladder too. 0, or -1 with a message on stderr. */
int recipe_read(recipe *out, const char *path, const char *python, int is_short);
void recipe_free(recipe *r);

#endif
