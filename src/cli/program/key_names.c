#include "cli/program/key_names.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/program/command.h"
#include "cli/program/option_table.h"
#include "cli/program/removed.h"

enum { MOST_KEYS = 256, MOST_NAME_BYTES = 128 };

/* Keys of other programs, and what they are here. */
static const struct {
    const char *name, *instead;
} foreign[] = {
    { "sandbox", KEYS_NO_SANDBOX },
    { "sandboxed", KEYS_NO_SANDBOX },
    { "use_sandbox", KEYS_NO_SANDBOX },
    { "no_sandbox", KEYS_NO_SANDBOX },
    { "disable_sandbox", KEYS_NO_SANDBOX },
    { "unsafe", KEYS_NO_SANDBOX },
    { "allow_unsafe", KEYS_NO_SANDBOX },
    { "unrestricted", KEYS_NO_SANDBOX },
    { "local_execution", KEYS_NO_SANDBOX },
    { "allow_local_execution", KEYS_NO_SANDBOX },
    { "question", "a question is an argument: snug ask question=\"...\", or \"...\" alone" },
};

/* ---- names ---- */

static size_t list_keys(const char **names)
{
    size_t count = 0;
    for (size_t i = 0; i < option_count && count < MOST_KEYS; i++)
        if (option_rows[i].key)
            names[count++] = option_rows[i].key;
    return count;
}

static const char *last_word(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

static int has_prefix(const char *name, const char *prefix)
{
    size_t len = strlen(prefix);
    return strncmp(name, prefix, len) == 0 && name[len] == '.';
}

const char *keys_unwrap(const char *name)
{
    return has_prefix(name, KEYS_WRAPPER) ? name + strlen(KEYS_WRAPPER) + 1 : name;
}

int keys_is_section(const char *name)
{
    if (!strcmp(name, KEYS_OUTER) || !strcmp(name, KEYS_WRAPPER))
        return 1;
    for (size_t i = 0; i < option_count; i++)
        if (option_rows[i].key && has_prefix(option_rows[i].key, name))
            return 1;
    return 0;
}

/* ---- what is near ---- */

/* NULL where none is; else a name that begins with the section. */
static const char *nearest_section(const char *name)
{
    char words[MOST_KEYS][32];
    const char *keys[MOST_KEYS], *names[MOST_KEYS];
    const size_t count = list_keys(keys);

    for (size_t i = 0; i < count; i++) {
        snprintf(words[i], sizeof words[i], "%.*s", (int)strcspn(keys[i], "."), keys[i]);
        names[i] = words[i];
    }

    const char *near = nearest_name(name, names, count);
    for (size_t i = 0; near && i < count; i++)
        if (names[i] == near)
            return keys[i];
    return nearest_name(name, (const char *const[]){ KEYS_OUTER }, 1);
}

/* The only key that ends with this word, or NULL; *found: how many do, of which it is the last. */
static const char *key_by_word(size_t *found, const char *word, const char *const *keys,
                               size_t count)
{
    const char *same = NULL;

    *found = 0;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(last_word(keys[i]), word)) {
            same = keys[i];
            ++*found;
        }

    return same;
}

/* In another section, or spelt almost so; NULL where there is none. */
static const char *nearest_key(const char *name)
{
    const char *keys[MOST_KEYS + 1], *words[MOST_KEYS + 1];
    const size_t count = list_keys(keys);
    size_t found;

    const char *same = key_by_word(&found, last_word(name), keys, count);
    const char *near = nearest_typed(name, keys, count);
    if (found == 1 || (found > 0 && !near))
        return same;
    if (near)
        return near;

    /* The section may be the part that is wrong, or missing. */
    for (size_t i = 0; i < count; i++)
        words[i] = last_word(keys[i]);
    words[count] = keys[count] = "question"; /* of an argument, and not a key */
    near = nearest_name(last_word(name), words, count + 1);
    for (size_t i = 0; near && i <= count; i++)
        if (words[i] == near)
            return keys[i];

    return NULL;
}

/* Of "flow.code_execution.limits.max_steps" what stands for the section and the key. */
static const char *last_two_words(const char *name)
{
    const char *at = last_word(name);
    if (at == name)
        return name;
    for (at--; at > name && at[-1] != '.';)
        at--;
    return at;
}

/* NULL: no other program that is known has such a key. */
static const char *foreign_instead(const char *name)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (!strcmp(last_word(name), foreign[i].name))
            return foreign[i].instead;
    return NULL;
}

/* The length of "flows.chat" in "flows.chat.enabled"; 0: of another name. */
static size_t flow_len(const char *name)
{
    const size_t outer = strlen(KEYS_OUTER) + 1;
    if (!has_prefix(name, KEYS_OUTER) || !strcmp(name, KEYS_WRAPPER))
        return 0;
    return outer + strcspn(name + outer, ".");
}

static int fail_flow(const char *said, const char *name, size_t len)
{
    if (!name[len])
        return command_fail(EXIT_USAGE, "%s " KEYS_NO_FLOW, said);
    return command_fail(EXIT_USAGE, "%s: %.*s " KEYS_NO_FLOW, said, (int)len, name);
}

int keys_fail_unknown(const char *said, const char *name)
{
    const char *section = strchr(name, '.') ? NULL : nearest_section(name);
    const char *instead = foreign_instead(name);
    const char *advice = removed_advice(name, strlen(name));
    const size_t flow = flow_len(name);

    if (advice)
        return command_fail(EXIT_USAGE, "%s: this key was removed; %s", said, advice);
    if (flow > 0)
        return fail_flow(said, name, flow);
    if (instead)
        return command_fail(EXIT_USAGE, "%s: %s", said, instead);

    if (keys_is_section(name))
        return command_fail(EXIT_USAGE, "%s: expected the keys of this section, a line each", said);
    if (section)
        return command_fail(EXIT_USAGE, "%s: unknown section; did you mean %.*s?", said,
                            (int)strcspn(section, "."), section);

    const char *tail = last_two_words(name);
    const char *near = nearest_key(tail);
    if (tail != name && option_of_key(tail))
        near = tail;
    if (near)
        return command_fail(EXIT_USAGE, "%s: unknown key; did you mean %s?", said, near);
    return command_fail(EXIT_USAGE, "%s: unknown key; snug config show lists all keys", said);
}

/* ---- arguments ---- */

/* Words with dots between them, up to a "="; 0 where there is no such thing. */
static size_t name_len(const char *argument)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
    size_t len = 0;

    for (;;) {
        size_t word = strspn(argument + len, letters);
        if (word == 0)
            return 0;
        len += word;
        if (argument[len] != '.')
            break;
        len++;
    }

    return len < MOST_NAME_BYTES && argument[len] == '=' ? len : 0;
}

int keys_is_override(const char *argument)
{
    char name[MOST_NAME_BYTES], section[MOST_NAME_BYTES];
    const char *keys[MOST_KEYS];
    const size_t len = name_len(argument), count = list_keys(keys);
    size_t found;

    if (len == 0)
        return 0;

    snprintf(name, sizeof name, "%.*s", (int)len, argument);
    snprintf(section, sizeof section, "%.*s", (int)strcspn(name, "."), name);
    key_by_word(&found, last_word(name), keys, count);
    if (found > 0 || foreign_instead(name))
        return 1;

    /* A word alone is a key without its section, or it is none. */
    if (!strchr(name, '.'))
        return nearest_name(name, (const char *const[]){ "question" }, 1) != NULL;
    return keys_is_section(section) || nearest_section(section) ||
           nearest_name(name, keys, count) != NULL;
}
