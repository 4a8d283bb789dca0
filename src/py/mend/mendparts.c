/*
 * Parts of an object that CPython gives away or drops, though it goes on using them: the dict of a
 * type, the list of an itertools.cycle, the function that a property or a defaultdict is calling;
 * and the parts of an alias, which may be anything.
 */
#include "py/mend/mend.h"

#include <string.h>

#define ORIGINAL(type, slot) ((type)atomic_load_explicit(&(slot), memory_order_relaxed))

#define PLACE(name, slot)                            \
    static mend_function *name(PyTypeObject *type)   \
    {                                                \
        return (mend_function *)(void *)&type->slot; \
    }
PLACE(place_of_compare, tp_richcompare)
PLACE(place_of_init, tp_init)

static mend_function *place_of_or(PyTypeObject *type)
{
    PyNumberMethods *table = type->tp_as_number;
    return table ? (mend_function *)(void *)&table->nb_or : NULL;
}

static mend_function *place_of_subscript(PyTypeObject *type)
{
    PyMappingMethods *table = type->tp_as_mapping;
    return table ? (mend_function *)(void *)&table->mp_subscript : NULL;
}

/* ---- mappingproxy ---- */

/* As CPython has it, in no header. */
typedef struct proxy_object {
    PyObject_HEAD
    PyObject *mapping;
} proxy_object;

static _Atomic(mend_function) compare_proxy, join_proxy;

/* What a type's dict lost would still be in the cache of attributes, freed. A new reference. */
static PyObject *copy_within(PyObject *value)
{
    if (!Py_IS_TYPE(value, &PyDictProxy_Type))
        return Py_NewRef(value);
    PyObject *mapping = ((proxy_object *)value)->mapping;
    if (PyDict_CheckExact(mapping))
        return PyDict_Copy(mapping);
    return Py_NewRef(mapping);
}

static PyObject *proxy_compare(PyObject *self, PyObject *other, int sign)
{
    PyObject *mapping = copy_within(self);
    if (!mapping)
        return NULL;
    PyObject *answer = PyObject_RichCompare(mapping, other, sign);
    Py_DECREF(mapping);
    return answer;
}

static PyObject *proxy_or(PyObject *left, PyObject *right)
{
    PyObject *of_left = copy_within(left), *of_right = of_left ? copy_within(right) : NULL;
    PyObject *answer = of_right ? PyNumber_Or(of_left, of_right) : NULL;
    Py_XDECREF(of_right);
    Py_XDECREF(of_left);
    return answer;
}

/* ---- property and staticmethod ---- */

/* As CPython has them, in no header. */
typedef struct property_object {
    PyObject_HEAD
    PyObject *get, *set, *del;
} property_object;

typedef struct static_object {
    PyObject_HEAD
    PyObject *callable;
} static_object;

static _Atomic(mend_function) init_property, init_static;

static int refuse_again(PyObject *self)
{
    PyErr_Format(PyExc_RuntimeError, "__init__ of this %.100s was called before",
                 Py_TYPE(self)->tp_name);
    return -1;
}

/* Their functions are called with a borrowed reference, which another __init__ would drop. */
static int property_init(PyObject *self, PyObject *args, PyObject *keywords)
{
    property_object *property = (property_object *)self;
    if (property->get || property->set || property->del)
        return refuse_again(self);
    return ORIGINAL(initproc, init_property)(self, args, keywords);
}

/* That drops nothing: since 3.15 __new__ has set it before the first. */
static int sets_the_same(PyObject *callable, PyObject *args)
{
    return PyTuple_GET_SIZE(args) == 1 && PyTuple_GET_ITEM(args, 0) == callable;
}

static int static_init(PyObject *self, PyObject *args, PyObject *keywords)
{
    /* None in 3.14, before the first. */
    PyObject *callable = ((static_object *)self)->callable;
    if (callable && callable != Py_None && !sets_the_same(callable, args))
        return refuse_again(self);
    return ORIGINAL(initproc, init_static)(self, args, keywords);
}

/* ---- list[T][int] and (int | T)[str] ---- */

static _Atomic(mend_function) subscript_alias, subscript_union;

/* Of *list[T] it is *list[int], which is what an iteration over the other gives. */
static PyObject *make_alias(PyObject *self, PyObject *origin, PyObject *parts)
{
    PyObject *alias = Py_GenericAlias(origin, parts);
    PyObject *is_starred = alias ? PyObject_GetAttrString(self, "__unpacked__") : NULL;
    PyObject *all = is_starred == Py_True ? PySequence_Tuple(alias) : NULL;

    if (all)
        Py_SETREF(alias, Py_NewRef(PyTuple_GET_ITEM(all, 0)));
    Py_XDECREF(all);
    Py_XDECREF(is_starred);
    return alias;
}

/* CPython takes for a tuple what __typing_subst__ and its like answer. typing, in Python, does not:
 * an alias of its own has the same parts. */
static PyObject *alias_subscript(PyObject *self, PyObject *item)
{
    const int is_union = !PyObject_TypeCheck(self, &Py_GenericAliasType);
    PyObject *typing = PyImport_ImportModule("typing"), *answer = NULL;
    PyObject *args = typing ? PyObject_GetAttrString(self, "__args__") : NULL;
    PyObject *of = is_union ? typing : self;
    PyObject *origin = args ? PyObject_GetAttrString(of, is_union ? "Union" : "__origin__") : NULL;
    PyObject *own =
        origin ? PyObject_CallMethod(typing, "_GenericAlias", "OO", origin, args) : NULL;
    PyObject *filled = own ? PyObject_GetItem(own, item) : NULL;
    PyObject *parts = filled ? PyObject_GetAttrString(filled, "__args__") : NULL;

    if (parts)
        answer = is_union ? PyObject_GetItem(origin, parts) : make_alias(self, origin, parts);
    Py_XDECREF(parts);
    Py_XDECREF(filled);
    Py_XDECREF(own);
    Py_XDECREF(origin);
    Py_XDECREF(args);
    Py_XDECREF(typing);
    return answer;
}

int mend_parts_of_builtins(void)
{
    PyObject *either = PyNumber_Or((PyObject *)&PyLong_Type, (PyObject *)&PyUnicode_Type);
    if (!either)
        return -1;
    PyTypeObject *type_of_union = Py_TYPE(either); /* of all interpreters */
    Py_DECREF(either);

    const struct {
        PyTypeObject *type;
        mend_place place;
        mend_function ours;
        _Atomic(mend_function) *original;
    } slots[] = {
        { &PyDictProxy_Type, place_of_compare, (mend_function)proxy_compare, &compare_proxy },
        { &PyDictProxy_Type, place_of_or, (mend_function)proxy_or, &join_proxy },
        { &PyProperty_Type, place_of_init, (mend_function)property_init, &init_property },
        { &Py_GenericAliasType, place_of_subscript, (mend_function)alias_subscript,
          &subscript_alias },
        { type_of_union, place_of_subscript, (mend_function)alias_subscript, &subscript_union },
        { &PyStaticMethod_Type, place_of_init, (mend_function)static_init, &init_static },
    };
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        if (mend_slots(slots[i].type, slots[i].place, slots[i].ours, slots[i].original) != 0)
            return -1;

    return 0;
}

/* ---- defaultdict ---- */

/* As CPython has it, in no header. */
typedef struct default_object {
    PyDictObject dict;
    PyObject *factory;
} default_object;

static mend_method of_defaultdict[1];

static PyObject *default_missing(MEND_PARAMETERS)
{
    PyObject *factory = Py_XNewRef(((default_object *)self)->factory);
    PyObject *answer = MEND_ORIGINAL(&of_defaultdict[0])(MEND_ARGUMENTS);
    Py_XDECREF(factory);
    return answer;
}

static mend_method of_defaultdict[] = {
    { .name = "__missing__", .ours = (PyCFunction)(mend_function)default_missing },
};

void mend_defaultdict(PyObject *module)
{
    PyTypeObject *type = mend_type(module, "defaultdict", "collections.defaultdict");
    if (type)
        mend_methods(type, of_defaultdict, 1);
}

/* ---- functools.partial ---- */

/* As CPython has it, in no header. */
typedef struct partial_object {
    PyObject_HEAD
    PyObject *function, *arguments, *keywords;
} partial_object;

static mend_method of_partial[1];

/* A call of it borrows what the state replaces. Where one is copied or unpickled there is nothing
 * to replace: it was made with the function of the state, and no more. */
static int is_first_state(partial_object *partial, PyObject *state)
{
    return PyTuple_GET_SIZE(partial->arguments) == 0 && PyDict_GET_SIZE(partial->keywords) == 0 &&
           PyTuple_GET_ITEM(state, 0) == partial->function;
}

static PyObject *partial_setstate(MEND_PARAMETERS)
{
    PyObject *state = a;

    if (mend_refuse(self) != 0)
        return NULL;
    int is_state = state && PyTuple_Check(state) && PyTuple_GET_SIZE(state) == 4;
    if (is_state && !is_first_state((partial_object *)self, state)) {
        PyErr_SetString(PyExc_RuntimeError, "a partial has one function and one state");
        return NULL;
    }

    return MEND_ORIGINAL(&of_partial[0])(MEND_ARGUMENTS);
}

static mend_method of_partial[] = {
    { .name = "__setstate__", .ours = (PyCFunction)(mend_function)partial_setstate },
};

void mend_partial_state(PyTypeObject *type)
{
    mend_methods(type, of_partial, 1);
}

/* ---- itertools ---- */

/* As CPython has them, in no header. */
typedef struct cycle_object {
    PyObject_HEAD
    PyObject *iterator, *saved;
    Py_ssize_t index;
} cycle_object;

typedef struct tee_data {
    PyObject_HEAD
    PyObject *iterator;
    int read_count; /* only that many values are there */
} tee_data;

static mend_method of_cycle[2], of_tee[1];

/* The list stays the cycle's own: it reads at an index that it does not compare with its length. */
static int own_list(cycle_object *cycle)
{
    if (!cycle->saved)
        return 0;
    PyObject *copy = PyList_GetSlice(cycle->saved, 0, PyList_GET_SIZE(cycle->saved));
    if (!copy)
        return -1;
    Py_SETREF(cycle->saved, copy);
    return 0;
}

static PyObject *cycle_reduce(MEND_PARAMETERS)
{
    PyObject *answer = MEND_ORIGINAL(&of_cycle[0])(MEND_ARGUMENTS);
    if (answer && own_list((cycle_object *)self) != 0)
        Py_CLEAR(answer);
    return answer;
}

static PyObject *cycle_setstate(MEND_PARAMETERS)
{
    cycle_object *cycle = (cycle_object *)self;
    if (mend_refuse(self) != 0)
        return NULL;
    PyObject *answer = MEND_ORIGINAL(&of_cycle[1])(MEND_ARGUMENTS);
    cycle->index = 0;
    if (answer && own_list(cycle) != 0)
        Py_CLEAR(answer);
    return answer;
}

/* The argument is (data, index); what is wrong in another way the original says. */
static PyObject *tee_setstate(MEND_PARAMETERS)
{
    PyObject *state = a, *data = NULL, *index = NULL;

    if (mend_refuse(self) != 0)
        return NULL;
    if (state && PyTuple_Check(state) && PyTuple_GET_SIZE(state) == 2) {
        data = PyTuple_GET_ITEM(state, 0);
        index = PyTuple_GET_ITEM(state, 1);
    }

    if (!index || !PyLong_CheckExact(index) ||
        strcmp(Py_TYPE(data)->tp_name, "itertools._tee_dataobject") != 0) {
        PyErr_SetString(PyExc_TypeError, "the state is not that of a tee");
        return NULL;
    }

    Py_ssize_t at = PyLong_AsSsize_t(index);
    if (at == -1 && PyErr_Occurred())
        return NULL;
    if (at > ((tee_data *)data)->read_count) {
        PyErr_SetString(PyExc_ValueError, "the index is behind what the tee has read");
        return NULL;
    }

    return MEND_ORIGINAL(&of_tee[0])(MEND_ARGUMENTS);
}

static mend_method of_cycle[] = {
    { .name = "__reduce__", .ours = (PyCFunction)(mend_function)cycle_reduce },
    { .name = "__setstate__", .ours = (PyCFunction)(mend_function)cycle_setstate },
};
static mend_method of_tee[] = {
    { .name = "__setstate__", .ours = (PyCFunction)(mend_function)tee_setstate },
};

void mend_iterator_states(PyObject *module)
{
    PyTypeObject *cycle = mend_type(module, "cycle", "itertools.cycle");
    PyTypeObject *tee = mend_type(module, "_tee", "itertools._tee");
    if (cycle)
        mend_methods(cycle, of_cycle, 2);
    if (tee)
        mend_methods(tee, of_tee, 1);
}
