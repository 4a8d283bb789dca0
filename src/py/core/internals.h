/*
 * internals.h - the places where snug reaches past CPython's public API.
 *
 * What depends on a minor version's struct layout stands in internals.c, but for
 * the compiler's (compile.c) and what interpreters share (shared_objects.c, shared_code.c).
 * runtime_start refuses a Python that is not the one built for, so
 * the layouts are those of the headers.
 */
#ifndef SNUG_PY_INTERNALS_H
#define SNUG_PY_INTERNALS_H

#include "py/core/python.h"

/* Makes the thread of that state raise exc (a type) at its next check, as
 * PyThreadState_SetAsyncExc does, but without the GIL, from any thread. The
 * evaluation loop takes one reference for each time it raises; the answer is 1 if
 * the slot was empty before, so that the caller can count them. */
int internals_raise_later(PyThreadState *tstate, PyObject *exc);
/* Takes it back; answers 1 if it had not been raised yet. */
int internals_cancel_raise(PyThreadState *tstate);

/* What finds an interpreter's arenas: the nodes of the allocator's radix tree and its
 * array of arenas, some 390 KiB of malloc that 3.13 gives back only when not one
 * block of the interpreter leaked. To be called just before the interpreter ends,
 * which then leaves them alone; *out is NULL-terminated and malloc'ed, its items go
 * to PyMem_RawFree once the interpreter is gone, the array (the first) only if no
 * arena was mapped meanwhile: that may move it. NULL: nothing to free, or no memory. */
void **internals_take_allocator(PyThreadState *tstate);

/* Of a dict: another after each change of it. Since 3.14 nothing tells, and it is 0. */
uint64_t internals_dict_version(PyObject *dict);

/* How deep the thread may still recurse: in how many calls of Python, and in C. The latter was a
 * number of calls, too, and is an address of the stack since 3.14, below which a check raises. */
typedef struct recursion_left {
    int python;
    uintptr_t c;
} recursion_left;
recursion_left internals_recursion_left(PyThreadState *tstate);
/* Async-signal-safe, as the next three: plain stores to the thread's own state. */
void internals_set_recursion_left(PyThreadState *tstate, recursion_left left);
/* The next check raises RecursionError: one in C where the stack is as deep as at sp, or deeper. */
void internals_cut_recursion(PyThreadState *tstate, uintptr_t sp);
/* Cuts the recursion, and at the next call restores what was left: since 3.13 a thread without
 * recursion that frees a container defers that for ever (Py_TRASHCAN_BEGIN). */
void internals_kick_recursion(PyThreadState *tstate, uintptr_t sp, recursion_left left,
                              volatile int *is_cut);
/* The same by another thread, which cannot know how deep that is. Since 3.14 it is the next check
 * in one piece of the stack, and in the next lower one at the next call: from its top down to the
 * address that recursion was left to. */
void internals_cut_recursion_blindly(PyThreadState *tstate, uintptr_t left);

/* Since 3.14 a check of recursion in C looks how near the end of the stack is: of the stack that
 * the state's first thread had, unless it gets another. Its process would end where the last few
 * KiB are reached: never, for a state that got one. */
int internals_knows_stack(PyThreadState *tstate); /* the calling thread's */
void internals_set_stack(PyThreadState *tstate, const void *low, const void *high);
/* The calling thread's, as the C library knows it. */
void internals_find_stack(PyThreadState *tstate);
#if PY_VERSION_HEX >= 0x030e0000
/* The stack as a thread state knows it, and for one that is made on the same thread. */
typedef struct known_stack {
    uintptr_t init_base, init_top, top, soft, hard;
} known_stack;
known_stack internals_stack(PyThreadState *tstate);
void internals_put_stack(PyThreadState *tstate, const known_stack *stack);
#endif

/* After a jump out of the thread's code: gives back what other threads would wait
 * for, the GIL and 3.11's import lock, if the thread holds them. */
void internals_let_go(PyThreadState *tstate);

/* (async-signal-safe) Whether the thread has not got the GIL that 3.11's interpreters
 * share: it waits for it, or let go of it for a call. Never so with a GIL of its own. */
int internals_lacks_gil(PyThreadState *tstate);
/* (async-signal-safe) Whether that state has it and its thread is not just giving it away, nor in
 * the midst of having got it: torn there, nobody would get it any more. For comparing only: the
 * state may be gone. Any thread; on another the answer may be old. */
int internals_keeps_gil(const void *tstate);
/* The other state that has that GIL just now, or NULL; for comparing only. Any thread. */
const PyThreadState *internals_gil_elsewhere(PyThreadState *tstate);
/* A state in that interpreter for the calling thread, or NULL: there is no memory. 3.11's own
 * function uses the state before it looks whether there is one. Any thread, with or without the
 * GIL. */
PyThreadState *internals_new_state(PyInterpreterState *interp);
/* A context variable remembers its value by the thread state's number, which 3.11 counts in
 * each interpreter from the start; _decimal's variable belongs to all of them, and one session
 * would compute with the context of another, or of one that is gone. Any thread. */
void internals_number_state(PyThreadState *tstate);
/* It is the calling thread's from now on; the thread that it was of has ended. */
void internals_move_state(PyThreadState *tstate);
/* Callbacks of C libraries that have no interpreter at hand (SQLite's) run in that one on this
 * thread; NULL: in none. On 3.11, where nobody else says so, they would get a state in the main
 * one. */
void internals_bind_state(PyThreadState *tstate);
/* The state is idle, and its thread forgets it: one that another thread frees would be written to
 * when this one takes another. Not on 3.15, where nobody else can make it forget. */
void internals_forget_state(PyThreadState *tstate);
/* What _thread.stack_size was set to in that interpreter; 0: nothing. */
size_t internals_thread_stack_bytes(PyThreadState *tstate);
/* (async-signal-safe) Whether the thread of that state runs Python, and not only waits for
 * the GIL or let go of it for a call. */
int internals_is_attached(PyThreadState *tstate);
/* 3.15.0 has an instruction of its own for list.append, which drops the item twice where there is
 * no memory for the list to grow. From now on that interpreter calls the method as it calls others.
 */
void internals_call_list_append(PyThreadState *tstate);
/* What `lazy import` binds before the name is used; never so before 3.15. */
int internals_is_lazy_import(const PyObject *object);
/* (async-signal-safe) Whether somebody holds one of the runtime's own locks. */
int internals_runtime_is_locked(void);

#if !PYTHON_OWN_GIL
/* From now on no collection of any interpreter has or visits the object: for what lives as long
 * as the process. Harmless for what is not of the collector's kind. */
void internals_take_from_collector(PyObject *object);
/* The state that holds 3.11's one GIL, or NULL. May be gone when it is looked at. */
PyThreadState *internals_gil_holder(void);
/* Whether that is the address of one of the futex words that who wants it sleeps on. */
int internals_is_gil_word(uintptr_t address);
/* How often it has gone from one state to another. Any thread. */
uint64_t internals_gil_turns(void);
/* As a waiting thread of the same interpreter would. Any thread, without the GIL. */
void internals_ask_to_drop_gil(PyThreadState *holder);
#endif

#endif
