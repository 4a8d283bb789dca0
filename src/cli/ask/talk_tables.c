#include "cli/ask/talk_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/jsontext.h"
#include "base/utf8.h"
#include "cli/ask/member.h"
#include "cli/program/command.h"
#include "cli/terminal/term.h"

/* ---- variables ---- */

/* "3 items", "88 bytes" */
static void write_size(char *out, size_t size, jsontext_span variable)
{
    const char *length = jsontext_member(variable, "length").text;
    const double count = member_number(variable, length ? "length" : "bytes");

    snprintf(out, size, "%.0f %s%s", count, length ? "item" : "byte", count == 1 ? "" : "s");
}

static void print_variable(jsontext_span variable)
{
    char size[40], shown[61];
    str name = member_text(variable, "name"), type = member_text(variable, "type");
    str summary = member_text(variable, "summary");

    write_size(size, sizeof size, variable);
    snprintf(shown, sizeof shown, "%s", str_text(&summary));
    shown[utf8_whole(shown, strlen(shown))] = '\0';
    for (char *c = shown; *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    term_printf(stdout, "%-16s %-12s %14s  %s\n", str_text(&name), str_text(&type), size, shown);
    str_free(&name);
    str_free(&type);
    str_free(&summary);
}

void tables_print_variables(snug_session *session)
{
    snug_description *description = NULL;
    jsontext j;
    jsontext_span all, variable;
    int count = 0;

    if (snug_session_list_variables(&description, session)) {
        command_fail_host();
        return;
    }
    all.text = snug_description_json(description, &all.len);
    if (jsontext_enter(&j, jsontext_member(all, "variables")))
        while (jsontext_item(&j, NULL, &variable)) {
            print_variable(variable);
            count++;
        }
    if (count == 0)
        puts("The session has no variables yet.");
    snug_description_free(description);
}

/* ---- files ---- */

void tables_print_files(snug_session *session)
{
    snug_listing *listing = NULL;

    if (snug_session_list_files(&listing, session)) {
        command_fail_host();
        return;
    }
    const size_t count = snug_listing_entry_count(listing);
    for (size_t i = 0; i < count; i++) {
        const snug_entry *entry = snug_listing_entry(listing, i);
        if (entry->kind == SNUG_ENTRY_FILE)
            printf("%12" PRIu64 "  ", entry->bytes);
        else
            printf("%12s  ", snug_entry_kind_name(entry->kind));
        term_printf(stdout, "%s\n", entry->path);
    }
    if (count == 0)
        puts("The work directory has no files yet.");
    if (!snug_listing_is_whole(listing))
        puts("There are more, which are not listed.");
    snug_listing_free(listing);
}
