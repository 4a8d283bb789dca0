#include "py/guard/posix.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "py/guard/audit.h"
#include "py/guard/direntry.h"
#include "py/guard/posix_own.h"
#include "py/guard/relative.h"

/* ---- the table ---- */

/* Pure, or about nothing but this process's share of the machine. */
static const char *const kept[] = {
    "WCOREDUMP",       "WEXITSTATUS",
    "WIFCONTINUED",    "WIFEXITED",
    "WIFSIGNALED",     "WIFSTOPPED",
    "WSTOPSIG",        "WTERMSIG",
    "_path_normpath",  "_path_splitroot_ex",
    "confstr",         "cpu_count",
    "device_encoding", "fspath",
    "getrandom",       "major",
    "makedev",         "minor",
    "sched_yield",     "strerror",
    "sysconf",         "times",
    "urandom",         "waitstatus_to_exitcode",
};

/* On a descriptor: harmless where the thread has a table of its own, refused elsewhere. */
#define OF_DESCRIPTORS(X) \
    X(close)              \
    X(closerange)         \
    X(dup)                \
    X(fdatasync)          \
    X(fstat)              \
    X(fsync)              \
    X(ftruncate)          \
    X(get_blocking)       \
    X(get_inheritable)    \
    X(get_terminal_size)  \
    X(lockf)              \
    X(lseek)              \
    X(posix_fadvise)      \
    X(posix_fallocate)    \
    X(pread)              \
    X(preadv)             \
    X(pwrite)             \
    X(pwritev)            \
    X(read)               \
    X(readv)              \
    X(set_blocking)       \
    X(set_inheritable)    \
    X(write)              \
    X(writev)

/* name, number of paths, access, whether the last part is followed, and how else */
#define PATHS(X)                                                           \
    X(access, 1, PATH_READ, 1, LOOKS)                                      \
    X(chmod, 1, PATH_WRITE, 1, BY_DESCRIPTOR)                              \
    X(listdir, 1, PATH_READ, 1, LISTS)                                     \
    X(lstat, 1, PATH_READ, 0, LOOKS)                                       \
    X(mkdir, 1, PATH_WRITE, 0, MAKES)                                      \
    X(open, 1, PATH_READ, 1, PLAINLY) /* the audit event judges writing */ \
    X(readlink, 1, PATH_READ, 0, LOOKS)                                    \
    X(remove, 1, PATH_WRITE, 0, PLAINLY)                                   \
    X(rename, 2, PATH_WRITE, 0, PLAINLY)                                   \
    X(replace, 2, PATH_WRITE, 0, PLAINLY)                                  \
    X(rmdir, 1, PATH_WRITE, 0, PLAINLY)                                    \
    X(scandir, 1, PATH_READ, 1, LISTS)                                     \
    X(stat, 1, PATH_READ, 1, LOOKS)                                        \
    X(truncate, 1, PATH_WRITE, 1, BY_WRITING)                              \
    X(unlink, 1, PATH_WRITE, 0, PLAINLY)                                   \
    X(utime, 1, PATH_WRITE, 1, BY_DESCRIPTOR)

/* Refused with a sentence, because people try them. What is in no table is not there. */
#define REFUSED(X)  \
    X(_exit)        \
    X(abort)        \
    X(chdir)        \
    X(chown)        \
    X(chroot)       \
    X(execv)        \
    X(execve)       \
    X(fchdir)       \
    X(fork)         \
    X(forkpty)      \
    X(getlogin)     \
    X(kill)         \
    X(killpg)       \
    X(lchown)       \
    X(link)         \
    X(mkfifo)       \
    X(mknod)        \
    X(nice)         \
    X(pipe)         \
    X(posix_spawn)  \
    X(posix_spawnp) \
    X(setgid)       \
    X(setpriority)  \
    X(setsid)       \
    X(setuid)       \
    X(statvfs)      \
    X(symlink)      \
    X(system)       \
    X(umask)        \
    X(wait)         \
    X(waitpid)

/* ---- refused ---- */

static PyObject *refuse_call(PyObject *self, PyObject *args, PyObject *keywords)
{
    char event[64];
    const char *name = PyUnicode_AsUTF8(self);

    (void)args;
    (void)keywords;
    if (!name || !interp_current)
        return NULL;

    snprintf(event, sizeof event, "os.%s", name);
    audit_deny(interp_current, event);
    return NULL;
}

#define FUNCTION(name) ((PyCFunction)(void (*)(void))(name))
enum { ANY_ARGUMENTS = METH_VARARGS | METH_KEYWORDS };

static PyMethodDef refused_methods[] = {
#define REFUSED_METHOD(name) \
    { #name, FUNCTION(refuse_call), ANY_ARGUMENTS, "Refused: a session does without." },
    REFUSED(REFUSED_METHOD)
};

static PyMethodDef descriptor_methods[] = { OF_DESCRIPTORS(REFUSED_METHOD) };

/* ---- paths ---- */

typedef enum path_use {
    PLAINLY,
    MAKES,
    LISTS,         /* the current folder without an argument */
    LOOKS,         /* at metadata only: folders on the way to a root are fine too */
    BY_DESCRIPTOR, /* in the path's place: the kernel's filter denies the call by path */
    BY_WRITING     /* the same, open for writing */
} path_use;

typedef struct path_row {
    const char *name;
    int paths;
    path_access access;
    int follows;
    path_use how;
} path_row;

static const path_row path_rows[] = {
#define PATH_ROW(name, paths, access, follows, how) { #name, paths, access, follows, how },
    PATHS(PATH_ROW)
};
enum { PATH_ROWS = sizeof path_rows / sizeof *path_rows };

PyObject *posix_plain_path(PyObject *value)
{
    if (PyLong_Check(value)) {
        long number = PyLong_AsLong(value);
        if (number == -1 && PyErr_Occurred())
            return NULL;
        return PyLong_FromLong(number);
    }

    PyObject *path = PyOS_FSPath(value), *exact = NULL;
    if (path && PyUnicode_Check(path))
        exact = PyUnicode_FromObject(path);
    else if (path)
        exact = PyBytes_FromStringAndSize(PyBytes_AS_STRING(path), PyBytes_GET_SIZE(path));

    Py_XDECREF(path);
    if (PyErr_Occurred())
        Py_CLEAR(exact);
    return exact;
}

static int judge_path(interp *in, const path_row *row, PyObject *path)
{
    char event[64];

    if (row->how == LOOKS && audit_path_leads(in, path))
        return 0;
    snprintf(event, sizeof event, "os.%s", row->name);
    if (row->how == BY_DESCRIPTOR && PyLong_CheckExact(path)) /* perhaps of a file to read only */
        return audit_deny(in, event);
    if (audit_judge_path(in, event, path, row->access, row->follows) != 0)
        return -1;
    if (row->how != MAKES)
        return 0;
    return audit_judge_disk(in, path);
}

/* The argument at that place, or of that name; borrowed, NULL where it is not given. */
static PyObject *find_argument(PyObject *args, PyObject *keywords, Py_ssize_t at, const char *name)
{
    if (at < PyTuple_GET_SIZE(args))
        return PyTuple_GET_ITEM(args, at);
    if (keywords)
        return PyDict_GetItemString(keywords, name);
    return NULL;
}

/* Puts another value in place of one that is given. Takes the reference. */
static int replace_argument(PyObject *args, PyObject *keywords, Py_ssize_t at, const char *name,
                            PyObject *value)
{
    if (at < PyTuple_GET_SIZE(args)) {
        PyObject *before = PyTuple_GET_ITEM(args, at);
        PyTuple_SET_ITEM(args, at, value);
        Py_DECREF(before);
        return 0;
    }

    int failed = PyDict_SetItemString(keywords, name, value);
    Py_DECREF(value);
    return failed;
}

/* The plain path, from the work directory on: a new reference. */
static PyObject *resolve_path(interp *in, PyObject *value)
{
    PyObject *given = posix_plain_path(value);
    if (!given)
        return NULL;
    PyObject *path = relative_resolve(in, given);
    Py_DECREF(given);
    return path;
}

/* Puts a plain path that was judged in place of the one that is given. */
static int judge_argument(interp *in, const path_row *row, PyObject *args, PyObject *keywords,
                          Py_ssize_t at, const char *name)
{
    PyObject *value = find_argument(args, keywords, at, name); /* borrowed */
    if (!value || value == Py_None)
        return 0; /* the function has its own say */

    PyObject *path = resolve_path(in, value);
    if (!path)
        return -1;

    if (judge_path(in, row, path) != 0) {
        Py_DECREF(path);
        return -1;
    }

    return replace_argument(args, keywords, at, name, path);
}

static int judge_arguments(interp *in, const path_row *row, PyObject *args, PyObject *keywords)
{
    static const char *const names[2][2] = { { "path", NULL }, { "src", "dst" } };
    int failed = 0;

    for (int i = 0; !failed && i < row->paths; i++)
        failed = judge_argument(in, row, args, keywords, i, names[row->paths - 1][i]);
    return failed;
}

/* A descriptor of a folder would be where the path begins. */
static int has_folder_descriptor(PyObject *keywords)
{
    static const char *const names[] = { "dir_fd", "src_dir_fd", "dst_dir_fd" };
    for (size_t i = 0; keywords && i < sizeof names / sizeof *names; i++) {
        PyObject *value = PyDict_GetItemString(keywords, names[i]); /* borrowed */
        if (value && value != Py_None)
            return 1;
    }
    return 0;
}

/* Borrowed; NULL where there is none. */
static PyObject *first_path(PyObject *args, PyObject *keywords)
{
    return find_argument(args, keywords, 0, "path");
}

/* Set-id and sticky bits are taken off like those of a umask: a program of the host's with the
 * host's rights is nothing that a cell makes. seccomp refuses them, where it is in force. */
static int drop_mode_bits(const path_row *row, PyObject *args, PyObject *keywords)
{
    static const struct {
        const char *name;
        Py_ssize_t at;
    } modes[] = { { "chmod", 1 }, { "mkdir", 1 }, { "open", 2 } };
    size_t i = 0, count = sizeof modes / sizeof *modes;
    while (i < count && strcmp(modes[i].name, row->name) != 0)
        i++;
    if (i == count)
        return 0;

    PyObject *value = find_argument(args, keywords, modes[i].at, "mode"); /* borrowed */
    if (!value || !PyIndex_Check(value))
        return 0; /* the function has its own say */

    long mode = PyLong_AsLong(value);
    if (mode == -1 && PyErr_Occurred())
        return -1;

    PyObject *dropped = PyLong_FromLong(mode & ~(long)(S_ISUID | S_ISGID | S_ISVTX));
    if (!dropped)
        return -1;
    return replace_argument(args, keywords, modes[i].at, "mode", dropped);
}

/* os.path.realpath asks what kind of thing a folder on the way to a root is. The rest of its
 * metadata is the machine's; a number made of its name keeps os.path.samefile right. Takes the
 * reference to facts. */
static PyObject *only_kind(PyObject *facts, PyObject *path)
{
    char normal[PATH_MAX];
    PyObject *bytes = NULL, *mode = PyObject_GetAttrString(facts, "st_mode"), *answer = NULL;

    if (mode && PyUnicode_FSConverter(path, &bytes) &&
        paths_normalise(normal, sizeof normal, NULL, PyBytes_AS_STRING(bytes),
                        (size_t)PyBytes_GET_SIZE(bytes)))
        answer = PyObject_CallFunction(
            (PyObject *)Py_TYPE(facts), "((lKiiiiiiii))", PyLong_AsLong(mode) & S_IFMT,
            (unsigned long long)hash_bytes(normal, strlen(normal)) >> 1, 0, 1, 0, 0, 0, 0, 0, 0);
    else if (!PyErr_Occurred())
        PyErr_SetNone(PyExc_PermissionError);

    Py_XDECREF(bytes);
    Py_XDECREF(mode);
    Py_DECREF(facts);
    return answer;
}

/* Opens the first path, and puts the descriptor in its place. */
static int open_first_path(path_use how, PyObject *args, PyObject *keywords)
{
    PyObject *path = first_path(args, keywords), *bytes = NULL;
    if (!path || PyLong_Check(path))
        return -1;

    if (!PyUnicode_FSConverter(path, &bytes))
        return -1;
    int mode = how == BY_WRITING ? O_WRONLY : O_RDONLY;
    int fd = open(PyBytes_AS_STRING(bytes), mode | O_NONBLOCK | O_CLOEXEC);
    Py_DECREF(bytes);
    if (fd < 0) {
        PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, path);
        return -1;
    }

    PyObject *number = PyLong_FromLong(fd);
    if (number)
        replace_argument(args, keywords, 0, "path", number);
    return fd;
}

static PyObject *call_posix(interp *in, size_t index, PyObject *args, PyObject *keywords)
{
    const path_row *row = &path_rows[index];

    if (has_folder_descriptor(keywords)) {
        audit_deny(in, "dir_fd");
        return NULL;
    }

    PyObject *given = Py_XNewRef(first_path(args, keywords)), *answer = NULL;
    int fd = -1;
    int failed = judge_arguments(in, row, args, keywords);
    if (!failed)
        failed = drop_mode_bits(row, args, keywords);
    if (!failed && row->how >= BY_DESCRIPTOR)
        fd = open_first_path(row->how, args, keywords);
    if (!PyErr_Occurred())
        answer = PyObject_Call(in->posix->of_path[index], args, keywords);
    if (fd >= 0)
        close(fd);

    PyObject *path = first_path(args, keywords); /* borrowed */
    if (!answer && path && given)
        relative_name_error(path, given);
    Py_XDECREF(given);
    if (answer && row->how == LOOKS && PyTuple_Check(answer) && audit_path_leads(in, path))
        return only_kind(answer, path);
    return answer;
}

/* A copy with plain names: one that hashes otherwise would be found by the function and not by
 * us. */
static PyObject *plain_keywords(PyObject *keywords)
{
    PyObject *copy = PyDict_New(), *key, *value;
    Py_ssize_t at = 0;

    while (copy && PyDict_Next(keywords, &at, &key, &value)) {
        PyObject *name = PyUnicode_FromObject(key);
        if (!name || PyDict_SetItem(copy, name, value) != 0)
            Py_CLEAR(copy);
        Py_XDECREF(name);
    }

    return copy;
}

/* A tuple of our own, to change: a whole slice would be the tuple itself. */
static PyObject *copy_tuple(PyObject *tuple)
{
    PyObject *copy = PyTuple_New(PyTuple_GET_SIZE(tuple));
    if (!copy)
        return NULL;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++)
        PyTuple_SET_ITEM(copy, i, Py_NewRef(PyTuple_GET_ITEM(tuple, i)));
    return copy;
}

static PyObject *call_with_path(PyObject *self, PyObject *args, PyObject *keywords)
{
    interp *in = interp_current;
    size_t index = PyLong_AsSize_t(self);
    if (!in || !in->posix || index >= PATH_ROWS || !in->posix->of_path[index]) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_SystemError, "no such function");
        return NULL;
    }

    PyObject *own_keywords = NULL, *answer = NULL;
    PyObject *own_args = copy_tuple(args);
    if (!own_args)
        return NULL;

    if (path_rows[index].how == LISTS && !in->options.has_folder && !first_path(own_args, keywords))
        Py_SETREF(own_args, Py_BuildValue("(s)", in->options.workdir));
    if (!own_args)
        return NULL;

    if (keywords)
        own_keywords = plain_keywords(keywords);
    if (own_keywords || !keywords)
        answer = call_posix(in, index, own_args, own_keywords);
    Py_XDECREF(own_keywords);
    Py_DECREF(own_args);
    return answer;
}

PyObject *posix_stat(interp *in, PyObject *path)
{
    size_t index = 0;

    while (index < PATH_ROWS && strcmp(path_rows[index].name, "stat") != 0)
        index++;

    PyObject *args = PyTuple_Pack(1, path);
    if (!args)
        return NULL;

    PyObject *answer = call_posix(in, index, args, NULL);
    Py_DECREF(args);
    return answer;
}

static PyMethodDef path_methods[] = {
#define PATH_METHOD(name, paths, access, follows, how) \
    { #name, FUNCTION(call_with_path), ANY_ARGUMENTS,  \
      "As in Python, for paths that the session has." },
    PATHS(PATH_METHOD)
};

/* ---- adopting ---- */

static int is_in_list(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return 1;
    return 0;
}

static int is_of_descriptors(const char *name)
{
    for (size_t i = 0; i < sizeof descriptor_methods / sizeof *descriptor_methods; i++)
        if (strcmp(descriptor_methods[i].ml_name, name) == 0)
            return 1;
    return 0;
}

static int is_allowed(const interp *in, const char *name)
{
    return is_in_list(kept, sizeof kept / sizeof *kept, name) ||
           (in->options.owns_descriptors && is_of_descriptors(name));
}

/* Takes self's reference. */
static int put_function(PyObject *dict, PyMethodDef *method, PyObject *self, PyObject *owner)
{
    if (!self)
        return -1;
    PyObject *function = PyCFunction_NewEx(method, self, owner);
    Py_DECREF(self);
    if (!function)
        return -1;

    int failed = PyDict_SetItemString(dict, method->ml_name, function);
    Py_DECREF(function);
    return failed;
}

static int take_posix_functions(interp *in, PyObject *dict)
{
    if (!in->posix)
        in->posix = PyMem_RawCalloc(1, sizeof *in->posix + PATH_ROWS * sizeof(PyObject *));
    if (!in->posix) {
        PyErr_NoMemory();
        return -1;
    }

    PyObject *first = PyDict_GetItemString(dict, path_rows[0].name); /* borrowed */
    if (first && PyCFunction_Check(first) &&
        PyCFunction_GET_FUNCTION(first) == FUNCTION(call_with_path))
        return 0; /* they are ours already */

    for (size_t i = 0; i < PATH_ROWS; i++)
        Py_XSETREF(in->posix->of_path[i],
                   Py_XNewRef(PyDict_GetItemString(dict, path_rows[i].name)));

    Py_XSETREF(in->posix->uname, Py_XNewRef(PyDict_GetItemString(dict, "uname")));
    Py_XSETREF(in->posix->affinity, Py_XNewRef(PyDict_GetItemString(dict, "sched_getaffinity")));
    return 0;
}

static int drop_posix_functions(const interp *in, PyObject *dict)
{
    PyObject *names = PyDict_Keys(dict);
    int failed = !names;

    for (Py_ssize_t i = 0; !failed && i < PyList_GET_SIZE(names); i++) {
        PyObject *name = PyList_GET_ITEM(names, i);
        PyObject *value = PyDict_GetItemWithError(dict, name); /* borrowed */
        const char *text = PyUnicode_AsUTF8(name);
        if (value && PyCFunction_Check(value) && text && !is_allowed(in, text))
            failed = PyDict_DelItem(dict, name) != 0;
    }

    Py_XDECREF(names);
    return failed ? -1 : 0;
}

static int put_refusals(PyObject *dict, PyObject *owner, PyMethodDef *methods, size_t count)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < count; i++)
        failed = put_function(dict, &methods[i], PyUnicode_FromString(methods[i].ml_name), owner);
    return failed;
}

static int put_ours(const interp *in, PyObject *dict, PyObject *owner)
{
    int failed = put_refusals(dict, owner, refused_methods,
                              sizeof refused_methods / sizeof *refused_methods);

    if (!failed && !in->options.owns_descriptors)
        failed = put_refusals(dict, owner, descriptor_methods,
                              sizeof descriptor_methods / sizeof *descriptor_methods);

    for (size_t i = 0; !failed && i < PATH_ROWS; i++)
        failed = put_function(dict, &path_methods[i], PyLong_FromSize_t(i), owner);

    PyMethodDef *own;
    for (size_t i = 0; !failed && (own = posix_own_method(i)); i++)
        failed = put_function(dict, own, Py_NewRef(Py_None), owner);
    return failed;
}

/* os.environ is made from this dict, which has the host's variables, secrets among them. */
static void clear_environment(PyObject *dict)
{
    PyObject *variables = PyDict_GetItemString(dict, "environ"); /* borrowed */
    if (variables && PyDict_CheckExact(variables))
        PyDict_Clear(variables);
}

/* os makes its supports_dir_fd of this list, and shutil goes by that. */
static int forgo_folders(PyObject *dict)
{
    PyObject *names = PyDict_GetItemString(dict, "_have_functions"); /* borrowed */
    PyObject *kept_names = PyList_New(0);

    for (Py_ssize_t i = 0; names && kept_names && i < PyList_GET_SIZE(names); i++) {
        const char *name = PyUnicode_AsUTF8(PyList_GET_ITEM(names, i));
        size_t len = name ? strlen(name) : 0;
        if (len > 2 && strcmp(name + len - 2, "AT") != 0)
            PyList_Append(kept_names, PyList_GET_ITEM(names, i));
    }

    int failed = PyErr_Occurred() || !kept_names ||
                 PyDict_SetItemString(dict, "_have_functions", kept_names) != 0;
    Py_XDECREF(kept_names);
    return failed ? -1 : 0;
}

int posix_adopt(interp *in, PyObject *module)
{
    PyObject *dict = PyModule_GetDict(module); /* borrowed */
    PyObject *owner = PyUnicode_FromString("posix");
    int failed;

    if (!owner)
        return -1;

    if ((failed = take_posix_functions(in, dict)) || (failed = drop_posix_functions(in, dict)) ||
        (failed = put_ours(in, dict, owner)))
        goto done;

    clear_environment(dict);
    if ((failed = forgo_folders(dict)))
        goto done;

    failed = direntry_adopt(in, PyDict_GetItemString(dict, "DirEntry"));

done:
    Py_DECREF(owner);
    return failed;
}

void posix_release(interp *in)
{
    if (!in->posix)
        return;
    for (size_t i = 0; i < PATH_ROWS; i++)
        Py_CLEAR(in->posix->of_path[i]);
    Py_CLEAR(in->posix->uname);
    Py_CLEAR(in->posix->affinity);
    direntry_release(in);
    PyMem_RawFree(in->posix);
    in->posix = NULL;
}
