#include "agent/loop/outputs.h"

#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/error.h"

enum { MOST_FIGURES = 100 };

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

static int add_file(run *r, const snug_artifact *artifact)
{
    made_file *file = find_made(r->reply, artifact->path);

    if (file) {
        file->bytes = artifact->bytes;
        return SNUG_OK;
    }

    file = reply_add_made(r->reply);
    if (!file || str_add(&file->path, artifact->path) || str_add(&file->mime, artifact->mime))
        return SNUG_ENOMEM;
    file->bytes = artifact->bytes;
    return set_place(file, r->agent);
}

static int add_files(run *r, const attempt *a)
{
    const snug_artifact *artifact;
    for (size_t i = 0; a->result && (artifact = snug_result_artifact(a->result, i)); i++)
        if (add_file(r, artifact))
            return SNUG_ENOMEM;
    return SNUG_OK;
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

/* The kind of a part, or KINDS. */
static size_t find_kind(const char *mime)
{
    size_t kind = 0;
    while (kind < KINDS && strcmp(kinds[kind].mime, mime) != 0)
        kind++;
    return kind;
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

static int add_figure(run *r, size_t kind, const snug_mime *part)
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
        file->is_figure = 1;
        file->bytes = bytes.len;
        error = write_figure(file, r, &bytes, kinds[kind].ending);
    }

    str_free(&bytes);
    return error == SNUG_EINVAL ? SNUG_OK : error; /* only images are listed */
}

/* A display has the same in several forms, of which the first is taken. */
static int add_figures(run *r, const attempt *a)
{
    size_t count = 0;

    for (size_t i = 0; a->result && i < snug_result_display_count(a->result); i++) {
        const snug_display *d = snug_result_display(a->result, i);
        size_t part = 0, kind = KINDS;
        while (d && part < d->part_count && (kind = find_kind(d->parts[part].type)) == KINDS)
            part++;
        if (kind < KINDS && count++ < MOST_FIGURES && add_figure(r, kind, &d->parts[part]))
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
    return SNUG_OK;
}
