#include "cli/ask/handing_over.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base64.h"
#include "base/error.h"
#include "cli/ask/out_name.h"
#include "cli/display/pictures.h"
#include "cli/program/command.h"
#include "cli/terminal/term.h"

enum {
    MOST_TOLD = 5, /* by name */
    DEFAULT_FILES = 1000,
    DEFAULT_BYTES = 256 << 20
};

int handing_open(handing *h, const options *o, signals *s)
{
    const char *given = o->out_folder;

    *h = (handing){ .options = o, .signals = s, .folder = OUT_FOLDER_INIT };

    /* What is in a work directory that was named is where the user wants it. */
    h->is_on = given ? strcmp(given, "none") != 0 : o->workdir == NULL;
    if (h->is_on && out_folder_open(&h->folder, given))
        return command_fail(EXIT_USAGE, "%s", error_message());
    return EXIT_FINE;
}

void handing_close(handing *h)
{
    out_folder_close(&h->folder);
    str_free(&h->made);
    str_free(&h->left);
    str_free(&h->fault);
}

/* ---- what became of each ---- */

static void note_made(handing *h, const char *at, uint64_t bytes)
{
    h->bytes += bytes;
    if (h->files++ >= MOST_TOLD)
        return;
    str_printf(&h->made, "%s%s (", h->made.len > 0 ? ", " : "", at);
    out_name_size(&h->made, bytes);
    str_add(&h->made, ")");
}

static void note_left(handing *h, const char *name, const char *why)
{
    if (h->left_count++ < MOST_TOLD)
        str_printf(&h->left, "%s%s (%s)", h->left.len > 0 ? ", " : "", name, why);
}

/* Those that are not looked at. */
static void note_rest(handing *h, uint64_t count, const char *why)
{
    char name[40];

    if (count == 0)
        return;
    snprintf(name, sizeof name, "%" PRIu64 " file%s", count, count == 1 ? "" : "s");
    note_left(h, name, why);
    if (h->left_count > MOST_TOLD)
        h->left_count += count - 1;
}

static void note_fault(handing *h, const char *message)
{
    if (h->fault_count++ == 0)
        str_add(&h->fault, message);
}

/* ---- one of them ---- */

static uint64_t limit_or(uint64_t limit, uint64_t fallback)
{
    return limit ? limit : fallback;
}

static uint64_t bytes_left(const handing *h)
{
    const uint64_t most = limit_or(h->options->out_bytes, DEFAULT_BYTES);
    return most > h->bytes ? most - h->bytes : 0;
}

/* NULL: nothing speaks against it. */
static const char *find_objection(const handing *h, const snug_agent_output *output)
{
    if (output->path && strstr(output->path, "\xef\xbf\xbd"))
        return "its name is not UTF-8";
    if (output->path && out_name_is_hidden(output->path))
        return "its name begins with a dot";
    if (h->files >= limit_or(h->options->out_files, DEFAULT_FILES))
        return "past --out-files";
    if (output->bytes > bytes_left(h))
        return "past --out-size";
    return NULL;
}

static void put_output(handing *h, snug_reply *reply, size_t index, const char *question,
                       const char *path, unsigned number, const char *data, size_t len)
{
    str at = { 0 };
    int error = out_folder_put(&at, &h->folder, question, path, number, data, len);

    if (error)
        note_fault(h, error_message());
    else if (snug_reply_place(reply, index, at.data))
        note_fault(h, snug_error_message());
    else
        note_made(h, at.data, len);
    str_free(&at);
}

/* What was removed again since is passed over. */
static void hand_file(handing *h, snug_reply *reply, size_t index, snug_session *session,
                      const char *question)
{
    const char *path = snug_reply_output(reply, index)->path;
    const uint64_t room = bytes_left(h);
    str name = { 0 };
    snug_file *file;
    size_t len;

    int error = snug_session_get_file(&file, session, path, room > 0 ? (size_t)room : 1);
    if (error == SNUG_EINVAL)
        note_left(h, path, snug_error_message());
    else if (error && error != SNUG_ENOTFOUND)
        note_fault(h, snug_error_message());
    if (error)
        return;

    error = out_name_of_path(&name, path);
    const char *data = snug_file_data(file, &len);
    if (error == SNUG_EINVAL)
        note_left(h, path, "its name leads elsewhere");
    else if (error)
        note_fault(h, "out of memory");
    else if (len > room)
        note_left(h, path, "past --out-size");
    else
        put_output(h, reply, index, question, name.data, 0, data, len);
    str_free(&name);
    snug_file_free(file);
}

static const char *name_of_figure(const char *type)
{
    static const struct {
        const char *type, *name;
    } names[] = { { "image/png", "figure.png" },
                  { "image/jpeg", "figure.jpg" },
                  { "image/gif", "figure.gif" },
                  { "image/webp", "figure.webp" },
                  { "image/svg+xml", "figure.svg" } };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].type, type) == 0)
            return names[i].name;
    return "figure";
}

static void hand_figure(handing *h, snug_reply *reply, size_t index, const char *question)
{
    const snug_agent_output *output = snug_reply_output(reply, index);
    const snug_mime *form = form_find(output->display, output->mime);
    const int is_text = strcmp(output->mime, "image/svg+xml") == 0;
    str bytes = { 0 };

    if (!form)
        return;
    int error = is_text ? str_append(&bytes, form->data, form->len)
                        : base64_decode(&bytes, form->data, form->len);
    if (error)
        note_fault(h, "a figure cannot be read");
    else
        put_output(h, reply, index, question, name_of_figure(output->mime), 1, str_text(&bytes),
                   bytes.len);
    str_free(&bytes);
}

static void hand_output(handing *h, snug_reply *reply, size_t index, snug_session *session,
                        const char *question)
{
    const snug_agent_output *output = snug_reply_output(reply, index);
    const char *objection = find_objection(h, output);

    if (objection)
        note_left(h, output->path ? output->path : "a figure", objection);
    else if (output->display)
        hand_figure(h, reply, index, question);
    else
        hand_file(h, reply, index, session, question);
}

/* What programs make is there without it. */
static int is_workdir(const handing *h)
{
    struct stat work, out;

    return h->options->workdir && stat(h->options->workdir, &work) == 0 &&
           stat(str_text(&h->folder.path), &out) == 0 && work.st_dev == out.st_dev &&
           work.st_ino == out.st_ino;
}

int handing_is_wanted(const handing *h)
{
    return h->is_on && !is_workdir(h);
}

void handing_do(handing *h, snug_reply *reply, snug_session *session, const char *question)
{
    const size_t count = snug_reply_output_count(reply);
    size_t i = 0;

    h->bytes = h->files = h->left_count = h->fault_count = 0;
    str_clear(&h->made);
    str_clear(&h->left);
    str_clear(&h->fault);
    if (!handing_is_wanted(h))
        return;
    for (; i < count && !signals_taken(h->signals); i++)
        hand_output(h, reply, i, session, question);
    note_rest(h, count - i, "a signal has come");
    note_rest(h, snug_reply_outputs_left_out(reply), "past the 10000 that can be listed");
    out_folder_leave(&h->folder);
}

/* ---- telling ---- */

static void tell_made(const handing *h)
{
    if (h->files == 0)
        return;
    fputs("made ", stderr);
    term_put(stderr, str_text(&h->made), h->made.len);
    if (h->files > MOST_TOLD)
        fprintf(stderr, ", and %" PRIu64 " more", h->files - MOST_TOLD);
    fputc('\n', stderr);
}

static void tell_left(const handing *h)
{
    char more[48] = "";

    if (h->left_count > MOST_TOLD)
        snprintf(more, sizeof more, ", and %" PRIu64 " more", h->left_count - MOST_TOLD);
    if (h->left_count > 0)
        command_fail(EXIT_FINE, "not handed over: %s%s; --workdir DIR keeps all that is made",
                     str_text(&h->left), more);
}

int handing_tell(const handing *h)
{
    const int is_json = h->options->is_json || h->options->format == SNUG_REPLY_JSON;

    if (!is_json && !h->options->is_quiet)
        tell_made(h);
    if (!is_json)
        tell_left(h);
    if (h->fault_count == 0)
        return EXIT_FINE;
    if (h->fault_count == 1)
        return command_fail(EXIT_USAGE, "%s", str_text(&h->fault));
    return command_fail(EXIT_USAGE, "%s, and %" PRIu64 " more cannot be handed over",
                        str_text(&h->fault), h->fault_count - 1);
}
