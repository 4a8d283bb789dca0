#include "limits/text.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

/* The exception to "no file-level state": these are loaded once a process and stay
 * where they are. Written before the handlers are installed, only read afterwards. */
text_range text_program;
static text_range libc, loader, json;

/* Where the range of a mapped object is kept; NULL: it is of no interest. */
static text_range *find_range(const struct dl_phdr_info *object)
{
    const char *slash = strrchr(object->dlpi_name, '/');

    if (object->dlpi_addr == getauxval(AT_BASE))
        return &loader;
    if (slash && strcmp(slash, "/libc.so.6") == 0)
        return &libc;
    if (slash && strncmp(slash, "/libcjson.so", 12) == 0)
        return &json;
    if (object->dlpi_name[0] == '\0' && !text_program.bytes)
        return &text_program;
    return NULL;
}

static int note_object(struct dl_phdr_info *object, size_t size, void *ignored)
{
    (void)size;
    (void)ignored;
    text_range *of = find_range(object);
    if (!of)
        return 0;

    for (size_t i = 0; i < object->dlpi_phnum; i++) {
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
    dl_iterate_phdr(note_object, NULL);
}

/* Async-signal-safe, as the next two: reads what does not change. */
static int covers(text_range r, uintptr_t pc)
{
    return pc - r.low < r.bytes;
}

int text_is_libc(uintptr_t pc)
{
    return covers(libc, pc) || covers(loader, pc);
}

int text_is_of_others(uintptr_t pc)
{
    return text_program.bytes && !text_is_program(pc) && !text_is_libc(pc) && !covers(json, pc);
}
