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

/* ---- a call ---- */

/* What a row is of: the call is passed on in a session that does not have it. */
typedef enum fixed_part { CLOCK, SEED, EITHER } fixed_part;

typedef struct function function;

typedef struct call {
    interp *in;
    const function *f;
    PyObject *self;
    PyObject *args, *keywords; /* a tuple; a dict, or NULL */
} call;

struct function {
    const char *module, *type, *name; /* type NULL: a function of the module */
    fixed_part part;
    PyObject *(*answer)(const call *c);
    PyMethodDef original; /* without where it is bound; ml_meth NULL: not met yet */
};

static PyObject *pass_on(const call *c)
{
    PyMethodDef *method = (PyMethodDef *)(uintptr_t)&c->f->original;
    PyObject *original = PyCFunction_NewEx(method, c->self, NULL);
    PyObject *answer = original ? PyObject_Call(original, c->args, c->keywords) : NULL;

    Py_XDECREF(original);
    return answer;
}

/* With other arguments, to f. Takes the tuple, which may be NULL with an exception. */
static PyObject *pass_tuple(const call *c, const function *f, PyObject *args)
{
    const call other = { c->in, f, c->self, args, NULL };
    PyObject *answer = args ? pass_on(&other) : NULL;

    Py_XDECREF(args);
    return answer;
}

/* Where the first argument is missing, or None. */
static int has_no_argument(const call *c)
{
    return PyTuple_GET_SIZE(c->args) == 0 || PyTuple_GET_ITEM(c->args, 0) == Py_None;
}

/* ---- time ---- */

/* Of whole microseconds the nearest number: nanoseconds since 1970 do not fit into a double. */
static double as_seconds(uint64_t ns)
{
    return ns % 1000 == 0 ? (double)(ns / 1000) / 1e6 : (double)ns / 1e9;
}

static PyObject *answer_time(const function *f, uint64_t ns)
{
    const char *end = strrchr(f->name, '_');

    if (end && !strcmp(end, "_ns"))
        return PyLong_FromUnsignedLongLong(ns);
    return PyFloat_FromDouble(as_seconds(ns));
}

static PyObject *answer_now(const call *c)
{
    return answer_time(c->f, fixed_now_ns(c->in));
}

static PyObject *answer_elapsed(const call *c)
{
    return answer_time(c->f, fixed_elapsed_ns(c->in));
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
static PyObject *answer_clock(const call *c)
{
    int is_larger;
    uint64_t ns;

    if (PyTuple_GET_SIZE(c->args) != 1)
        return pass_on(c);
    PyObject *number = PyNumber_Index(PyTuple_GET_ITEM(c->args, 0));
    if (!number)
        return NULL;
    const int is_known = read_clock(&ns, c->in, PyLong_AsLongAndOverflow(number, &is_larger));
    PyObject *other = is_known ? NULL : PyTuple_Pack(1, number);
    Py_DECREF(number);
    return is_known ? answer_time(c->f, ns) : pass_tuple(c, c->f, other);
}

static PyObject *now_as_tuple(interp *in)
{
    return Py_BuildValue("(K)", (unsigned long long)(fixed_now_ns(in) / NS_PER_S));
}

/* gmtime, localtime and ctime, which take the time of now where none is given. */
static PyObject *answer_of_seconds(const call *c)
{
    if (!has_no_argument(c))
        return pass_on(c);
    return pass_tuple(c, c->f, now_as_tuple(c->in));
}

static const function *function_localtime(void);

/* asctime and strftime, which take the local time of now behind their other arguments. */
static PyObject *answer_of_local(const call *c)
{
    if (PyTuple_GET_SIZE(c->args) != !strcmp(c->f->name, "strftime"))
        return pass_on(c);
    PyObject *now = pass_tuple(c, function_localtime(), now_as_tuple(c->in));
    PyObject *last = now ? PyTuple_Pack(1, now) : NULL;
    PyObject *all = last ? PySequence_Concat(c->args, last) : NULL;
    Py_XDECREF(now);
    Py_XDECREF(last);
    return pass_tuple(c, c->f, all);
}

/* ---- datetime ---- */

/* Seconds are exact: to a microsecond there are some four numbers of a double's. */
static PyObject *answer_datetime_now(const call *c)
{
    static const char *const words[] = { "tz", NULL };
    PyObject *zone = Py_None;

    if (!PyArg_ParseTupleAndKeywords(c->args, c->keywords, "|O:now", (char **)(uintptr_t)words,
                                     &zone)) {
        PyErr_Clear();
        return pass_on(c);
    }
    return PyObject_CallMethod(c->self, "fromtimestamp", "dO", as_seconds(fixed_now_ns(c->in)),
                               zone);
}

static PyObject *answer_today(const call *c)
{
    return PyObject_CallMethod(c->self, "fromtimestamp", "d", as_seconds(fixed_now_ns(c->in)));
}

/* The original first: since 3.12 it warns. */
static PyObject *answer_utcnow(const call *c)
{
    PyObject *real = pass_on(c);
    struct tm at;
    if (!real)
        return NULL;

    Py_DECREF(real);
    uint64_t ns = fixed_now_ns(c->in);
    time_t whole = (time_t)(ns / NS_PER_S);
    if (!gmtime_r(&whole, &at))
        return PyErr_SetFromErrno(PyExc_OSError);
    return PyObject_CallFunction(c->self, "iiiiiii", at.tm_year + 1900, at.tm_mon + 1, at.tm_mday,
                                 at.tm_hour, at.tm_min, at.tm_sec, (int)(ns % NS_PER_S / 1000));
}

/* ---- locks ---- */

/* Whoever waits for a lock until a time looks at the clock when the wait is over. */
static PyObject *answer_acquire(const call *c)
{
    static const char *const words[] = { "blocking", "timeout", NULL };
    PyObject *got = pass_on(c), *blocking;
    double limit = 0;

    if (got != Py_False)
        return got;
    PyArg_ParseTupleAndKeywords(c->args, c->keywords, "|Od:acquire", (char **)(uintptr_t)words,
                                &blocking, &limit);
    PyErr_Clear();
    if (limit > 0 && limit < 9e9)
        fixed_advance((uint64_t)(limit * 1e9));
    return got;
}

/* ---- random numbers ---- */

/* The original first, which judges the arguments. */
static PyObject *draw_bytes(const call *c)
{
    PyObject *real = pass_on(c);
    if (!real || !PyBytes_CheckExact(real))
        return real;

    PyObject *bytes = PyBytes_FromStringAndSize(NULL, PyBytes_GET_SIZE(real));
    Py_DECREF(real);
    if (bytes)
        fixed_draw(c->in, PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes));
    return bytes;
}

/* random.seed() takes a seed of the machine's. */
static PyObject *answer_seed(const call *c)
{
    unsigned long long drawn;

    if (!has_no_argument(c))
        return pass_on(c);
    fixed_draw(c->in, &drawn, sizeof drawn);
    return pass_tuple(c, c->f, Py_BuildValue("(K)", drawn));
}

/* The bytes of a UUID of version 1. */
enum { UUID_BYTES = 16, UUID_SEQUENCE = 8, NODE_BYTES = 6 };

static void put_big_endian(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--, value >>= 8)
        at[i] = (unsigned char)value;
}

static PyObject *answer_uuid(const call *c)
{
    PyObject *real = pass_on(c);
    const int is_tuple = real && PyTuple_Check(real) && PyTuple_GET_SIZE(real) > 0;
    PyObject *bytes = is_tuple ? PyTuple_GET_ITEM(real, 0) : NULL;
    unsigned char uuid[UUID_BYTES];
    if (!bytes || !PyBytes_Check(bytes) || PyBytes_GET_SIZE(bytes) != UUID_BYTES)
        return real;

    memcpy(uuid, PyBytes_AS_STRING(bytes), sizeof uuid);
    Py_DECREF(real);
    if (fixed_clock_here()) {
        /* From 1582, in steps of 100 ns. */
        const uint64_t time = fixed_now_ns(c->in) / 100 + UINT64_C(0x01b21dd213814000);
        put_big_endian(uuid, time & 0xffffffff, 4);
        put_big_endian(uuid + 4, time >> 32 & 0xffff, 2);
        put_big_endian(uuid + 6, (time >> 48 & 0x0fff) | 0x1000, 2);
    }
    if (fixed_seed_here()) {
        /* A node that no network card has. */
        const uint64_t node = fixed_number(c->in, UUID_BYTES);
        put_big_endian(uuid + UUID_SEQUENCE, (node >> 48 & 0x3fff) | 0x8000, 2);
        put_big_endian(uuid + UUID_BYTES - NODE_BYTES, node | UINT64_C(0x010000000000), NODE_BYTES);
    }
    return Py_BuildValue("(y#O)", (const char *)uuid, (Py_ssize_t)sizeof uuid, Py_None);
}

/* ---- the table ---- */

#define FUNCTIONS(X)                                                              \
    X(TIME, CLOCK, "time", NULL, "time", answer_now)                              \
    X(TIME_NS, CLOCK, "time", NULL, "time_ns", answer_now)                        \
    X(MONOTONIC, CLOCK, "time", NULL, "monotonic", answer_elapsed)                \
    X(MONOTONIC_NS, CLOCK, "time", NULL, "monotonic_ns", answer_elapsed)          \
    X(PERF, CLOCK, "time", NULL, "perf_counter", answer_elapsed)                  \
    X(PERF_NS, CLOCK, "time", NULL, "perf_counter_ns", answer_elapsed)            \
    X(PROCESS, CLOCK, "time", NULL, "process_time", answer_elapsed)               \
    X(PROCESS_NS, CLOCK, "time", NULL, "process_time_ns", answer_elapsed)         \
    X(THREAD, CLOCK, "time", NULL, "thread_time", answer_elapsed)                 \
    X(THREAD_NS, CLOCK, "time", NULL, "thread_time_ns", answer_elapsed)           \
    X(GETTIME, CLOCK, "time", NULL, "clock_gettime", answer_clock)                \
    X(GETTIME_NS, CLOCK, "time", NULL, "clock_gettime_ns", answer_clock)          \
    X(GMTIME, CLOCK, "time", NULL, "gmtime", answer_of_seconds)                   \
    X(LOCALTIME, CLOCK, "time", NULL, "localtime", answer_of_seconds)             \
    X(CTIME, CLOCK, "time", NULL, "ctime", answer_of_seconds)                     \
    X(ASCTIME, CLOCK, "time", NULL, "asctime", answer_of_local)                   \
    X(STRFTIME, CLOCK, "time", NULL, "strftime", answer_of_local)                 \
    X(NOW, CLOCK, "_datetime", "datetime", "now", answer_datetime_now)            \
    X(UTCNOW, CLOCK, "_datetime", "datetime", "utcnow", answer_utcnow)            \
    X(TODAY, CLOCK, "_datetime", "date", "today", answer_today)                   \
    X(ACQUIRE, CLOCK, "_thread", "LockType", "acquire", answer_acquire)           \
    X(ACQUIRE_LOCK, CLOCK, "_thread", "LockType", "acquire_lock", answer_acquire) \
    X(ACQUIRE_AGAIN, CLOCK, "_thread", "RLock", "acquire", answer_acquire)        \
    X(URANDOM, SEED, "posix", NULL, "urandom", draw_bytes)                        \
    X(GETRANDOM, SEED, "posix", NULL, "getrandom", draw_bytes)                    \
    X(SEED_AGAIN, SEED, "_random", "Random", "seed", answer_seed)                 \
    X(UUID, EITHER, "_uuid", NULL, "generate_time_safe", answer_uuid)

enum {
#define NUMBER(number, part, module, type, name, answer) number,
    FUNCTIONS(NUMBER) COUNT
};

/* The exception to "no file-level state": the tables of methods are the process's. */
static pthread_mutex_t replacing = PTHREAD_MUTEX_INITIALIZER;
static function functions[COUNT] = {
#define ROW(number, part, module, type, name, answer) \
    { module, type, name, part, answer, { NULL, NULL, 0, NULL } },
    FUNCTIONS(ROW)
};

static const function *function_localtime(void)
{
    return &functions[LOCALTIME];
}

/* ---- in their place ---- */

/* NULL: the call is passed on. */
static interp *find_session(const function *f)
{
    interp *in = f->part == SEED ? NULL : fixed_clock_here();

    return in || f->part == CLOCK ? in : fixed_seed_here();
}

/* Takes args, which may be NULL with an exception. */
static PyObject *answer_call(interp *in, const function *f, PyObject *self, PyObject *args,
                             PyObject *keywords)
{
    const call c = { in, f, self, args, keywords };
    PyObject *answer = args ? f->answer(&c) : NULL;

    Py_XDECREF(args);
    return answer;
}

static PyObject *call_plain(const function *f, PyObject *self, PyObject *args)
{
    interp *in = find_session(f);
    if (!in)
        return f->original.ml_meth(self, args);
    if (f->original.ml_flags == METH_VARARGS)
        return answer_call(in, f, self, Py_NewRef(args), NULL);
    return answer_call(in, f, self, PyTuple_Pack(f->original.ml_flags == METH_O, args), NULL);
}

static PyObject *call_keywords(const function *f, PyObject *self, PyObject *args,
                               PyObject *keywords)
{
    interp *in = find_session(f);
    if (!in)
        return ((PyCFunctionWithKeywords)(void (*)(void))f->original.ml_meth)(self, args, keywords);
    return answer_call(in, f, self, Py_NewRef(args), keywords);
}

/* The first of the items. */
static PyObject *pack_items(PyObject *const *items, Py_ssize_t count)
{
    PyObject *tuple = PyTuple_New(count);

    for (Py_ssize_t i = 0; tuple && i < count; i++)
        PyTuple_SET_ITEM(tuple, i, Py_NewRef(items[i]));
    return tuple;
}

typedef PyObject *fast_function(PyObject *self, PyObject *const *items, Py_ssize_t count);
typedef PyObject *fast_keyword_function(PyObject *self, PyObject *const *items, Py_ssize_t count,
                                        PyObject *names);

static PyObject *call_fast(const function *f, PyObject *self, PyObject *const *items,
                           Py_ssize_t count)
{
    interp *in = find_session(f);
    if (!in)
        return ((fast_function *)(void (*)(void))f->original.ml_meth)(self, items, count);
    return answer_call(in, f, self, pack_items(items, count), NULL);
}

static PyObject *call_fast_keywords(const function *f, PyObject *self, PyObject *const *items,
                                    Py_ssize_t count, PyObject *names)
{
    interp *in = find_session(f);
    if (!in)
        return ((fast_keyword_function *)(void (*)(void))f->original.ml_meth)(self, items, count,
                                                                              names);
    PyObject *keywords = PyDict_New(), *answer = NULL;
    int failed = !keywords;
    for (Py_ssize_t i = 0; !failed && names && i < PyTuple_GET_SIZE(names); i++)
        failed = PyDict_SetItem(keywords, PyTuple_GET_ITEM(names, i), items[count + i]) != 0;
    if (!failed)
        answer = answer_call(in, f, self, pack_items(items, count), keywords);
    Py_XDECREF(keywords);
    return answer;
}

/* A function of C has no data of its own: there is one for each row and form. */
#define ENTRIES(number, part, module, type, name, answer)                                    \
    static PyObject *plain_##number(PyObject *self, PyObject *args)                          \
    {                                                                                        \
        return call_plain(&functions[number], self, args);                                   \
    }                                                                                        \
    static PyObject *keywords_##number(PyObject *self, PyObject *args, PyObject *keywords)   \
    {                                                                                        \
        return call_keywords(&functions[number], self, args, keywords);                      \
    }                                                                                        \
    static PyObject *fast_##number(PyObject *self, PyObject *const *items, Py_ssize_t count) \
    {                                                                                        \
        return call_fast(&functions[number], self, items, count);                            \
    }                                                                                        \
    static PyObject *fast_keywords_##number(PyObject *self, PyObject *const *items,          \
                                            Py_ssize_t count, PyObject *names)               \
    {                                                                                        \
        return call_fast_keywords(&functions[number], self, items, count, names);            \
    }
FUNCTIONS(ENTRIES)

#define AS_FUNCTION(entry) (PyCFunction)(void (*)(void))(entry)
static const PyCFunction entries[COUNT][4] = {
#define ENTRY(number, part, module, type, name, answer)                           \
    { plain_##number, AS_FUNCTION(keywords_##number), AS_FUNCTION(fast_##number), \
      AS_FUNCTION(fast_keywords_##number) },
    FUNCTIONS(ENTRY)
};

/* NULL: of no form that is known. */
static PyCFunction find_entry(size_t number, int flags)
{
    switch (flags) {
    case METH_NOARGS:
    case METH_O:
    case METH_VARARGS:
        return entries[number][0];
    case METH_VARARGS | METH_KEYWORDS:
        return entries[number][1];
    case METH_FASTCALL:
        return entries[number][2];
    case METH_FASTCALL | METH_KEYWORDS:
        return entries[number][3];
    default:
        return NULL;
    }
}

static int replace(size_t number, PyMethodDef *method)
{
    function *f = &functions[number];
    const int flags = method->ml_flags & ~(METH_CLASS | METH_STATIC | METH_COEXIST);
    const PyCFunction entry = find_entry(number, flags);
    if (!entry) {
        PyErr_Format(PyExc_RuntimeError, "%s.%s of this Python cannot be fixed", f->module,
                     f->name);
        return -1;
    }

    pthread_mutex_lock(&replacing);
    if (!f->original.ml_meth) {
        f->original = (PyMethodDef){ method->ml_name, method->ml_meth, flags, NULL };
        __atomic_store_n(&method->ml_meth, entry, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&replacing);
    return 0;
}

/* ---- generators ---- */

/* _random.Random takes a seed of the machine's when it is made, in C (tp_init) and so not by its
 * method seed(). The types are each interpreter's own, and the function the process's. */

/* The same in every interpreter. */
static _Atomic(initproc) original_init;

/* Of the session's, where the arguments have none: a new reference. */
static PyObject *with_seed(PyObject *args)
{
    interp *in = fixed_seed_here();
    const Py_ssize_t count = PyTuple_GET_SIZE(args);
    unsigned long long drawn;

    if (!in || count > 1 || (count == 1 && PyTuple_GET_ITEM(args, 0) != Py_None))
        return Py_NewRef(args);
    fixed_draw(in, &drawn, sizeof drawn);
    return Py_BuildValue("(K)", drawn);
}

static int begin_random(PyObject *self, PyObject *args, PyObject *keywords)
{
    PyObject *seeded = with_seed(args);
    const int failed = seeded ? original_init(self, seeded, keywords) : -1;

    Py_XDECREF(seeded);
    return failed;
}

/* The method __init__ has a pointer of its own. */
static int replace_method(PyTypeObject *type)
{
    PyObject *dict = python_type_dict(type);
    PyObject *method = dict ? PyDict_GetItemString(dict, "__init__") : NULL; /* borrowed */

    if (method && Py_IS_TYPE(method, &PyWrapperDescr_Type))
        ((PyWrapperDescrObject *)method)->d_wrapped = (void *)begin_random;
    Py_XDECREF(dict);
    return dict ? 0 : -1;
}

/* And in what has inherited it. */
static int replace_in(PyTypeObject *type)
{
    PyObject *list = PyObject_CallMethod((PyObject *)type, "__subclasses__", NULL);
    int failed = !list || !PyList_Check(list);

    if (type->tp_init == original_init)
        type->tp_init = begin_random;
    for (Py_ssize_t i = 0; !failed && i < PyList_GET_SIZE(list); i++)
        failed = replace_in((PyTypeObject *)PyList_GET_ITEM(list, i)) != 0;
    Py_XDECREF(list);
    return failed ? -1 : 0;
}

/* The module _random is there. Any number of times. 0, or -1 with an exception. */
static int adopt_random(PyObject *module)
{
    PyObject *found = PyDict_GetItemString(PyModule_GetDict(module), "Random"); /* borrowed */
    if (!found || !PyType_Check(found))
        return 0;

    PyTypeObject *type = (PyTypeObject *)found;
    if (type->tp_init == begin_random)
        return 0;
    if (type->tp_init == PyBaseObject_Type.tp_init) {
        PyErr_SetString(PyExc_RuntimeError, "_random.Random of this Python cannot be fixed");
        return -1;
    }
    original_init = type->tp_init;
    return replace_in(type) != 0 ? -1 : replace_method(type);
}

/* ---- modules ---- */

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
        failed = adopt_random(module) != 0;
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
