#include "cli/program/option_value.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "cli/program/command.h"
#include "cli/program/quantity.h"

/* ---- amounts ---- */

/* Dollars are kept in millionths. */
static int parse_dollars(uint64_t *out, const char *text)
{
    if (!strcasecmp(text, "none")) {
        *out = SNUG_UNLIMITED;
        return 1;
    }

    double dollars;
    if (!quantity_number(&dollars, text) || dollars > 1e9)
        return 0;
    *out = (uint64_t)(dollars * 1e6 + 0.5);
    return *out > 0;
}

typedef struct limit_unit {
    const char *name, *expected;
    int (*parse)(uint64_t *out, const char *text);
} limit_unit;

/* The last is that of every other limit. */
static const limit_unit units[] = {
    { "ms", "a time such as 2, 0.5, 30s, 200ms or 2m", quantity_ms },
    { "bytes", "a size such as 1000, 64KiB or 256M", quantity_bytes },
    { "microdollars", "dollars such as 0.10", parse_dollars },
    { "", "a whole number", quantity_count },
};

static const limit_unit *find_unit(const char *name)
{
    const limit_unit *unit = units;
    while (*unit->name && strcmp(unit->name, name) != 0)
        unit++;
    return unit;
}

static int set_limit(uint64_t *out, const option_row *row, const char *value)
{
    const snug_limit_description *limit = option_limit(row);
    const limit_unit *unit = find_unit(limit->unit);
    int can_be_none = row->kind == KIND_LIMIT || limit->default_value == SNUG_UNLIMITED;
    const uint64_t zero = limit->can_be_none ? SNUG_NONE : row->zero;
    int can_be_zero = limit->default_value == 0 || zero > 0;
    char least[32];

    if (can_be_zero && !strcmp(value, "0")) {
        *out = zero;
        return EXIT_FINE;
    }

    if (!unit->parse(out, value))
        return command_fail(EXIT_USAGE, "%s \"%s\": expected %s%s%s", row->name, value,
                            unit->expected, can_be_zero ? "" : ", more than 0",
                            can_be_none ? ", or none" : "");

    if (*out < row->least)
        return command_fail(EXIT_USAGE, "%s \"%s\": expected %s or more", row->name, value,
                            quantity_text(least, sizeof least, row->least, limit->unit));
    return EXIT_FINE;
}

static int set_number(double *out, const option_row *row, const char *value)
{
    if (!quantity_number(out, value) || *out > 2)
        return command_fail(EXIT_USAGE, "%s \"%s\": expected a number from 0 to 2", row->name,
                            value);
    return EXIT_FINE;
}

static int set_time(uint64_t *out, const option_row *row, const char *value)
{
    if (!quantity_ms(out, value))
        return command_fail(EXIT_USAGE,
                            "%s \"%s\": expected a time such as 2, 0.5, 30s, 200ms or 2m, more "
                            "than 0, or none",
                            row->name, value);
    return EXIT_FINE;
}

static int set_count(uint64_t *out, const option_row *row, const char *value)
{
    if (!quantity_count(out, value) || *out == UINT64_MAX)
        return command_fail(EXIT_USAGE, "%s \"%s\": expected a whole number, more than 0",
                            row->name, value);
    return EXIT_FINE;
}

static int set_whole(uint64_t *out, const option_row *row, const char *value)
{
    size_t len = strlen(value);
    if (len == 0 || len > 3 || strspn(value, "0123456789") != len)
        return command_fail(EXIT_USAGE, "%s \"%s\": expected a whole number from 0 to 999",
                            row->name, value);
    *out = strtoul(value, NULL, 10);
    return EXIT_FINE;
}

static int set_size(uint64_t *out, const option_row *row, const char *value)
{
    if (!quantity_bytes(out, value) || *out > UINT64_C(256) << 20)
        return command_fail(EXIT_USAGE,
                            "%s \"%s\": expected a size such as 1000, 64KiB or 256M, more than 0 "
                            "and 256 MiB at most",
                            row->name, value);
    return EXIT_FINE;
}

/* ---- texts ---- */

static int set_choice(int *out, const option_row *row, const char *value)
{
    for (const option_choice *choice = row->choices; choice->word; choice++) {
        if (strcmp(choice->word, value) != 0)
            continue;
        if (choice->instead)
            return command_fail(EXIT_USAGE, "%s \"%s\": expected %s; %s", row->name, value,
                                row->value, choice->instead);
        *out = choice->value;
        return EXIT_FINE;
    }
    return command_fail(EXIT_USAGE, "%s \"%s\": expected %s", row->name, value, row->value);
}

static int set_refused(const option_row *row, const char *value)
{
    if (!strcasecmp(value, "false") || !strcasecmp(value, "no") || !strcasecmp(value, "off"))
        return EXIT_FINE;
    return command_fail(EXIT_USAGE, "%s \"%s\": expected false; another value %s", row->name, value,
                        row->with);
}

static int set_text(const char **out, const option_row *row, const char *value)
{
    if (!*value)
        return command_fail(EXIT_USAGE, "%s \"\": expected %s", row->name, row->value);
    *out = value;
    return EXIT_FINE;
}

/* What may hold a secret is not said again, and not shown by snug config. */
static int set_url(const char **out, const option_row *row, const char *value)
{
    const char *scheme_end = strstr(value, "://");
    const char *host = scheme_end ? scheme_end + 3 : value;

    if (memchr(host, '@', strcspn(host, "/?#")))
        return command_fail(EXIT_USAGE,
                            "%s: the address has a user name in it; a key is given by its "
                            "variable or a file",
                            row->name);

    if (strchr(value, '?'))
        return command_fail(EXIT_USAGE, "%s: the address has a \"?\" in it", row->name);
    return set_text(out, row, value);
}

/* ---- lists ---- */

static int fail_out_of_memory(void)
{
    return command_fail_memory();
}

static int fail_form(const option_row *row, const char *value)
{
    return command_fail(EXIT_USAGE, "%s \"%s\": expected %s", row->name, value, row->value);
}

int option_append(text_list *list, const option_row *row, const char *value)
{
    if (array_reserve(&list->items, &list->cap, list->count + 2, sizeof *list->items))
        return fail_out_of_memory();

    list->items[list->count] = NULL;
    int status = set_text(&list->items[list->count], row, value);
    if (status)
        return status;

    list->items[++list->count] = NULL;
    return EXIT_FINE;
}

static int append_pair(text_list *list, const option_row *row, const char *value)
{
    const char *sign = strchr(value, '=');
    if (!sign || sign == value || !sign[1])
        return fail_form(row, value);
    return option_append(list, row, value);
}

int option_add_input(options *o, int is_code, const char *text)
{
    if (array_reserve(&o->inputs, &o->input_cap, o->input_count + 1, sizeof *o->inputs))
        return fail_out_of_memory();
    o->inputs[o->input_count++] = (input){ is_code, text };
    return EXIT_FINE;
}

/* The path may have colons: the last parts are read first. */
static int append_mount(options *o, const option_row *row, const char *value)
{
    if (array_reserve(&o->mounts, &o->mount_cap, o->mount_count + 1, sizeof *o->mounts))
        return fail_out_of_memory();

    char *path = strdup(value);
    if (!path)
        return fail_out_of_memory();

    char *last = strrchr(path, ':');
    int is_writable = last && !strcmp(last, ":rw");
    if (last && (is_writable || !strcmp(last, ":ro"))) {
        *last = '\0';
        last = strrchr(path, ':');
    }

    if (!last || last == path || !last[1]) {
        free(path);
        return fail_form(row, value);
    }

    *last = '\0';
    snug_mount *mount = &o->mounts[o->mount_count++];
    *mount = (snug_mount){ .is_writable = is_writable };
    mount->path = path;
    mount->name = last + 1;
    return EXIT_FINE;
}

/* ---- all kinds ---- */

int option_set(options *o, const option_row *row, const char *value)
{
    void *field = (char *)o + row->field;

    switch (row->kind) {
    case KIND_FLAG:
        *(int *)field = 1;
        return EXIT_FINE;
    case KIND_SHORT:
        return option_set(o, option_find(row->stands_for, strlen(row->stands_for)), row->with);
    case KIND_TEXT:
        return set_text(field, row, value);
    case KIND_URL:
        return set_url(field, row, value);
    case KIND_LIMIT:
    case KIND_BUDGET:
    case KIND_SERVED:
        return set_limit(field, row, value);
    case KIND_NUMBER:
        return set_number(field, row, value);
    case KIND_CHOICE:
        return set_choice(field, row, value);
    case KIND_LIST:
        return option_append(field, row, value);
    case KIND_PAIR:
        return append_pair(field, row, value);
    case KIND_MOUNT:
        return append_mount(o, row, value);
    case KIND_TIME:
        return set_time(field, row, value);
    case KIND_COUNT:
        return set_count(field, row, value);
    case KIND_WHOLE:
        return set_whole(field, row, value);
    case KIND_SIZE:
        return set_size(field, row, value);
    case KIND_CODE:
        return option_add_input(o, 1, value);
    case KIND_REFUSED:
        return set_refused(row, value);
    }

    return command_fail(EXIT_USAGE, "%s is of no kind", row->name);
}
