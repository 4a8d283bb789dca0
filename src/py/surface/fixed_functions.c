/*
 * What is replaced is the pointer in CPython's tables of methods, which all interpreters of the
 * process share, and so also what other modules took over by name. The replacement asks whose the
 * calling thread is: in a session without a clock or a seed it passes the call on.
 */
#include "py/surface/fixed_functions.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "py/core/fixed.h"
#include "py/surface/fixed_random.h"

/* ---- a call ---- */

/* As METH_... has it: O and NOARGS are called as VARARGS is. */
typedef enum call_form { CALL_PLAIN, CALL_KEYWORDS, CALL_FAST, CALL_FAST_KEYWORDS } call_form;

typedef struct call {
    struct function *function;
    call_form form;
    PyObject *self;
    PyObject *args, *keywords; /* a tuple and a dict; of PLAIN what METH_... says */
    PyObject *const *items;    /* of FAST and FAST_KEYWORDS */
    Py_ssize_t count;          /* of items, those that are given by name left out */
    PyObject *names;           /* of the others, a tuple; NULL: none */
} call;

typedef struct function {
    const char *module, *type, *name; /* type NULL: a function of the module */
    PyObject *(*answer)(const call *c);
    int flags;            /* METH_..., but for where it is bound */
    PyCFunction original; /* NULL: not met yet */
} function;

typedef PyObject *(*fast_function)(PyObject *self, PyObject *const *items, Py_ssize_t count);
typedef PyObject *(*fast_keyword_function)(PyObject *self, PyObject *const *items, Py_ssize_t count,
                                           PyObject *names);

static fast_function as_fast(PyCFunction original)
{
    return (fast_function)(void (*)(void))original;
}

static fast_keyword_function as_fast_keywords(PyCFunction original)
{
    return (fast_keyword_function)(void (*)(void))original;
}

static PyCFunctionWithKeywords as_keywords(PyCFunction original)
{
    return (PyCFunctionWithKeywords)(void (*)(void))original;
}

/* As it was called. */
static PyObject *pass_on(const call *c)
{
    PyCFunction original = c->function->original;

    switch (c->form) {
    case CALL_KEYWORDS:
        return as_keywords(original)(c->self, c->args, c->keywords);
    case CALL_FAST:
        return as_fast(original)(c->self, c->items, c->count);
    case CALL_FAST_KEYWORDS:
        return as_fast_keywords(original)(c->self, c->items, c->count, c->names);
    case CALL_PLAIN:
        break;
    }

    return original(c->self, c->args);
}

/* With other arguments, by position. Takes the tuple, which may be NULL with an exception. */
static PyObject *pass_tuple(const call *c, function *f, PyObject *args)
{
    call other = { .function = f, .form = c->form, .self = c->self, .args = args };
    if (!args)
        return NULL;

    if (f->flags & METH_FASTCALL) {
        other.form = f->flags & METH_KEYWORDS ? CALL_FAST_KEYWORDS : CALL_FAST;
        other.items = &PyTuple_GET_ITEM(args, 0);
        other.count = PyTuple_GET_SIZE(args);
    } else {
        other.form = f->flags & METH_KEYWORDS ? CALL_KEYWORDS : CALL_PLAIN;
    }

    if (f->flags & METH_O)
        other.args = PyTuple_GET_ITEM(args, 0);
    PyObject *answer = pass_on(&other);
    Py_DECREF(args);
    return answer;
}

static Py_ssize_t count_of(const call *c)
{
    if (c->form == CALL_FAST || c->form == CALL_FAST_KEYWORDS)
        return c->count;
    if (c->function->flags & METH_O)
        return 1;
    return c->function->flags & METH_VARARGS ? PyTuple_GET_SIZE(c->args) : 0;
}

static PyObject *positional(const call *c, Py_ssize_t at)
{
    if (at >= count_of(c))
        return NULL;
    if (c->form == CALL_FAST || c->form == CALL_FAST_KEYWORDS)
        return c->items[at];
    return c->function->flags & METH_O ? c->args : PyTuple_GET_ITEM(c->args, at);
}

/* Borrowed; NULL where it was not given. */
static PyObject *argument(const call *c, Py_ssize_t at, const char *name)
{
    PyObject *given = positional(c, at);
    if (given)
        return given;
    if (c->form == CALL_KEYWORDS && c->keywords)
        return PyDict_GetItemString(c->keywords, name);

    for (Py_ssize_t i = 0; c->names && i < PyTuple_GET_SIZE(c->names); i++)
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(c->names, i), name) == 0)
            return c->items[c->count + i];
    return NULL;
}

static int is_missing(const PyObject *given)
{
    return !given || given == Py_None;
}

/* ---- time ---- */

/* Of whole microseconds the nearest number: nanoseconds since 1970 do not fit into a double. */
static double as_seconds(uint64_t ns)
{
    return ns % 1000 == 0 ? (double)(ns / 1000) / 1e6 : (double)ns / 1e9;
}

static PyObject *seconds(uint64_t ns)
{
    return PyFloat_FromDouble(as_seconds(ns));
}

static PyObject *answer_now(const call *c)
{
    interp *in = fixed_clock_here();
    return in ? seconds(fixed_now_ns(in)) : pass_on(c);
}

static PyObject *answer_now_ns(const call *c)
{
    interp *in = fixed_clock_here();
    return in ? PyLong_FromUnsignedLongLong(fixed_now_ns(in)) : pass_on(c);
}

static PyObject *answer_elapsed(const call *c)
{
    interp *in = fixed_clock_here();
    return in ? seconds(fixed_elapsed_ns(in)) : pass_on(c);
}

static PyObject *answer_elapsed_ns(const call *c)
{
    interp *in = fixed_clock_here();
    return in ? PyLong_FromUnsignedLongLong(fixed_elapsed_ns(in)) : pass_on(c);
}

/* Of clock_gettime: 0 for a clock that is not known. */
static int read_clock(uint64_t *ns, interp *in, long number)
{
    switch (number) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
        *ns = fixed_now_ns(in);
        return 1;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
        *ns = fixed_elapsed_ns(in);
        return 1;
    default:
        return 0;
    }
}

/* What stands for a number is asked for it once: a second time it may name another clock. */
static PyObject *answer_of_clock(const call *c, PyObject *(*write)(uint64_t ns))
{
    interp *in = fixed_clock_here();
    PyObject *given = count_of(c) == 1 ? positional(c, 0) : NULL;
    int is_larger;
    uint64_t ns;
    if (!in || !given)
        return pass_on(c);

    PyObject *number = PyNumber_Index(given);
    if (!number)
        return NULL;
    if (read_clock(&ns, in, PyLong_AsLongAndOverflow(number, &is_larger))) {
        Py_DECREF(number);
        return write(ns);
    }
    PyObject *args = PyTuple_Pack(1, number);
    Py_DECREF(number);
    return pass_tuple(c, c->function, args);
}

static PyObject *answer_clock(const call *c)
{
    return answer_of_clock(c, seconds);
}

static PyObject *nanoseconds(uint64_t ns)
{
    return PyLong_FromUnsignedLongLong(ns);
}

static PyObject *answer_clock_ns(const call *c)
{
    return answer_of_clock(c, nanoseconds);
}

static PyObject *now_as_tuple(interp *in)
{
    return Py_BuildValue("(K)", (unsigned long long)(fixed_now_ns(in) / NS_PER_S));
}

/* gmtime, localtime and ctime, which take the time of now where none is given. */
static PyObject *answer_of_seconds(const call *c)
{
    interp *in = fixed_clock_here();
    if (!in || !is_missing(positional(c, 0)))
        return pass_on(c);
    return pass_tuple(c, c->function, now_as_tuple(in));
}

static PyObject *local_now(const call *c, interp *in);

static PyObject *answer_asctime(const call *c)
{
    interp *in = fixed_clock_here();
    if (!in || count_of(c) != 0)
        return pass_on(c);
    PyObject *now = local_now(c, in);
    PyObject *args = now ? PyTuple_Pack(1, now) : NULL;
    Py_XDECREF(now);
    return pass_tuple(c, c->function, args);
}

static PyObject *answer_strftime(const call *c)
{
    interp *in = fixed_clock_here();
    if (!in || count_of(c) != 1)
        return pass_on(c);
    PyObject *now = local_now(c, in);
    PyObject *args = now ? PyTuple_Pack(2, positional(c, 0), now) : NULL;
    Py_XDECREF(now);
    return pass_tuple(c, c->function, args);
}

/* ---- datetime ---- */

/* Exact: to a microsecond there are some four numbers of a double's. */
static PyObject *from_timestamp(const call *c, interp *in, PyObject *zone)
{
    double now = as_seconds(fixed_now_ns(in));
    if (zone)
        return PyObject_CallMethod(c->self, "fromtimestamp", "dO", now, zone);
    return PyObject_CallMethod(c->self, "fromtimestamp", "d", now);
}

static PyObject *answer_datetime_now(const call *c)
{
    interp *in = fixed_clock_here();
    PyObject *zone = argument(c, 0, "tz");
    Py_ssize_t given = count_of(c);
    if (c->names)
        given += PyTuple_GET_SIZE(c->names);
    else if (c->keywords)
        given += PyDict_GET_SIZE(c->keywords);
    if (!in || given != (zone ? 1 : 0))
        return pass_on(c);
    return from_timestamp(c, in, is_missing(zone) ? NULL : zone);
}

static PyObject *answer_today(const call *c)
{
    interp *in = fixed_clock_here();
    return in ? from_timestamp(c, in, NULL) : pass_on(c);
}

/* The original first: since 3.12 it warns. */
static PyObject *answer_utcnow(const call *c)
{
    interp *in = fixed_clock_here();
    PyObject *real = pass_on(c);
    struct tm at;
    if (!in || !real)
        return real;

    Py_DECREF(real);
    uint64_t ns = fixed_now_ns(in);
    time_t whole = (time_t)(ns / NS_PER_S);
    if (!gmtime_r(&whole, &at))
        return PyErr_SetFromErrno(PyExc_OSError);
    return PyObject_CallFunction(c->self, "iiiiiii", at.tm_year + 1900, at.tm_mon + 1, at.tm_mday,
                                 at.tm_hour, at.tm_min, at.tm_sec, (int)(ns % NS_PER_S / 1000));
}

/* ---- locks ---- */

/* Who waits for a lock until a time looks at the clock when the wait is over. */
static PyObject *answer_acquire(const call *c)
{
    PyObject *got = pass_on(c);
    PyObject *timeout = got == Py_False ? argument(c, 1, "timeout") : NULL;
    if (!timeout || !fixed_clock_here())
        return got;

    double limit = PyFloat_AsDouble(timeout);
    if (limit > 0 && limit < 9e9)
        fixed_advance((uint64_t)(limit * 1e9));
    PyErr_Clear();
    return got;
}

/* ---- random numbers ---- */

/* The original first, which judges the arguments. */
static PyObject *draw_bytes(const call *c)
{
    interp *in = fixed_seed_here();
    PyObject *real = pass_on(c);
    if (!in || !real || !PyBytes_CheckExact(real))
        return real;

    PyObject *bytes = PyBytes_FromStringAndSize(NULL, PyBytes_GET_SIZE(real));
    Py_DECREF(real);
    if (bytes)
        fixed_draw(in, PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes));
    return bytes;
}

/* Random() and random.seed() take a seed of the machine's. */
static PyObject *answer_seed(const call *c)
{
    interp *in = fixed_seed_here();
    unsigned long long drawn;
    if (!in || !is_missing(positional(c, 0)))
        return pass_on(c);
    fixed_draw(in, &drawn, sizeof drawn);
    return pass_tuple(c, c->function, Py_BuildValue("(K)", drawn));
}

/* The bytes of a UUID of version 1. */
enum { UUID_BYTES = 16, UUID_SEQUENCE = 8, NODE_BYTES = 6 };

static void put_big_endian(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--, value >>= 8)
        at[i] = (unsigned char)value;
}

static void put_time(unsigned char *uuid, uint64_t now_ns)
{
    /* From 1582, in steps of 100 ns. */
    uint64_t time = now_ns / 100 + UINT64_C(0x01b21dd213814000);
    put_big_endian(uuid, time & 0xffffffff, 4);
    put_big_endian(uuid + 4, time >> 32 & 0xffff, 2);
    put_big_endian(uuid + 6, (time >> 48 & 0x0fff) | 0x1000, 2);
}

/* A node that no network card has. */
static void put_node(unsigned char *uuid, const interp *in)
{
    uint64_t number = fixed_number(in, UUID_BYTES);
    put_big_endian(uuid + UUID_SEQUENCE, (number >> 48 & 0x3fff) | 0x8000, 2);
    put_big_endian(uuid + UUID_BYTES - NODE_BYTES, number | UINT64_C(0x010000000000), NODE_BYTES);
}

static PyObject *answer_uuid(const call *c)
{
    interp *timed = fixed_clock_here(), *seeded = fixed_seed_here();
    unsigned char uuid[UUID_BYTES];
    PyObject *real = pass_on(c);
    PyObject *bytes = real && PyTuple_Check(real) && PyTuple_GET_SIZE(real) > 0
                          ? PyTuple_GET_ITEM(real, 0)
                          : NULL;
    if ((!timed && !seeded) || !bytes || !PyBytes_Check(bytes) ||
        PyBytes_GET_SIZE(bytes) != UUID_BYTES)
        return real;

    memcpy(uuid, PyBytes_AS_STRING(bytes), sizeof uuid);
    Py_DECREF(real);
    if (timed)
        put_time(uuid, fixed_now_ns(timed));
    if (seeded)
        put_node(uuid, seeded);
    return Py_BuildValue("(y#O)", (const char *)uuid, (Py_ssize_t)sizeof uuid, Py_None);
}

/* ---- the table ---- */

#define FUNCTIONS(X)                                                       \
    X(TIME, "time", NULL, "time", answer_now)                              \
    X(TIME_NS, "time", NULL, "time_ns", answer_now_ns)                     \
    X(MONOTONIC, "time", NULL, "monotonic", answer_elapsed)                \
    X(MONOTONIC_NS, "time", NULL, "monotonic_ns", answer_elapsed_ns)       \
    X(PERF, "time", NULL, "perf_counter", answer_elapsed)                  \
    X(PERF_NS, "time", NULL, "perf_counter_ns", answer_elapsed_ns)         \
    X(PROCESS, "time", NULL, "process_time", answer_elapsed)               \
    X(PROCESS_NS, "time", NULL, "process_time_ns", answer_elapsed_ns)      \
    X(THREAD, "time", NULL, "thread_time", answer_elapsed)                 \
    X(THREAD_NS, "time", NULL, "thread_time_ns", answer_elapsed_ns)        \
    X(GETTIME, "time", NULL, "clock_gettime", answer_clock)                \
    X(GETTIME_NS, "time", NULL, "clock_gettime_ns", answer_clock_ns)       \
    X(GMTIME, "time", NULL, "gmtime", answer_of_seconds)                   \
    X(LOCALTIME, "time", NULL, "localtime", answer_of_seconds)             \
    X(CTIME, "time", NULL, "ctime", answer_of_seconds)                     \
    X(ASCTIME, "time", NULL, "asctime", answer_asctime)                    \
    X(STRFTIME, "time", NULL, "strftime", answer_strftime)                 \
    X(NOW, "_datetime", "datetime", "now", answer_datetime_now)            \
    X(UTCNOW, "_datetime", "datetime", "utcnow", answer_utcnow)            \
    X(TODAY, "_datetime", "date", "today", answer_today)                   \
    X(ACQUIRE, "_thread", "LockType", "acquire", answer_acquire)           \
    X(ACQUIRE_LOCK, "_thread", "LockType", "acquire_lock", answer_acquire) \
    X(ACQUIRE_AGAIN, "_thread", "RLock", "acquire", answer_acquire)        \
    X(URANDOM, "posix", NULL, "urandom", draw_bytes)                       \
    X(GETRANDOM, "posix", NULL, "getrandom", draw_bytes)                   \
    X(SEED, "_random", "Random", "seed", answer_seed)                      \
    X(UUID, "_uuid", NULL, "generate_time_safe", answer_uuid)

enum {
#define NUMBER(number, module, type, name, answer) number,
    FUNCTIONS(NUMBER) COUNT
};

/* The exception to "no file-level state": the tables of methods are the process's. */
static pthread_mutex_t replacing = PTHREAD_MUTEX_INITIALIZER;
static function functions[COUNT] = {
#define ROW(number, module, type, name, answer) { module, type, name, answer, 0, NULL },
    FUNCTIONS(ROW)
};

static PyObject *local_now(const call *c, interp *in)
{
    return pass_tuple(c, &functions[LOCALTIME], now_as_tuple(in));
}

/* ---- in their place ---- */

static PyObject *call_plain(int number, PyObject *self, PyObject *args)
{
    const call c = { &functions[number], CALL_PLAIN, self, args, NULL, NULL, 0, NULL };
    return functions[number].answer(&c);
}

static PyObject *call_keywords(int number, PyObject *self, PyObject *args, PyObject *keywords)
{
    const call c = { &functions[number], CALL_KEYWORDS, self, args, keywords, NULL, 0, NULL };
    return functions[number].answer(&c);
}

static PyObject *call_fast(int number, PyObject *self, PyObject *const *items, Py_ssize_t count)
{
    const call c = { &functions[number], CALL_FAST, self, NULL, NULL, items, count, NULL };
    return functions[number].answer(&c);
}

static PyObject *call_fast_keywords(int number, PyObject *self, PyObject *const *items,
                                    Py_ssize_t count, PyObject *names)
{
    const call c = {
        &functions[number], CALL_FAST_KEYWORDS, self, NULL, NULL, items, count, names
    };
    return functions[number].answer(&c);
}

/* A function of C has no data of its own: there is one for each row and form. */
#define ENTRIES(number, module, type, name, answer)                                          \
    static PyObject *plain_##number(PyObject *self, PyObject *args)                          \
    {                                                                                        \
        return call_plain(number, self, args);                                               \
    }                                                                                        \
    static PyObject *keywords_##number(PyObject *self, PyObject *args, PyObject *keywords)   \
    {                                                                                        \
        return call_keywords(number, self, args, keywords);                                  \
    }                                                                                        \
    static PyObject *fast_##number(PyObject *self, PyObject *const *items, Py_ssize_t count) \
    {                                                                                        \
        return call_fast(number, self, items, count);                                        \
    }                                                                                        \
    static PyObject *fast_keywords_##number(PyObject *self, PyObject *const *items,          \
                                            Py_ssize_t count, PyObject *names)               \
    {                                                                                        \
        return call_fast_keywords(number, self, items, count, names);                        \
    }
FUNCTIONS(ENTRIES)

#define AS_FUNCTION(entry) (PyCFunction)(void (*)(void))(entry)
static const PyCFunction entries[COUNT][CALL_FAST_KEYWORDS + 1] = {
#define ENTRY(number, module, type, name, answer)                                 \
    { plain_##number, AS_FUNCTION(keywords_##number), AS_FUNCTION(fast_##number), \
      AS_FUNCTION(fast_keywords_##number) },
    FUNCTIONS(ENTRY)
};

/* -1: none that is known. */
static int form_of(int flags)
{
    switch (flags) {
    case METH_NOARGS:
    case METH_O:
    case METH_VARARGS:
        return CALL_PLAIN;
    case METH_VARARGS | METH_KEYWORDS:
        return CALL_KEYWORDS;
    case METH_FASTCALL:
        return CALL_FAST;
    case METH_FASTCALL | METH_KEYWORDS:
        return CALL_FAST_KEYWORDS;
    default:
        return -1;
    }
}

static int refuse_form(const function *f)
{
    PyErr_Format(PyExc_RuntimeError, "%s.%s of this Python cannot be fixed", f->module, f->name);
    return -1;
}

static int replace(size_t number, PyMethodDef *method)
{
    function *f = &functions[number];
    int flags = method->ml_flags & ~(METH_CLASS | METH_STATIC | METH_COEXIST);
    int form = form_of(flags);
    if (form < 0)
        return refuse_form(f);

    pthread_mutex_lock(&replacing);
    if (!f->original) {
        f->flags = flags;
        f->original = method->ml_meth;
        __atomic_store_n(&method->ml_meth, entries[number][form], __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&replacing);
    return 0;
}

/* The row of the table that it was made of; NULL: it is not there, or is something else by now. */
static PyMethodDef *find_method(PyObject *module, const function *f)
{
    PyObject *found = PyDict_GetItemString(PyModule_GetDict(module), f->type ? f->type : f->name);
    PyMethodDef *method = NULL;
    if (!found)
        return NULL;
    if (!f->type)
        return PyCFunction_CheckExact(found) ? ((PyCFunctionObject *)found)->m_ml : NULL;

    PyObject *dict = PyType_Check(found) ? python_type_dict((PyTypeObject *)found) : NULL;
    PyObject *own = dict ? PyDict_GetItemString(dict, f->name) : NULL; /* borrowed */
    if (own && (Py_IS_TYPE(own, &PyMethodDescr_Type) || Py_IS_TYPE(own, &PyClassMethodDescr_Type)))
        method = ((PyMethodDescrObject *)own)->d_method;
    Py_XDECREF(dict);
    return method;
}

static int is_wanted(const interp *in)
{
    return in->options.fixed.clock_ms || in->options.fixed.has_seed;
}

int fixed_functions_adopt(interp *in, PyObject *module, const char *name)
{
    int failed = 0;

    if (!is_wanted(in))
        return 0;
    for (size_t i = 0; !failed && i < COUNT; i++) {
        if (strcmp(functions[i].module, name) != 0)
            continue;
        PyMethodDef *method = find_method(module, &functions[i]);
        if (method && strcmp(method->ml_name, functions[i].name) == 0)
            failed = replace(i, method) != 0;
    }

    if (!failed && in->options.fixed.has_seed && !strcmp(name, "_random"))
        failed = fixed_random_adopt(module) != 0;
    return failed ? -1 : 0;
}

/* ---- a session's beginning ---- */

/* What packages have drawn of the machine's before the session began. */
static int seed_again(const char *name, unsigned long number)
{
    PyObject *module = PyDict_GetItemString(PyImport_GetModuleDict(), name); /* borrowed */
    if (!module)
        return 0;
    PyObject *answer = PyObject_CallMethod(module, "seed", "k", number);
    Py_XDECREF(answer);
    return answer ? 0 : -1;
}

static int seed_loaded(interp *in)
{
    uint32_t drawn[2];

    if (!in->options.fixed.has_seed)
        return 0;
    fixed_draw(in, drawn, sizeof drawn);
    return seed_again("random", drawn[0]) != 0 ? -1 : seed_again("numpy.random", drawn[1]);
}

/* Of a full session all are loaded now: later nobody tells of them. A new reference, or NULL. */
static PyObject *find_module(const interp *in, const char *name)
{
    PyObject *module;
    if (in->options.is_full)
        module = PyImport_ImportModule(name);
    else
        module = Py_XNewRef(PyDict_GetItemString(PyImport_GetModuleDict(), name));
    PyErr_Clear();
    return module;
}

int fixed_functions_begin(interp *in)
{
    if (in->fixed.has_begun || !is_wanted(in))
        return 0;

    const char *before = "";
    for (size_t i = 0; i < COUNT; i++) {
        const char *name = functions[i].module;
        PyObject *module = strcmp(name, before) ? find_module(in, name) : NULL;
        int failed =
            module && PyModule_Check(module) && fixed_functions_adopt(in, module, name) != 0;
        before = name;
        Py_XDECREF(module);
        if (failed)
            return -1;
    }

    fixed_begin(in);
    return seed_loaded(in);
}
