/* Any bytes that a worker sends for an object are that object, whole and within bounds, or bad; and
 * what was read is packed to what is read again. */
#include "fuzz.h"

#include <snug/snug.h>

#include "base/jsontext.h"
#include "base/utf8.h"
#include "session/cells/inquiries.h"
#include "session/cells/program.h"
#include "session/files/workdir.h"
#include "session/life/make.h"
#include "session/result/result.h"

static char name[] = "s1";

static void check_text(const char *text)
{
    size_t at;
    HOLDS(utf8_check(text, strlen(text), &at) == UTF8_FINE);
}

static void check_json(const char *json)
{
    size_t at;
    HOLDS(json && !jsontext_check(json, strlen(json), &at));
}

/* ---- objects: out is packed again; 1: it was one ---- */

static int read_result(packer *out, unpacker *u)
{
    const snug_artifact *artifact;
    const snug_change *change;
    snug_result *result = NULL;
    const snug_limits limits = { .size = sizeof(snug_limits),
                                 .output_bytes = 1 << 20,
                                 .value_bytes = 1 << 20,
                                 .display_bytes = 1 << 20,
                                 .list_bytes = 1 << 20 };
    if (result_unpack(&result, u, name, &limits))
        return 0;
    for (size_t i = 0; (artifact = snug_result_artifact(result, i)); i++) {
        check_text(artifact->path);
        HOLDS(artifact->path[0] != '/' && strncmp(artifact->path, "../", 3) != 0);
    }
    for (size_t i = 0; (change = snug_result_change(result, i)); i++)
        check_text(change->name);
    for (size_t i = 0; i < snug_result_display_count(result); i++)
        HOLDS(snug_result_display(result, i));
    check_json(snug_result_json(result, NULL));
    result_pack(out, result);
    snug_result_free(result);
    return 1;
}

static int read_completion(packer *out, unpacker *u)
{
    snug_completion *completion = NULL;
    if (completion_unpack(&completion, u))
        return 0;
    for (size_t i = 0; i < snug_completion_match_count(completion); i++)
        check_text(snug_completion_match(completion, i));
    completion_pack(out, completion);
    snug_completion_free(completion);
    return 1;
}

static int read_description(packer *out, unpacker *u)
{
    snug_description *description = NULL;
    if (description_unpack(&description, u))
        return 0;
    check_json(snug_description_json(description, NULL));
    description_pack(out, description);
    snug_description_free(description);
    return 1;
}

static int read_listing(packer *out, unpacker *u)
{
    snug_listing *listing = NULL;
    if (listing_unpack(&listing, u))
        return 0;
    for (size_t i = 0; i < snug_listing_entry_count(listing); i++)
        HOLDS(snug_listing_entry(listing, i)->path[0] != '/');
    listing_pack(out, listing);
    snug_listing_free(listing);
    return 1;
}

static int read_scan(packer *out, unpacker *u)
{
    snug_scan *report = NULL;
    if (scan_unpack(&report, u))
        return 0;
    check_json(snug_scan_json(report, NULL));
    scan_pack(out, report);
    snug_scan_free(report);
    return 1;
}

static int read_file(packer *out, unpacker *u)
{
    snug_file *file = NULL;
    if (file_unpack(&file, u, "a"))
        return 0;
    file_pack(out, file);
    snug_file_free(file);
    return 1;
}

static int read_display(packer *out, unpacker *u)
{
    uint64_t room = 1 << 20;
    display *d = display_unpack(u, &room);
    display_drop(d);
    return 0;
}

static int read_limits(packer *out, unpacker *u)
{
    snug_limits limits;
    limits_unpack(u, &limits);
    limits_pack(out, &limits);
    return !u->is_bad;
}

static int read_list(packer *out, unpacker *u)
{
    const char **texts = unpack_list(u);
    if (!texts)
        return 0;
    pack_list(out, texts);
    free(texts);
    return 1;
}

static int read_value(packer *out, unpacker *u)
{
    snug_value value;
    program_unpack_value(u, &value);
    if (u->is_bad)
        return 0;
    if (value.type == SNUG_TYPE_JSON)
        HOLDS(value.len > 0);
    program_pack_value(out, &value);
    return 1;
}

static int read_column(packer *out, unpacker *u)
{
    program_column column = { 0 };
    program_unpack_column(u, &column);
    const snug_column shown = program_show_column(&column);
    if (!u->is_bad && program_has_ends(column.type) && column.rows > 0)
        HOLDS(shown.ends[column.rows - 1] == column.data.len);
    if (!u->is_bad)
        program_pack_column(out, &shown, column.rows);
    program_column_free(&column);
    return !u->is_bad;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int (*const objects[])(packer * out, unpacker * u) = {
        read_result,  read_completion, read_description, read_listing, read_scan,   read_file,
        read_display, read_limits,     read_list,        read_value,   read_column,
    };
    input in = input_of(data, size);
    size_t which = take_byte(&in) % (sizeof objects / sizeof *objects);
    char *copy = copy_of(in.at, in.left);
    packer first = { 0 }, second = { 0 };
    unpacker u = { copy, in.left, 0 };
    if (objects[which](&first, &u)) {
        unpacker again = { str_text(&first.text), first.text.len, 0 };
        HOLDS(!first.is_short && objects[which](&second, &again) && unpack_ended(&again));
        HOLDS(first.text.len == second.text.len &&
              memcmp(first.text.data, second.text.data, first.text.len) == 0);
    }
    str_free(&first.text);
    str_free(&second.text);
    free(copy);
    return 0;
}
