#include "limits/text.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

/* The exception to "no file-level state": these two are loaded once a process and stay
 * where they are. Written before the handlers are installed, only read afterwards. */
static struct {
    uintptr_t low, high; /* [low, high) */
} libc, loader;

static int note(struct dl_phdr_info *object, size_t size, void *ignored)
{
    (void)size;
    (void)ignored;
    const char *slash = strrchr(object->dlpi_name, '/');
    int is_loader = object->dlpi_addr == getauxval(AT_BASE);
    int is_libc = slash && strcmp(slash, "/libc.so.6") == 0;
    for (size_t i = 0; (is_loader || is_libc) && i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        uintptr_t low = object->dlpi_addr + part->p_vaddr;
        if (is_libc) {
            libc.low = low;
            libc.high = low + part->p_memsz;
        } else {
            loader.low = low;
            loader.high = low + part->p_memsz;
        }
    }
    return 0;
}

void text_init(void)
{
    dl_iterate_phdr(note, NULL);
}

/* Async-signal-safe: reads what does not change. */
int text_is_libc(uintptr_t pc)
{
    return pc - libc.low < libc.high - libc.low || pc - loader.low < loader.high - loader.low;
}
