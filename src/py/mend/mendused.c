/*
 * OrderedDict, ElementTree, sqlite3, struct, functools, pickle and iterators: in use while a call
 * goes on.
 *
 * Their functions keep pointers to a node, a format, a tuple or an iterator of the object's while
 * __eq__, __index__, __repr__ or __next__ of the guest's runs, which may free it by the same
 * object's methods.
 */
#include "py/mend/mend.h"

#include "py/core/stopping.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <structmember.h> /* PyMemberDef, before 3.12 */
#pragma GCC diagnostic pop

/* ---- methods ---- */

typedef enum how {
    USES = 1,    /* the object is in use during the call */
    CHANGES = 2, /* not while it is */
    CURSOR = 4,  /* its connection is the object */
} how;

/* type, name, how. */
#define METHODS(X)                               \
    X(accumulate, __setstate__, CHANGES)         \
    X(chain, __setstate__, CHANGES)              \
    X(groupby, __setstate__, CHANGES)            \
    X(connection, __exit__, USES)                \
    X(connection, backup, USES)                  \
    X(connection, blobopen, USES)                \
    X(connection, close, CHANGES)                \
    X(connection, commit, USES)                  \
    X(connection, deserialize, CHANGES)          \
    X(connection, execute, USES)                 \
    X(connection, executemany, USES)             \
    X(connection, executescript, USES)           \
    X(connection, rollback, USES)                \
    X(connection, set_progress_handler, CHANGES) \
    X(connection, set_trace_callback, CHANGES)   \
    X(cursor, execute, USES | CURSOR)            \
    X(cursor, executemany, USES | CURSOR)        \
    X(cursor, executescript, USES | CURSOR)      \
    X(cursor, fetchall, USES | CURSOR)           \
    X(cursor, fetchmany, USES | CURSOR)          \
    X(cursor, fetchone, USES | CURSOR)           \
    X(element, __deepcopy__, USES)               \
    X(element, append, CHANGES)                  \
    X(element, clear, CHANGES)                   \
    X(element, extend, USES | CHANGES)           \
    X(element, find, USES)                       \
    X(element, findall, USES)                    \
    X(element, findtext, USES)                   \
    X(element, insert, CHANGES)                  \
    X(element, remove, USES | CHANGES)           \
    X(odict, clear, CHANGES)                     \
    X(odict, copy, USES)                         \
    X(odict, move_to_end, USES | CHANGES)        \
    X(odict, pop, USES | CHANGES)                \
    X(odict, popitem, USES | CHANGES)            \
    X(odict, setdefault, USES | CHANGES)         \
    X(record, iter_unpack, USES)                 \
    X(record, pack, USES)                        \
    X(record, pack_into, USES)                   \
    X(record, unpack, USES)                      \
    X(record, unpack_from, USES)                 \
    X(pickler, clear_memo, CHANGES)              \
    X(pickler, dump, USES)                       \
    X(unpickler, load, USES)
#define NUMBER(type, name, how) NUMBER_##type##_##name,
enum { METHODS(NUMBER) METHOD_COUNT };
static mend_method methods[METHOD_COUNT];

static _Atomic(Py_ssize_t) cursor_connection; /* where it lies in a cursor of SQLite's */

/* Borrowed; the cursor itself where it has none yet. */
static PyObject *connection_of(PyObject *cursor)
{
    PyObject **place = (PyObject **)((char *)cursor + atomic_load(&cursor_connection));
    return *place ? *place : cursor;
}

static PyObject *call_used(int number, how what, MEND_PARAMETERS)
{
    mend_use use;

    if ((what & CHANGES) && mend_refuse(self) != 0)
        return NULL;
    if (!(what & USES))
        return MEND_ORIGINAL(&methods[number])(MEND_ARGUMENTS);

    mend_begin(&use, what & CURSOR ? connection_of(self) : self);
    PyObject *answer = MEND_ORIGINAL(&methods[number])(MEND_ARGUMENTS);
    mend_end(&use);
    return answer;
}

#define CALL(type, name, what)                                          \
    static PyObject *type##_##name(MEND_PARAMETERS)                     \
    {                                                                   \
        return call_used(NUMBER_##type##_##name, what, MEND_ARGUMENTS); \
    }
METHODS(CALL)

#define ROW(type, method, what) \
    [NUMBER_##type##_##         \
        method] = { .name = #method, .ours = (PyCFunction)(mend_function)type##_##method },
static mend_method methods[METHOD_COUNT] = { METHODS(ROW) };

#define FIRST_OF(first, last) &methods[NUMBER_##first], NUMBER_##last - NUMBER_##first + 1

/* ---- slots ---- */

static _Atomic(mend_function) init_connection, next_row, set_item, set_child, compare, init_record,
    show_partial, init_pickler, init_unpickler;
#define ORIGINAL(type, slot) ((type)atomic_load_explicit(&(slot), memory_order_relaxed))

static int odict_set(PyObject *self, PyObject *key, PyObject *value)
{
    mend_use use;
    if (mend_refuse(self) != 0)
        return -1;
    mend_begin(&use, self);
    int answer = ORIGINAL(objobjargproc, set_item)(self, key, value);
    mend_end(&use);
    return answer;
}

static int element_set(PyObject *self, PyObject *key, PyObject *value)
{
    mend_use use;
    if (mend_refuse(self) != 0)
        return -1;
    mend_begin(&use, self);
    int answer = ORIGINAL(objobjargproc, set_child)(self, key, value);
    mend_end(&use);
    return answer;
}

static PyObject *odict_compare(PyObject *self, PyObject *other, int sign)
{
    mend_use of_self, of_other;
    mend_begin(&of_self, self);
    mend_begin(&of_other, other);
    PyObject *answer = ORIGINAL(richcmpfunc, compare)(self, other, sign);
    mend_end(&of_other);
    mend_end(&of_self);
    return answer;
}

static PyObject *partial_repr(PyObject *self)
{
    mend_use use;
    mend_begin(&use, self);
    PyObject *text = ORIGINAL(reprfunc, show_partial)(self);
    mend_end(&use);
    return text;
}

#define INIT(name, original)                                            \
    static int name(PyObject *self, PyObject *args, PyObject *keywords) \
    {                                                                   \
        if (mend_refuse(self) != 0)                                     \
            return -1;                                                  \
        return ORIGINAL(initproc, original)(self, args, keywords);      \
    }
INIT(connection_init, init_connection)
INIT(record_init, init_record)
INIT(pickler_init, init_pickler)
INIT(unpickler_init, init_unpickler)

/* Of itertools, with the method that must not change them meanwhile; mendparts.c has it of others.
 */
#define STATE(name) &methods[NUMBER_##name##___setstate__]
#define ITERATORS(X)                 \
    X(_tee, NULL)                    \
    X(accumulate, STATE(accumulate)) \
    X(batched, NULL)                 \
    X(chain, STATE(chain))           \
    X(count, NULL)                   \
    X(cycle, NULL)                   \
    X(groupby, STATE(groupby))       \
    X(islice, NULL)                  \
    X(pairwise, NULL)                \
    X(zip_longest, NULL)

/* count and cycle are endless: iterators.c. */
static PyObject *advance(PyObject *self, _Atomic(mend_function) *original)
{
    mend_use use;
    interp *in = interp_current;

    if ((in && interp_check_stop(in) != 0) || mend_refuse(self) != 0)
        return NULL;
    mend_begin(&use, self);
    PyObject *item = ORIGINAL(iternextfunc, *original)(self);
    mend_end(&use);
    return item;
}

#define NEXT(name, state)                          \
    static _Atomic(mend_function) original_##name; \
    static PyObject *next_##name(PyObject *self)   \
    {                                              \
        return advance(self, &original_##name);    \
    }
ITERATORS(NEXT)
NEXT(sequence, NULL) /* over __getitem__ */
NEXT(odict, NULL)

#define PLACE(slot)                                           \
    static mend_function *place_of_##slot(PyTypeObject *type) \
    {                                                         \
        return (mend_function *)(void *)&type->slot;          \
    }
PLACE(tp_init)
PLACE(tp_iternext)
PLACE(tp_repr)
PLACE(tp_richcompare)

static mend_function *place_of_set(PyTypeObject *type)
{
    PyMappingMethods *table = type->tp_as_mapping;
    return table ? (mend_function *)(void *)&table->mp_ass_subscript : NULL;
}

/* ---- modules ---- */

int mend_collections(interp *in, PyObject *module)
{
    (void)in;
    mend_defaultdict(module);
    mend_methods(&PyODict_Type, FIRST_OF(odict_clear, odict_setdefault));
    if (mend_slots(&PyODict_Type, place_of_set, (mend_function)odict_set, &set_item) != 0)
        return -1;
    if (mend_slots(&PyODict_Type, place_of_tp_richcompare, (mend_function)odict_compare,
                   &compare) != 0)
        return -1;
    return mend_slots(&PyODictIter_Type, place_of_tp_iternext, (mend_function)next_odict,
                      &original_odict);
}

int mend_elementtree(interp *in, PyObject *module)
{
    PyTypeObject *type = mend_type(module, "Element", "xml.etree.ElementTree.Element");
    (void)in;
    if (!type)
        return 0;
    mend_methods(type, FIRST_OF(element___deepcopy__, element_remove));
    return mend_slots(type, place_of_set, (mend_function)element_set, &set_child);
}

#if PYTHON_JSON_BORROWS_ITEMS
static _Atomic(mend_function) new_encoder;

/* It goes through a dict with keys and values that only the dict owns, and asks a function of
 * Python's for their text. json gives it one of its own in C. */
static PyObject *encoder_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *encoder = NULL;

    if (PyTuple_GET_SIZE(args) > 2)
        encoder = PyTuple_GET_ITEM(args, 2);
    else if (keywords)
        encoder = PyDict_GetItemString(keywords, "encoder"); /* borrowed */

    if (encoder && !PyCFunction_Check(encoder))
        return PyErr_Format(PyExc_TypeError,
                            "the encoder in C takes strings to json's own functions in C, not to a "
                            "%.100s",
                            Py_TYPE(encoder)->tp_name);

    return ORIGINAL(newfunc, new_encoder)(type, args, keywords);
}

PLACE(tp_new)
#endif

int mend_json(interp *in, PyObject *module)
{
    (void)in;
#if PYTHON_JSON_BORROWS_ITEMS
    PyTypeObject *type = mend_type(module, "make_encoder", "_json.Encoder");
    if (type)
        return mend_slots(type, place_of_tp_new, (mend_function)encoder_new, &new_encoder);
#else
    (void)module;
#endif
    return 0;
}

int mend_struct(interp *in, PyObject *module)
{
    PyTypeObject *type = mend_type(module, "Struct", "_struct.Struct");
    (void)in;
    if (!type)
        return 0;
    mend_methods(type, FIRST_OF(record_iter_unpack, record_unpack_from));
    return mend_slots(type, place_of_tp_init, (mend_function)record_init, &init_record);
}

/* What cmp_to_key() makes is compared by a function that borrows its obj. */
static int fix_compared(PyObject *module)
{
    PyObject *key = PyObject_CallMethod(module, "cmp_to_key", "O", Py_None);
    PyObject *dict = key ? python_type_dict(Py_TYPE(key)) : NULL;
    PyObject *found = dict ? PyDict_GetItemString(dict, "obj") : NULL; /* borrowed */

    if (found && Py_IS_TYPE(found, &PyMemberDescr_Type))
        ((PyMemberDescrObject *)found)->d_member->flags |= READONLY;
    Py_XDECREF(dict);
    Py_XDECREF(key);
    return key ? 0 : -1;
}

int mend_functools(interp *in, PyObject *module)
{
    PyTypeObject *type = mend_type(module, "partial", "functools.partial");
    (void)in;
    if (!type)
        return 0;
    mend_partial_state(type);
    if (fix_compared(module) != 0)
        return -1;
    return mend_slots(type, place_of_tp_repr, (mend_function)partial_repr, &show_partial);
}

int mend_pickle(interp *in, PyObject *module)
{
    PyTypeObject *pickler = mend_type(module, "Pickler", "_pickle.Pickler");
    PyTypeObject *unpickler = mend_type(module, "Unpickler", "_pickle.Unpickler");

    (void)in;
    if (!pickler || !unpickler)
        return 0;

    mend_methods(pickler, FIRST_OF(pickler_clear_memo, pickler_dump));
    mend_methods(unpickler, FIRST_OF(unpickler_load, unpickler_load));
    if (mend_slots(pickler, place_of_tp_init, (mend_function)pickler_init, &init_pickler) != 0)
        return -1;
    return mend_slots(unpickler, place_of_tp_init, (mend_function)unpickler_init, &init_unpickler);
}

int mend_itertools(interp *in, PyObject *module)
{
    static const struct {
        const char *name, *full_name;
        mend_method *state;
        mend_function ours;
        _Atomic(mend_function) *original;
    } types[] = {
#define TYPE(name, state) \
    { #name, "itertools." #name, state, (mend_function)next_##name, &original_##name },
        ITERATORS(TYPE)
    };
    (void)in;
    mend_iterator_states(module);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        PyTypeObject *type = mend_type(module, types[i].name, types[i].full_name);
        if (!type)
            continue;
        if (types[i].state)
            mend_methods(type, types[i].state, 1);
        if (mend_slots(type, place_of_tp_iternext, types[i].ours, types[i].original) != 0)
            return -1;
    }

    return 0;
}

static PyObject *cursor_next(PyObject *self)
{
    mend_use use;
    mend_begin(&use, connection_of(self));
    PyObject *row = ORIGINAL(iternextfunc, next_row)(self);
    mend_end(&use);
    return row;
}

int mend_sqlite(PyObject *module)
{
    PyTypeObject *connection = mend_type(module, "Connection", "sqlite3.Connection");
    PyTypeObject *cursor = mend_type(module, "Cursor", "sqlite3.Cursor");
    PyObject *dict = cursor ? python_type_dict(cursor) : NULL;
    PyObject *found = dict ? PyDict_GetItemString(dict, "connection") : NULL; /* borrowed */
    int is_member = found && Py_IS_TYPE(found, &PyMemberDescr_Type);

    if (is_member)
        atomic_store(&cursor_connection, ((PyMemberDescrObject *)found)->d_member->offset);
    Py_XDECREF(dict);
    if (!connection || !is_member)
        return 0;

    mend_methods(connection, FIRST_OF(connection___exit__, connection_set_trace_callback));
    mend_methods(cursor, FIRST_OF(cursor_execute, cursor_fetchone));
    if (mend_slots(connection, place_of_tp_init, (mend_function)connection_init,
                   &init_connection) != 0)
        return -1;
    return mend_slots(cursor, place_of_tp_iternext, (mend_function)cursor_next, &next_row);
}

int mend_sequence_iterator(void)
{
    return mend_slots(&PySeqIter_Type, place_of_tp_iternext, (mend_function)next_sequence,
                      &original_sequence);
}
