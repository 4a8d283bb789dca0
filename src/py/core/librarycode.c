#include "py/core/librarycode.h"
#include "py/core/state.h"

#include <fcntl.h>
#include <limits.h>
#include <marshal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* fn(arg), in which CPython reads bytecode that is not the guest's. It announces that at once,
 * and the hook lets one such event pass: nothing of the guest's may run before it, so no
 * collection. */
PyObject *librarycode_unmarshal(PyObject *(*fn)(void *arg), void *arg)
{
    int was_on = PyGC_Disable();
    interp_own.unmarshals = 1;
    PyObject *code = fn(arg);
    interp_own.unmarshals = 0;
    if (was_on)
        PyGC_Enable();
    return code;
}

/* NULL data if it cannot be read. No exception. */
text_file librarycode_read_file(const char *path)
{
    text_file file = { 0 };
    struct stat found;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return file;

    if (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode))
        goto done;

    size_t most = (size_t)found.st_size;
    file.data = PyMem_RawMalloc(most + 1);
    if (!file.data)
        goto done;

    while (file.len < most) {
        ssize_t n = read(fd, file.data + file.len, most - file.len);
        if (n <= 0)
            break;
        file.len += (size_t)n;
    }

    file.data[file.len] = '\0';

done:
    close(fd);
    return file;
}

static uint32_t read_u32(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* https://docs.python.org/3/reference/import.html#cached-bytecode-invalidation, PEP 552 */
enum { HEADER_BYTES = 16, IS_BY_HASH = 1, IS_CHECKED = 2 };

static int is_cache_current(const text_file *file, const char *source)
{
    struct stat found;

    if (file->len <= HEADER_BYTES || read_u32(file->data) != (uint32_t)PyImport_GetMagicNumber())
        return 0;
    uint32_t flags = read_u32(file->data + 4);
    if (flags & IS_BY_HASH)
        return !(flags & IS_CHECKED);
    return stat(source, &found) == 0 && read_u32(file->data + 8) == (uint32_t)found.st_mtime &&
           read_u32(file->data + 12) == (uint32_t)found.st_size;
}

/* DIR/NAME.py to DIR/__pycache__/NAME.TAG.pyc; 0 if it does not fit. */
static int cache_path(char *out, size_t size, const char *source)
{
    const char *slash = strrchr(source, '/'), *dot = strrchr(source, '.');
    if (!slash || !dot || dot < slash)
        return 0;
    int n = snprintf(out, size, "%.*s/__pycache__/%.*s.%s.pyc", (int)(slash - source), source,
                     (int)(dot - slash - 1), slash + 1, PyImport_GetMagicTag());
    return n > 0 && (size_t)n < size;
}

int librarycode_take_stamp(librarycode_stamp *out, const char *source)
{
    char path[PATH_MAX];
    struct stat own, cache;

    if (!cache_path(path, sizeof path, source) || stat(source, &own) != 0 ||
        stat(path, &cache) != 0)
        return -1;

    *out = (librarycode_stamp){ own.st_mtim,   cache.st_mtim, own.st_size,
                                cache.st_size, own.st_ino,    cache.st_ino };
    return 0;
}

static PyObject *unmarshal_file(void *arg)
{
    const text_file *file = arg;
    return PyMarshal_ReadObjectFromString(file->data + HEADER_BYTES,
                                          (Py_ssize_t)(file->len - HEADER_BYTES));
}

PyObject *librarycode_read_cached(const char *source)
{
    char path[PATH_MAX];
    text_file file = { 0 };

    if (cache_path(path, sizeof path, source))
        file = librarycode_read_file(path);
    PyObject *code = NULL;
    if (file.data && is_cache_current(&file, source))
        code = librarycode_unmarshal(unmarshal_file, &file);
    PyMem_RawFree(file.data);
    if (code && !PyCode_Check(code))
        Py_CLEAR(code);
    PyErr_Clear();
    return code;
}
