/* Any bytes are a configuration, or an error with a message; each entry has a key, a line of the
 * text and its values, no key stands twice, and every value of a file can be looked at. */
#include "fuzz.h"

#include <snug/snug.h>

#include <stdarg.h>

#include "base/error.h"
#include "base/utf8.h"
#define input cli_input /* fuzz.h has one of its own */
#include "cli/program/command.h"
#include "cli/program/key_names.h"
#include "cli/program/presets.h"
#include "cli/program/settings.h"
#undef input

const preset presets_built_in[] = { { NULL, NULL, NULL } };

/* In the place of the program's: a sentence, and on one line where the value is. */
int command_fail(int status, const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    HOLDS(len > 0);
    return status;
}

static size_t lines_of(input in)
{
    size_t lines = 1;
    for (size_t i = 0; i < in.left; i++)
        lines += in.at[i] == '\n' || in.at[i] == '\r' || (unsigned char)in.at[i] == 0x85 ||
                 (unsigned char)in.at[i] == 0xa8 || (unsigned char)in.at[i] == 0xa9;
    return lines;
}

static void check_entries(const config_entries *entries, input in)
{
    size_t at;
    for (size_t i = 0; i < entries->count; i++) {
        const config_entry *entry = &entries->items[i];
        HOLDS(*entry->key && !strchr(entry->key, ' ') && !strchr(entry->key, '\n'));
        HOLDS(entry->line > 0 && entry->line <= lines_of(in));
        HOLDS(entry->is_list || entry->is_null || entry->count == 1);
        for (size_t k = 0; k < entry->count; k++)
            HOLDS(utf8_check(entry->items[k], strlen(entry->items[k]), &at) == UTF8_FINE);
        for (size_t k = 0; k < i; k++)
            HOLDS(strcmp(entry->key, entries->items[k].key));
    }
}

static void read_any(input in)
{
    config_entries entries = { 0 };
    error_set(0, "untouched");
    int error = configfile_parse(&entries, "c.yaml", in.at, in.left);
    HOLDS(error == SNUG_OK || error == SNUG_EINVAL);
    HOLDS(!error == !strcmp(error_message(), "untouched"));
    check_entries(&entries, in);
    options o = { 0 };
    int status = error ? EXIT_FINE : settings_try(&o, "c.yaml", &entries);
    HOLDS(status == EXIT_FINE || status == EXIT_USAGE);
    options_free(&o);
    configfile_free(&entries);
}

/* The text as the value of an override: it comes back, or is a list. */
static void read_value(input in)
{
    config_entries entries = { 0 };
    char *text = copy_of(in.at, strnlen(in.at, in.left));
    int error = configfile_parse_value(&entries, "execution.allow", text);
    HOLDS(error == SNUG_OK || (error == SNUG_EINVAL && *text == '['));
    if (!error) {
        HOLDS(entries.count == 1 && entries.items[0].line == 0);
        HOLDS(entries.items[0].is_list == (*text == '['));
        HOLDS(*text == '[' || !strcmp(entries.items[0].items[0], text));
    }
    keys_is_override(text);
    configfile_free(&entries);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_any(input_of(data, size));
    read_value(input_of(data, size));
    return 0;
}
