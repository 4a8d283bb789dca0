/* What the static programs put into libpython: py/core/poll.c, py/core/in_allocator.c,
 * py/life/archive.py. */
#include "py/core/home.h"
#include "worker.h"

#include "py/core/in_allocator.h"
#include "py/core/state.h"
#include "py/life/runtime.h"

#include <dlfcn.h>

/* A session as far as poll.c looks at it. */
static interp session;

static void *enter(void)
{
    void *main_interpreter;
    assert_int_equal(runtime_start(NULL, 0), SNUG_OK);
    assert_int_equal(home_enter_main(&main_interpreter), SNUG_OK);
    session = (interp){ .stopped = PyExc_KeyboardInterrupt };
    return main_interpreter;
}

static void leave(void *main_interpreter)
{
    interp_current = NULL;
    PyErr_Clear();
    home_leave_main(main_interpreter);
}

static void begin_stop(void)
{
    interp_current = &session;
    atomic_store(&session.stop.reason, STOP_TIMEOUT);
}

static void assert_stopped(void)
{
    assert_true(PyErr_ExceptionMatches(session.stopped));
    PyErr_Clear();
}

static PyObject *evaluate(const char *text)
{
    PyObject *names = PyDict_New();
    PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins());
    PyObject *value = PyRun_String(text, Py_eval_input, names, names);
    Py_DECREF(names);
    assert_non_null(value);
    return value;
}

static int (*probe(const char *name))(void)
{
    void *library = dlopen(PROBE, RTLD_NOW);
    assert_non_null(library);
    void *found = dlsym(library, name);
    assert_non_null(found);
    return (int (*)(void))(uintptr_t)found;
}

TEST(a_session_that_is_being_stopped_is_told)
{
    static int (*const functions[])(void) = { PyErr_CheckSignals, Py_MakePendingCalls };
    void *python = enter();
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(functions[i](), 0);
        interp_current = &session;
        atomic_store(&session.stop.reason, STOP_NONE);
        assert_int_equal(functions[i](), 0);
        begin_stop();
        assert_int_equal(functions[i](), -1);
        assert_stopped();
        interp_current = NULL; /* no session's thread */
        assert_int_equal(functions[i](), 0);
    }
    leave(python);
}

TEST(an_extension_module_is_told_too)
{
    static const char *const names[] = { "probe_check_signals", "probe_make_pending_calls" };
    void *python = enter();
    for (size_t i = 0; i < 2; i++) {
        int (*ask)(void) = probe(names[i]);
        interp_current = NULL;
        assert_int_equal(ask(), 0);
        begin_stop();
        assert_int_equal(ask(), -1);
        assert_stopped();
    }
    leave(python);
}

TEST(a_long_match_ends)
{
    void *python = enter();
    /* Backtracks four million times if nothing stops it. */
    PyObject *pattern = evaluate("__import__('re').compile('(a+)+$')");
    PyObject *text = evaluate("'a' * 21 + 'b'");
    begin_stop();
    assert_null(PyObject_CallMethod(pattern, "match", "O", text));
    assert_stopped();
    Py_DECREF(pattern);
    Py_DECREF(text);
    leave(python);
}

TEST(a_long_division_ends)
{
    void *python = enter();
    PyObject *dividend = evaluate("1 << 200000"), *divisor = evaluate("(1 << 100000) + 1");
    begin_stop();
    assert_null(PyNumber_FloorDivide(dividend, divisor));
    assert_stopped();
    Py_DECREF(dividend);
    Py_DECREF(divisor);
    leave(python);
}

/* Calls the method that blocks, and ends with the exception. */
static void block(worker *w)
{
    const char *const *what = w->data;
    void *python = enter();
    PyObject *object = evaluate(what[0]);
    interp_current = &session;
    atomic_store(&w->is_inside, 1);
    PyObject *answer = PyObject_CallMethod(object, what[1], NULL);
    assert_null(answer);
    assert_stopped();
    Py_DECREF(object);
    leave(python);
    atomic_fetch_add(&w->count, 1);
}

TEST(a_wait_ends_with_a_kick)
{
    /* In libpython, and in _queue, a module of lib-dynload. */
    static const char *const waits[][2] = {
        { "(lambda lock: (lock.acquire(), lock)[1])(__import__('_thread').allocate_lock())",
          "acquire" },
        { "__import__('_queue').SimpleQueue()", "get" },
    };
    install_guards();
    for (size_t i = 0; i < 2; i++) {
        const char *const *what = waits[i];
        worker w = { .data = (void *)(uintptr_t)what };
        worker_start(&w, block);
        wait_for(&w.is_inside);
        atomic_store(&session.stop.reason, STOP_TIMEOUT);
        atomic_store(&w.g.stage, GUARD_INTERRUPT);
        while (!atomic_load(&w.has_ended)) {
            guard_kick(&w.g);
            sched_yield();
        }
        assert_int_equal(worker_join(&w), GUARD_RETURNED);
        assert_int_equal(w.count, 1);
    }
}

/* ---- busy ---- */

static int arenas, busy_arenas;
static PyObjectArenaAllocator before;

/* A function below the allocator, asked about a place in its caller. */
__attribute__((noinline)) static int is_caller_busy(void)
{
    return busy_in_allocator((uintptr_t)__builtin_return_address(0), __builtin_frame_address(0));
}

static void *map_arena(void *context, size_t bytes)
{
    arenas++;
    busy_arenas += is_caller_busy();
    return before.alloc(context, bytes);
}

TEST(who_maps_an_arena_is_busy)
{
    enum { MOST = 100000 };
    void *python = enter();
    void **blocks = calloc(MOST, sizeof *blocks);
    busy_init();
    PyObject_GetArenaAllocator(&before);
    PyObjectArenaAllocator ours = { before.ctx, map_arena, before.free };
    PyObject_SetArenaAllocator(&ours);
    size_t count = 0;
    while (count < MOST && arenas < 3)
        blocks[count++] = PyObject_Malloc(512);
    PyObject_SetArenaAllocator(&before);
    while (count > 0)
        PyObject_Free(blocks[--count]);
    free(blocks);
    assert_int_equal(arenas, 3);
    assert_int_equal(busy_arenas, 3);
    leave(python);
}

TEST(a_place_in_the_allocator_is_busy)
{
    static const uintptr_t nothing[256];
    static void *const functions[] = {
        (void *)(uintptr_t)PyObject_Malloc,  (void *)(uintptr_t)PyObject_Free,
        (void *)(uintptr_t)PyMem_Malloc,     (void *)(uintptr_t)PyMem_Realloc,
        (void *)(uintptr_t)PyObject_Realloc, (void *)(uintptr_t)PyMem_Free
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        assert_true(busy_in_allocator((uintptr_t)functions[i] + 4, nothing));
    assert_false(busy_in_allocator((uintptr_t)PyList_New + 4, nothing));
    assert_false(busy_in_allocator((uintptr_t)malloc + 4, nothing));
    assert_false(busy_in_allocator((uintptr_t)block, nothing));
}

TEST(what_an_earlier_call_left_on_the_stack_is_not_busy)
{
    volatile uintptr_t left[4];
    for (size_t i = 0; i < 4; i++)
        left[i] = (uintptr_t)PyObject_Malloc + 20;
    assert_false(is_caller_busy());
    assert_true(left[3] != 0);
}

/* Never lets the thread go, and counts. */
static int ask_and_stay(guard *g, uintptr_t pc, const uintptr_t *sp)
{
    worker *w = g->owner;
    atomic_fetch_add(&w->kicks, 1);
    atomic_fetch_add(&w->count, busy_in_allocator(pc, sp));
    return 1;
}

static void allocate(worker *w)
{
    void *python = enter();
    PyObject *function = evaluate("lambda: [[i] for i in range(40)]");
    atomic_store(&w->is_inside, 1);
    /* The places of kicks are chance, so it goes on until there were enough. */
    while (atomic_load(&w->kicks) < 500 || atomic_load(&w->count) == 0)
        for (int i = 0; i < 1000; i++)
            Py_DECREF(PyObject_CallNoArgs(function));
    Py_DECREF(function);
    leave(python);
}

TEST(a_kick_may_ask_anywhere_in_python)
{
    worker w = { .g.is_busy = ask_and_stay };
    install_guards();
    busy_init();
    worker_start(&w, allocate);
    wait_for(&w.is_inside);
    atomic_store(&w.g.stage, GUARD_JUMP);
    while (!atomic_load(&w.has_ended)) {
        guard_kick(&w.g);
        sched_yield();
    }
    assert_int_equal(worker_join(&w), GUARD_RETURNED);
    assert_in_range(w.count, 1, w.kicks - 1);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
