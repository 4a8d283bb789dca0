/* What a desk has for its journal. */
#include "calls/desk_inside.h"

#include <stdlib.h>

#include "base/clock.h"
#include "calls/journal.h"

int desk_set_journal(desk *d, snug_journal *journal, const char *name)
{
    journal_leave(d->journal); /* a spare's */
    d->journal = journal ? journal_join(journal, name) : NULL;
    return journal && !d->journal ? SNUG_ENOMEM : SNUG_OK;
}

void desk_number_cell(desk *d, uint64_t number)
{
    if (!d->journal)
        return;
    pthread_mutex_lock(&d->lock);
    d->cell = number;
    pthread_mutex_unlock(&d->lock);
}

int desk_replays(const desk *d)
{
    return journal_replays(d->journal);
}

void desk_record_end(snug_call *call, call_state how, uint64_t duration_ns)
{
    desk *d = call->desk;
    desk_record *record = calloc(1, sizeof *record);
    const journal_entry entry = { call->in_journal, d->cell, call->name,  &call->text,
                                  &call->answer,    how,     duration_ns, call->timeout_ms };

    if (!record)
        return;
    record->number = call->in_journal;
    if (journal_describe(&record->line, d->journal, &entry) != SNUG_OK)
        str_free(&record->line);
    d->record_bytes += record->line.len;
    if (d->last_record)
        d->last_record->next = record;
    else
        d->first_record = record;
    d->last_record = record;
}

static desk_record *take_record(desk *d)
{
    pthread_mutex_lock(&d->lock);
    desk_record *record = d->first_record;
    if (record) {
        d->first_record = record->next;
        if (!d->first_record)
            d->last_record = NULL;
        d->record_bytes -= record->line.len;
    }
    pthread_mutex_unlock(&d->lock);
    return record;
}

void desk_go_on(desk *d)
{
    if (!d->journal)
        return;
    replay_go_on(d->journal);
    for (desk_record *record; (record = take_record(d));) {
        replay_end(d->journal, record->number);
        if (record->line.len > 0)
            journal_write(d->journal, &record->line);
        str_free(&record->line);
        free(record);
    }
}
