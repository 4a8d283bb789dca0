/*
 * cell.c - interp_run: the way of a cell on its session's thread.
 *
 *     source checks -> code from the cache, or compiled -> evaluate -> value ->
 *     history -> error from the exception -> outcome
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "policy/source.h"
#include "py/cell/compile.h"
#include "py/cell/failure.h"
#include "py/cell/magic.h"
#include "py/core/cell_notes.h"
#include "py/core/fixed.h"
#include "py/core/raised.h"
#include "py/core/state.h"
#include "py/core/stopping.h"
#include "py/core/valuetext.h"
#include "py/guard/gate.h"
#include "py/host/stdstream.h"
#include "py/running/threads.h"
#include "py/surface/fullmain.h"
#include "py/surface/patch_py.h"
#include "py/value/show.h"
#include "py/value/value.h"

enum {
    CELL_FLAGS = PyCF_SOURCE_IS_UTF8 | PyCF_IGNORE_COOKIE | PyCF_ALLOW_TOP_LEVEL_AWAIT,
};

typedef struct cell_run {
    outcome *out;
    interp *in;
    const char *source;
    size_t len;
    uint64_t number;
    const cell_limits *limits;
    uint64_t hash;         /* of the source as it was sent, or as it was prepared */
    codecache_entry *sent; /* of what was sent; NULL: it is prepared first */
    PyObject *rebound;     /* see changes_take */
    int error;
} cell_run;

/* ---- code ---- */

/* The source of cell n for tracebacks and linecache; n comes in growing order. */
static int remember_source(interp *in, uint64_t number, PyObject *source)
{
    if (number > in->source_cap) {
        size_t cap = in->source_cap ? in->source_cap * 2 : 16;
        while (cap < number)
            cap *= 2;
        PyObject **grown = realloc(in->sources, cap * sizeof *grown);
        if (!grown) {
            PyErr_NoMemory();
            return -1;
        }
        memset(grown + in->source_cap, 0, (cap - in->source_cap) * sizeof *grown);
        in->sources = grown;
        in->source_cap = cap;
    }

    Py_XSETREF(in->sources[number - 1], Py_NewRef(source));
    if (number > in->source_count)
        in->source_count = number;
    return 0;
}

/* `task = asyncio.create_task(f())` needs a loop that runs, as in a notebook, though
 * it awaits nothing itself. A cell with asyncio.run, which needs that none does, has its
 * way: it may name both, to find out where it is. */
enum { TASK = 1, ASYNCIO = 2, RUN = 4 };

static unsigned classify_names(PyObject *code)
{
    static const struct {
        const char *name;
        Py_ssize_t len; /* what nearly every other name differs in */
        unsigned means;
    } known[] = {
        { "create_task", 11, TASK },       { "ensure_future", 13, TASK },
        { "get_running_loop", 16, TASK },  { "asyncio", 7, ASYNCIO },
        { "run_until_complete", 18, RUN }, { "run", 3, RUN },
    };
    unsigned found = 0;
    PyObject *names = ((PyCodeObject *)code)->co_names;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        Py_ssize_t len = PyUnicode_GET_LENGTH(name);
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (len == known[k].len && PyUnicode_CompareWithASCIIString(name, known[k].name) == 0)
                found |= known[k].means;
    }

    return found;
}

static int compile_source(cell_code *own, cell_run *cell, const source_text *text, PyObject *source,
                          PyObject *filename, int flags)
{
    interp *in = cell->in;

    if (magic_compile(own, in, text->text, text->len, filename, flags) != 0) {
        compile_explain(in, text->text, text->len, filename);
        return -1;
    }

    own->rebound = changes_stored_again(own->code);
    own->words = classify_names(own->code);
    codecache_entry *entry = codecache_add(&in->cache, cell->hash, source, flags, in->number, own);
    if (entry)
        entry->is_as_sent = text->text == cell->source && text->len == cell->len &&
                            PyUnicode_IS_COMPACT_ASCII(source);

    return 0;
}

/* A reference of our own to what is in the cache: the cell may push the entry out while it runs. */
static void share_code(cell_code *own, codecache_entry *entry, uint64_t number, PyObject *filename)
{
    if (entry->number != number)
        cell_code_rename(&entry->code, filename);
    entry->number = number;
    *own = entry->code;
    Py_INCREF(own->code);
    Py_XINCREF(own->rebound);
    Py_XINCREF(own->magic);
}

/* From the cache, or made and put there. The caller clears *own. -1 with an exception. */
static int find_or_compile(cell_code *own, cell_run *cell, const source_text *text,
                           PyObject *source, PyObject *filename)
{
    interp *in = cell->in;
    int flags = CELL_FLAGS | in->compiler_flags;
    codecache_entry *entry = cell->sent;

    if (!entry)
        entry = codecache_find(&in->cache, cell->hash, source, flags);
    if (entry)
        share_code(own, entry, in->number, filename);
    else if (compile_source(own, cell, text, source, filename, flags) != 0)
        return -1;

    in->compiler_flags = own->flags_after & PyCF_MASK;
    return 0;
}

/* ---- evaluation ---- */

/* The runner of frozen/loop.py, made at the first await. Borrowed. */
static PyObject *async_runner(interp *in)
{
    if (in->run_async)
        return in->run_async;

    PyObject *asyncio = gate_load(in, "asyncio"), *module = NULL;
    if (asyncio)
        module = gate_load(in, "_snug_loop");
    if (module)
        in->run_async = PyObject_GetAttrString(module, "run");
    Py_XDECREF(module);
    Py_XDECREF(asyncio);
    return in->run_async;
}

static int wants_loop(const interp *in, PyObject *code, unsigned words)
{
    if (((PyCodeObject *)code)->co_flags & CO_COROUTINE)
        return 1;
    if (in->knows_asyncio)
        words |= ASYNCIO;
    return words == (TASK | ASYNCIO);
}

/* In one run of the event loop. */
static PyObject *evaluate_in_loop(interp *in, PyObject *code)
{
    PyObject *runner = async_runner(in);
    if (!runner)
        return NULL;
    return PyObject_CallOneArg(runner, code);
}

/* A stop can hit after the value was left. Keeps the exception that is set. */
static void drop_value(interp *in)
{
    raised_exception aside = raised_set_aside();
    Py_XDECREF(python_take(in->main, in->value_name, Py_None));
    raised_put_back(aside);
}

static PyObject *evaluate_code(interp *in, PyObject *code, unsigned words)
{
    if (wants_loop(in, code, words))
        return evaluate_in_loop(in, code);
    return PyEval_EvalCode(code, in->main, in->main);
}

PyObject *cell_evaluate(interp *in, PyObject *code)
{
    return evaluate_code(in, code, classify_names(code));
}

/* Under its %%magic. *has_value: whether what it leaves is to be shown. */
static PyObject *evaluate_under_magic(int *has_value, interp *in, const cell_code *code)
{
    int shows = magic_run(in, code);
    if (shows == 0)
        drop_value(in);
    *has_value = code->has_value && shows > 0;
    if (shows < 0)
        return NULL;
    return Py_NewRef(Py_None);
}

/* The value of the last expression; NULL with an exception. None where there is
 * nothing to show. */
static PyObject *evaluate_to_value(interp *in, const cell_code *code)
{
    int has_value = code->has_value;
    PyObject *answer;

    if (code->magic)
        answer = evaluate_under_magic(&has_value, in, code);
    else
        answer = evaluate_code(in, code->code, code->words);

    /* A handler that swallowed the stop may have been the last to run. */
    if (answer && interp_check_stop(in) != 0)
        Py_CLEAR(answer);
    if (!answer)
        drop_value(in);
    if (!answer || !has_value)
        return answer;

    Py_DECREF(answer);
    /* None, too, where a cell has emptied its namespace while the loop ended. */
    return python_take(in->main, in->value_name, Py_None);
}

/* ---- history ---- */

/* A cell that uses _ as a name of its own keeps it, as in IPython. */
static int owns_last_names(interp *in)
{
    PyObject *now = PyDict_GetItemWithError(in->main, in->last_names[0]); /* borrowed */
    return now && now != in->last[0];
}

static int shift_last_values(interp *in, PyObject *value)
{
    if (owns_last_names(in))
        return 0;
    Py_XSETREF(in->last[2], in->last[1]);
    in->last[1] = in->last[0];
    in->last[0] = Py_NewRef(value);
    for (int i = 0; i < 3; i++)
        if (in->last[i] && PyDict_SetItem(in->main, in->last_names[i], in->last[i]) != 0)
            return -1;

    return 0;
}

/* Drops Out[n] and _n; there may be none. The guest may have set any value there, but the name
 * under which a cell's is left is not its to have. */
static int forget_value(interp *in, uint64_t n)
{
    PyObject *none = in->value_name, *name = NULL, *value = NULL;
    int failed = -1;

    PyObject *number = PyLong_FromUnsignedLongLong(n);
    if (!number)
        return -1;

    value = python_take(in->out_dict, number, none);
    if (!value)
        goto done;

    if (value != none) {
        name = adopt_numbered("_", n, "");
        if (!name)
            goto done;
        Py_XDECREF(python_take(in->main, name, none));
        PyErr_Clear(); /* a key of the guest's that cannot be compared */
    }

    failed = 0;

done:
    Py_XDECREF(value);
    Py_XDECREF(name);
    Py_DECREF(number);
    return failed;
}

enum { KEPT_VALUES = 1000 };

static int add_to_history(interp *in, PyObject *value)
{
    int failed = -1;
    PyObject *number = PyLong_FromUnsignedLongLong(in->number);
    PyObject *name = adopt_numbered("_", in->number, "");

    if (!number || !name)
        goto done;

    if (PyDict_SetItem(in->out_dict, number, value) != 0)
        goto done;
    if (PyDict_SetItem(in->main, name, value) != 0)
        goto done;

    failed = shift_last_values(in, value);

done:
    Py_XDECREF(number);
    Py_XDECREF(name);
    return failed;
}

/* Out[n], _n, _, __ and ___. Out stops growing at KEPT_VALUES: the oldest goes. */
static int remember_value(interp *in, PyObject *value)
{
    if (in->is_aside)
        return 0;

    Py_ssize_t before = PyDict_GET_SIZE(in->main);
    int failed = add_to_history(in, value);
    while (!failed && PyDict_GET_SIZE(in->out_dict) > KEPT_VALUES && in->forgotten < in->number)
        failed = forget_value(in, ++in->forgotten);
    changes_expect(in, PyDict_GET_SIZE(in->main) - before);
    return failed;
}

/* ---- the cell ---- */

/* One that memory ran out for is left out, as by value_json. */
static void shown_json(outcome *out, uint64_t max_bytes)
{
    if (out->value.len <= max_bytes)
        (void)str_append(&out->value_json, out->value.data, out->value.len);
}

static int show_value(outcome *out, interp *in, PyObject *value, const cell_limits *limits)
{
    int is_shown;

    if (value == Py_None)
        return 0;
    if (show_rich(&out->rich, &is_shown, in, value) != 0)
        return -1;
    if (is_shown)
        return remember_value(in, value);
    if (show_text(&out->value, in, value, limits->value_bytes) != 0 ||
        value_type(&out->value_type, value) != 0)
        return -1;

    out->has_value = 1;
    if (PyLong_CheckExact(value)) /* the text is JSON, if it was not clipped */
        shown_json(out, limits->value_bytes);
    else
        value_json(&out->value_json, value, limits->value_bytes);

    return remember_value(in, value);
}

/* Of a cell that failed too, unless it was stopped: then the figures are gone. */
static int show_figures(interp *in, PyObject *value)
{
    if (!in->options.is_full || stopping_is_asked(in))
        return 0;

    raised_exception before = raised_set_aside();
    /* pandas imports matplotlib when it first draws, without an import statement of a cell. */
    int has_more = PyDict_GET_SIZE(PyImport_GetModuleDict()) != in->modules_seen;
    int failed = has_more && module_hooks.on_import(in) != 0;
    if (!failed && in->knows_matplotlib)
        failed = fullmain_show_figures(in, value) != 0;
    if (raised_is_any(before)) {
        raised_put_back(before);
        return 0;
    }

    return failed ? -1 : 0;
}

/* For tracebacks, linecache and In[n]. */
static int note_source(interp *in, PyObject *source, PyObject *filename)
{
    if (remember_source(in, in->number, source) != 0)
        return -1;
    if (adopt_cell(in, filename, source) != 0)
        return -1;
    if (in->is_aside)
        return 0;
    return PyList_Append(in->in_list, source);
}

/* Compiles the source, evaluates it, and shows the value. -1 with an exception. */
static int evaluate_source(cell_run *cell, const source_text *text)
{
    interp *in = cell->in;
    cell_code own = { 0 };
    int failed = -1;
    PyObject *source, *filename = NULL, *value = NULL;

    if (cell->sent)
        source = Py_NewRef(cell->sent->source);
    else
        source = PyUnicode_DecodeUTF8(text->text, (Py_ssize_t)text->len, NULL);

    if (!source)
        goto done;

    filename = adopt_filename(in->number);
    if (!filename || note_source(in, source, filename) != 0)
        goto done;

    if (in->has_figures) {
        in->has_figures = 0;
        fullmain_drop_figures(in);
    }

    stopping_allow_handling(in, 1);
    if (find_or_compile(&own, cell, text, source, filename) == 0)
        value = evaluate_to_value(in, &own);

    /* What they still do belongs to the value. */
    if (threads_wait(in) != 0)
        Py_CLEAR(value);
    stopping_allow_handling(in, 0);
    if (show_figures(in, value) != 0)
        Py_CLEAR(value);
    stdstream_flush(in);
    if (value)
        failed = show_value(cell->out, in, value, cell->limits);
    cell->rebound = Py_XNewRef(own.rebound);

done:
    Py_XDECREF(value);
    Py_XDECREF(filename);
    Py_XDECREF(source);
    cell_code_clear(&own);
    return failed;
}

static void begin_cell(interp *in, uint64_t number)
{
    in->number = number;
    notes_begin(in);
    threads_begin(in);
}

/* A line of a cell and one of the next can have the same number: what the one warned of
 * must be shown for the other too. As IPython does it; here only where something was
 * shown, so that other cells do not look for the name. */
static void forget_warnings(interp *in)
{
    if (in->options.output->streams[CAPTURE_STDERR].total_bytes > 0 &&
        PyDict_DelItemString(in->main, "__warningregistry__") != 0)
        PyErr_Clear();
}

/* The names of what runs aside go to a copy of the namespace. What else it does stays done. */
static int step_aside(cell_run *cell, PyObject **main)
{
    interp *in = cell->in;

    in->is_aside = cell->limits->is_aside != CELL_RECORDED;
    if (cell->limits->is_aside != CELL_ASIDE)
        return 0;
    PyObject *copy = PyDict_Copy(in->main);
    if (!copy)
        return -1;

    *main = in->main;
    in->main = copy;
    return 0;
}

/* The copy may be the last that holds an object of the guest's with a finalizer. */
static void step_back(interp *in, PyObject *main)
{
    in->is_aside = 0;
    if (!main)
        return;
    PyObject *copy = in->main;
    in->main = main;
    Py_DECREF(copy);
}

/* As source_prepare; what is in the cache as it was sent has passed it. */
static int prepare_source(source_text *text, source_fault *fault, cell_run *cell)
{
    interp *in = cell->in;

    if (cell->len <= cell->limits->source_bytes) {
        cell->hash = hash_bytes(cell->source, cell->len);
        cell->sent = codecache_find_sent(&in->cache, cell->hash, cell->source, cell->len,
                                         CELL_FLAGS | in->compiler_flags);
    }

    if (cell->sent) {
        *text = (source_text){ .text = cell->source, .len = cell->len };
        return 1;
    }

    int answer = source_prepare(text, fault, cell->source, cell->len, cell->limits->source_bytes);
    if (answer > 0 && (text->text != cell->source || text->len != cell->len))
        cell->hash = hash_bytes(text->text, text->len);
    return answer;
}

/* Compiled, evaluated and shown, aside where it is to be. Answers -1 with an exception. */
static int carry_out(cell_run *cell, const source_text *text, PyObject **main)
{
    if (interp_check_stop(cell->in) != 0)
        return -1;
    if (step_aside(cell, main) != 0)
        return -1;
    return evaluate_source(cell, text);
}

static int settle_addresses(outcome *out, interp *in)
{
    str *const texts[] = { &out->value, &out->value_json, &out->error_value, &out->traceback };
    int error = SNUG_OK;

    if (!in->options.fixed.has_seed)
        return SNUG_OK;
    for (size_t i = 0; !error && i < sizeof texts / sizeof *texts; i++)
        error = fixed_settle(in, texts[i]);
    return error ? error_no_memory() : SNUG_OK;
}

/* (guarded) The cell proper. */
static void fill_outcome(void *arg)
{
    cell_run *cell = arg;
    interp *in = cell->in;
    int has_failed = 0, flags = in->compiler_flags;
    PyObject *main = NULL;
    source_text text;
    source_fault fault;

    int is_source = prepare_source(&text, &fault, cell);

    begin_cell(in, cell->number);
    if (is_source < 0)
        cell->error = error_no_memory();
    else if (!is_source)
        cell->error = failure_of_source(cell->out, in, &fault, cell->source, cell->len,
                                        cell->limits->is_aside);
    else if (carry_out(cell, &text, &main) != 0)
        has_failed = 1;

    /* Finalizers and the value's repr may have started some. */
    if (threads_wait(in) != 0) {
        outcome_free(cell->out);
        has_failed = 1;
    }

    threads_end(in);
    if (has_failed)
        cell->error = failure_take(cell->out, in);
    forget_warnings(in);

    /* One that only a finalizer saw, or a handler that swallowed it. */
    if (cell->error == SNUG_OK)
        cell->error = failure_of_late_stop(cell->out, in);
    if (stdstream_finish(in) != SNUG_OK && cell->error == SNUG_OK)
        cell->error = error_no_memory();
    if (cell->error == SNUG_OK)
        cell->error = settle_addresses(cell->out, in);
    step_back(in, main);
    if (cell->limits->is_aside == CELL_ASIDE)
        in->compiler_flags = flags;

    cell->out->most_change_bytes = cell->limits->list_bytes;
    changes_take(cell->out, in, cell->rebound);
    Py_CLEAR(cell->rebound);
    notes_hand_over(cell->out, in);
    source_free(&text);
}

int interp_run(outcome *out, interp *in, const char *source, size_t len, uint64_t number,
               const cell_limits *limits)
{
    cell_run cell = {
        .out = out, .in = in, .source = source, .len = len, .number = number, .limits = limits
    };
    guard_end end;
    int signal_or_status = 0;

    *out = (outcome){ 0 };
    if (in->options.memory)
        memory_begin(in->options.memory);
    int error = interp_guarded(in, fill_outcome, &cell, &end, &signal_or_status);
    if (error) {
        /* Torn while it was being written: what it holds is lost with the rest. */
        *out = (outcome){ 0 };
        failure_of_loss(out, in, end, signal_or_status);
        return error;
    }

    return cell.error;
}
