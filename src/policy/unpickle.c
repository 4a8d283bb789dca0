#include "policy/unpickle.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"

/* ---- names ---- */

/* Sorted. What each does with its arguments was read in CPython's sources: none of them calls
 * one. So no map, filter, iter, getattr, operator.getitem (a defaultdict calls), no
 * functools.reduce, no copyreg functions. */
static const char *const constructors[] = {
    "_io.BytesIO",
    "_io.StringIO",
    "array.array",
    "builtins.classmethod",
    "builtins.complex",
    "builtins.enumerate",
    "builtins.object",
    "builtins.property",
    "builtins.range",
    "builtins.slice",
    "builtins.staticmethod",
    "builtins.zip",
    "collections.ChainMap",
    "collections.Counter",
    "collections.OrderedDict",
    "collections.UserDict",
    "collections.UserList",
    "collections.UserString",
    "collections.defaultdict",
    "collections.deque",
    "datetime.date",
    "datetime.datetime",
    "datetime.time",
    "datetime.timedelta",
    "datetime.timezone",
    "decimal.Context",
    "decimal.Decimal",
    "fractions.Fraction",
    "functools.partial",
    "ipaddress.IPv4Address",
    "ipaddress.IPv4Interface",
    "ipaddress.IPv4Network",
    "ipaddress.IPv6Address",
    "ipaddress.IPv6Interface",
    "ipaddress.IPv6Network",
    "itertools.count",
    "operator.attrgetter",
    "operator.itemgetter",
    "operator.methodcaller",
    "pathlib.PosixPath",
    "pathlib.PurePosixPath",
    "pathlib.PureWindowsPath",
    "pathlib._local.PosixPath",
    "pathlib._local.PurePosixPath",
    "pathlib._local.PureWindowsPath",
    "random.Random",
    "re._compile",
    "statistics.NormalDist",
    "string.Template",
    "types.GenericAlias",
    "types.SimpleNamespace",
    "uuid.UUID",
    "xml.etree.ElementTree.Element",
};

static int is_public_name(const char *name, size_t len)
{
    if (len == 0 || name[0] == '_' || !is_name_start(name[0]))
        return 0;
    for (size_t i = 1; i < len; i++)
        if (!is_name(name[i]))
            return 0;
    return 1;
}

/* Such names with dots between them. */
static int is_dotted(const char *name, size_t len)
{
    const char *end = name + len, *dot;
    while ((dot = memchr(name, '.', (size_t)(end - name)))) {
        if (!is_public_name(name, (size_t)(dot - name)))
            return 0;
        name = dot + 1;
    }
    return is_public_name(name, (size_t)(end - name));
}

static int compare_constructor(const void *key, const void *row)
{
    return strcmp(key, *(const char *const *)row);
}

/* The built-in exceptions, by how their names end; a subclass of a cell's is a cell's class. */
static int is_exception(const char *name, size_t len)
{
    static const char *const ends[] = { "Error",         "Exception",          "Warning",
                                        "StopIteration", "StopAsyncIteration", "KeyboardInterrupt",
                                        "SystemExit",    "GeneratorExit",      "Group" };

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t end_len = strlen(ends[i]);
        if (len >= end_len && memcmp(name + len - end_len, ends[i], end_len) == 0)
            return name[0] >= 'A' && name[0] <= 'Z' && !memchr(name, '.', len);
    }

    return 0;
}

unpickle_use unpickle_judge(const char *module, size_t module_len, const char *name,
                            size_t name_len)
{
    char full[128];

    if (memchr(module, '\0', module_len) || memchr(name, '\0', name_len))
        return UNPICKLE_NEVER;
    if (module_len + name_len + 2 <= sizeof full) {
        snprintf(full, sizeof full, "%.*s.%.*s", (int)module_len, module, (int)name_len, name);
        if (bsearch(full, constructors, sizeof constructors / sizeof *constructors,
                    sizeof *constructors, compare_constructor))
            return UNPICKLE_CALL;
    }

    if (module_len == 8 && memcmp(module, "builtins", 8) == 0 && is_exception(name, name_len))
        return UNPICKLE_CALL;

    int is_module = is_dotted(module, module_len) ||
                    (module_len == 10 && memcmp(module, "__future__", 10) == 0);
    if (is_module && is_dotted(name, name_len))
        return UNPICKLE_VALUE;
    return UNPICKLE_NEVER;
}

/* ---- the machine ---- */

/* What is known of a place on the stack or in the memo: the low bits, and above them where in
 * the data a text begins (its operation), or which helper it is. */
typedef enum kind {
    MARK,
    ANY,         /* a value that was built: may be filled */
    SEALED,      /* one that may not: a reference to what is not the file's */
    TEXT,        /* a str */
    CLASS,       /* of a cell: may be called and filled */
    CONSTRUCTOR, /* of the table: may be called */
    HELPER
} kind;

/* The operations of protocol 5 that a saved session has, by their names in Lib/pickle.py. */
enum {
    OP_MARK = '(',
    OP_EMPTY_TUPLE = ')',
    OP_STOP = '.',
    OP_POP = '0',
    OP_POP_MARK = '1',
    OP_BINBYTES = 'B',
    OP_SHORT_BINBYTES = 'C',
    OP_BINFLOAT = 'G',
    OP_BININT = 'J',
    OP_BININT1 = 'K',
    OP_BININT2 = 'M',
    OP_NONE = 'N',
    OP_BINPERSID = 'Q',
    OP_REDUCE = 'R',
    OP_BINUNICODE = 'X',
    OP_EMPTY_LIST = ']',
    OP_APPEND = 'a',
    OP_BUILD = 'b',
    OP_APPENDS = 'e',
    OP_BINGET = 'h',
    OP_LONG_BINGET = 'j',
    OP_SETITEM = 's',
    OP_TUPLE = 't',
    OP_SETITEMS = 'u',
    OP_EMPTY_DICT = '}',
    OP_PROTO = 0x80,
    OP_NEWOBJ = 0x81,
    OP_TUPLE1 = 0x85,
    OP_TUPLE2 = 0x86,
    OP_TUPLE3 = 0x87,
    OP_NEWTRUE = 0x88,
    OP_NEWFALSE = 0x89,
    OP_LONG1 = 0x8a,
    OP_LONG4 = 0x8b,
    OP_SHORT_BINUNICODE = 0x8c,
    OP_BINUNICODE8 = 0x8d,
    OP_BINBYTES8 = 0x8e,
    OP_EMPTY_SET = 0x8f,
    OP_ADDITEMS = 0x90,
    OP_FROZENSET = 0x91,
    OP_NEWOBJ_EX = 0x92,
    OP_STACK_GLOBAL = 0x93,
    OP_MEMOIZE = 0x94,
    OP_FRAME = 0x95,
    OP_BYTEARRAY8 = 0x96,
};

enum { KIND_BITS = 3, MOST_ITEMS = 1 << 25 };

typedef struct items {
    uint64_t *at;
    size_t count, cap;
} items;

typedef struct machine {
    const char *data;
    size_t len, at;
    items stack, memo;
    const _Atomic int *is_stopping;
    const unpickle_more *more;
    char *why;
} machine;

/* Answers 0, as all functions of the machine do that refuse; 1 is fine. */
__attribute__((format(printf, 2, 3))) static int refuse(machine *m, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(m->why, UNPICKLE_WHY_BYTES, format, args);
    va_end(args);
    return 0;
}

static kind item_kind(uint64_t item)
{
    return (kind)(item & ((1 << KIND_BITS) - 1));
}

static uint64_t item_of(kind what, uint64_t more)
{
    return (uint64_t)what | more << KIND_BITS;
}

static int add_to(machine *m, items *to, uint64_t item)
{
    if (to->count == MOST_ITEMS)
        return refuse(m, "have more than %d values", MOST_ITEMS);
    if (array_reserve(&to->at, &to->cap, to->count + 1, sizeof *to->at))
        return refuse(m, "need more memory than there is");

    to->at[to->count++] = item;
    return 1;
}

static int push_value(machine *m, kind what, uint64_t more)
{
    return add_to(m, &m->stack, item_of(what, more));
}

static int refuse_short(machine *m)
{
    return refuse(m, "end in the midst of a value");
}

/* Takes the topmost, which must not be a mark. */
static int pop_value(machine *m, uint64_t *item)
{
    if (m->stack.count == 0 || item_kind(m->stack.at[m->stack.count - 1]) == MARK)
        return refuse(m, "take more values than they made");
    *item = m->stack.at[--m->stack.count];
    return 1;
}

static int drop_values(machine *m, unsigned count)
{
    uint64_t ignored;
    for (unsigned i = 0; i < count; i++)
        if (!pop_value(m, &ignored))
            return 0;
    return 1;
}

/* Takes all down to the last mark, and that too. */
static int pop_mark(machine *m)
{
    while (m->stack.count > 0)
        if (item_kind(m->stack.at[--m->stack.count]) == MARK)
            return 1;
    return refuse(m, "take more values than they made");
}

static int take_number(machine *m, size_t width, uint64_t *out)
{
    if (m->len - m->at < width)
        return refuse_short(m);
    *out = 0;
    for (size_t i = 0; i < width; i++)
        *out |= (uint64_t)(unsigned char)m->data[m->at + i] << (8 * i);
    m->at += width;
    return 1;
}

static int skip_bytes(machine *m, uint64_t bytes)
{
    if (m->len - m->at < bytes)
        return refuse_short(m);
    m->at += (size_t)bytes;
    return 1;
}

/* Bytes behind a length of that width. */
static int skip_counted(machine *m, size_t width)
{
    uint64_t bytes;
    return take_number(m, width, &bytes) && skip_bytes(m, bytes);
}

/* ---- names in pickles ---- */

/* Functions of frozen/savemakers.py, by persistent id, and what they answer. */
static const struct {
    const char *name;
    kind answer;
} helpers[] = {
    { "class", CLASS },          { "enumeration", CLASS },    { "inner", CLASS },
    { "named_tuple", CLASS },    { "attribute", SEALED },     { "bound", SEALED },
    { "cached", SEALED },        { "cell", SEALED },          { "fill_class", SEALED },
    { "fill_function", SEALED }, { "function", SEALED },      { "generic", SEALED },
    { "iterator", SEALED },      { "lazy", SEALED },          { "member", SEALED },
    { "method", SEALED },        { "module", SEALED },        { "reference", SEALED },
    { "single", SEALED },        { "type_variable", SEALED }, { "union", SEALED },
    { "wrapped", SEALED },       { "zone", SEALED },
};

static int find_helper(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++)
        if (strlen(helpers[i].name) == len && memcmp(helpers[i].name, name, len) == 0)
            return (int)i;
    return -1;
}

static size_t width_of_text(unsigned char op)
{
    if (op == OP_SHORT_BINUNICODE)
        return 1;
    return op == OP_BINUNICODE ? 4 : 8;
}

/* The text whose operation is at the item's place: it was read before, and is whole. */
static const char *item_text(const machine *m, uint64_t item, size_t *len)
{
    machine reader = *m;
    uint64_t bytes = 0;
    reader.at = (size_t)(item >> KIND_BITS);
    size_t width = width_of_text((unsigned char)m->data[reader.at++]);
    take_number(&reader, width, &bytes);
    *len = (size_t)bytes;
    return m->data + reader.at;
}

static int shown_len(size_t len)
{
    return (int)(len < 80 ? len : 80);
}

/* Of letters, digits and '_'. A module's name may have dots; in the name of what it has, they would
 * lead on to something of another module. */
static int is_plain_name(const char *text, size_t len, int may_have_dots)
{
    for (size_t i = 0; i < len; i++)
        if (!is_word(text[i]) && (text[i] != '.' || !may_have_dots))
            return 0;
    return len > 0;
}

/* Whether unpickle_more has that name called. */
static int is_one_more(const machine *m, const char *module, size_t module_len, const char *name,
                       size_t name_len)
{
    if (!m->more || !is_plain_name(module, module_len, 1) || !is_plain_name(name, name_len, 0))
        return 0;
    return m->more->is_one(m->more->payload, module, module_len);
}

static int push_global(machine *m)
{
    uint64_t name, module;
    size_t name_len, module_len;

    if (!pop_value(m, &name) || !pop_value(m, &module))
        return 0;
    if (item_kind(name) != TEXT || item_kind(module) != TEXT)
        return refuse(m, "make a name of what is not text");

    const char *name_text = item_text(m, name, &name_len);
    const char *module_text = item_text(m, module, &module_len);
    unpickle_use use = unpickle_judge(module_text, module_len, name_text, name_len);
    if (is_one_more(m, module_text, module_len, name_text, name_len))
        use = UNPICKLE_CALL;

    switch (use) {
    case UNPICKLE_CALL:
        return push_value(m, CONSTRUCTOR, m->at);
    case UNPICKLE_VALUE:
        return push_value(m, SEALED, 0);
    case UNPICKLE_NEVER:
        break;
    }

    return refuse(m, "name %.*s.%.*s, which no saved session has", shown_len(module_len),
                  module_text, shown_len(name_len), name_text);
}

static int push_helper(machine *m)
{
    uint64_t id;
    size_t len;

    if (!pop_value(m, &id))
        return 0;

    int helper = -1;
    if (item_kind(id) == TEXT) {
        const char *text = item_text(m, id, &len);
        helper = find_helper(text, len);
    }

    if (helper < 0)
        return refuse(m, "have an id that no saved session has");
    return push_value(m, HELPER, (uint64_t)helper);
}

/* ---- calls ---- */

static int call_top(machine *m, int is_new, unsigned arguments)
{
    uint64_t callee = 0;

    if (!drop_values(m, arguments) || !pop_value(m, &callee))
        return 0;

    switch (item_kind(callee)) {
    case CLASS:
    case CONSTRUCTOR:
        return push_value(m, ANY, 0);
    case HELPER:
        if (is_new)
            break;
        return push_value(m, helpers[callee >> KIND_BITS].answer, 0);
    case MARK:
    case ANY:
    case SEALED:
    case TEXT:
        break;
    }

    return refuse(m, "call what is not a constructor that a saved session calls");
}

/* The topmost value is filled with what was above it. */
static int fill_top(machine *m)
{
    uint64_t target;
    if (!pop_value(m, &target))
        return 0;
    if (item_kind(target) != ANY && item_kind(target) != CLASS)
        return refuse(m, "change a value that they did not make");
    m->stack.count++;
    return 1;
}

static int drop_and_fill(machine *m, unsigned values)
{
    return drop_values(m, values) && fill_top(m);
}

/* ---- the operations ---- */

static int memoize_top(machine *m)
{
    if (m->stack.count == 0 || item_kind(m->stack.at[m->stack.count - 1]) == MARK)
        return refuse(m, "remember a value that is not there");
    return add_to(m, &m->memo, m->stack.at[m->stack.count - 1]);
}

static int push_memo(machine *m, size_t width)
{
    uint64_t index;
    if (!take_number(m, width, &index))
        return 0;
    if (index >= m->memo.count)
        return refuse(m, "recall a value that is not there");
    return add_to(m, &m->stack, m->memo.at[index]);
}

static int check_frame(machine *m)
{
    uint64_t bytes;
    if (!take_number(m, 8, &bytes))
        return 0;
    if (bytes > m->len - m->at)
        return refuse_short(m);
    return 1;
}

static int push_text(machine *m, size_t width)
{
    size_t begin = m->at - 1;
    return skip_counted(m, width) && push_value(m, TEXT, begin);
}

/* Pops `takes` values and pushes one. */
static int join_values(machine *m, unsigned takes)
{
    return drop_values(m, takes) && push_value(m, ANY, 0);
}

static int drop_top(machine *m)
{
    /* Unpickler: a mark goes like a value. */
    if (m->stack.count == 0)
        return refuse(m, "take more values than they made");
    m->stack.count--;
    return 1;
}

static int run_operation(machine *m, unsigned char op)
{
    switch (op) {
    case OP_MARK:
        return push_value(m, MARK, 0);
    case OP_POP:
        return drop_top(m);
    case OP_POP_MARK:
        return pop_mark(m);
    case OP_NONE:
    case OP_NEWTRUE:
    case OP_NEWFALSE:
    case OP_EMPTY_TUPLE:
    case OP_EMPTY_LIST:
    case OP_EMPTY_DICT:
    case OP_EMPTY_SET:
        return push_value(m, ANY, 0);
    case OP_BININT1:
        return skip_bytes(m, 1) && push_value(m, ANY, 0);
    case OP_BININT2:
        return skip_bytes(m, 2) && push_value(m, ANY, 0);
    case OP_BININT:
        return skip_bytes(m, 4) && push_value(m, ANY, 0);
    case OP_BINFLOAT:
        return skip_bytes(m, 8) && push_value(m, ANY, 0);
    case OP_LONG1:
    case OP_SHORT_BINBYTES:
        return skip_counted(m, 1) && push_value(m, ANY, 0);
    case OP_LONG4: /* a negative length does not fit either */
    case OP_BINBYTES:
        return skip_counted(m, 4) && push_value(m, ANY, 0);
    case OP_BINBYTES8:
    case OP_BYTEARRAY8:
        return skip_counted(m, 8) && push_value(m, ANY, 0);
    case OP_SHORT_BINUNICODE:
    case OP_BINUNICODE:
    case OP_BINUNICODE8:
        return push_text(m, width_of_text(op));
    case OP_TUPLE:
    case OP_FROZENSET:
        return pop_mark(m) && push_value(m, ANY, 0);
    case OP_TUPLE1:
    case OP_TUPLE2:
    case OP_TUPLE3:
        return join_values(m, op - OP_TUPLE1 + 1u);
    case OP_APPEND:
        return drop_and_fill(m, 1);
    case OP_SETITEM:
        return drop_and_fill(m, 2);
    case OP_APPENDS:
    case OP_SETITEMS:
    case OP_ADDITEMS:
        return pop_mark(m) && fill_top(m);
    case OP_MEMOIZE:
        return memoize_top(m);
    case OP_BINGET:
        return push_memo(m, 1);
    case OP_LONG_BINGET:
        return push_memo(m, 4);
    case OP_STACK_GLOBAL:
        return push_global(m);
    case OP_BINPERSID:
        return push_helper(m);
    case OP_REDUCE:
        return call_top(m, 0, 1);
    case OP_NEWOBJ:
        return call_top(m, 1, 1);
    case OP_NEWOBJ_EX:
        return call_top(m, 1, 2);
    case OP_BUILD:
        return drop_and_fill(m, 1);
    case OP_FRAME:
        return check_frame(m);
    }
    return refuse(m, "have the operation 0x%02x, which a saved session does not use", op);
}

enum { PROTOCOL = 5 };

static int check_pickle(machine *m)
{
    uint64_t value;

    m->stack.count = 0;
    if (m->len - m->at < 2 || (unsigned char)m->data[m->at] != OP_PROTO ||
        m->data[m->at + 1] != PROTOCOL)
        return refuse(m, "are not pickles of protocol %d", PROTOCOL);

    m->at += 2;
    for (unsigned steps = 0; m->at < m->len; steps++) {
        if (steps % 4096 == 4095 && m->is_stopping && atomic_load(m->is_stopping))
            return refuse(m, "take too long to judge");
        unsigned char op = (unsigned char)m->data[m->at++];
        if (op == OP_STOP) {
            if (!pop_value(m, &value))
                return 0;
            if (m->stack.count > 0)
                return refuse(m, "leave values behind");
            return 1;
        }
        if (!run_operation(m, op))
            return 0;
    }

    return refuse_short(m);
}

int unpickle_check(const char *data, size_t len, size_t count, const _Atomic int *is_stopping,
                   char why[UNPICKLE_WHY_BYTES])
{
    return unpickle_check_more(data, len, count, is_stopping, NULL, why);
}

int unpickle_check_more(const char *data, size_t len, size_t count, const _Atomic int *is_stopping,
                        const unpickle_more *more, char why[UNPICKLE_WHY_BYTES])
{
    machine m = { .data = data, .len = len, .is_stopping = is_stopping, .more = more, .why = why };
    int is_fine = 1;

    for (size_t i = 0; i < count && is_fine; i++)
        is_fine = check_pickle(&m);
    if (is_fine && m.at < len)
        is_fine = refuse(&m, "go on behind their end");
    free(m.stack.at);
    free(m.memo.at);
    return is_fine;
}
