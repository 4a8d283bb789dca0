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

struct snug_agent_conversation {
    struct kept_turn {
        snug_agent_turn told;
        turn texts;
    } * turns;
    size_t count, cap;
};

/* NULL if memory ran out. */
static turn *add_turn(snug_agent_conversation *c)
{
    if (array_reserve(&c->turns, &c->cap, c->count + 1, sizeof *c->turns))
        return NULL;
    struct kept_turn *t = &c->turns[c->count++];
    memset(t, 0, sizeof *t);
    return &t->texts;
}

static int read_turns(snug_agent_conversation *c, database *d)
{
    sqlite3_stmt *row;
    int error =
        database_select(&row, d, "select question, code, output, answer from turn order by n", "");

    while (database_next(d, row, &error)) {
        turn *t = add_turn(c);
        if (!t)
            error = error_no_memory();
        else if ((error = database_text(&t->question, d, row, 0)) ||
                 (error = database_text(&t->code, d, row, 1)) ||
                 (error = database_text(&t->output, d, row, 2)))
            break;
        else
            error = database_text(&t->answer, d, row, 3);
    }
    sqlite3_finalize(row);
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
        turn *t = add_turn(c);
        if (!t || str_add_str(&t->question, &from->question) ||
            str_add_str(&t->code, &from->code) || str_add_str(&t->output, &from->output) ||
            str_add_str(&t->answer, &from->answer))
            return error_no_memory();
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
        turn_free(&c->turns[i].texts);
    free(c->turns);
    free(c);
}

size_t snug_agent_conversation_turn_count(const snug_agent_conversation *c)
{
    return c->count;
}

const snug_agent_turn *snug_agent_conversation_turn(const snug_agent_conversation *c, size_t index)
{
    if (index >= c->count)
        return NULL;

    struct kept_turn *t = &c->turns[index];
    t->told = (snug_agent_turn){ .size = sizeof t->told,
                                 .question = str_text(&t->texts.question),
                                 .code = str_text(&t->texts.code),
                                 .output = str_text(&t->texts.output),
                                 .answer = str_text(&t->texts.answer) };
    return &t->told;
}
