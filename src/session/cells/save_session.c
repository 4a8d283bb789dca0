#include "session/cells/save_session.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/utf8.h"
#include "py/queries/save_namespace.h"
#include "session/core/claim.h"
#include "session/core/job.h"
#include "session/core/session.h"
#include "session/core/start.h"
#include "session/files/workdir.h"
#include "wire/json.h"
#include "wire/savefile.h"

#define MOST_BYTES (UINT64_C(1) << 30) /* of a file, and so of what is in it */

struct snug_saved {
    char *session, *path; /* for the report */
    int is_restored;
    save_list kept, skipped;
    snug_binding *names; /* as the header shows them; the texts are the lists' */
    savedir_report files;
    pthread_mutex_t lock; /* guards json */
    char *json;
};

/* ---- the report ---- */

static snug_saved *report_new(const snug_session *session, const char *path, int is_restored)
{
    snug_saved *saved = calloc(1, sizeof *saved);
    if (!saved)
        return NULL;

    pthread_mutex_init(&saved->lock, NULL);
    saved->session = strdup(session->name);
    saved->path = strdup(path);
    saved->is_restored = is_restored;
    if (saved->session && saved->path) {
        utf8_mend(saved->path, strlen(saved->path)); /* the report is text */
        return saved;
    }

    snug_saved_free(saved);
    return NULL;
}

/* The lists become the report's, and their rows names of the header's. */
static int report_names(snug_saved *saved, save_list *kept, save_list *skipped)
{
    saved->kept = *kept;
    saved->skipped = *skipped;
    *kept = *skipped = (save_list){ 0 };
    saved->names = calloc(saved->kept.count + saved->skipped.count + 1, sizeof *saved->names);
    if (!saved->names)
        return error_no_memory();

    snug_binding *names = saved->names;
    for (size_t i = 0; i < saved->kept.count; i++) {
        const save_row *row = &saved->kept.rows[i];
        *names++ = (snug_binding){ str_text(&row->name), str_text(&row->what), NULL };
    }

    for (size_t i = 0; i < saved->skipped.count; i++) {
        const save_row *row = &saved->skipped.rows[i];
        *names++ = (snug_binding){ str_text(&row->name), NULL, str_text(&row->what) };
    }

    return SNUG_OK;
}

size_t snug_saved_binding_count(const snug_saved *saved)
{
    return saved->kept.count + saved->skipped.count;
}

const snug_binding *snug_saved_binding(const snug_saved *saved, size_t index)
{
    return index < snug_saved_binding_count(saved) ? &saved->names[index] : NULL;
}

size_t snug_saved_file_count(const snug_saved *saved)
{
    return saved->files.files;
}

static void put_row_list(str *out, const char *name, const save_list *rows, const char *first,
                         const char *second)
{
    json_open(out, name, '[');
    for (size_t i = 0; i < rows->count; i++) {
        json_open(out, NULL, '{');
        json_put_str(out, first, &rows->rows[i].name);
        json_put_str(out, second, &rows->rows[i].what);
        json_close(out, '}');
    }
    json_close(out, ']');
}

static char *encode_report(const snug_saved *saved)
{
    str out = { 0 };

    json_open(&out, NULL, '{');
    json_put_word(&out, "schema", "snug.saved/1");
    json_put_word(&out, "session", saved->session);
    json_put_word(&out, "path", saved->path);
    put_row_list(&out, saved->is_restored ? "restored" : "saved", &saved->kept, "name", "how");
    put_row_list(&out, "skipped", &saved->skipped, "name", "reason");
    json_put_number(&out, "files", (double)saved->files.files);
    put_row_list(&out, "skipped_files", &saved->files.skipped, "path", "reason");
    json_close(&out, '}');
    return json_taken(&out);
}

const char *snug_saved_json(const snug_saved *given, size_t *len)
{
    snug_saved *saved = (snug_saved *)(uintptr_t)given; /* its text is made once */

    pthread_mutex_lock(&saved->lock);
    if (!saved->json)
        saved->json = encode_report(saved);
    const char *json = saved->json;
    pthread_mutex_unlock(&saved->lock);
    if (len)
        *len = json ? strlen(json) : 0;
    return json;
}

void snug_saved_free(snug_saved *saved)
{
    if (!saved)
        return;
    save_list_free(&saved->kept);
    save_list_free(&saved->skipped);
    save_list_free(&saved->files.skipped);
    pthread_mutex_destroy(&saved->lock);
    free(saved->names);
    free(saved->session);
    free(saved->path);
    free(saved->json);
    free(saved);
}

static void pack_row_list(packer *p, const save_list *rows)
{
    pack_number(p, rows->count);
    for (size_t i = 0; i < rows->count; i++) {
        pack_str(p, &rows->rows[i].name);
        pack_str(p, &rows->rows[i].what);
    }
}

static void unpack_row_list(unpacker *u, save_list *rows)
{
    size_t count = unpack_count(u, 4);
    for (size_t i = 0; i < count && !u->is_bad; i++) {
        size_t name_len, what_len;
        const char *name = unpack_utf8(u, &name_len), *what = unpack_utf8(u, &what_len);
        if (!u->is_bad && save_list_add(rows, SAVE_NAME, 0, name, name_len, what, what_len))
            u->is_bad = 1;
    }
}

void saved_pack(packer *p, const snug_saved *saved)
{
    pack_number(p, (uint64_t)saved->is_restored);
    pack_row_list(p, &saved->kept);
    pack_row_list(p, &saved->skipped);
    pack_number(p, saved->files.files);
    pack_row_list(p, &saved->files.skipped);
}

int saved_unpack(snug_saved **out, unpacker *u, const snug_session *session, const char *path)
{
    save_list kept = { 0 }, skipped = { 0 };
    int is_restored = (int)unpack_small(u, 1);
    snug_saved *saved = report_new(session, path, is_restored);
    if (!saved)
        return SNUG_ENOMEM;

    unpack_row_list(u, &kept);
    unpack_row_list(u, &skipped);
    saved->files.files = (size_t)unpack_number(u);
    unpack_row_list(u, &saved->files.skipped);
    int error = SNUG_EINVAL;
    if (unpack_ended(u))
        error = report_names(saved, &kept, &skipped);
    save_list_free(&kept);
    save_list_free(&skipped);
    if (error)
        snug_saved_free(saved);
    else
        *out = saved;

    return error;
}

/* ---- the job ---- */

static void begin_job(snug_session *session)
{
    capture_reset(&session->output, session->limits.output_bytes, session->limits.display_bytes);
    disk_begin(&session->files.disk, session->limits.disk_bytes, session->limits.disk_files);
}

static int save_there(snug_session *session, void *work)
{
    begin_job(session);
    return interp_save(session->interp, work);
}

static int restore_there(snug_session *session, void *work)
{
    begin_job(session);
    return interp_restore(session->interp, work);
}

static void free_save_work(void *work)
{
    save_work_free(work);
}

/* *work is NULL afterwards where the session keeps it. */
static int run_save_job(save_work **work, snug_session *session, job_fn fn, const char *what)
{
    const job_limits limits = session_step_limits(session);
    session->full.is_copied = 1;
    int error = session_run_job(session, fn, *work, &limits);
    session->full.is_copied = 0;

    if (session_keeps_arg(session, *work, free_save_work))
        *work = NULL;

    if (error == SNUG_ESTOPPED) {
        char why[ERROR_MESSAGE_BYTES];
        strcpy(why, error_message());
        error = error_set(error, "%s session %s %s", what, session->name, why);
    } else if (error == SNUG_EDEAD) {
        error = error_set(error, "session %s was lost while it was %s", session->name,
                          fn == save_there ? "saved" : "restored");
    }

    return error;
}

/* ---- saving ---- */

static span span_of(const str *text)
{
    return (span){ str_text(text), text->len };
}

static int plan_rows(str *plan, const save_list *rows)
{
    static const savefile_kind kinds[] = {
        [SAVE_NAME] = SAVEFILE_NAME,
        [SAVE_OUT] = SAVEFILE_OUT,
        [SAVE_SETTING] = SAVEFILE_SETTING,
        [SAVE_SKIPPED] = SAVEFILE_SKIPPED,
    };
    int failed = 0;

    for (size_t i = 0; i < rows->count && !failed; i++) {
        const save_row *row = &rows->rows[i];
        failed = savefile_add_row(plan, kinds[row->kind], row->number, span_of(&row->name),
                                  span_of(&row->what));
    }

    return failed;
}

static int encode_plan(str *plan, const save_work *work)
{
    static const span none = { "", 0 };
    int failed = plan_rows(plan, &work->items) || plan_rows(plan, &work->skipped);
    for (int i = 0; i < 3 && !failed; i++)
        failed = savefile_add_row(plan, SAVEFILE_LAST, work->last[i], none, none);
    if (failed)
        return error_no_memory();
    return SNUG_OK;
}

static int encode_sources(str *part, const save_work *work)
{
    for (size_t i = 0; i < work->source_count; i++)
        if (savefile_add_source(part, work->sources[i].data, work->sources[i].len) != SNUG_OK)
            return error_no_memory();
    return SNUG_OK;
}

/* Into the file, or the text where there is one. */
static int put_pieces(str *out, const char *path, const struct iovec *pieces, size_t count,
                      const _Atomic int *is_stopped)
{
    if (!out)
        return file_replace_unless(path, pieces, count, is_stopped);
    for (size_t i = 0; i < count; i++) {
        if (atomic_load(is_stopped))
            return error_set(SNUG_ESTOPPED, "writing %s was interrupted", path);
        if (str_append(out, pieces[i].iov_base, pieces[i].iov_len) != SNUG_OK)
            return error_no_memory();
    }

    return SNUG_OK;
}

static int write_saved(str *out, const char *path, savefile *file, const _Atomic int *is_stopped)
{
    char header[SAVEFILE_HEADER_BYTES];
    struct iovec pieces[1 + SAVEFILE_PARTS] = { { header, sizeof header } };
    uint64_t bytes = sizeof header;

    for (int i = 0; i < SAVEFILE_PARTS; i++) {
        bytes += file->parts[i].len;
        pieces[1 + i] = (struct iovec){ (void *)(uintptr_t)file->parts[i].at, file->parts[i].len };
    }

    if (bytes > MOST_BYTES)
        return error_set(SNUG_ESTOPPED, "%s would have more than %llu bytes", path,
                         (unsigned long long)MOST_BYTES);

    savefile_header(header, file);
    return put_pieces(out, path, pieces, 1 + SAVEFILE_PARTS, is_stopped);
}

static int write_work(str *out, snug_saved *saved, const snug_session *session, save_work *work,
                      const char *path)
{
    str plan = { 0 }, sources = { 0 }, files = { 0 };
    unsigned major, minor;
    int error;

    if ((error = encode_plan(&plan, work)) || (error = encode_sources(&sources, work)) ||
        (error = savedir_pack(&files, &saved->files, session, MOST_BYTES)))
        goto done;

    interp_python(&major, &minor);
    savefile file = { .python_major = major,
                      .python_minor = minor,
                      .future_flags = (uint32_t)work->future_flags,
                      .cells = work->cells,
                      .forgotten = work->forgotten,
                      .parts = { [SAVEFILE_PLAN] = span_of(&plan),
                                 [SAVEFILE_VALUES] = span_of(&work->values),
                                 [SAVEFILE_SOURCES] = span_of(&sources),
                                 [SAVEFILE_FILES] = span_of(&files) } };
    error = write_saved(out, path, &file, &session->is_stopped);

done:
    str_free(&plan);
    str_free(&sources);
    str_free(&files);
    return error;
}

/* The names among the values, by moving them. */
static int take_saved_names(save_list *names, save_list *items)
{
    int error = SNUG_OK;

    for (size_t i = 0; i < items->count && !error; i++) {
        const save_row *row = &items->rows[i];
        if (row->kind == SAVE_NAME)
            error = save_list_add(names, SAVE_NAME, 0, str_text(&row->name), row->name.len,
                                  str_text(&row->what), row->what.len);
    }

    if (error)
        return error_no_memory();
    return SNUG_OK;
}

int session_save(snug_saved **out, snug_session *session, const char *path, str *file)
{
    save_list names = { 0 };
    save_work *work = save_work_new();
    snug_saved *saved = report_new(session, path, 0);
    int error;

    if (!work || !saved) {
        error = error_no_memory();
        goto done;
    }

    atomic_store(&session->is_stopped, 0);
    work->most_bytes = MOST_BYTES;
    error = run_save_job(&work, session, save_there, "saving");
    if (!error)
        error = write_work(file, saved, session, work, path);
    if (!error)
        error = take_saved_names(&names, &work->items);
    if (!error)
        error = report_names(saved, &names, &work->skipped);

done:
    save_list_free(&names);
    save_work_free(work);
    if (error)
        snug_saved_free(saved);
    else
        *out = saved;

    return error;
}

static int check_arguments(const void *out, const char *path, const char *what)
{
    if (!out)
        return error_set(SNUG_EINVAL, "%s: out is NULL", what);
    if (!path)
        return error_set(SNUG_EINVAL, "%s: path is NULL", what);
    if (!*path)
        return error_set(SNUG_EINVAL, "%s: path is empty", what);
    return SNUG_OK;
}

int local_save(snug_saved **out, snug_session *session, const char *path)
{
    return session_save(out, session, path, NULL);
}

int snug_session_save(snug_saved **out, snug_session *session, const char *path)
{
    int error = check_arguments(out, path, "snug_session_save");
    if (error || (error = session_claim_alive(&session, "snug_session_save")))
        return session_fail(session, error);
    return session_return(session, session->form->save(out, session, path));
}

/* ---- restoring ---- */

static int take_row(save_list *list, save_kind kind, const savefile_row *row)
{
    return save_list_add(list, kind, row->number, row->first.at, row->first.len, row->second.at,
                         row->second.len);
}

static int take_plan(save_work *work, span part)
{
    savefile_row row;
    size_t last = 0;
    int failed = 0;

    while (!failed && part.len > 0 && savefile_next_row(&part, &row)) {
        switch (row.kind) {
        case SAVEFILE_NAME:
            failed = take_row(&work->items, SAVE_NAME, &row);
            break;
        case SAVEFILE_OUT:
            failed = take_row(&work->items, SAVE_OUT, &row);
            break;
        case SAVEFILE_SETTING:
            failed = take_row(&work->items, SAVE_SETTING, &row);
            break;
        case SAVEFILE_SKIPPED:
            failed = take_row(&work->skipped, SAVE_SKIPPED, &row);
            break;
        case SAVEFILE_LAST:
            work->last[last++] = row.number;
            break;
        }
    }

    if (failed)
        return error_no_memory();
    return SNUG_OK;
}

static int take_cell_sources(save_work *work, const savefile *file)
{
    span part = file->parts[SAVEFILE_SOURCES], source;

    work->sources = calloc((size_t)file->cells + 1, sizeof *work->sources);
    int failed = !work->sources;
    while (!failed && part.len > 0 && savefile_next_source(&part, &source)) {
        str *text = &work->sources[work->source_count++];
        failed = source.at && str_append(text, source.at, source.len) != SNUG_OK;
    }

    if (failed)
        return error_no_memory();
    return SNUG_OK;
}

/* Everything that can be wrong with a file, but for its pickles, is found here, before anything is
 * changed. */
static int read_work(save_work *work, savefile *file, const str *data, const char *path)
{
    char why[ERROR_MESSAGE_BYTES];
    int error = savefile_read(file, str_text(data), data->len);
    if (error) {
        strcpy(why, error_message());
        return error_set(error, "%s %s", path, why);
    }

    span values = file->parts[SAVEFILE_VALUES];
    work->cells = file->cells;
    work->forgotten = file->forgotten;
    work->future_flags = (int)(file->future_flags & INT32_MAX);
    work->pickles = values.at;
    work->pickle_bytes = values.len;
    error = take_plan(work, file->parts[SAVEFILE_PLAN]);
    if (error)
        return error;
    return take_cell_sources(work, file);
}

/* Nothing of a restore that failed stays, but for files. */
static int take_back(snug_session **session, int error)
{
    char why[ERROR_MESSAGE_BYTES];
    strcpy(why, error_message());
    if ((*session)->form->renew(session))
        return SNUG_EDEAD;
    return error_set(error, "%s", why);
}

int session_restore(snug_saved **out, snug_session **at, const char *path, str *text, int is_fresh)
{
    /* The file's text must outlive a thread that was given up: it goes with the work. */
    save_work *work = save_work_new();
    snug_saved *saved = report_new(*at, path, 1);
    snug_session *session;
    savefile file;
    int error;

    if (!work || !saved) {
        error = error_no_memory();
        goto done;
    }

    work->values = *text;
    *text = (str){ 0 };
    error = read_work(work, &file, &work->values, path);
    if (!error && !is_fresh)
        error = (*at)->form->renew(at);
    if (error)
        goto done;

    session = *at;
    error = savedir_unpack(&saved->files, session, file.parts[SAVEFILE_FILES]);
    if (!error)
        error = run_save_job(&work, session, restore_there, "restoring");
    if (error && error != SNUG_EDEAD)
        error = take_back(at, error);
    if (error)
        goto done;

    session->cells = work->cells;
    error = report_names(saved, &work->restored, &work->skipped);

done:
    save_work_free(work);
    if (error)
        snug_saved_free(saved);
    else
        *out = saved;

    return error;
}

int session_read_saved(str *out, const char *path)
{
    return file_read(out, path, MOST_BYTES);
}

int local_restore(snug_saved **out, snug_session **session, const char *path)
{
    str text = { 0 };
    int error = session_read_saved(&text, path);
    if (!error)
        error = session_restore(out, session, path, &text, 0);
    str_free(&text);
    return error;
}

int local_save_text(snug_saved **out, snug_session *session, str *file)
{
    return session_save(out, session, SAVE_TEMPLATE, file);
}

int local_restore_text(snug_saved **out, snug_session *session, const str *file)
{
    str text = { 0 };
    int error = str_add_str(&text, file) ? error_no_memory() : SNUG_OK;
    if (!error)
        error = session_restore(out, &session, SAVE_TEMPLATE, &text, 1);
    str_free(&text);
    return error;
}

int snug_session_restore(snug_saved **out, snug_session *session, const char *path)
{
    int error = check_arguments(out, path, "snug_session_restore");
    if (error || (error = session_claim(&session, "snug_session_restore")))
        return session_fail(session, error);
    error = session->form->restore(out, &session, path);
    return session_return(session, error);
}
