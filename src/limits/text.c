#include "limits/text.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

typedef struct range {
    uintptr_t low, high; /* [low, high) */
} range;

/* The exception to "no file-level state": these are loaded once a process and stay
 * where they are. Written before the handlers are installed, only read afterwards. */
static range libc, loader, program;

static int note(struct dl_phdr_info *object, size_t size, void *ignored)
{
    (void)size;
    (void)ignored;
    const char *slash = strrchr(object->dlpi_name, '/');
    range *of = object->dlpi_addr == getauxval(AT_BASE)         ? &loader
                : slash && strcmp(slash, "/libc.so.6") == 0     ? &libc
                : object->dlpi_name[0] == '\0' && !program.high ? &program
                                                                : NULL;
    for (size_t i = 0; of && i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        of->low = object->dlpi_addr + part->p_vaddr;
        of->high = of->low + part->p_memsz;
    }
    return 0;
}

void text_init(void)
{
    dl_iterate_phdr(note, NULL);
}

/* Async-signal-safe, as the next two: reads what does not change. */
static int lies_in(range r, uintptr_t pc)
{
    return pc - r.low < r.high - r.low;
}

int text_is_libc(uintptr_t pc)
{
    return lies_in(libc, pc) || lies_in(loader, pc);
}

int text_is_program(uintptr_t pc)
{
    return lies_in(program, pc);
}
