/*
 * kept_conversation.c - snug_agent_conversation: the turns of a conversation that was kept.
 */
#include <snug/agent.h>

#include <stdlib.h>
#include <string.h>

#include "agent/run/run.h"
#include "agent/store/database.h"
#include "base/array.h"
#include "base/error.h"

enum { TEXTS = 4 };

struct snug_agent_conversation {
    struct kept_turn {
        snug_agent_turn told;
        str texts[TEXTS];
    } * turns;
    size_t count, cap;
};

static struct kept_turn *add_turn(snug_agent_conversation *c)
{
    if (array_reserve(&c->turns, &c->cap, c->count + 1, sizeof *c->turns))
        return NULL;
    struct kept_turn *t = &c->turns[c->count++];
    memset(t, 0, sizeof *t);
    return t;
}

static void tell_turn(struct kept_turn *t)
{
    t->told = (snug_agent_turn){ .size = sizeof t->told,
                                 .question = str_text(&t->texts[0]),
                                 .code = str_text(&t->texts[1]),
                                 .output = str_text(&t->texts[2]),
                                 .answer = str_text(&t->texts[3]) };
}

static int read_turn(snug_agent_conversation *c, const database *d, sqlite3_stmt *row)
{
    struct kept_turn *t = add_turn(c);
    int error = t ? SNUG_OK : error_no_memory();

    for (int i = 0; i < TEXTS && !error; i++)
        error = database_text(&t->texts[i], d, row, i);
    if (t)
        tell_turn(t);
    return error;
}

static int read_turns(snug_agent_conversation *c, database *d)
{
    sqlite3_stmt *statement;
    int has_row = 1;
    int error = database_prepare(&statement, d,
                                 "select question, code, output, answer from turn order by n");

    while (!error && !(error = database_row(d, statement, &has_row)) && has_row)
        error = read_turn(c, d, statement);
    sqlite3_finalize(statement);
    return error;
}

int snug_agent_conversation_open(snug_agent_conversation **out, const char *path)
{
    database *d = NULL;

    if (!out || !path)
        return error_set(SNUG_EINVAL, "snug_agent_conversation_open: %s is NULL",
                         out ? "path" : "out");
    *out = NULL;
    snug_agent_conversation *c = calloc(1, sizeof *c);
    if (!c)
        return error_no_memory();

    int error = database_open(&d, path, DATABASE_CONVERSATION, 0);
    if (!error)
        error = read_turns(c, d);
    database_close(d);
    if (error) {
        snug_agent_conversation_close(c);
        return error;
    }

    *out = c;
    return SNUG_OK;
}

/* Without a file all of them are in memory. */
static int copy_turns(snug_agent_conversation *c, const snug_agent *agent)
{
    for (size_t i = 0; i < agent->turn_count; i++) {
        const turn *from = &agent->turns[i];
        const str *texts[TEXTS] = { &from->question, &from->code, &from->output, &from->answer };
        struct kept_turn *t = add_turn(c);
        int failed = !t;
        for (int k = 0; k < TEXTS && !failed; k++)
            failed = str_add_str(&t->texts[k], texts[k]);
        if (failed)
            return error_no_memory();
        tell_turn(t);
    }
    return SNUG_OK;
}

int snug_agent_conversation_of(snug_agent_conversation **out, snug_agent *agent)
{
    if (!out || !agent)
        return error_set(SNUG_EINVAL, "snug_agent_conversation_of: %s is NULL",
                         out ? "agent" : "out");
    *out = NULL;
    snug_agent_conversation *c = calloc(1, sizeof *c);
    if (!c)
        return error_no_memory();

    int error =
        agent->conversation.file ? read_turns(c, agent->conversation.file) : copy_turns(c, agent);
    if (error) {
        snug_agent_conversation_close(c);
        return error;
    }

    *out = c;
    return SNUG_OK;
}

void snug_agent_conversation_close(snug_agent_conversation *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->count; i++)
        for (int k = 0; k < TEXTS; k++)
            str_free(&c->turns[i].texts[k]);
    free(c->turns);
    free(c);
}

size_t snug_agent_conversation_turn_count(const snug_agent_conversation *c)
{
    return c->count;
}

const snug_agent_turn *snug_agent_conversation_turn(const snug_agent_conversation *c, size_t index)
{
    return index < c->count ? &c->turns[index].told : NULL;
}
