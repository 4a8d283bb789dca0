#include "worker/server/memfd_exec.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

static int is_unnamed(void)
{
    static const char prefix[] = "/memfd:";
    char path[sizeof prefix] = "";
    return readlink("/proc/self/exe", path, sizeof prefix - 1) < 0 || strcmp(path, prefix) == 0;
}

/* Up to the last byte that is loaded: symbols and the like stand behind it. 0: unknown. */
static size_t loaded_bytes(int program)
{
    ElfW(Ehdr) head;
    ElfW(Phdr) part;
    size_t end = 0;
    if (pread(program, &head, sizeof head, 0) != (ssize_t)sizeof head ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phentsize != sizeof part)
        return 0;

    for (int i = 0; i < head.e_phnum; i++) {
        off_t at = (off_t)(head.e_phoff + (size_t)i * sizeof part);
        if (pread(program, &part, sizeof part, at) != (ssize_t)sizeof part)
            return 0;
        if (part.p_offset + part.p_filesz > end)
            end = part.p_offset + part.p_filesz;
    }

    return end;
}

static int copy_program(int to, int from, size_t bytes)
{
    while (bytes > 0) {
        ssize_t n = sendfile(to, from, NULL, bytes);
        if (n <= 0)
            return -1;
        bytes -= (size_t)n;
    }

    return 0;
}

/* Older kernels do not know MFD_EXEC; newer ones may refuse it. */
static int make_memfd(const char *name)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
    if (fd < 0)
        fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return fd;
}

static int copy_sealed(int fd, int program)
{
    size_t bytes = loaded_bytes(program);

    if (bytes == 0 || copy_program(fd, program, bytes) != 0 || fchmod(fd, 0500) != 0)
        return -1;
    return fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
}

void unnamed_begin(char *const *arguments)
{
    extern char **environ;
    if (IS_SANITIZED || is_unnamed())
        return;

    int program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    int fd = make_memfd(arguments[0]);
    if (program >= 0 && fd >= 0 && copy_sealed(fd, program) == 0)
        fexecve(fd, arguments, environ);

    if (fd >= 0)
        close(fd);
    if (program >= 0)
        close(program);
}
