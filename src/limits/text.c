#include "limits/text.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

/* The exception to "no file-level state": these are loaded once a process and stay
 * where they are. Written before the handlers are installed, only read afterwards. */
text_range text_program;
static text_range libc, loader, json;

static int note(struct dl_phdr_info *object, size_t size, void *ignored)
{
    (void)size;
    (void)ignored;
    const char *slash = strrchr(object->dlpi_name, '/');
    text_range *of = object->dlpi_addr == getauxval(AT_BASE)               ? &loader
                     : slash && strcmp(slash, "/libc.so.6") == 0           ? &libc
                     : slash && strncmp(slash, "/libcjson.so", 12) == 0    ? &json
                     : object->dlpi_name[0] == '\0' && !text_program.bytes ? &text_program
                                                                           : NULL;
    for (size_t i = 0; of && i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        of->low = object->dlpi_addr + part->p_vaddr;
        of->bytes = part->p_memsz;
    }

    return 0;
}

void text_init(void)
{
    dl_iterate_phdr(note, NULL);
}

/* Async-signal-safe, as the next two: reads what does not change. */
static int lies_in(text_range r, uintptr_t pc)
{
    return pc - r.low < r.bytes;
}

int text_is_libc(uintptr_t pc)
{
    return lies_in(libc, pc) || lies_in(loader, pc);
}

int text_is_of_others(uintptr_t pc)
{
    return text_program.bytes && !text_is_program(pc) && !text_is_libc(pc) && !lies_in(json, pc);
}
