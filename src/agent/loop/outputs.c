/*
 * outputs.c - what the programs of a question made besides text: files, and figures, which become
 * files where the work directory is one that the caller has named.
 */
#include "agent/loop/loop.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/mime.h"

enum { MOST_FIGURES = 100, MOST_FILES = 10000 };

/* ---- files ---- */

static made_file *find_made(snug_reply *reply, const char *path)
{
    for (size_t i = 0; i < reply->made_count; i++)
        if (!strcmp(str_text(&reply->made[i].path), path))
            return &reply->made[i];
    return NULL;
}

/* Where the caller finds it. */
static int set_place(made_file *file, const snug_agent *agent)
{
    str_clear(&file->at);
    if (!agent->workdir)
        return SNUG_OK;
    return str_printf(&file->at, "%s/%s", agent->workdir, str_text(&file->path));
}

static int add_file(run *r, const char *path, const char *mime, uint64_t bytes)
{
    made_file *file = find_made(r->reply, path);

    if (file) {
        file->bytes = bytes;
        return SNUG_OK;
    }

    if (r->reply->made_count >= MOST_FILES) {
        r->reply->made_left_out++;
        return SNUG_OK;
    }
    file = reply_add_made(r->reply);
    if (!file || str_add(&file->path, path) || str_add(&file->mime, mime))
        return SNUG_ENOMEM;
    file->bytes = bytes;
    return set_place(file, r->agent);
}

static int add_files(run *r, const attempt *a)
{
    const snug_artifact *artifact;
    for (size_t i = 0; a->result && (artifact = snug_result_artifact(a->result, i)); i++)
        if (add_file(r, artifact->path, artifact->mime, artifact->bytes))
            return SNUG_ENOMEM;
    return SNUG_OK;
}

int64_t outputs_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return (int64_t)now.tv_sec * (int64_t)NS_PER_S + now.tv_nsec;
}

static int has_more_files(const snug_reply *reply)
{
    for (size_t i = 0; i < reply->attempt_count; i++)
        if (reply->attempts[i].result &&
            snug_result_artifacts_left_out(reply->attempts[i].result) > 0)
            return 1;
    return 0;
}

/* It was there before any program. */
static int is_input(const run *r, const char *path)
{
    for (size_t i = 0; i < r->options->input_count; i++)
        if (strcmp(r->options->inputs[i].name, path) == 0)
            return 1;
    return 0;
}

/* Where the list of a run is not whole: what was written since the question began. */
static int add_more_files(run *r)
{
    snug_listing *listing;
    const snug_entry *entry;
    int error = SNUG_OK;

    if (!has_more_files(r->reply) || snug_session_list_files(&listing, r->agent->session))
        return SNUG_OK;
    for (size_t i = 0; !error && (entry = snug_listing_entry(listing, i)); i++) {
        const char *mime = mime_of_name(entry->path);
        if (entry->kind == SNUG_ENTRY_FILE && entry->modified_ns >= r->ready_ns &&
            !is_input(r, entry->path))
            error =
                add_file(r, entry->path, mime ? mime : "application/octet-stream", entry->bytes);
    }
    snug_listing_free(listing);
    return error;
}

/* ---- figures ---- */

static const struct {
    const char *mime, *ending;
    int is_text;
} kinds[] = {
    { "image/png", "png", 0 },   { "image/jpeg", "jpg", 0 },    { "image/gif", "gif", 0 },
    { "image/webp", "webp", 0 }, { "image/svg+xml", "svg", 1 },
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* The first of the kinds that it has, whose number is in *kind. NULL: it has none of them. */
static const snug_mime *find_figure(size_t *kind, const snug_display *display)
{
    for (*kind = 0; *kind < KINDS; ++*kind)
        for (size_t i = 0; i < display->part_count; i++)
            if (strcmp(display->parts[i].type, kinds[*kind].mime) == 0)
                return &display->parts[i];
    return NULL;
}

/* A name that no file of the work directory has; 0: there is none. */
static int find_free_name(char *out, size_t size, snug_session *session, const char *ending)
{
    for (unsigned n = 1; n <= MOST_FIGURES; n++) {
        snug_file *file;
        snprintf(out, size, "figure-%u.%s", n, ending);
        int error = snug_session_get_file(&file, session, out, 1);
        if (error == SNUG_ENOTFOUND)
            return 1;
        if (!error)
            snug_file_free(file);
    }

    return 0;
}

/* One that cannot be written is named without a path. */
static int write_figure(made_file *file, run *r, const str *bytes, const char *ending)
{
    snug_session *session = r->agent->session;
    char name[32];

    if (!r->agent->workdir || !find_free_name(name, sizeof name, session, ending) ||
        snug_session_put_file(session, name, bytes->data, bytes->len) != SNUG_OK)
        return SNUG_OK;
    return str_add(&file->path, name) ? SNUG_ENOMEM : set_place(file, r->agent);
}

static int add_figure(run *r, size_t kind, const snug_mime *part, const snug_display *display)
{
    str bytes = { 0 };
    int error = kinds[kind].is_text ? str_append(&bytes, part->data, part->len)
                                    : base64_decode(&bytes, part->data, part->len);
    made_file *file = NULL;

    if (!error && bytes.len > 0) {
        file = reply_add_made(r->reply);
        error = file ? str_add(&file->mime, kinds[kind].mime) : SNUG_ENOMEM;
    }

    if (!error && file) {
        file->display = display;
        file->bytes = bytes.len;
        error = write_figure(file, r, &bytes, kinds[kind].ending);
    }

    str_free(&bytes);
    return error == SNUG_EINVAL ? SNUG_OK : error; /* only images are listed */
}

/* A display has the same in several forms, of which one is taken. */
static int add_figures(run *r, const attempt *a)
{
    size_t count = 0;

    for (size_t i = 0; a->result && i < snug_result_display_count(a->result); i++) {
        const snug_display *display = snug_result_display(a->result, i);
        size_t kind;
        const snug_mime *part = display ? find_figure(&kind, display) : NULL;
        if (part && count++ < MOST_FIGURES && add_figure(r, kind, part, display))
            return SNUG_ENOMEM;
    }

    return SNUG_OK;
}

int outputs_collect(run *r)
{
    for (size_t i = 0; i < r->reply->attempt_count; i++) {
        const attempt *a = &r->reply->attempts[i];
        if (add_files(r, a) || (a->failure.len == 0 && add_figures(r, a)))
            return error_no_memory();
    }
    if (add_more_files(r))
        return error_no_memory();
    reply_tell_made(r->reply);
    return SNUG_OK;
}
