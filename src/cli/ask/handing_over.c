#include "cli/ask/handing_over.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/file.h"
#include "cli/ask/out_name.h"
#include "cli/display/pictures.h"
#include "cli/program/command.h"
#include "cli/program/parents.h"
#include "cli/terminal/term.h"

enum {
    MOST_TOLD = 5, /* by name */
    MOST_FILES = 1000,
    MOST_BYTES = 256 << 20,
    MOST_NUMBER = 10000 /* of a name that is somebody's */
};

/* ---- the folder ---- */

static int open_folder(handing *h)
{
    h->folder = open(h->path.data, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return h->folder < 0 ? error_system("%s", h->path.data) : SNUG_OK;
}

/* Before any program runs, for what a program makes of its path later is not followed. */
static int open_given(handing *h, const char *given)
{
    if (str_add(&h->path, given))
        return error_no_memory();
    while (h->path.len > 1 && h->path.data[h->path.len - 1] == '/')
        h->path.data[--h->path.len] = '\0';
    h->is_own = mkdir(h->path.data, 0777) == 0;
    if (!h->is_own && errno == ENOENT)
        h->is_own = !parents_make(&h->parents, h->path.data, 0777) && !mkdir(h->path.data, 0777);
    if (!h->is_own && errno != EEXIST)
        return error_system("%s", h->path.data);
    return open_folder(h);
}

/* The folder that is named after the question, for the first file. Where the name is somebody's,
 * the next one that is free. */
static int make_named(handing *h, const char *question)
{
    int error = out_name_of_question(&h->path, question), failed = -1;
    const size_t len = h->path.len;

    for (unsigned number = 2; !error; number++) {
        failed = mkdir(h->path.data, 0777);
        if (!failed || errno != EEXIST || number == MOST_NUMBER)
            break;
        h->path.data[h->path.len = len] = '\0';
        error = str_printf(&h->path, "-%u", number);
    }

    h->is_own = !failed;
    if (error)
        error = error_no_memory();
    else if (failed)
        error = error_system("the folder %s cannot be made", h->path.data);
    else
        error = open_folder(h);
    if (error)
        str_clear(&h->path);
    return error;
}

/* Into the folders of a path below this one, which are made where they are not there: the last
 * one's descriptor, or -1 with errno; *name: what the path ends with. No link is followed: a
 * program may be able to write there. */
static int enter_folders(const char **name, int folder, const char *path)
{
    char part[NAME_MAX + 1];
    int at = fcntl(folder, F_DUPFD_CLOEXEC, 3);

    for (size_t len; at >= 0 && path[len = strcspn(path, "/")]; path += len + 1) {
        int inner = -1;
        errno = ENAMETOOLONG;
        if (len < sizeof part) {
            memcpy(part, path, len);
            part[len] = '\0';
            if (mkdirat(at, part, 0777) == 0 || errno == EEXIST)
                inner = openat(at, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        }
        const int number = errno;
        close(at);
        errno = number;
        at = inner;
    }

    *name = path;
    return at;
}

/* 0, or -1 with errno, and nothing is left of it; EEXIST: the name is somebody's. */
static int write_new(int folder, const char *name, const void *data, size_t len)
{
    struct rlimit most;

    /* Past that a write would raise SIGXFSZ, which ends the process. */
    if (!getrlimit(RLIMIT_FSIZE, &most) && most.rlim_cur != RLIM_INFINITY && len > most.rlim_cur) {
        errno = EFBIG;
        return -1;
    }

    const int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;
    int failed = file_write_all(fd, data, len), number = errno;
    if (close(fd) && !failed) {
        failed = -1;
        number = errno;
    }
    if (failed)
        unlinkat(folder, name, 0);
    errno = number;
    return failed;
}

static int write_below(int folder, const char *path, const void *data, size_t len)
{
    const char *name;
    const int last = enter_folders(&name, folder, path);
    if (last < 0)
        return -1;

    const int failed = write_new(last, name, data, len), number = errno;
    close(last);
    errno = number;
    return failed;
}

/* Under the first of its names from number on that is free: "plot.png" for 0, "plot-2.png". Appends
 * where the user finds it. */
static int put_file(str *at, handing *h, const char *path, unsigned number, const void *data,
                    size_t len)
{
    str name = { 0 };
    int error = SNUG_OK, failed = -1;

    for (; number < MOST_NUMBER; number = number ? number + 1 : 2) {
        str_clear(&name);
        error = number ? out_name_numbered(&name, path, number) : str_add(&name, path);
        if (!error)
            failed = write_below(h->folder, name.data, data, len);
        if (error || !failed || errno != EEXIST)
            break;
    }

    const int is_root = strcmp(h->path.data, "/") == 0;
    if (!error && failed)
        error = error_system("%s/%s", h->path.data, name.data);
    else if (error || str_printf(at, "%s%s%s", h->path.data, is_root ? "" : "/", name.data))
        error = error_no_memory();
    h->is_own &= failed; /* there is something in it */
    str_free(&name);
    return error;
}

int handing_open(handing *h, const options *o, signals *s)
{
    const char *given = o->out_folder;

    *h = (handing){ .options = o, .signals = s, .folder = -1 };

    /* What is in a work directory that was named is where the user wants it. */
    h->is_on = given ? strcmp(given, "none") != 0 : o->workdir == NULL;
    if (h->is_on && given && open_given(h, given))
        return command_fail(EXIT_USAGE, "%s", error_message());
    return EXIT_FINE;
}

void handing_close(handing *h)
{
    if (h->folder >= 0)
        close(h->folder);
    if (h->is_own && rmdir(h->path.data) == 0)
        for (; h->parents > 0; h->parents--) {
            *strrchr(h->path.data, '/') = '\0';
            rmdir(h->path.data);
        }
    str_free(&h->path);
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

/* NULL: nothing speaks against it. */
static const char *find_objection(const handing *h, const snug_agent_output *output)
{
    if (output->path && strstr(output->path, "\xef\xbf\xbd"))
        return "its name is not UTF-8";
    if (output->path && out_name_is_hidden(output->path))
        return "its name begins with a dot";
    if (h->files >= MOST_FILES)
        return "past 1000 files";
    if (output->bytes > MOST_BYTES - h->bytes)
        return "past 256 MiB in all";
    return NULL;
}

static void put_output(handing *h, snug_reply *reply, size_t index, const char *question,
                       const char *path, unsigned number, const char *data, size_t len)
{
    str at = { 0 };
    int error = h->folder < 0 ? make_named(h, question) : SNUG_OK;
    if (!error)
        error = put_file(&at, h, path, number, data, len);

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
    const uint64_t room = MOST_BYTES - h->bytes;
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
        note_left(h, path, "past 256 MiB in all");
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
           fstat(h->folder, &out) == 0 && work.st_dev == out.st_dev && work.st_ino == out.st_ino;
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
