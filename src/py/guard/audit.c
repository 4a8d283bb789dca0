#include "py/guard/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/beneath.h"
#include "policy/events.h"
#include "py/core/cell_notes.h"
#include "py/core/raised.h"
#include "py/core/state.h"
#include "py/core/trust.h"
#include "py/guard/gate.h"
#include "py/guard/sqlite.h"

/* What a package tries while it is imported in a full session, and goes on without, is nothing that
 * the cell has asked for. */
static int is_tried_by_import(const interp *in)
{
    int answer = 0;

    if (!in->options.is_full)
        return 0;

    PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
    while (frame && !answer) {
        PyCodeObject *code = PyFrame_GetCode(frame);
        answer = PyUnicode_CompareWithASCIIString(code->co_filename,
                                                  "<frozen importlib._bootstrap>") == 0;
        PyFrameObject *back = PyFrame_GetBack(frame);
        Py_DECREF(code);
        Py_DECREF(frame);
        frame = back;
    }

    Py_XDECREF(frame);
    return answer;
}

/* Raises the policy's exception with the sentence and notes the denial. */
static int raise_denial(interp *in, const char *event, const char *detail, size_t len,
                        const str *sentence, const char *hint)
{
    if (!is_tried_by_import(in))
        interp_deny(in, event, detail, len);

    PyObject *type = in->policy_error ? in->policy_error : PyExc_PermissionError;
    PyObject *message =
        PyUnicode_DecodeUTF8(str_text(sentence), (Py_ssize_t)sentence->len, "replace");
    PyObject *error = NULL;
    if (message)
        error = PyObject_CallOneArg(type, message);
    if (error) {
        PyErr_SetObject(type, error);
        if (hint)
            interp_hint(in, error, hint);
    }

    Py_XDECREF(error);
    Py_XDECREF(message);
    return -1;
}

static int clip_for_message(size_t len)
{
    enum { MOST = 200 };
    return len < MOST ? (int)len : MOST;
}

static int deny_event(interp *in, const char *event, const char *detail, size_t len)
{
    str sentence = { 0 };
    str_printf(&sentence, "%s is not allowed in this session", event);
    if (len > 0)
        str_printf(&sentence, ": %.*s", clip_for_message(len), detail);
    int answer = raise_denial(in, event, detail, len, &sentence, NULL);
    str_free(&sentence);
    return answer;
}

static int deny_path(interp *in, const char *event, const char *path, size_t len)
{
    str sentence = { 0 };
    size_t folder_len = strlen(in->options.workdir);

    if (!in->options.has_folder && len > folder_len && path[folder_len] == '/' &&
        strncmp(path, in->options.workdir, folder_len) == 0) {
        /* as it was before relative.c */
        path += folder_len + 1;
        len -= folder_len + 1;
    }

    str_printf(&sentence, "%s: %.*s is not in the session's work directory", event,
               clip_for_message(len), path);
    int answer =
        raise_denial(in, event, path, len, &sentence,
                     "Only files in the work directory can be opened: use a relative path.");
    str_free(&sentence);
    return answer;
}

/* Text of exact types only: a subclass could answer one thing here and another to
 * the system call. NULL for anything else. */
static const char *exact_text(PyObject *object, size_t *len)
{
    Py_ssize_t size = 0;
    const char *text = NULL;

    if (PyUnicode_CheckExact(object)) {
        text = PyUnicode_AsUTF8AndSize(object, &size);
        if (!text)
            PyErr_Clear(); /* a lone surrogate: no path that we could judge */
    } else if (PyBytes_CheckExact(object)) {
        text = PyBytes_AS_STRING(object);
        size = PyBytes_GET_SIZE(object);
    }

    *len = (size_t)size;
    return text;
}

/* With the object's text, where it has one that can be trusted. */
static int deny_named(interp *in, const char *event, PyObject *object)
{
    size_t len;
    const char *text = exact_text(object, &len);
    if (!text)
        return deny_event(in, event, "", 0);
    return deny_event(in, event, text, len);
}

static int path_exists(const char *path)
{
    return faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static int wants_write(PyObject *mode, PyObject *flags)
{
    const char *text = NULL;
    long bits = 0;

    if (PyUnicode_Check(mode))
        text = PyUnicode_AsUTF8(mode);
    if (text && strpbrk(text, "wax+"))
        return 1;

    if (PyLong_CheckExact(flags))
        bits = PyLong_AsLong(flags);
    PyErr_Clear();
    return (bits & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)) != 0;
}

int audit_deny(interp *in, const char *event)
{
    return deny_event(in, event, "", 0);
}

/* What follows root in a path, as it was written: behind a symbolic link ".." means another
 * folder than the text says. NULL where that is not known. */
static const char *rest_of(const interp_options *options, const path_root *root, const char *path,
                           size_t len, const char *normal)
{
    size_t root_len = strlen(root->path);

    if (!paths_climb(path, len))
        return normal + root_len + (normal[root_len] == '/');

    int is_relative = path[0] != '/';
    if (is_relative && strcmp(root->path, options->workdir) == 0)
        return path;
    if (!is_relative && strncmp(path, root->path, root_len) == 0 && path[root_len] == '/')
        return path + root_len + 1;
    return NULL;
}

/* Landlock judges what is opened, but neither metadata nor machines without it. The roots
 * that nobody in a session can write to have no links that lead out. */
static int leaves_root(const interp_options *options, const char *path, size_t len, int follows)
{
    char normal[PATH_MAX];

    if (!paths_normalise(normal, sizeof normal, options->workdir, path, len))
        return 1;
    for (size_t i = 0; i < options->root_count; i++) {
        const path_root *root = &options->roots[i];
        size_t root_len = strlen(root->path);
        if (strncmp(normal, root->path, root_len) != 0 ||
            (normal[root_len] != '/' && normal[root_len] != '\0'))
            continue;
        const char *rest = rest_of(options, root, path, len, normal);
        return !rest || (!root->is_ours && !beneath(root->path, rest, follows));
    }

    return 0;
}

/* Where the thread has no folder of its own, a relative path starts in the host's. */
static int is_somewhere(const interp_options *options, const char *path, size_t len)
{
    return options->has_folder || (len > 0 && path[0] == '/');
}

static int has_path(const interp_options *options, const char *path, size_t len, path_access access,
                    int follows)
{
    char mounted[PATH_MAX];

    if (!is_somewhere(options, path, len))
        return 0;
    if (paths_through_mount(mounted, sizeof mounted, options->mounts, options->mount_count,
                            options->workdir, path, len)) {
        path = mounted;
        len = strlen(mounted);
    }

    return paths_allow(options->roots, options->root_count, options->workdir, path, len, access) &&
           !leaves_root(options, path, len, follows);
}

int audit_has_path(const interp *in, const char *path, path_access access)
{
    return has_path(&in->options, path, strlen(path), access, 1);
}

int audit_path_leads(interp *in, PyObject *path)
{
    size_t len;
    const char *text = exact_text(path, &len);
    const interp_options *options = &in->options;
    return text && is_somewhere(options, text, len) && !paths_climb(text, len) &&
           paths_lead(options->roots, options->root_count, options->workdir, text, len) &&
           !has_path(options, text, len, PATH_READ, 0);
}

int audit_judge_path(interp *in, const char *event, PyObject *path, path_access access, int follows)
{
    size_t len;

    if (!in->is_guarded)
        return 0;
    if (PyLong_CheckExact(path)) {
        if (in->options.owns_descriptors)
            return 0;
        return deny_event(in, event, "a descriptor", 12);
    }

    const char *text = exact_text(path, &len);
    const interp_options *options = &in->options;
    if (text && has_path(options, text, len, access, follows)) {
        if (access == PATH_WRITE && options->disk)
            disk_touch(options->disk);
        return 0;
    }

    /* The kernel answers it: packages look for files in many places. */
    if (text && options->is_full && options->confines_libraries && access == PATH_READ &&
        !path_exists(text))
        return 0;

    if (text && !options->has_folder && len > 0 && text[0] == '<') {
        /* The parser looks for the text of "<cell 1>" in a file of that name. */
        PyErr_SetNone(PyExc_FileNotFoundError);
        return -1;
    }

    if (text)
        return deny_path(in, event, text, len);
    const char *type_name = Py_TYPE(path)->tp_name;
    return deny_event(in, event, type_name, strlen(type_name));
}

int audit_judge_disk(interp *in, PyObject *path)
{
    size_t len;
    disk_account *disk = in->options.disk;
    const char *text = exact_text(path, &len);

    if (!in->is_guarded || guard_is_full() || !disk || !text)
        return 0;
    if (disk_check(disk) == 0 && (path_exists(text) || disk_create(disk) == 0))
        return 0;

    errno = EDQUOT;
    PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, path);
    return -1;
}

static int judge_open(interp *in, const char *event, PyObject *args)
{
    if (PyTuple_GET_SIZE(args) < 3)
        return deny_event(in, event, "", 0);

    PyObject *path = PyTuple_GET_ITEM(args, 0);
    if (!wants_write(PyTuple_GET_ITEM(args, 1), PyTuple_GET_ITEM(args, 2)))
        return audit_judge_path(in, event, path, PATH_READ, 1);
    if (audit_judge_path(in, event, path, PATH_WRITE, 1) != 0)
        return -1;
    return audit_judge_disk(in, path);
}

static int deny_unguarded(interp *in, const char *event)
{
    static const char why[] = "this SQLite cannot be kept from the process";
    return deny_event(in, event, why, strlen(why));
}

/* SQLite opens and maps files by itself, and more of them by SQL (ATTACH, VACUUM INTO): only
 * where the kernel judges those. By "file:" it would also share databases in memory with
 * others. */
static int judge_database(interp *in, const char *event, PyObject *args)
{
    size_t len = 0;
    PyObject *path = PyTuple_GET_SIZE(args) > 0 ? PyTuple_GET_ITEM(args, 0) : Py_None;
    const char *text = exact_text(path, &len);
    if (!text)
        return deny_event(in, event, "", 0);

    if (!in->options.confines_libraries || (len >= 5 && memcmp(text, "file:", 5) == 0))
        return deny_event(in, event, text, len);

    if (sqlite_prepare() != 0)
        return deny_unguarded(in, event);
    if (len == 0 || (len == 8 && memcmp(text, ":memory:", 8) == 0))
        return 0;
    if (audit_judge_path(in, event, path, PATH_WRITE, 1) != 0)
        return -1;
    return audit_judge_disk(in, path);
}

/* A directory listing without an argument is of the work directory. */
static int judge_look(interp *in, const char *event, PyObject *args)
{
    int has_path_argument = PyTuple_GET_SIZE(args) >= 1 && PyTuple_GET_ITEM(args, 0) != Py_None;
    if (has_path_argument)
        return audit_judge_path(in, event, PyTuple_GET_ITEM(args, 0), PATH_READ, 1);
    if (in->options.has_folder)
        return 0;
    return deny_path(in, event, ".", 1);
}

/* The file name is what interp_trusts goes by. The standard library's own files are compiled
 * by loader.c. */
static int judge_compile(interp *in, const char *event, PyObject *args)
{
    PyObject *filename = PyTuple_GET_SIZE(args) > 1 ? PyTuple_GET_ITEM(args, 1) : Py_None;
    if (filename == Py_None)
        return 0;

    if (filename == interp_own.compiling) {
        interp_own.compiling = NULL;
        return 0;
    }

    if (PyUnicode_CheckExact(filename) && !interp_trusts(in, filename))
        return 0;
    return deny_named(in, event, filename);
}

/* Events that loader.c raises, which the guest could raise too. */
static int is_the_loaders(const char *event)
{
    if (!interp_own.unmarshals || strcmp(event, "marshal.loads") != 0)
        return 0;
    interp_own.unmarshals = 0;
    return 1;
}

static int judge_event(interp *in, const char *event, PyObject *args)
{
    event_verdict verdict;

    if (in->options.is_full)
        verdict = events_full_verdict(event);
    else
        verdict = events_verdict(event);

    switch (verdict) {
    case EVENT_ALLOW:
        return 0;
    case EVENT_OPEN:
        return judge_open(in, event, args);
    case EVENT_PATH:
        return judge_look(in, event, args);
    case EVENT_DATABASE:
        return judge_database(in, event, args);
    case EVENT_CONNECTED: /* not of use yet */
        if (sqlite_is_guarded())
            return 0;
        return deny_unguarded(in, event);
    case EVENT_IMPORT:
        if (PyTuple_GET_SIZE(args) == 0)
            return 0;
        return gate_audit_load(in, PyTuple_GET_ITEM(args, 0));
    case EVENT_COMPILE:
        return judge_compile(in, event, args);
    case EVENT_DENY:
        if (is_the_loaders(event))
            return 0;
        break;
    }

    if (PyTuple_GET_SIZE(args) == 0)
        return deny_event(in, event, "", 0);
    return deny_named(in, event, PyTuple_GET_ITEM(args, 0));
}

static int hook(const char *event, PyObject *args, void *ignored)
{
    (void)ignored;
    interp *in = interp_current;
    if (!in || !in->is_guarded)
        return 0;

    /* The hook may run while an exception is set; ours replaces it only on denial. */
    raised_exception before = raised_set_aside();
    int answer = judge_event(in, event, args);
    if (answer == 0)
        raised_put_back(before);
    else
        raised_drop(before);

    return answer;
}

void audit_install(void)
{
    PySys_AddAuditHook(hook, NULL);
}
