#include "cli/program/limit_magic.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/program/quantity.h"

static const char magic[] = "%limit";

/* "--timeout" is "timeout" here; what has no option goes by its name in C. */
static const char *name_of(const snug_limit_description *info)
{
    return info->option ? info->option + strspn(info->option, "-") : info->name;
}

static const snug_limit_description *find_limit(const char *name)
{
    const snug_limit_description *info;
    for (size_t i = 0; (info = snug_limit_info(i)); i++)
        if (!strcmp(name_of(info), name) || !strcmp(info->name, name))
            return info;
    return NULL;
}

static uint64_t *field_of(snug_limits *limits, const snug_limit_description *info)
{
    return (uint64_t *)(void *)((char *)limits + info->offset);
}

/* The interpreter has them from its open on. */
static int is_fixed(const snug_limit_description *info)
{
    return info->offset == offsetof(snug_limits, memory_bytes) ||
           info->offset == offsetof(snug_limits, threads);
}

uint64_t limit_magic_default(size_t offset)
{
    const snug_limit_description *info;
    for (size_t i = 0; (info = snug_limit_info(i)); i++)
        if (info->offset == offset)
            return info->default_value;
    return SNUG_UNLIMITED;
}

/* ---- listing ---- */

static uint64_t in_force(const snug_limits *limits, const snug_limits *given,
                         const snug_limit_description *info)
{
    snug_limits both[] = { *limits, *given };
    for (int i = 0; i < 2; i++)
        if (*field_of(&both[i], info))
            return *field_of(&both[i], info);
    return info->default_value;
}

static int list_limits(str *out, const snug_limits *limits, const snug_limits *given)
{
    const snug_limit_description *info;
    int error = SNUG_OK;

    for (size_t i = 0; (info = snug_limit_info(i)) && !error; i++) {
        char amount[32];
        uint64_t value = in_force(limits, given, info);
        quantity_text(amount, sizeof amount, value == SNUG_NONE ? 0 : value, info->unit);
        error = str_printf(out, "%-14s %-10s %s%s\n", name_of(info), amount, info->about,
                           is_fixed(info) ? " (fixed when the session is opened)" : "");
    }
    return error;
}

/* ---- setting ---- */

static int parse_amount(uint64_t *out, const snug_limit_description *info, const char *text)
{
    if (!strcmp(text, "0") && info->can_be_none) {
        *out = SNUG_NONE;
        return 1;
    }
    if (!strcmp(info->unit, "ms"))
        return quantity_ms(out, text);
    if (!strcmp(info->unit, "bytes"))
        return quantity_bytes(out, text);
    return quantity_count(out, text);
}

static int set_limit(snug_limits *limits, char *word)
{
    char *sign = strchr(word, '=');
    if (!sign)
        return error_set(SNUG_EINVAL, "%%limit \"%s\": expected NAME=VALUE, as in timeout=60s",
                         word);

    *sign = '\0';
    const snug_limit_description *info = find_limit(word);
    if (!info)
        return error_set(SNUG_EINVAL, "%%limit: there is no limit \"%s\"; %%limit lists them",
                         word);
    if (is_fixed(info))
        return error_set(
            SNUG_EINVAL,
            "%%limit: %s is fixed when the session is opened: give it as an option, %s VALUE, to "
            "the prompt or to snug kernel install",
            word, info->option);
    if (!parse_amount(field_of(limits, info), info, sign + 1))
        return error_set(SNUG_EINVAL, "%%limit %s=%s: expected %s", word, sign + 1,
                         !strcmp(info->unit, "ms")      ? "a time such as 2, 0.5, 30s, 200ms or 2m"
                         : !strcmp(info->unit, "bytes") ? "a size such as 1000, 64KiB or 1.5GB"
                                                        : "a whole number");
    return SNUG_OK;
}

/* The words behind the magic. */
static int take_line(const char *line, size_t len, str *out, snug_limits *limits,
                     const snug_limits *given)
{
    char *words = strndup(line, len), *rest, *word;
    if (!words)
        return error_no_memory();

    int error = SNUG_OK, count = 0;
    for (word = strtok_r(words, " \t\r", &rest); word && !error;
         word = strtok_r(NULL, " \t\r", &rest), count++)
        error = set_limit(limits, word);
    if (!error && count == 0 && list_limits(out, limits, given))
        error = error_no_memory();
    free(words);
    return error;
}

int limit_magic_take(str *code, str *out, snug_limits *limits, const snug_limits *given)
{
    snug_limits taken = *limits;
    size_t at = 0;
    int error = SNUG_OK;

    while (at < code->len && !error) {
        char *line = code->data + at;
        const char *end = memchr(line, '\n', code->len - at); /* it may have a NUL before */
        size_t len = end ? (size_t)(end - line) : code->len - at, indent = strspn(line, " \t\r");
        const char *behind = line + indent + sizeof magic - 1;
        if (indent < len &&
            (strncmp(line + indent, magic, sizeof magic - 1) != 0 || !strchr(" \t\r\n", *behind)))
            break;
        if (indent < len) {
            error = take_line(behind, len - (size_t)(behind - line), out, &taken, given);
            memset(line, ' ', len);
        }
        at += len + (end != NULL);
    }

    if (!error)
        *limits = taken;
    return error;
}
