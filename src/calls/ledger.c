#include "calls/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"

void ledger_begin(ledger *l)
{
    l->start_ns = clock_now_ns();
    l->made = l->denied = 0;
    l->count = 0;
    l->first_over = l->last_over = LEDGER_NONE;
}

size_t ledger_add(ledger *l, const char *name, call_state state, desk_refusal *error)
{
    int is_denied = state == CALL_DENIED;
    uint64_t most = is_denied ? DESK_DENIED_ENTRIES : DESK_ENTRIES;
    uint64_t *calls = is_denied ? &l->denied : &l->made;

    *error = DESK_FINE;
    ++*calls;
    if (*calls > most)
        return LEDGER_NONE;

    if (array_reserve(&l->entries, &l->cap, l->count + 1, sizeof *l->entries)) {
        *error = DESK_NO_MEMORY;
        return LEDGER_NONE;
    }

    l->entries[l->count] = (ledger_entry){ name, state, clock_now_ns(), 0, LEDGER_NONE };
    return l->count++;
}

void ledger_end(ledger *l, size_t index, call_state how, uint64_t duration_ns)
{
    ledger_entry *entry = &l->entries[index];
    entry->state = how;
    entry->duration_ns = duration_ns;

    if (l->first_over == LEDGER_NONE)
        l->first_over = index;
    else
        l->entries[l->last_over].next_over = index;
    l->last_over = index;
}

const char *ledger_status(call_state state)
{
    switch (state) {
    case CALL_OK:
        return "ok";
    case CALL_TIMEOUT:
        return "timeout";
    case CALL_DENIED:
        return "denied";
    case CALL_REFUSED:
        return "refused";
    case CALL_PREPARED:
    case CALL_WAITS:
    case CALL_MADE:
    case CALL_CANCELLED:
        return "cancelled";
    case CALL_ERROR:
    case CALL_NONE:
        break;
    }
    return "error";
}

/* name stays whose it is. */
static snug_tool_call describe_entry(const ledger *l, const ledger_entry *entry, const char *name)
{
    return (snug_tool_call){ name, ledger_status(entry->state), entry->start_ns - l->start_ns,
                             entry->duration_ns };
}

int ledger_take_over(snug_tool_call *out, ledger *l)
{
    if (l->first_over == LEDGER_NONE)
        return 0;
    const ledger_entry *entry = &l->entries[l->first_over];
    *out = describe_entry(l, entry, entry->name);
    l->first_over = entry->next_over;
    return 1;
}

static int copy_entries(snug_tool_call *calls, const ledger *l)
{
    for (size_t i = 0; i < l->count; i++) {
        const ledger_entry *entry = &l->entries[i];
        char *name = strdup(entry->name);
        if (!name)
            return SNUG_ENOMEM;
        calls[i] = describe_entry(l, entry, name);
    }
    return SNUG_OK;
}

int ledger_copy(snug_tool_call **out, size_t *count, const ledger *l)
{
    snug_tool_call *calls = NULL;

    if (l->count > 0) {
        calls = calloc(l->count, sizeof *calls);
        if (!calls)
            return SNUG_ENOMEM;
        if (copy_entries(calls, l) != SNUG_OK) {
            ledger_free_copy(calls, l->count);
            return SNUG_ENOMEM;
        }
    }

    *out = calls;
    *count = l->count;
    return SNUG_OK;
}

void ledger_free_copy(snug_tool_call *calls, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free((void *)(uintptr_t)calls[i].name);
    free(calls);
}

void ledger_free(ledger *l)
{
    free(l->entries);
    *l = (ledger){ 0 };
}
