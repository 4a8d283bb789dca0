#include "agent/loop/contents.h"

#include <string.h>

#include "base/ascii.h"
#include "base/error.h"

enum { MOST_NAMES = 100, MOST_NAME_BYTES = 100 };

/* The guest may have given names of builtins another meaning: they are taken from the module. An
 * item of a value is compared where it is plain, and by its type else. */
static const char digest[] =
    "def contents(names, space, B):\n"
    " kind, size, top, zip, span = B['type'], B['len'], B['object'], B['zip'], B['range']\n"
    " atoms = {kind(x) for x in (0, 0.0, 0j, '', b'', True, None)}\n"
    " rows, bags = (kind([]), kind(()), B['bytearray']), (kind({0}), B['frozenset'])\n"
    " table = kind({})\n"
    " def first(items, most):\n"
    "  return [item for item, _ in zip(items, span(most))]\n"
    " def read(value, room):\n"
    "  t = kind(value)\n"
    "  room[0] -= 1\n"
    "  if t in atoms:\n"
    "   return value\n"
    "  what = (t.__module__, t.__name__)\n"
    "  if room[0] < 0:\n"
    "   return what\n"
    "  if t in rows:\n"
    "   parts = value[:100] + value[-20:]\n"
    "  elif t in bags:\n"
    "   parts = first(value, 100)\n"
    "  elif t is table or what[0] == 'collections' and table in t.__mro__:\n"
    "   parts = [x for item in first(table.items(value), 100) for x in item]\n"
    "   parts += first(table.__reversed__(value), 20)\n"
    "  elif what == ('collections', 'deque'):\n"
    "   parts = first(value, 100) + first(t.__reversed__(value), 20)\n"
    "  elif what == ('numpy', 'ndarray'):\n"
    "   return what + (value.shape, value.nbytes < 65536 and value.tobytes())\n"
    "  elif what == ('pandas.core.frame', 'DataFrame'):\n"
    "   return what + value.shape + (read(value.columns.tolist(), room),)\n"
    "  elif what[0] == '__main__' and kind(t) is kind:\n"
    "   return what + (read(top.__getattribute__(value, '__dict__'), room),)\n"
    "  else:\n"
    "   return what\n"
    "  return what + (size(value),) + kind(())([read(x, room) for x in parts])\n"
    " found = []\n"
    " for name in names:\n"
    "  try:\n"
    "   if name in space:\n"
    "    found.append(name + ':' + B['str'](read(space[name], [500]).__hash__()))\n"
    "  except B['Exception']:\n"
    "   pass\n"
    " return ' '.join(found)\n";
static const char call[] =
    "), globals(), __builtins__ if __builtins__.__class__ is {}.__class__ else "
    "__builtins__.__dict__)";

/* ---- the names that a program mentions ---- */

/* Words of strings and comments count too: a word that the session does not know has no value. */
static int is_listed(const str *names, const char *word, size_t len)
{
    for (const char *at = str_text(names); *at; at += strcspn(at, "\n") + 1)
        if (strcspn(at, "\n") == len && memcmp(at, word, len) == 0)
            return 1;
    return 0;
}

/* A line each. */
static int list_words(str *out, const str *code)
{
    const char *at = str_text(code);
    size_t count = 0, len;
    int error = SNUG_OK;

    for (; !error && *at && count < MOST_NAMES; at += len) {
        for (len = 0; is_name(at[len]); len++)
            continue;
        if (len == 0 || is_digit(at[0]) || len > MOST_NAME_BYTES) {
            len += len == 0;
        } else if (!is_listed(out, at, len)) {
            error = str_append(out, at, len) || str_add(out, "\n");
            count++;
        }
    }

    return error ? SNUG_ENOMEM : SNUG_OK;
}

static int write_query(str *out, const str *code)
{
    str words = { 0 };
    int error = str_add(out, digest) || str_add(out, "contents((") || list_words(&words, code);

    for (const char *at = str_text(&words); !error && *at; at += strcspn(at, "\n") + 1)
        error = str_printf(out, "'%.*s',", (int)strcspn(at, "\n"), at);
    if (!error)
        error = str_add(out, call);
    str_free(&words);
    return error ? SNUG_ENOMEM : SNUG_OK;
}

/* "kept:-12 x:34"; empty where it is not known. */
static int read_contents(str *out, run *r, const attempt *a)
{
    str query = { 0 };
    snug_result *result = NULL;
    size_t len;

    str_clear(out);
    int error = write_query(&query, &a->code) ? error_no_memory() : SNUG_OK;
    if (!error)
        error = run_cell(&result, r, query.data, query.len, 1);
    str_free(&query);
    if (error || !result)
        return error;

    const char *value = snug_result_text(result, SNUG_STREAM_VALUE, &len);
    if (snug_result_status(result) == SNUG_STATUS_OK && len > 2 &&
        str_append(out, value + 1, len - 2)) /* without quotes */
        error = error_no_memory();
    snug_result_free(result);
    return error;
}

/* ---- what has changed ---- */

/* What an item of the list is about; its end is at *next. */
static size_t item_name(const char *at, const char **next)
{
    *next = at + strcspn(at, " ");
    return strcspn(at, ":");
}

static int has_item(const char *list, const char *item, size_t len)
{
    for (const char *at = list, *next; *at; at = next + (*next == ' ')) {
        item_name(at, &next);
        if ((size_t)(next - at) == len && memcmp(at, item, len) == 0)
            return 1;
    }

    return 0;
}

static int has_name(const char *list, const char *name, size_t len)
{
    for (const char *at = list, *next; *at; at = next + (*next == ' '))
        if (item_name(at, &next) == len && memcmp(at, name, len) == 0)
            return 1;
    return 0;
}

/* Whether out tells of the name already, as one that means something else now. */
static int is_told(const str *told, const snug_result *result, const char *name, size_t len)
{
    const snug_change *change;

    if (!strstr(str_text(told), "names: "))
        return 0;
    for (size_t i = 0; (change = snug_result_change(result, i)); i++)
        if (strlen(change->name) == len && memcmp(change->name, name, len) == 0)
            return 1;
    return 0;
}

static int add_changed(str *out, const char *before, const char *now, const snug_result *result)
{
    static const char title[] = "changed in place: ";
    str names = { 0 };
    int error = SNUG_OK;

    for (const char *at = now, *next; !error && *at; at = next + (*next == ' ')) {
        const size_t len = item_name(at, &next);
        if (has_item(before, at, (size_t)(next - at)) || !has_name(before, at, len) ||
            is_told(out, result, at, len))
            continue;
        error = str_add(&names, names.len > 0 ? ", " : title) || str_append(&names, at, len);
    }

    if (!error && names.len > 0)
        error = str_add(out, out->len > 0 ? "; " : "") || str_add_str(out, &names);
    str_free(&names);
    return error ? error_no_memory() : SNUG_OK;
}

/* ---- before and after ---- */

/* In bash a value is its name's, and a session in which nothing has run has what came with the
 * question at most. */
int contents_note(run *r, const attempt *a)
{
    const int is_empty = snug_session_execution_count(r->agent->session) == 0 && r->inputs.len == 0;

    str_clear(&r->contents);
    if (is_in_bash(r->agent) || is_empty)
        return SNUG_OK;
    return read_contents(&r->contents, r, a);
}

/* Digests of two processes cannot be compared. */
int contents_tell(str *out, run *r, const attempt *a)
{
    str now = { 0 };

    if (r->contents.len == 0 || !a->result || a->is_restored || a->reruns > 0 ||
        snug_result_state(a->result) == SNUG_STATE_LOST)
        return SNUG_OK;

    int error = read_contents(&now, r, a);
    if (!error)
        error = add_changed(out, r->contents.data, str_text(&now), a->result);
    str_free(&now);
    return error;
}
