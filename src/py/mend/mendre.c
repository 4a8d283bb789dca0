/*
 * re: code that the engine runs is code as re._compiler writes it.
 *
 * _sre.compile takes a list of numbers from whoever calls it, and so does re.compile, whose parts a
 * cell may change. CPython looks through it, but not at everything that the engine relies on: how
 * much of a literal prefix may be skipped, where its table of overlaps leads, the size of a set's
 * bitmaps, marks next to the last one, what REPEAT_ONE repeats. Here the list is walked by the
 * grammar of what the compiler writes, and what is not in it is refused.
 */
#include "py/mend/mend.h"

#include <stdint.h>
#include <string.h>

/* Modules/_sre/sre_constants.h of 3.11 and 3.13; MAGIC tells whether it is that list. */
enum {
    FAILURE,
    SUCCESS,
    ANY,
    ANY_ALL,
    ASSERT,
    ASSERT_NOT,
    AT,
    BRANCH,
    CATEGORY,
    CHARSET,
    BIGCHARSET,
    GROUPREF,
    GROUPREF_EXISTS,
    IN,
    INFO,
    JUMP,
    LITERAL,
    MARK,
    MAX_UNTIL,
    MIN_UNTIL,
    NOT_LITERAL,
    NEGATE,
    RANGE,
    REPEAT,
    REPEAT_ONE,
    SUBPATTERN,
    MIN_REPEAT_ONE,
    ATOMIC_GROUP,
    POSSESSIVE_REPEAT,
    POSSESSIVE_REPEAT_ONE,
    GROUPREF_IGNORE,
    IN_IGNORE,
    LITERAL_IGNORE,
    NOT_LITERAL_IGNORE,
    GROUPREF_LOC_IGNORE,
    IN_LOC_IGNORE,
    LITERAL_LOC_IGNORE,
    NOT_LITERAL_LOC_IGNORE,
    GROUPREF_UNI_IGNORE,
    IN_UNI_IGNORE,
    LITERAL_UNI_IGNORE,
    NOT_LITERAL_UNI_IGNORE,
    RANGE_UNI_IGNORE,
    OPERATIONS,
    /* of INFO */
    HAS_PREFIX = 1,
    IS_LITERAL = 2,
    HAS_CHARSET = 4,
    /* how many there are */
    POSITIONS = 12,
    CATEGORIES = 18,
    /* in words of code */
    BITMAP = 8,
    BLOCK_NUMBERS = 64,
    /* More than re._compiler can nest within the usual limit of recursion. */
    MOST_NESTED = 1000,
};

typedef struct walk {
    const uint32_t *code;
    size_t groups;
    int depth; /* beyond MOST_NESTED it was nested too deeply */
} walk;

/* The functions of the walk look at the words from at to end, and answer where what they know ends,
 * at most at end; 0 where it is not as it should be. */

/* Where the skip leads that stands at that place. */
static size_t target_of(const walk *w, size_t at, size_t end)
{
    if (at >= end || w->code[at] == 0 || w->code[at] > end - at)
        return 0;
    return at + w->code[at];
}

static size_t behind(size_t at, size_t count, size_t end)
{
    return count <= end - at ? at + count : 0;
}

/* An operation, and an argument that is less than that. */
static size_t walk_bounded(const walk *w, size_t at, size_t end, size_t bound)
{
    return at + 1 < end && w->code[at + 1] < bound ? at + 2 : 0;
}

/* ---- sets ---- */

/* BIGCHARSET, count, the numbers of 256 blocks as bytes, count bitmaps. */
static size_t walk_blocks(const walk *w, size_t at, size_t end)
{
    size_t bitmaps = behind(at, 2 + BLOCK_NUMBERS, end);
    uint32_t count = bitmaps ? w->code[at + 1] : 0;
    const unsigned char *numbers = (const unsigned char *)&w->code[at + 2];

    if (count == 0 || count > 256)
        return 0;
    for (size_t i = 0; i < 256; i++)
        if (numbers[i] >= count)
            return 0;

    return behind(bitmaps, (size_t)count * BITMAP, end);
}

static size_t walk_member(const walk *w, size_t at, size_t end)
{
    switch (w->code[at]) {
    case NEGATE:
        return at + 1;
    case LITERAL:
        return behind(at, 2, end);
    case RANGE:
    case RANGE_UNI_IGNORE:
        return behind(at, 3, end);
    case CHARSET:
        return behind(at, 1 + BITMAP, end);
    case BIGCHARSET:
        return walk_blocks(w, at, end);
    case CATEGORY:
        return walk_bounded(w, at, end, CATEGORIES);
    }
    return 0;
}

/* It is all that there is, and FAILURE is its last word. */
static int is_set(const walk *w, size_t at, size_t end)
{
    while (at && at < end && w->code[at] != FAILURE)
        at = walk_member(w, at, end);
    return at && at + 1 == end;
}

/* ---- operations ---- */

static size_t walk_sequence(walk *w, size_t at, size_t end);

static int fills_sequence(walk *w, size_t at, size_t end)
{
    return at <= end && walk_sequence(w, at, end) == end;
}

/* That match one character, and are all that REPEAT_ONE repeats. */
static size_t walk_unit(const walk *w, size_t at, size_t end)
{
    size_t target;

    switch (w->code[at]) {
    case ANY:
    case ANY_ALL:
        return at + 1;
    case LITERAL:
    case LITERAL_IGNORE:
    case LITERAL_LOC_IGNORE:
    case LITERAL_UNI_IGNORE:
    case NOT_LITERAL:
    case NOT_LITERAL_IGNORE:
    case NOT_LITERAL_LOC_IGNORE:
    case NOT_LITERAL_UNI_IGNORE:
        return behind(at, 2, end);
    case IN:
    case IN_IGNORE:
    case IN_LOC_IGNORE:
    case IN_UNI_IGNORE:
        target = target_of(w, at + 1, end);
        return target && is_set(w, at + 2, target) ? target : 0;
    }

    return 0;
}

/* BRANCH, then for each way its skip, its code, JUMP and where all of them end; 0. */
static size_t walk_branch(walk *w, size_t at, size_t end)
{
    size_t all_end = 0;

    at++;
    while (at < end && w->code[at] != 0) {
        size_t next = target_of(w, at, end);
        if (next < at + 3 || w->code[next - 2] != JUMP || !fills_sequence(w, at + 1, next - 2))
            return 0;
        size_t ends = target_of(w, next - 1, end);
        if (!ends || (all_end && ends != all_end))
            return 0;
        all_end = ends;
        at = next;
    }

    return at < end && at + 1 == all_end ? all_end : 0;
}

static int ends_repeat(uint32_t operation, uint32_t last)
{
    if (operation == REPEAT)
        return last == MAX_UNTIL || last == MIN_UNTIL;
    return last == SUCCESS;
}

/* The operation, skip, least, most, what is repeated, and a word that ends it: within the skip
 * where it is one character. */
static size_t walk_repeat(walk *w, size_t at, size_t end)
{
    size_t target = target_of(w, at + 1, end), body = at + 4;
    uint32_t operation = w->code[at];
    if (target <= body || w->code[at + 2] > w->code[at + 3])
        return 0;

    if (operation != REPEAT && operation != POSSESSIVE_REPEAT) {
        size_t last = target - 1;
        return w->code[last] == SUCCESS && walk_unit(w, body, last) == last ? target : 0;
    }

    if (target >= end || !fills_sequence(w, body, target) ||
        !ends_repeat(operation, w->code[target]))
        return 0;
    return target + 1;
}

/* The operation, skip, other arguments, code of its own, SUCCESS. */
static size_t walk_part(walk *w, size_t at, size_t end, size_t arguments)
{
    size_t target = target_of(w, at + 1, end), body = at + 1 + arguments;
    if (target <= body || w->code[target - 1] != SUCCESS || !fills_sequence(w, body, target - 1))
        return 0;
    return target;
}

/* GROUPREF_EXISTS, group, skip (from the group), code; where there is another way, JUMP, skip, and
 * its code. */
static size_t walk_condition(walk *w, size_t at, size_t end)
{
    if (end - at < 3 || w->code[at + 1] >= w->groups)
        return 0;
    size_t skip = w->code[at + 2];
    if (skip < 2 || skip > end - at - 1)
        return 0;

    size_t target = at + 1 + skip, stop = walk_sequence(w, at + 3, target);
    if (stop == target)
        return target;
    if (!stop || stop + 2 != target) /* at a JUMP, which is its last one */
        return 0;
    size_t ends = target_of(w, target - 1, end);
    return ends && fills_sequence(w, target, ends) ? ends : 0;
}

static size_t walk_operation(walk *w, size_t at, size_t end)
{
    switch (w->code[at]) {
    case FAILURE:
        return at + 1;
    case AT:
        return walk_bounded(w, at, end, POSITIONS);
    case MARK:
        return walk_bounded(w, at, end, 2 * w->groups);
    case GROUPREF:
    case GROUPREF_IGNORE:
    case GROUPREF_LOC_IGNORE:
    case GROUPREF_UNI_IGNORE:
        return walk_bounded(w, at, end, w->groups);
    case BRANCH:
        return walk_branch(w, at, end);
    case REPEAT:
    case REPEAT_ONE:
    case MIN_REPEAT_ONE:
    case POSSESSIVE_REPEAT:
    case POSSESSIVE_REPEAT_ONE:
        return walk_repeat(w, at, end);
    case ATOMIC_GROUP:
        return walk_part(w, at, end, 1);
    case ASSERT:
    case ASSERT_NOT:
        return walk_part(w, at, end, 2);
    case GROUPREF_EXISTS:
        return walk_condition(w, at, end);
    }
    return walk_unit(w, at, end);
}

/* To the end, or to a JUMP, which is whose sequence this is to judge. */
static size_t walk_sequence(walk *w, size_t at, size_t end)
{
    if (w->depth >= MOST_NESTED)
        w->depth = MOST_NESTED + 1;
    if (w->depth > MOST_NESTED)
        return 0;

    w->depth++;
    while (at && at < end && w->code[at] != JUMP)
        at = walk_operation(w, at, end);
    if (w->depth <= MOST_NESTED)
        w->depth--;
    return at;
}

/* ---- the whole ---- */

/* Length, how much of it a search has matched by then, the characters, their overlaps; from at to
 * end, and behind it the code. What is skipped are as many literals, two words each, and all of
 * the code if it is no more than the prefix; an overlap leads back. */
static int is_literal_prefix(const walk *w, size_t at, size_t end, size_t code_end)
{
    int is_all = (w->code[2] & IS_LITERAL) != 0;
    size_t size = end - at;

    if (size < 2 || size % 2 != 0)
        return 0;

    size_t length = w->code[at], skip = w->code[at + 1];
    if (length == 0 || length != (size - 2) / 2)
        return 0;
    if (skip > length || 2 * skip > code_end - end)
        return 0;

    const uint32_t *overlaps = w->code + at + 2 + length;
    for (size_t i = 0; i < length; i++)
        if (overlaps[i] > i)
            return 0;

    for (size_t i = 0; i < skip; i++)
        if (w->code[end + 2 * i] != LITERAL)
            return 0;
    return !is_all || (skip == length && 2 * skip == code_end - end);
}

/* INFO, skip, flags, the least and the largest width, and what it has of a prefix or a set; code;
 * SUCCESS. */
static int is_whole_code(walk *w, size_t size)
{
    if (size < 6 || w->code[0] != INFO || w->code[size - 1] != SUCCESS)
        return 0;
    size_t first = target_of(w, 1, size - 1), more = 5;
    if (first < more)
        return 0;

    switch (w->code[2]) {
    case 0:
        if (first != more)
            return 0;
        break;
    case HAS_PREFIX:
    case HAS_PREFIX | IS_LITERAL:
        if (!is_literal_prefix(w, more, first, size - 1))
            return 0;
        break;
    case HAS_CHARSET:
        if (!is_set(w, more, first))
            return 0;
        break;
    default:
        return 0;
    }

    return fills_sequence(w, first, size - 1);
}

/* 0, or -1 with an exception. */
static int check_code(const uint32_t *code, Py_ssize_t size, Py_ssize_t groups)
{
    walk w = { .code = code, .groups = (size_t)groups };
    if (groups >= 0 && groups <= INT32_MAX / 2 && is_whole_code(&w, (size_t)size))
        return 0;

    if (w.depth > MOST_NESTED)
        PyErr_SetString(PyExc_RecursionError, "the regular expression is nested too deeply");
    else
        PyErr_SetString(PyExc_RuntimeError, "invalid SRE code");
    return -1;
}

/* ---- _sre.compile ---- */

static int word_value(uint32_t *out, PyObject *word)
{
    if (!PyLong_Check(word)) {
        PyErr_SetString(PyExc_TypeError, "an integer is required");
        return -1;
    }

    unsigned long value = PyLong_AsUnsignedLong(word);
    if (PyErr_Occurred())
        return -1;
    if (value > UINT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "regular expression code size limit exceeded");
        return -1;
    }

    *out = (uint32_t)value;
    return 0;
}

/* The words of the list, and a list of the same that nobody else has: 3.11 may collect, and so run
 * a finalizer, before it reads them. Subclasses of int are not asked for anything. */
static PyObject *copy_words(PyObject *list, uint32_t **words)
{
    Py_ssize_t size = PyList_GET_SIZE(list);
    PyObject *copy = PyList_New(size);
    if (!copy)
        return NULL;

    if (PyList_GET_SIZE(list) != size) {
        PyErr_SetString(PyExc_RuntimeError, "the list of code has changed");
        goto fail;
    }

    *words = PyMem_Malloc(((size_t)size + 1) * sizeof **words);
    if (!*words) {
        PyErr_NoMemory();
        goto fail;
    }

    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *word = PyList_GET_ITEM(list, i);
        if (word_value(&(*words)[i], word) != 0)
            goto fail;
        PyList_SET_ITEM(copy, i, Py_NewRef(word));
    }

    return copy;

fail:
    Py_DECREF(copy);
    return NULL;
}

typedef PyObject *(*call_with_names)(PyObject *module, PyObject *const *args, Py_ssize_t count,
                                     PyObject *names);
static _Atomic(mend_function) original;

/* As re._compiler calls it. */
static int is_compiler_call(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    int is_by_position = count == 6 && !names;
    if (is_by_position && PyLong_Check(args[1]) && PyList_Check(args[2]) && PyLong_Check(args[3]) &&
        PyDict_Check(args[4]) && PyTuple_Check(args[5]))
        return 1;
    PyErr_SetString(PyExc_TypeError, "compile() takes a pattern, an int, a list, an int, a dict "
                                     "and a tuple, by position");
    return 0;
}

static PyObject *compile_checked(PyObject *module, PyObject *const *args, Py_ssize_t count,
                                 PyObject *names)
{
    uint32_t *words = NULL;
    PyObject *pattern = NULL;

    if (!is_compiler_call(args, count, names))
        return NULL;
    Py_ssize_t groups = PyLong_AsSsize_t(args[3]);
    if (groups == -1 && PyErr_Occurred())
        return NULL;

    PyObject *code = copy_words(args[2], &words);
    if (code && check_code(words, PyList_GET_SIZE(code), groups) == 0) {
        PyObject *checked[6] = { args[0], args[1], code, args[3], args[4], args[5] };
        pattern = ((call_with_names)atomic_load(&original))(module, checked, 6, NULL);
    }

    Py_XDECREF(code);
    PyMem_Free(words);
    return pattern;
}

/* ---- the module ---- */

int mend_re(interp *in, PyObject *module)
{
    PyObject *magic = PyDict_GetItemString(PyModule_GetDict(module), "MAGIC"); /* borrowed */
    PyModuleDef *definition = PyModule_GetDef(module);
    PyMethodDef *method = definition ? definition->m_methods : NULL;

    (void)in;
    if (!method)
        return 0; /* a module of Python's with that name */

    while (method->ml_name && strcmp(method->ml_name, "compile") != 0)
        method++;
    mend_function found = (mend_function)method->ml_meth;
    int is_known = method->ml_name && method->ml_flags == (METH_FASTCALL | METH_KEYWORDS);
    if (magic && PyLong_AsLong(magic) != PYTHON_RE_MAGIC) /* it has none before its code has run */
        is_known = 0;
    if (!is_known) {
        PyErr_SetString(PyExc_SystemError, "_sre is not as expected");
        return -1;
    }

    if (found != (mend_function)compile_checked) {
        atomic_store(&original, found);
        __atomic_store_n(&method->ml_meth, (PyCFunction)(mend_function)compile_checked,
                         __ATOMIC_RELEASE);
    }

    return 0;
}
