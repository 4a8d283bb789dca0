#include "agent/prompt/conversation.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/prompt/digest.h"
#include "agent/prompt/request.h"
#include "agent/store/database.h"
#include "agent/text/clip.h"
#include "agent/trace/step_events.h"
#include "base/error.h"
#include "base/file.h"
#include "base/utf8.h"

enum {
    BYTES_PER_TOKEN = 4,
    MOST_HISTORY_BYTES = 16 << 20,
    MOST_SUMMARISED_BYTES = 64 << 10, /* of older turns in the request for a summary */
    MOST_SKIPPED = 20,                /* names that a prompt lists */
    MOST_SAVED_BYTES = 1 << 30
};

/* ---- turns ---- */

static void free_turns(snug_agent *agent)
{
    for (size_t i = 0; i < agent->turn_count; i++) {
        turn *t = &agent->turns[i];
        str *texts[] = { &t->question, &t->code, &t->output, &t->answer };
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            str_free(texts[k]);
    }

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

static int read_stored_text(str *out, database *d, sqlite3_stmt *row, int column)
{
    size_t at;
    if (database_column(out, row, column))
        return error_no_memory();
    if (utf8_check(str_text(out), out->len, &at) != UTF8_FINE)
        return error_set(SNUG_EINVAL, "the conversation %s is damaged: a text in it is not UTF-8",
                         str_text(&d->path));
    return SNUG_OK;
}

static int load_turn(snug_agent *agent, database *d, sqlite3_stmt *row)
{
    turn *t = agent_add_turn(agent);
    if (!t)
        return error_no_memory();

    str *texts[] = { &t->question, &t->code, &t->output, &t->answer };
    for (int i = 0; i < 4; i++) {
        int error = read_stored_text(texts[i], d, row, i + 1);
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
    int has_row = 1;
    int error = database_prepare(&statement, d,
                                 "select n, question, code, output, answer from turn where n > ?"
                                 " order by n");

    if (!error)
        sqlite3_bind_int64(statement, 1, (sqlite3_int64)agent->conversation.base);
    while (!error && !(error = database_row(d, statement, &has_row)) && has_row)
        error = load_turn(agent, d, statement);
    sqlite3_finalize(statement);
    agent->conversation.stored = all_turns(agent);
    return error;
}

static int load_summary(snug_agent *agent, database *d)
{
    sqlite3_stmt *statement;
    int has_row = 0;
    int error = database_prepare(&statement, d, "select text, turns from summary");

    if (!error && !(error = database_row(d, statement, &has_row)) && has_row) {
        error = read_stored_text(&agent->conversation.summary, d, statement, 0);
        agent->conversation.base = (uint64_t)sqlite3_column_int64(statement, 1);
    }

    sqlite3_finalize(statement);
    return error;
}

/* ---- the session ---- */

/* A file of our own: sessions are saved to and restored from files. */
typedef struct passing {
    char folder[256], file[272];
} passing;

static int passing_open(passing *p)
{
    const char *tmp = getenv("TMPDIR");
    int len =
        snprintf(p->folder, sizeof p->folder, "%s/snug-agent-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (len < 0 || (size_t)len >= sizeof p->folder) {
        p->folder[0] = '\0';
        return error_set(SNUG_EINVAL, "TMPDIR is too long: %.200s", tmp);
    }

    if (!mkdtemp(p->folder)) {
        int error = error_system("%s", p->folder);
        p->folder[0] = '\0';
        return error;
    }

    snprintf(p->file, sizeof p->file, "%s/session", p->folder);
    return SNUG_OK;
}

static void passing_close(const passing *p)
{
    if (p->folder[0]) {
        unlink(p->file);
        rmdir(p->folder);
    }
}

/* The host's functions, final_answer among them, are bound again: nothing is lost with them. The
 * reason is that of py/life/frozen/save.py. */
static int is_tool(const snug_binding *entry)
{
    return entry->reason &&
           strcmp(entry->reason, "a function of the host is bound by it, and not saved") == 0;
}

static int note_skipped(str *note, const snug_saved *saved)
{
    const snug_binding *entry;
    size_t count = 0;
    int error = SNUG_OK;

    for (size_t i = 0; !error && (entry = snug_saved_binding(saved, i)); i++) {
        if (entry->how || is_tool(entry))
            continue;
        if (count++ < MOST_SKIPPED)
            error =
                str_printf(note, "- %s is not there any more: %s\n", entry->name, entry->reason);
    }

    if (!error && count > MOST_SKIPPED)
        error = str_printf(note, "- nor are %zu more names\n", count - MOST_SKIPPED);
    return error;
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

static int note_restored(snug_agent *agent, const snug_saved *saved, uint64_t turns)
{
    str *note = &agent->conversation.note;

    if (turns < all_turns(agent) && str_printf(note,
                                               "- the variables are those after question %" PRIu64
                                               " of %" PRIu64 "; what later ones made is gone\n",
                                               turns, all_turns(agent)))
        return error_no_memory();

    if (note_skipped(note, saved))
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

static int restore_session(snug_agent *agent, const database *d, const str *bytes, uint64_t turns)
{
    passing p = { 0 };
    snug_saved *saved;
    const struct iovec piece = { bytes->data, bytes->len };
    int error = passing_open(&p);

    if (!error)
        error = file_replace(p.file, &piece, 1);
    if (error)
        goto done;

    error = snug_session_restore(&saved, agent->session, p.file);
    if (error) {
        error = fail_restore(agent, d, error);
        goto done;
    }

    error = note_restored(agent, saved, turns);
    snug_saved_free(saved);

done:
    passing_close(&p);
    return error;
}

static int load_session(snug_agent *agent, database *d)
{
    sqlite3_stmt *statement;
    str bytes = { 0 };
    int has_row = 0;
    uint64_t turns = 0;
    int error = database_prepare(&statement, d, "select saved, turns from session");

    if (!error && !(error = database_row(d, statement, &has_row)) && has_row) {
        turns = (uint64_t)sqlite3_column_int64(statement, 1);
        error = database_column(&bytes, statement, 0) ? error_no_memory() : SNUG_OK;
    }

    sqlite3_finalize(statement);
    if (!error && has_row)
        error = restore_session(agent, d, &bytes, turns);
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

/* ---- what the model reads ---- */

static size_t history_bytes(const run *r)
{
    if (r->limits.history_tokens >= MOST_HISTORY_BYTES / BYTES_PER_TOKEN)
        return MOST_HISTORY_BYTES;
    return (size_t)r->limits.history_tokens * BYTES_PER_TOKEN;
}

/* What the summary leaves of that for turns. */
static size_t turn_bytes(const run *r)
{
    const size_t most = history_bytes(r);
    const size_t taken = r->agent->conversation.summary.len;
    return most > taken ? most - taken : 0;
}

/* The turn from which on all fit into room; at least `first`. */
static int find_first(size_t *out, const snug_agent *agent, size_t first, size_t room)
{
    size_t at = agent->turn_count, used = 0;

    while (at > first) {
        str text = { 0 };
        int error = digest_turn(&text, &agent->turns[at - 1]);
        used += text.len;
        str_free(&text);
        if (error)
            return error_no_memory();
        if (used > room)
            break;
        at--;
    }

    *out = at;
    return SNUG_OK;
}

int conversation_tell(str *out, const run *r)
{
    const snug_agent *agent = r->agent;
    const conversation *c = &agent->conversation;
    size_t first;
    int error = SNUG_OK;

    if (c->note.len > 0)
        error =
            str_printf(out, "(The conversation goes on in a new process:\n%s)\n\n", c->note.data);

    if (!error && c->summary.len > 0)
        error = str_printf(out, "Summary of what came before:\n%s\n\n", c->summary.data);
    if (!error)
        error = find_first(&first, agent, c->told_from, turn_bytes(r));

    for (size_t i = first; !error && i < agent->turn_count; i++)
        error = digest_turn(out, &agent->turns[i]);
    if (error)
        return error_no_memory();
    return SNUG_OK;
}

/* ---- the summary ---- */

/* What the summary is made from: the one before, and the turns up to `end`. */
static int write_older(str *out, const snug_agent *agent, size_t end)
{
    str turns = { 0 };
    int error = SNUG_OK;

    if (agent->conversation.summary.len > 0)
        error = str_printf(out, "Summary of what came before:\n%s\n\n",
                           agent->conversation.summary.data);

    for (size_t i = agent->conversation.told_from; !error && i < end; i++)
        error = digest_turn(&turns, &agent->turns[i]);
    if (!error)
        error = clip_append(out, str_text(&turns), turns.len, MOST_SUMMARISED_BYTES, 0);
    str_free(&turns);
    return error;
}

static int write_summary_request(str *out, const snug_agent *agent, size_t end)
{
    str older = { 0 };
    int error = write_older(&older, agent, end);
    const template_values values = { .history = str_text(&older) };

    if (!error)
        error = template_render(out, agent->templates, "summarise", &values);
    str_free(&older);
    if (error)
        return error_no_memory();
    return SNUG_OK;
}

static int take_summary(run *r, size_t end, size_t most)
{
    extracted said;
    conversation *c = &r->agent->conversation;
    str summary = { 0 };

    if (extract_code(&said, str_text(&r->said.text), r->said.text.len) != SNUG_OK)
        return error_no_memory();
    const str *text = said.prose.len > 0 ? &said.prose : &r->said.text;
    int error = clip_append(&summary, str_text(text), text->len, most, 0);
    extracted_free(&said);
    if (error || summary.len == 0) {
        str_free(&summary);
        if (error)
            return error_no_memory();
        return SNUG_OK;
    }

    str_free(&c->summary);
    c->summary = summary;
    c->told_from = end;
    return SNUG_OK;
}

/* A summary that fails ends nothing: whether there is still time and money for the
 * question is asked again with its first request. */
static loop_outcome summarise(run *r, size_t end, size_t most)
{
    model_message message = { .role = MODEL_USER };
    cJSON *event = event_begin(r, "summarise");

    if (event)
        json_add_number(event, "turns", (double)(end - r->agent->conversation.told_from));
    event_send(r, event);
    int error = write_summary_request(&message.text, r->agent, end);
    loop_outcome outcome;
    if (error)
        outcome = run_break(r, error);
    else
        outcome = request_ask(r, USE_EVALUATION, TIME_GENERATE, &message, 1);

    str_free(&message.text);

    if (outcome == WENT) {
        error = take_summary(r, end, most);
        if (error)
            return run_break(r, error);
        return WENT;
    }

    if (outcome != STOPPED)
        return outcome;

    event_fault(r, "summary", str_text(&r->reply->error));
    str_clear(&r->reply->error);
    r->reply->status = SNUG_AGENT_STATUS_TERMINAL_ERROR;
    return WENT;
}

loop_outcome conversation_fit(run *r)
{
    const snug_agent *agent = r->agent;
    const conversation *c = &agent->conversation;
    const size_t most = history_bytes(r);
    size_t fits, keeps;
    int error = find_first(&fits, agent, c->told_from, turn_bytes(r));

    /* Half of the room stays free, so that not each question needs a summary. */
    if (!error)
        error = find_first(&keeps, agent, c->told_from, most / 2);
    if (error)
        return run_break(r, error);
    if (fits == c->told_from)
        return WENT;
    return summarise(r, keeps, most / 4);
}

/* ---- storing ---- */

static int store_turn(database *d, uint64_t n, const turn *t)
{
    sqlite3_stmt *statement;
    const str *texts[] = { &t->question, &t->code, &t->output, &t->answer };
    int error =
        database_prepare(&statement, d, "insert or replace into turn values (?, ?, ?, ?, ?)");

    if (!error)
        sqlite3_bind_int64(statement, 1, (sqlite3_int64)n);
    for (int i = 0; !error && i < 4; i++)
        database_bind(statement, i + 2, str_text(texts[i]), texts[i]->len);
    return database_finish(d, statement, error);
}

static int store_summary(database *d, const snug_agent *agent)
{
    const conversation *c = &agent->conversation;
    sqlite3_stmt *statement;

    if (c->summary.len == 0)
        return SNUG_OK;
    int error = database_prepare(&statement, d, "insert or replace into summary values (1, ?, ?)");
    if (!error) {
        database_bind(statement, 1, c->summary.data, c->summary.len);
        sqlite3_bind_int64(statement, 2, (sqlite3_int64)(c->base + c->told_from));
    }

    return database_finish(d, statement, error);
}

static int store_session(database *d, const snug_agent *agent, const str *saved)
{
    sqlite3_stmt *statement;

    if (saved->len == 0)
        return SNUG_OK;
    int error = database_prepare(&statement, d, "insert or replace into session values (1, ?, ?)");
    if (!error) {
        if (sqlite3_bind_blob64(statement, 1, saved->data, saved->len, SQLITE_STATIC))
            error = database_fail(d);
        sqlite3_bind_int64(statement, 2, (sqlite3_int64)all_turns(agent));
    }

    return database_finish(d, statement, error);
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
    if (!error)
        error = store_session(d, agent, saved);

    error = database_end(d, error);
    if (!error)
        c->stored = all_turns(agent);
    return error;
}

static void tell_skipped(cJSON *skipped, const snug_binding *entry)
{
    cJSON *item = json_add_object(skipped, NULL);

    if (!item)
        return;
    json_add_text(item, "name", entry->name);
    json_add_text(item, "reason", entry->reason);
}

/* How many names were saved, and which were not and why. */
static void tell_saved(cJSON *told, const snug_saved *saved)
{
    cJSON *skipped = json_add_array(told, "skipped");
    const snug_binding *entry;
    size_t names = 0;

    for (size_t i = 0; (entry = snug_saved_binding(saved, i)); i++) {
        if (entry->how)
            names++;
        else if (skipped && !is_tool(entry))
            tell_skipped(skipped, entry);
    }

    json_add_number(told, "names", (double)names);
}

/* The session's bytes, and what was not saved of it, for the reply. */
static int save_session(run *r, str *out, cJSON *told)
{
    snug_agent *agent = r->agent;
    passing p = { 0 };
    snug_saved *saved;
    int error = passing_open(&p);
    if (error)
        goto done;

    atomic_store(&agent->is_executing, 1);
    if (atomic_load(&agent->is_cancelled))
        error = error_set(SNUG_ESTOPPED, "the question was cancelled");
    else
        error = snug_session_save(&saved, agent->session, p.file);

    atomic_store(&agent->is_executing, 0);
    if (error)
        goto done;

    error = file_read(out, p.file, MOST_SAVED_BYTES);
    tell_saved(told, saved);
    snug_saved_free(saved);

done:
    passing_close(&p);
    return error;
}

/* {"turns": n, "names": n, "skipped": [...], "error": sentence or null} */
static void report_stored(run *r, cJSON *told, const str *faults)
{
    if (faults->len > 0) {
        event_fault(r, "conversation", faults->data);
        json_add_text_len(told, "error", faults->data, faults->len);
    } else {
        json_add_null(told, "error");
    }

    char *text = json_text(told);
    if (text)
        str_add(&r->reply->stored, text);
    free(text);
}

/* The bytes of the session, none where it cannot be saved. */
static void save_or_say_why(run *r, str *saved, cJSON *told, str *faults)
{
    const str *fault = &r->agent->conversation.fault;

    if (fault->len > 0) {
        str_add_str(faults, fault);
    } else if (save_session(r, saved, told) != SNUG_OK) {
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

void conversation_store(run *r)
{
    snug_agent *agent = r->agent;
    str saved = { 0 }, faults = { 0 };

    str_clear(&agent->conversation.note);
    if (!agent->conversation.file)
        return;

    cJSON *told = cJSON_CreateObject();
    if (!told)
        return;

    save_or_say_why(r, &saved, told, &faults);
    store_or_say_why(agent, &saved, &faults);
    json_add_number(told, "turns", (double)agent->conversation.stored);
    report_stored(r, told, &faults);

    cJSON_Delete(told);
    str_free(&saved);
    str_free(&faults);
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
