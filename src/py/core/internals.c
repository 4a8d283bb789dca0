#define Py_BUILD_CORE 1 /* for the internal headers: python.h */

#include "py/core/internals.h"

#include <stdlib.h>

/* Both stores are seen by the other thread at its next check of the eval
 * breaker; the exception must be there when the breaker is, hence the order. */
int internals_raise_later(PyThreadState *tstate, PyObject *exc)
{
    PyObject *before = __atomic_exchange_n(&tstate->async_exc, exc, __ATOMIC_SEQ_CST);
#if PY_VERSION_HEX >= 0x030d0000
    __atomic_fetch_or(&tstate->eval_breaker, _PY_ASYNC_EXCEPTION_BIT, __ATOMIC_SEQ_CST);
#else
    struct _ceval_state *ceval = &tstate->interp->ceval;
    __atomic_store_n(&ceval->pending.async_exc, 1, __ATOMIC_SEQ_CST);
    atomic_store(&ceval->eval_breaker._value, 1);
#endif
    return before == NULL;
}

int internals_cancel_raise(PyThreadState *tstate)
{
    PyObject *before = __atomic_exchange_n(&tstate->async_exc, NULL, __ATOMIC_SEQ_CST);
#if PY_VERSION_HEX < 0x030d0000
    /* 3.11 clears these only when it raises; left set, every later check would take the slow
     * way. What else may be pending is put together as ceval.c's COMPUTE_EVAL_BREAKER does. */
    struct _ceval_state *ceval = &tstate->interp->ceval;
    __atomic_store_n(&ceval->pending.async_exc, 0, __ATOMIC_SEQ_CST);
    int other = atomic_load(&ceval->gil_drop_request._value) |
                atomic_load(&ceval->pending.calls_to_do._value);
    atomic_store(&ceval->eval_breaker._value, other);
#endif
    return before != NULL;
}

uint64_t internals_dict_version(PyObject *dict)
{
#if PY_VERSION_HEX >= 0x030e0000
    (void)dict;
    return 0;
#else
    return ((const PyDictObject *)dict)->ma_version_tag;
#endif
}

/* ---- recursion ---- */

#if PY_VERSION_HEX >= 0x030e0000

/* In C a check raises where the stack pointer is below the soft limit, but not further than that:
 * else CPython takes it for another stack. */
enum { WINDOW_BYTES = 2 * _PyOS_STACK_MARGIN_BYTES };

/* Nothing is below it, which would end the process; and zero would have it looked up. */
enum { NO_HARD_LIMIT = 1 };

static _PyThreadStateImpl *whole_state(PyThreadState *tstate)
{
    return (_PyThreadStateImpl *)tstate;
}

recursion_left internals_recursion_left(PyThreadState *tstate)
{
    return (recursion_left){ tstate->py_recursion_remaining,
                             whole_state(tstate)->c_stack_soft_limit };
}

void internals_set_recursion_left(PyThreadState *tstate, recursion_left left)
{
    tstate->py_recursion_remaining = left.python;
    whole_state(tstate)->c_stack_soft_limit = left.c;
}

/* Half of it above sp: what was found there may be a leaf of the recursion. */
void internals_cut_recursion(PyThreadState *tstate, uintptr_t sp)
{
    internals_set_recursion_left(tstate, (recursion_left){ 0, sp + WINDOW_BYTES / 2 });
}

void internals_cut_recursion_blindly(PyThreadState *tstate, uintptr_t left)
{
    _PyThreadStateImpl *state = whole_state(tstate);
    uintptr_t now = state->c_stack_soft_limit;
    uintptr_t next = now > left + WINDOW_BYTES ? now - WINDOW_BYTES : state->c_stack_top;

    internals_set_recursion_left(tstate, (recursion_left){ 0, next });
}

int internals_knows_stack(PyThreadState *tstate)
{
    const _PyThreadStateImpl *state = whole_state(tstate);
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return state->c_stack_hard_limit == NO_HARD_LIMIT && here < state->c_stack_top &&
           here >= state->c_stack_soft_limit;
}

/* What a process's first thread has by default: deeper recursion would end in plain Python, too,
 * and what costs the square of its depth takes ages there. */
#define MOST_STACK_BYTES ((uintptr_t)8 << 20)

void internals_set_stack(PyThreadState *tstate, const void *low, const void *high)
{
    _PyThreadStateImpl *state = whole_state(tstate);
    uintptr_t top = (uintptr_t)high, base = (uintptr_t)low;
    if (top - base > MOST_STACK_BYTES)
        base = top - MOST_STACK_BYTES;

    state->c_stack_top = top;
    state->c_stack_soft_limit = base + WINDOW_BYTES;
    state->c_stack_hard_limit = NO_HARD_LIMIT;
}

known_stack internals_stack(PyThreadState *tstate)
{
    const _PyThreadStateImpl *state = whole_state(tstate);
    return (known_stack){ .init_base = state->c_stack_init_base,
                          .init_top = state->c_stack_init_top,
                          .top = state->c_stack_top,
                          .soft = state->c_stack_soft_limit,
                          .hard = state->c_stack_hard_limit };
}

void internals_put_stack(PyThreadState *tstate, const known_stack *stack)
{
    _PyThreadStateImpl *state = whole_state(tstate);
    state->c_stack_init_base = stack->init_base;
    state->c_stack_init_top = stack->init_top;
    state->c_stack_top = stack->top;
    state->c_stack_soft_limit = stack->soft;
    state->c_stack_hard_limit = stack->hard;
}

void internals_find_stack(PyThreadState *tstate)
{
    _Py_InitializeRecursionLimits(tstate);
    whole_state(tstate)->c_stack_hard_limit = NO_HARD_LIMIT;
}

/* Until it gets another, no check of it raises. */
static void forget_stack(PyThreadState *tstate)
{
    _PyThreadStateImpl *state = whole_state(tstate);
    state->c_stack_top = state->c_stack_soft_limit = 0;
    state->c_stack_hard_limit = NO_HARD_LIMIT;
}

#else

recursion_left internals_recursion_left(PyThreadState *tstate)
{
#if PY_VERSION_HEX >= 0x030c0000
    return (recursion_left){ tstate->py_recursion_remaining,
                             (uintptr_t)tstate->c_recursion_remaining };
#else
    return (recursion_left){ tstate->recursion_remaining, 0 };
#endif
}

void internals_set_recursion_left(PyThreadState *tstate, recursion_left left)
{
#if PY_VERSION_HEX >= 0x030c0000
    tstate->py_recursion_remaining = left.python;
    tstate->c_recursion_remaining = (int)left.c;
#else
    tstate->recursion_remaining = left.python;
#endif
}

void internals_cut_recursion(PyThreadState *tstate, uintptr_t sp)
{
    (void)sp;
    internals_set_recursion_left(tstate, (recursion_left){ 0, 0 });
}

void internals_cut_recursion_blindly(PyThreadState *tstate, uintptr_t left)
{
    (void)left;
#if PY_VERSION_HEX >= 0x030d0000
    /* As internals_kick_recursion: after a cut there is less than CPython needs to free. */
    if (tstate->c_recursion_remaining < 2 * Py_TRASHCAN_HEADROOM) {
        tstate->c_recursion_remaining = Py_C_RECURSION_LIMIT;
        return;
    }
#endif
    internals_set_recursion_left(tstate, (recursion_left){ 0, 0 });
}

int internals_knows_stack(PyThreadState *tstate)
{
    (void)tstate;
    return 1;
}

void internals_set_stack(PyThreadState *tstate, const void *low, const void *high)
{
    (void)tstate;
    (void)low;
    (void)high;
}

void internals_find_stack(PyThreadState *tstate)
{
    (void)tstate;
}

static void forget_stack(PyThreadState *tstate)
{
    (void)tstate;
}

#endif

void internals_kick_recursion(PyThreadState *tstate, uintptr_t sp, recursion_left left,
                              volatile int *is_cut)
{
    *is_cut = !*is_cut;
    if (*is_cut)
        internals_cut_recursion(tstate, sp);
    else
        internals_set_recursion_left(tstate, left);
}

/* ---- the GIL ---- */

int internals_lacks_gil(PyThreadState *tstate)
{
#if PYTHON_OWN_GIL
    (void)tstate;
    return 0;
#else
    return internals_gil_holder() != tstate;
#endif
}

int internals_keeps_gil(const void *tstate)
{
#if PYTHON_OWN_GIL
    (void)tstate;
    return 0;
#else
    /* Of the C library's mutexes the first word says whether somebody has it. */
    const struct _gil_runtime_state *gil = &_PyRuntime.ceval.gil;
    return tstate && internals_gil_holder() == tstate &&
           !__atomic_load_n(&gil->mutex.__data.__lock, __ATOMIC_SEQ_CST) &&
           !__atomic_load_n(&gil->switch_mutex.__data.__lock, __ATOMIC_SEQ_CST);
#endif
}

int internals_is_attached(PyThreadState *tstate)
{
#if PYTHON_OWN_GIL
    return __atomic_load_n(&tstate->state, __ATOMIC_RELAXED) == _Py_THREAD_ATTACHED;
#else
    return internals_gil_holder() == tstate;
#endif
}

const PyThreadState *internals_gil_elsewhere(PyThreadState *tstate)
{
#if PYTHON_OWN_GIL
    (void)tstate;
    return NULL;
#else
    PyThreadState *holder = internals_gil_holder();
    return holder != tstate ? holder : NULL;
#endif
}

PyThreadState *internals_new_state(PyInterpreterState *interp)
{
#if PYTHON_OWN_GIL
    return PyThreadState_New(interp);
#else
    PyThreadState *tstate = _PyThreadState_Prealloc(interp);
    if (tstate)
        _PyThreadState_SetCurrent(tstate);
    return tstate;
#endif
}

void internals_number_state(PyThreadState *tstate)
{
#if PYTHON_OWN_GIL
    (void)tstate;
#else
    static _Atomic uint64_t last = UINT64_C(1) << 32;
    tstate->id = atomic_fetch_add(&last, 1) + 1;
#endif
}

void internals_move_state(PyThreadState *tstate)
{
    forget_stack(tstate);
    tstate->thread_id = PyThread_get_thread_ident();
#ifdef PY_HAVE_THREAD_NATIVE_ID
    tstate->native_thread_id = PyThread_get_thread_native_id();
#endif
#if PY_VERSION_HEX >= 0x030f0000
    tstate->_status.bound_gilstate = 0; /* so taking the GIL makes it the thread's */
#elif PYTHON_OWN_GIL
    PyThread_tss_set(&_PyRuntime.autoTSSkey, tstate);
#else
    internals_bind_state(tstate);
#endif
}

void internals_bind_state(PyThreadState *tstate)
{
#if PYTHON_OWN_GIL
    (void)tstate; /* taking the GIL does it */
#else
    Py_tss_t *key = &_PyRuntime.gilstate.autoTSSkey;
    if (PyThread_tss_get(key) != tstate)
        PyThread_tss_set(key, tstate);
#endif
}

void internals_forget_state(PyThreadState *tstate)
{
#if PYTHON_OWN_GIL && PY_VERSION_HEX < 0x030f0000
    if (tstate->_status.bound_gilstate && PyThread_tss_get(&_PyRuntime.autoTSSkey) == tstate) {
        PyThread_tss_set(&_PyRuntime.autoTSSkey, NULL);
        tstate->_status.bound_gilstate = 0;
    }
#else
    (void)tstate;
#endif
}

size_t internals_thread_stack_bytes(PyThreadState *tstate)
{
    return tstate->interp->threads.stacksize;
}

/* The instruction compares what is called with this before it does anything. */
void internals_call_list_append(PyThreadState *tstate)
{
#if PY_VERSION_HEX >= 0x030f0000
    tstate->interp->callable_cache.list_append = NULL;
#else
    (void)tstate;
#endif
}

int internals_is_lazy_import(const PyObject *object)
{
#if PY_VERSION_HEX >= 0x030f0000
    return PyLazyImport_CheckExact(object);
#else
    (void)object;
    return 0;
#endif
}

#if PY_VERSION_HEX >= 0x030d0000
/* The locks that all interpreters share. 3.11's are pthread mutexes, which the guard
 * counts; these are words of their own, and one that is torn is taken for ever. */
int internals_runtime_is_locked(void)
{
    const PyMutex *const locks[] = {
        &_PyRuntime.interpreters.mutex,
        &_PyRuntime.allocators.mutex,
        &_PyRuntime.ceval.pending_mainthread.mutex,
#if PY_VERSION_HEX >= 0x030e0000
        &_PyRuntime.xi.data_lookup.registry.mutex,
#else
        &_PyRuntime.ceval.sys_trace_profile_mutex,
        &_PyRuntime.xi.registry.mutex,
#endif
        &_PyRuntime.imports.extensions.mutex,
        &_PyRuntime.unicode_state.ids.mutex,
        &_PyRuntime.audit_hooks.mutex,
    };

    for (size_t i = 0; i < sizeof locks / sizeof *locks; i++)
        if (__atomic_load_n(&locks[i]->_bits, __ATOMIC_RELAXED) & 1)
            return 1;
    return 0;
}
#else
int internals_runtime_is_locked(void)
{
    return 0;
}
#endif

#if PYTHON_OWN_GIL
void internals_let_go(PyThreadState *tstate)
{
    if (PyThreadState_GetUnchecked())
        PyEval_SaveThread();
    (void)tstate;
}
#else
/* The jump may have come between taking the GIL and becoming current. CPython's import lock, which
 * a session takes at its birth only, is by thread and asks for no GIL. */
void internals_let_go(PyThreadState *tstate)
{
    PyThreadState *current = _PyThreadState_UncheckedGet();

    while (_PyImport_ReleaseLock() > 0)
        ;
    if (current != tstate) {
        if (current || internals_gil_holder() != tstate)
            return; /* detached, in a call that had let go by itself */
        PyThreadState_Swap(tstate);
    }
    PyEval_SaveThread();
}

/* In a list of its own: a dict that is in none would be put into one again when it changes. */
void internals_take_from_collector(PyObject *object)
{
    if (!PyObject_IS_GC(object))
        return;
    PyGC_Head *head = _Py_AS_GC(object);
    if (_PyObject_GC_IS_TRACKED(object))
        _PyObject_GC_UNTRACK(object);
    _PyGCHead_SET_NEXT(head, head);
    _PyGCHead_SET_PREV(head, head);
}

PyThreadState *internals_gil_holder(void)
{
    struct _gil_runtime_state *gil = &_PyRuntime.ceval.gil;
    if (!atomic_load(&gil->locked._value))
        return NULL;
    return (PyThreadState *)atomic_load(&gil->last_holder._value);
}

int internals_is_gil_word(uintptr_t address)
{
    uintptr_t gil = (uintptr_t)&_PyRuntime.ceval.gil;
    return address >= gil && address < gil + sizeof _PyRuntime.ceval.gil;
}

uint64_t internals_gil_turns(void)
{
    return __atomic_load_n(&_PyRuntime.ceval.gil.switch_number, __ATOMIC_RELAXED);
}

void internals_ask_to_drop_gil(PyThreadState *holder)
{
    struct _ceval_state *ceval = &holder->interp->ceval;
    atomic_store(&ceval->gil_drop_request._value, 1);
    atomic_store(&ceval->eval_breaker._value, 1);
}
#endif

#if PY_VERSION_HEX >= 0x030d0000
static size_t take_nodes(void **nodes, const struct _obmalloc_usage *usage)
{
    size_t count = 0, wanted = (size_t)usage->arena_map_mid_count, found = 0;

    for (size_t i = 0; i < MAP_TOP_LENGTH && found < wanted; i++) {
        arena_map_mid_t *mid = usage->arena_map_root.ptrs[i];
        if (!mid)
            continue;
        found++;
        for (size_t j = 0; j < MAP_MID_LENGTH; j++)
            if (mid->ptrs[j])
                nodes[count++] = mid->ptrs[j];
        nodes[count++] = mid;
    }

    return count;
}

void **internals_take_allocator(PyThreadState *tstate)
{
    const struct _obmalloc_state *state = tstate->interp->obmalloc;
    const struct _obmalloc_usage *usage = &state->usage;
    size_t most = (size_t)usage->arena_map_mid_count + (size_t)usage->arena_map_bot_count + 2;
    void **nodes = calloc(most, sizeof *nodes);

    /* With a block leaked, CPython is sure to leave all of it to us. */
    if (!nodes || !PyObject_Malloc(1)) {
        free(nodes);
        return NULL;
    }

    nodes[0] = state->mgmt.arenas;
    take_nodes(nodes + 1, usage);
    return nodes;
}
#else
void **internals_take_allocator(PyThreadState *tstate)
{
    (void)tstate;
    return NULL;
}
#endif
