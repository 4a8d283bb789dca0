/*
 * save_namespace.h - what a saved session has of its interpreter: taken out, and put into a new
 * one.
 *
 * Without Python.h. The thread of the session works on a save_work; the caller's has it
 * before and afterwards, unless the job was given up.
 */
#ifndef SNUG_PY_SAVE_NAMESPACE_H
#define SNUG_PY_SAVE_NAMESPACE_H

#include <pthread.h>

#include "base/str.h"
#include "py/core/interp.h"

/* One value that has a pickle, in their order, or a name that has none. */
typedef enum save_kind {
    SAVE_NAME,    /* of the namespace; what: "value", "source", "import" or "tool" */
    SAVE_OUT,     /* the value of cell number */
    SAVE_SETTING, /* of a library */
    SAVE_SKIPPED  /* a name; what: why not */
} save_kind;

typedef struct save_row {
    save_kind kind;
    uint64_t number;
    str name, what;
} save_row;

typedef struct save_list {
    save_row *rows;
    size_t count, cap;
} save_list;

typedef struct save_work {
    /* Held by the session's thread where it changes what is here, against nobody else: as in
     * capture.h, a thread that holds a lock is not torn out of its code. */
    pthread_mutex_t whole;
    uint64_t most_bytes; /* of values */
    uint64_t cells;      /* that have run; their sources, zeroed where there is none */
    str *sources;
    size_t source_count;
    uint64_t forgotten; /* Out has dropped the values of cells up to this one */
    int future_flags;
    uint64_t last[3]; /* the cells whose values _, __, ___ are; 0: of none */
    uint64_t looks;   /* objects of which the pickler has asked */
    save_list items;  /* the values */
    save_list skipped;
    str values; /* their pickles; to be written */
    /* To be restored: */
    const char *pickles; /* stay the caller's; read under the limits of the session */
    size_t pickle_bytes, at;
    save_list restored;
} save_work;

/* NULL if memory ran out. */
save_work *save_work_new(void);
void save_work_free(save_work *work);
void save_list_free(save_list *list);
/* Appends a row with copies of the texts. SNUG_OK or SNUG_ENOMEM. */
int save_list_add(save_list *list, save_kind kind, uint64_t number, const char *name,
                  size_t name_len, const char *what, size_t what_len);

/* The Python that interpreters are of. Any thread. */
void interp_python(unsigned *major, unsigned *minor);
/* On the session's thread, as a job under its limits: the guest's __reduce__ and the like run.
 * interp_save fills sources, items, skipped, last, values. SNUG_ESTOPPED with the rest of a
 * sentence ("took longer than ..."), SNUG_ENOMEM, SNUG_EDEAD as interp_run. */
int interp_save(interp *in, save_work *work);
/* Into an interpreter in which no cell has run yet: from sources, items, skipped, last, pickles;
 * fills restored and skipped again. After a failure the interpreter is of no use. */
int interp_restore(interp *in, save_work *work);

#endif
