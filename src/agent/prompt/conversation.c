/*
 * conversation.c - a conversation that outlives its process: with a file
 * (snug_agent_options.conversation_file) all turns, the summary of the older ones and the session
 * are stored after each question, in one transaction. What a prompt has of it: history.h.
 */
#include "agent/prompt/prompt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/store/database.h"
#include "agent/trace/trace.h"
#include "base/error.h"
#include "base/file.h"

enum {
    MOST_SKIPPED = 20, /* names that a prompt lists */
    MOST_SAVED_BYTES = 1 << 30
};

/* ---- turns ---- */

static void free_turns(snug_agent *agent)
{
    for (size_t i = 0; i < agent->turn_count; i++)
        turn_free(&agent->turns[i]);

    free(agent->turns);
    agent->turns = NULL;
    agent->turn_count = agent->turn_cap = 0;
    str_free(&agent->conversation.summary);
    str_free(&agent->conversation.note);
    str_free(&agent->conversation.fault);
    agent->conversation.told_from = 0;
    agent->conversation.base = agent->conversation.stored = 0;
}

static uint64_t all_turns(const snug_agent *agent)
{
    return agent->conversation.base + agent->turn_count;
}

/* ---- what was stored ---- */

static int load_turn(snug_agent *agent, database *d, sqlite3_stmt *row)
{
    turn *t = agent_add_turn(agent);
    if (!t)
        return error_no_memory();

    str *texts[] = { &t->question, &t->code, &t->output, &t->answer };
    for (int i = 0; i < 4; i++) {
        int error = database_text(texts[i], d, row, i + 1);
        if (error)
            return error;
    }

    if (sqlite3_column_int64(row, 0) != (sqlite3_int64)all_turns(agent))
        return error_set(SNUG_EINVAL, "the conversation %s is damaged: turn %" PRIu64 " is missing",
                         str_text(&d->path), all_turns(agent));
    return SNUG_OK;
}

static int load_turns(snug_agent *agent, database *d)
{
    sqlite3_stmt *statement;
    int error = database_select(&statement, d,
                                "select n, question, code, output, answer from turn where n > ?"
                                " order by n",
                                "i", (int64_t)agent->conversation.base);

    while (database_next(d, statement, &error))
        error = load_turn(agent, d, statement);
    sqlite3_finalize(statement);
    agent->conversation.stored = all_turns(agent);
    return error;
}

static int load_summary(snug_agent *agent, database *d)
{
    sqlite3_stmt *statement;
    int error = database_select(&statement, d, "select text, turns from summary", "");

    if (database_next(d, statement, &error)) {
        error = database_text(&agent->conversation.summary, d, statement, 0);
        agent->conversation.base = (uint64_t)sqlite3_column_int64(statement, 1);
    }

    sqlite3_finalize(statement);
    return error;
}

/* ---- the session ---- */

/* The host's functions, final_answer among them, are bound again: nothing is lost with them. The
 * reasons are those of py/life/frozen/save.py and py/host/toolbind.c. */
static int is_tool(const snug_binding *entry)
{
    return entry->reason && strstr(entry->reason, " of the host ") &&
           strstr(entry->reason, "bound by it, and not saved");
}

static int note_skipped(str *note, const snug_saved *saved)
{
    const snug_binding *entry;
    size_t count = 0;

    for (size_t i = 0; (entry = snug_saved_binding(saved, i)); i++) {
        if (entry->how || is_tool(entry))
            continue;
        if (count++ < MOST_SKIPPED)
            str_printf(note, "- %s is not there any more: %s\n", entry->name, entry->reason);
    }

    if (count > MOST_SKIPPED)
        str_printf(note, "- nor are %zu more names\n", count - MOST_SKIPPED);
    return str_error(note);
}

/* Code of the guest did not come to its end: the conversation goes on without variables, and more
 * time may restore them later. */
static int go_on_without(snug_agent *agent, const char *why)
{
    conversation *c = &agent->conversation;

    if (str_printf(&c->fault, "%s; it stays as it was stored", why) ||
        str_add(&c->note, "- all variables of earlier questions are gone\n"))
        return error_no_memory();
    return SNUG_OK;
}

static int note_turns(snug_agent *agent, uint64_t turns)
{
    if (turns < all_turns(agent) && str_printf(&agent->conversation.note,
                                               "- the variables are those after question %" PRIu64
                                               " of %" PRIu64 "; what later ones made is gone\n",
                                               turns, all_turns(agent)))
        return error_no_memory();
    return SNUG_OK;
}

static int fail_restore(snug_agent *agent, const database *d, int error)
{
    char why[ERROR_MESSAGE_BYTES];

    snprintf(why, sizeof why, "%s", error_message());
    error_set(error, "the session of the conversation %s cannot be restored: %.700s",
              str_text(&d->path), why);
    if (error != SNUG_ESTOPPED && error != SNUG_EDEAD)
        return error;

    snprintf(why, sizeof why, "%s", error_message());
    return go_on_without(agent, why);
}

static int restore_bash(snug_agent *agent, const database *d, const str *bytes, uint64_t turns)
{
    int error = bash_state_restore(agent, bytes);
    if (error)
        return fail_restore(agent, d, error);
    return note_turns(agent, turns);
}

/* A session is of one of the two. */
static int check_kind(const snug_agent *agent, const database *d, const str *bytes)
{
    const int is_bash = is_in_bash(agent);

    if (bash_state_is(bytes) == is_bash)
        return SNUG_OK;
    return error_set(SNUG_EINVAL,
                     "the conversation %s has a session of %s, and this one is of %s: --language "
                     "%s goes on with it",
                     str_text(&d->path), is_bash ? "Python" : "bash", is_bash ? "bash" : "Python",
                     is_bash ? "python" : "bash");
}

static int restore_session(snug_agent *agent, const database *d, const str *bytes, uint64_t turns)
{
    private_file p = { 0 };
    snug_saved *saved;
    const struct iovec piece = { bytes->data, bytes->len };
    int error = private_file_open(&p, "session");

    if (!error)
        error = file_replace(p.path, &piece, 1);
    if (error)
        goto done;

    error = snug_session_restore(&saved, agent->session, p.path);
    if (error) {
        error = fail_restore(agent, d, error);
        goto done;
    }

    error = note_turns(agent, turns);
    if (!error && note_skipped(&agent->conversation.note, saved))
        error = error_no_memory();
    snug_saved_free(saved);

done:
    private_file_close(&p);
    return error;
}

static int load_session(snug_agent *agent, database *d)
{
    sqlite3_stmt *statement;
    str bytes = { 0 };
    int has_row = 0;
    uint64_t turns = 0;
    int error = database_select(&statement, d, "select saved, turns from session", "");

    if (database_next(d, statement, &error)) {
        has_row = 1;
        turns = (uint64_t)sqlite3_column_int64(statement, 1);
        error = database_column(&bytes, statement, 0) ? error_no_memory() : SNUG_OK;
    }

    sqlite3_finalize(statement);
    if (!error && has_row)
        error = check_kind(agent, d, &bytes);
    if (!error && has_row)
        error = is_in_bash(agent) ? restore_bash(agent, d, &bytes, turns)
                                  : restore_session(agent, d, &bytes, turns);
    else if (!error && all_turns(agent) > 0 &&
             str_add(&agent->conversation.note, "- all variables of earlier questions are gone\n"))
        error = error_no_memory();

    str_free(&bytes);
    return error;
}

int conversation_open(snug_agent *agent, const char *path)
{
    int error = database_open(&agent->conversation.file, path, DATABASE_CONVERSATION, 1);
    database *d = agent->conversation.file;

    if (!error)
        error = load_summary(agent, d);
    if (!error)
        error = load_turns(agent, d);
    if (!error)
        error = load_session(agent, d);
    return error;
}

void conversation_close(snug_agent *agent)
{
    free_turns(agent);
    database_close(agent->conversation.file);
    agent->conversation.file = NULL;
}

int conversation_forget(snug_agent *agent)
{
    database *d = agent->conversation.file;

    if (d) {
        int error = database_begin(d);
        if (error)
            return error;
        error = database_run(d, "delete from turn; delete from summary; delete from session");
        error = database_end(d, error);
        if (error)
            return error;
    }

    free_turns(agent);
    return SNUG_OK;
}

/* ---- storing ---- */

static int store_turn(database *d, uint64_t n, const turn *t)
{
    return database_change(d, "insert or replace into turn values (?, ?, ?, ?, ?)", "issss",
                           (int64_t)n, &t->question, &t->code, &t->output, &t->answer);
}

static int store_summary(database *d, const snug_agent *agent)
{
    const conversation *c = &agent->conversation;

    if (c->summary.len == 0)
        return SNUG_OK;
    return database_change(d, "insert or replace into summary values (1, ?, ?)", "si", &c->summary,
                           (int64_t)(c->base + c->told_from));
}

static int store_session(database *d, const snug_agent *agent, const str *saved)
{
    if (saved->len == 0)
        return SNUG_OK;
    return database_change(d, "insert or replace into session values (1, ?, ?)", "bi", saved,
                           (int64_t)all_turns(agent));
}

/* What was begun is stored with the session, or not at all. */
static int end_storing(snug_agent *agent, const str *saved, int error)
{
    conversation *c = &agent->conversation;

    if (!error)
        error = store_session(c->file, agent, saved);
    error = database_end(c->file, error);
    if (!error)
        c->stored = all_turns(agent);
    return error;
}

static int store_all(snug_agent *agent, const str *saved)
{
    conversation *c = &agent->conversation;
    database *d = c->file;
    int error = database_begin(d);
    if (error)
        return error;

    for (uint64_t n = c->stored; !error && n < all_turns(agent); n++)
        error = store_turn(d, n + 1, &agent->turns[n - c->base]);
    if (!error)
        error = store_summary(d, agent);
    return end_storing(agent, saved, error);
}

/* How many names were saved, and which were not and why. */
static void tell_saved(str *told, const snug_saved *saved)
{
    const snug_binding *entry;
    size_t names = 0;

    json_open(told, "skipped", '[');
    for (size_t i = 0; (entry = snug_saved_binding(saved, i)); i++) {
        names += entry->how != NULL;
        if (entry->how || is_tool(entry))
            continue;
        json_open(told, NULL, '{');
        json_put_word(told, "name", entry->name);
        json_put_word(told, "reason", entry->reason);
        json_close(told, '}');
    }
    json_close(told, ']');
    json_put_number(told, "names", (double)names);
}

static int save_bash(snug_agent *agent, str *out)
{
    int error;

    atomic_store(&agent->is_executing, 1);
    if (atomic_load(&agent->is_cancelled))
        error = error_set(SNUG_ESTOPPED, "the question was cancelled");
    else
        error = bash_state_save(out, agent);
    atomic_store(&agent->is_executing, 0);
    return error;
}

/* The session's bytes, and what was not saved of it, for the reply; told may be NULL. */
static int save_session(snug_agent *agent, str *out, str *told)
{
    private_file p = { 0 };
    snug_saved *saved;

    if (is_in_bash(agent))
        return save_bash(agent, out);
    int error = private_file_open(&p, "session");
    if (error)
        goto done;

    atomic_store(&agent->is_executing, 1);
    if (atomic_load(&agent->is_cancelled))
        error = error_set(SNUG_ESTOPPED, "the question was cancelled");
    else
        error = snug_session_save(&saved, agent->session, p.path);

    atomic_store(&agent->is_executing, 0);
    if (error)
        goto done;

    error = file_read(out, p.path, MOST_SAVED_BYTES);
    if (told)
        tell_saved(told, saved);
    snug_saved_free(saved);

done:
    private_file_close(&p);
    return error;
}

/* The bytes of the session, none where it cannot be saved. */
static void save_or_say_why(run *r, str *saved, str *told, str *faults)
{
    const str *fault = &r->agent->conversation.fault;

    if (fault->len > 0) {
        str_add_str(faults, fault);
    } else if (save_session(r->agent, saved, told) != SNUG_OK) {
        str_printf(faults, "the session is not saved: %.700s", error_message());
        str_clear(saved);
    }
}

static void store_or_say_why(snug_agent *agent, str *saved, str *faults)
{
    if (store_all(agent, saved) == SNUG_OK)
        return;

    if (faults->len > 0)
        str_add(faults, "; ");
    str_printf(faults, "%.700s", error_message());
    if (saved->len == 0)
        return;

    /* The turns alone may fit where the session does not. */
    str_clear(saved);
    if (store_all(agent, saved) == SNUG_OK)
        str_add(faults, "; the questions are stored without the session");
}

/* reply.stored is {"turns": n, "names": n, "skipped": [...], "error": sentence or null}. */
void conversation_store(run *r)
{
    snug_agent *agent = r->agent;
    str saved = { 0 }, faults = { 0 }, *told = &r->reply->stored;

    str_clear(&agent->conversation.note);
    if (!agent->conversation.file)
        return;

    json_open(told, NULL, '{');
    save_or_say_why(r, &saved, told, &faults);
    store_or_say_why(agent, &saved, &faults);
    json_put_number(told, "turns", (double)agent->conversation.stored);
    if (faults.len > 0) {
        event_fault(r, "conversation", faults.data);
        json_put_str(told, "error", &faults);
    } else {
        json_put_raw(told, "error", NULL);
    }
    json_close(told, '}');
    if (str_error(told))
        str_free(told);

    str_free(&saved);
    str_free(&faults);
}

/* ---- taking back ---- */

/* Of names that are not saved the file has none, rather than those of a question that is gone. */
static int unstore_turn(snug_agent *agent, const str *saved, int keeps_session)
{
    conversation *c = &agent->conversation;
    database *d = c->file;
    int error = database_begin(d);
    if (error)
        return error;

    error = database_change(d, "delete from turn where n > ?", "i", (int64_t)all_turns(agent));
    if (!error && !keeps_session && saved->len == 0)
        error = database_run(d, "delete from session");
    return end_storing(agent, saved, error);
}

int conversation_take_back(snug_agent *agent)
{
    conversation *c = &agent->conversation;
    const int keeps_session = c->fault.len > 0; /* the stored one is older, and stays */
    str saved = { 0 };

    turn_free(&agent->turns[--agent->turn_count]);
    if (!c->file)
        return SNUG_OK;
    if (c->stored <= all_turns(agent))
        return SNUG_OK;
    if (!keeps_session && save_session(agent, &saved, NULL) != SNUG_OK)
        str_clear(&saved);
    int error = unstore_turn(agent, &saved, keeps_session);
    str_free(&saved);
    return error;
}

/* ---- removing ---- */

static int remove_database_file(const char *path, const char *ending)
{
    str name = { 0 };
    int error = SNUG_OK;

    if (str_printf(&name, "%s%s", path, ending))
        return error_no_memory();
    if (unlink(name.data) != 0 && !*ending)
        error = error_system("the conversation %s cannot be removed", path);
    str_free(&name);
    return error;
}

int snug_agent_remove_conversation(const char *path)
{
    static const char *const endings[] = { "-wal", "-shm", "" };
    struct stat facts;
    database *d;

    if (!path)
        return error_set(SNUG_EINVAL, "snug_agent_remove_conversation: path is NULL");
    if (stat(path, &facts) != 0)
        return error_set(SNUG_ENOTFOUND, "there is no conversation %s", path);
    if (!database_is_kind(path, DATABASE_CONVERSATION))
        return error_set(SNUG_EINVAL, "%s is not a snug conversation, and is left as it is", path);

    /* One that is damaged can be removed too; one that is in use cannot. */
    int error = database_open(&d, path, DATABASE_CONVERSATION, 0);
    if (error == SNUG_EBUSY)
        return error;

    if (!error)
        database_close(d);

    error = SNUG_OK;
    for (size_t i = 0; !error && i < sizeof endings / sizeof *endings; i++)
        error = remove_database_file(path, endings[i]);
    return error;
}
