/*
 * hintnames.c - hints about names: of the namespace, of attributes, of modules.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/nearest.h"
#include "policy/allowlist.h"
#include "py/core/changes.h"
#include "py/hints/hint.h"
#include "py/report/suggest.h"

/* ---- lists of names ---- */

/* Texts of strings that a dict keeps alive: nothing that could free one runs in between. */
typedef struct names {
    const char *items[750];
    size_t count;
} names;
enum { MOST = 750, MOST_ATTRIBUTES = 12 };

/* Borrowed from the str; NULL for a name that is empty or not ASCII. */
static const char *ascii_name(PyObject *name)
{
    if (!PyUnicode_CheckExact(name) || !PyUnicode_IS_COMPACT_ASCII(name))
        return NULL;
    const char *text = (const char *)PyUnicode_1BYTE_DATA(name);
    return text[0] ? text : NULL;
}

static void keep_name(names *to, const char *name)
{
    if (name && to->count < MOST)
        to->items[to->count++] = name;
}

/* Public ones of a dict. */
static void add_public(names *to, PyObject *dict)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (dict && PyDict_Check(dict) && PyDict_Next(dict, &at, &key, &value)) {
        const char *text = ascii_name(key);
        if (text && text[0] != '_')
            keep_name(to, text);
    }
}

/* 0 where it is empty or has no room. */
static int copy_span(char *out, size_t size, span text)
{
    if (text.len == 0 || text.len >= size)
        return 0;
    memcpy(out, text.at, text.len);
    out[text.len] = '\0';
    return 1;
}

/* ---- names that people do not import ---- */

static const struct known {
    const char *name, *missing;
} known[] = {
    { "np", "import numpy as np" },
    { "pd", "import pandas as pd" },
    { "plt", "import matplotlib.pyplot as plt" },
    { "sns", "import seaborn as sns" },
    { "dt", "import datetime as dt" },
    { "os", "import os" },
    { "re", "import re" },
    { "sys", "import sys" },
    { "csv", "import csv" },
    { "json", "import json" },
    { "math", "import math" },
    { "time", "import time" },
    { "random", "import random" },
    { "asyncio", "import asyncio" },
    { "itertools", "import itertools" },
    { "functools", "import functools" },
    { "statistics", "import statistics" },
    { "collections", "import collections" },
    { "sqrt", "from math import sqrt" },
    { "pi", "from math import pi" },
    { "sin", "from math import sin" },
    { "cos", "from math import cos" },
    { "ceil", "from math import ceil" },
    { "floor", "from math import floor" },
    { "factorial", "from math import factorial" },
    { "mean", "from statistics import mean" },
    { "median", "from statistics import median" },
    { "randint", "from random import randint" },
    { "Counter", "from collections import Counter" },
    { "defaultdict", "from collections import defaultdict" },
    { "namedtuple", "from collections import namedtuple" },
    { "deque", "from collections import deque" },
    { "dataclass", "from dataclasses import dataclass" },
    { "field", "from dataclasses import field" },
    { "timedelta", "from datetime import timedelta" },
    { "date", "from datetime import date" },
    { "Decimal", "from decimal import Decimal" },
    { "Enum", "from enum import Enum" },
    { "Path", "from pathlib import Path" },
    { "partial", "from functools import partial" },
    { "reduce", "from functools import reduce" },
    { "lru_cache", "from functools import lru_cache" },
    { "permutations", "from itertools import permutations" },
    { "combinations", "from itertools import combinations" },
    { "chain", "from itertools import chain" },
    { "groupby", "from itertools import groupby" },
    { "List", "from typing import List" },
    { "Dict", "from typing import Dict" },
    { "Optional", "from typing import Optional" },
    { "Any", "from typing import Any" },
    { "StringIO", "from io import StringIO" },
};

static const struct known others[] = {
    { "null", "None" },    { "nil", "None" },       { "undefined", "None" },
    { "xrange", "range" }, { "unicode", "str" },    { "raw_input", "input" },
    { "unichr", "chr" },   { "basestring", "str" },
};

static const char *missing_for(const struct known *rows, size_t count, span name)
{
    for (size_t i = 0; i < count; i++)
        if (span_is(name, rows[i].name))
            return rows[i].missing;
    return NULL;
}

/* Whether the name is used as what the statement imports, and not as a variable of that name. */
static int is_used_as(hint *h, span name, const char *statement)
{
    span line = h->place.line, use = h->place.segment;
    if (use.len != name.len)
        return 0;

    const char next = use.at + use.len < line.at + line.len ? use.at[use.len] : '\0';
    if (strncmp(statement, "import", 6) == 0)
        return next == '.';
    return (name.at[0] >= 'A' && name.at[0] <= 'Z') || span_is(name, "pi") || next == '(' ||
           (use.at > line.at && use.at[-1] == '@');
}

/* The second word of the statement is the module. */
static int say_import(hint *h, const char *statement)
{
    char module[32], reason[512];
    const char *word = strchr(statement, ' ') + 1;

    snprintf(module, sizeof module, "%.*s", (int)strcspn(word, " "), word);
    allow_verdict verdict = allowlist_verdict(h->in->options.modules, module, strlen(module));
    if (verdict != ALLOW_PUBLIC) {
        allowlist_explain(h->in->options.modules, module, verdict != ALLOW_NEVER, reason,
                          sizeof reason);
        hint_say(h, "$1 is not defined, and ");
        hint_add_text(h, reason);
        return 1;
    }

    hint_say(h, "$1 is not imported: write `");
    hint_add_text(h, statement);
    hint_add_text(h, "` first.");
    return 1;
}

/* ---- what earlier cells would have set ---- */

static int mentions(span text, span word)
{
    while (text.len >= word.len) {
        size_t len = place_name_len(text);
        if (len == word.len && memcmp(text.at, word.at, len) == 0)
            return 1;
        text = span_from(text, len ? len : 1);
    }
    return 0;
}

/* What is in front of the "=" of an assignment of plain names; empty for other lines. */
static span assigned_names(span line)
{
    const span none = { "", 0 };
    const char *equals = memchr(line.at, '=', line.len);
    if (!equals || equals == line.at || equals + 1 == line.at + line.len)
        return none;

    /* A comparison, or an assignment that changes what is there already. */
    if (equals[1] == '=' || strchr("=!<>+-*/%&|^@:", equals[-1]))
        return none;

    span left = span_cut(line, (size_t)(equals - line.at));
    for (size_t i = 0; i < left.len; i++)
        if (strchr("([.", left.at[i]))
            return none;
    return left;
}

static int line_sets(span line, span name)
{
    static const char *const definitions[] = { "def ", "class ", "async def " };

    for (size_t i = 0; i < sizeof definitions / sizeof *definitions; i++) {
        if (!span_begins(line, definitions[i]))
            continue;
        span rest = span_from(line, strlen(definitions[i]));
        return mentions(span_cut(rest, place_name_len(rest)), name);
    }

    /* What is indented may be a function's own. */
    if (line.len == 0 || is_blank(line.at[0]))
        return 0;
    return mentions(assigned_names(line), name);
}

enum { LOOKED_AT_CELLS = 50, LOOKED_AT_BYTES = 64 * 1024 };

/* The first line on the cell's own level that sets the name, or 0. */
static unsigned setting_line(PyObject *source, span name)
{
    PyObject *holder;
    span rest = pytext_of(&holder, source);
    unsigned found = 0;

    rest = span_cut(rest, LOOKED_AT_BYTES);
    for (unsigned number = 1; rest.len > 0 && !found; number++) {
        size_t content, len = span_line(rest, &content);
        if (line_sets(span_cut(rest, content), name))
            found = number;
        rest = span_from(rest, len);
    }

    Py_XDECREF(holder);
    return found;
}

static int say_cell(hint *h, span name)
{
    interp *in = h->in;
    uint64_t least = in->number > LOOKED_AT_CELLS ? in->number - LOOKED_AT_CELLS : 0;

    for (uint64_t n = in->number; n > least; n--) {
        PyObject *source = n <= in->source_count ? in->sources[n - 1] : NULL;
        unsigned line = source ? setting_line(source, name) : 0;
        if (line == 0)
            continue;
        if (n < in->number) {
            str_printf(h->out, "Cell %llu sets ", (unsigned long long)n);
            hint_say(h, "$1, but it ended before that line, or the name was deleted later: run "
                        "that part again.");
            return 1;
        }
        if (line > h->place.number && h->place.number > 0) {
            hint_say(h, "$1 is set further down in this cell, in line ");
            str_printf(h->out, "%u: set it before it is used.", line);
            return 1;
        }
    }

    return 0;
}

/* ---- NameError ---- */

static int say_names(hint *h)
{
    names there = { .count = 0 };
    PyObject *key, *value;
    Py_ssize_t at = 0;

    while (PyDict_Next(h->in->main, &at, &key, &value))
        if (!changes_is_hidden(key) && !PyModule_Check(value))
            keep_name(&there, ascii_name(key));

    if (there.count == 0)
        return 0;

    hint_say(h, "The names here are ");
    /* The newest first. */
    for (size_t i = 0; i < there.count / 2; i++) {
        const char *other = there.items[i];
        there.items[i] = there.items[there.count - 1 - i];
        there.items[there.count - 1 - i] = other;
    }

    hint_add_names(h, there.items, there.count);
    return 1;
}

/* Whether Python's own message ends in a suggestion. */
static int has_suggestion(hint *h)
{
    str sentence = { 0 };
    int has = suggest_sentence(&sentence, h->exc) == SNUG_OK && sentence.len > 0;
    str_free(&sentence);
    return has;
}

static void add_attribute_names(names *to, PyObject *object);

/* An attribute of self, as Python itself suggests from 3.12 on. */
static int say_self(hint *h, span name)
{
    PyObject *self = place_name(&h->place, (span){ "self", 4 });
    names there = { .count = 0 };
    int said = 0;

    if (self)
        add_attribute_names(&there, self);
    for (size_t i = 0; i < there.count && !said; i++)
        said = span_is(name, there.items[i]) && hint_say(h, "Did you mean self.$1?");
    Py_XDECREF(self);
    return said;
}

int hint_name(hint *h)
{
    span name = h->parts[0];

    if (name.len == 0 || !h->place.frame)
        return 0;

    if (say_cell(h, name))
        return 1;

    const char *statement = missing_for(known, sizeof known / sizeof *known, name);
    if (statement && is_used_as(h, name, statement))
        return say_import(h, statement);

    const char *other = missing_for(others, sizeof others / sizeof *others, name);
    if (other) {
        hint_say(h, "$1 is not Python: write ");
        hint_add_text(h, other);
        hint_add_text(h, ".");
        return 1;
    }

    if (!PYTHON_REPORTS_IN_PYTHON && say_self(h, name))
        return 1;
    return has_suggestion(h) || say_names(h);
}

int hint_unbound(hint *h)
{
    PyObject *holder = NULL;
    span function = { "", 0 };
    if (h->place.code)
        function = pytext_of(&holder, h->place.code->co_qualname);
    int is_nested = function.len && memmem(function.at, function.len, ".<locals>.", 10);

    Py_XDECREF(holder);
    if (is_nested)
        return hint_say(h, "Assignment makes $1 local to the function: write `nonlocal $1` if it "
                           "belongs to the enclosing one.");
    if (!place_item(h->place.globals, h->parts[0]))
        return 0;
    return hint_say(h, "Assignment makes $1 local to the function: if the outer $1 is meant, pass "
                       "it as an argument, or write `global $1` in the first line.");
}

/* ---- AttributeError ---- */

#define STR_NO_DICT \
    "It is a str. JSON text needs json.loads(text) first, and a loop over a dict yields its keys."

/* What other languages, and older versions of Python, call it. */
static const struct method {
    const char *type, *name, *sentence;
} methods[] = {
    { "list", "push", "A list has append(x)." },
    { "list", "add", "A list has append(x)." },
    { "list", "length", "Write len(x) for the length." },
    { "str", "length", "Write len(x) for the length." },
    { "list", "size", "Write len(x) for the length." },
    { "dict", "length", "Write len(x) for the length." },
    { "list", "contains", "Write `item in items`." },
    { "list", "join", "Write \", \".join(items): join is a method of the separator." },
    { "list", "split", "split is a method of str: call it on each item." },
    { "list", "items", "items() is a method of dict: loop over a list with `for item in items`." },
    { "list", "keys", "keys() is a method of dict, and this is a list: use one of its items." },
    { "list", "get", "get() is a method of dict, and this is a list: use one of its items." },
    { "list", "sum", "Write sum(items)." },
    { "list", "mean", "Write statistics.mean(items)." },
    { "list", "map", "Write [f(item) for item in items]." },
    { "list", "filter", "Write [item for item in items if test(item)]." },
    { "str", "contains", "Write `part in text`." },
    { "str", "decode", "It is a str already: decode() is a method of bytes." },
    { "bytes", "encode", "It is bytes already: encode() is a method of str." },
    { "str", "append", "A str cannot be changed: write text += other, or append to a list." },
    { "str", "get", STR_NO_DICT },
    { "str", "items", STR_NO_DICT },
    { "str", "keys", STR_NO_DICT },
    { "str", "trim", "A str has strip()." },
    { "str", "substring", "Write text[start:end]." },
    { "str", "includes", "Write `part in text`." },
    { "str", "toLowerCase", "A str has lower()." },
    { "str", "toUpperCase", "A str has upper()." },
    { "str", "isoformat", "It is a str, not a date: datetime.fromisoformat(text) makes one." },
    { "str", "strftime", "It is a str, not a date: datetime.strptime(text, format) makes one." },
    { "dict", "has_key", "Write `key in d`." },
    { "dict", "iteritems", "A dict has items()." },
    { "dict", "itervalues", "A dict has values()." },
    { "dict", "iterkeys", "A dict has keys()." },
    { "dict", "append", "Write d[key] = value, or d.setdefault(key, []).append(value)." },
    { "dict", "add", "Write d[key] = value; an empty set is written set()." },
    { "set", "append", "A set has add(x)." },
    { "tuple", "append", "A tuple cannot be changed: make a list of it, or write t + (x,)." },
    { "tuple", "sort", "A tuple cannot be changed: write sorted(t)." },
    { "int", "split", "It is a number: str(x) makes text of it." },
    { "generator", "next", "Write next(x)." },
    { "coroutine", NULL, "It was not awaited: write `await` in front of the call." },
    { "builtin_function_or_method", NULL,
      "It is a function: call it with (), or import the module if that is meant." },
    { "method", NULL, "It is a method: call it with ()." },
};

static int say_method(hint *h)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const struct method *row = &methods[i];
        if (span_is(h->parts[0], row->type) && (!row->name || span_is(h->parts[1], row->name)))
            return hint_say(h, row->sentence);
    }
    return 0;
}

/* Of the object and its classes that Python code has defined; what they name is kept alive by them.
 */
static void add_attribute_names(names *to, PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    PyObject *own = NULL;

    if (PyType_Check(object))
        type = (PyTypeObject *)object;
    else if (type->tp_dictoffset != 0)
        own = PyObject_GenericGetDict(object, NULL);

    PyErr_Clear();
    add_public(to, own);
    Py_XDECREF(own);

    for (Py_ssize_t i = 0; type->tp_mro && i + 1 < PyTuple_GET_SIZE(type->tp_mro); i++) {
        PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(type->tp_mro, i);
        PyObject *dict = python_type_dict(base);
        if (PyType_HasFeature(base, Py_TPFLAGS_HEAPTYPE))
            add_public(to, dict);
        Py_XDECREF(dict);
    }
}

/* All of them, or none. A slot that is not set yet is one of them. */
static int say_attributes(hint *h, PyObject *object)
{
    names there = { .count = 0 };
    add_attribute_names(&there, object);
    if (there.count == 0 || there.count > MOST_ATTRIBUTES)
        return 0;
    for (size_t i = 0; i < there.count; i++)
        if (span_is(h->parts[1], there.items[i]))
            return 0;
    hint_say(h, "The attributes of $1 are ");
    hint_add_names(h, there.items, there.count);
    return 1;
}

int hint_attribute(hint *h)
{
    PyObject *object = ((PyAttributeErrorObject *)h->exc)->obj;

    if (say_method(h) || has_suggestion(h))
        return 1;
    if (!object)
        return 0;

    Py_INCREF(object);
    int said = say_attributes(h, object);
    Py_DECREF(object);
    return said;
}

/* ---- modules ---- */

/* datetime.now: a class in the module has it. */
static int say_class(hint *h, PyObject *dict)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    int found = 0;

    while (!found && PyDict_Next(dict, &at, &key, &value)) {
        const char *name = ascii_name(key);
        if (!PyType_Check(value) || !name || !span_is(h->parts[0], name))
            continue;
        PyObject *own = python_type_dict((PyTypeObject *)value);
        found = place_item(own, h->parts[1]) != NULL;
        Py_XDECREF(own);
    }

    if (!found)
        return 0;
    return hint_say(
        h, "It belongs to the class $1 in the module: write $1.$1.$2, or `from $1 import $1`.");
}

int hint_module_attribute(hint *h)
{
    PyObject *module = ((PyAttributeErrorObject *)h->exc)->obj;
    if (!module || !PyModule_Check(module))
        return 0;
    PyObject *dict = Py_NewRef(PyModule_GetDict(module));
    int said = say_class(h, dict);
    Py_DECREF(dict);
    return said;
}

/* "cannot import name '*' from '*'" */
int hint_import_name(hint *h)
{
    char wrong[128];
    span name = h->parts[0], from = h->parts[1];
    PyObject *module = place_item(PyImport_GetModuleDict(), from);
    if (has_suggestion(h))
        return 1;
    if (!module || !PyModule_Check(module) || !copy_span(wrong, sizeof wrong, name))
        return 0;

    names there = { .count = 0 };
    PyObject *dict = Py_NewRef(PyModule_GetDict(module));
    add_public(&there, dict);
    const char *near = nearest_typed(wrong, there.items, there.count);

    if (near)
        str_printf(h->out, "Did you mean '%s'?", near);
    Py_DECREF(dict);
    return near != NULL;
}
