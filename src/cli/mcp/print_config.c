/* snug mcp --print-config: what is pasted into the configuration of a client. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/jsontext.h"
#include "cli/mcp/transports.h"
#include "cli/program/command.h"
#include "cli/program/option_table.h"

typedef struct client {
    const char *name, *where;
    const char *before, *after; /* around the members of the server */
    const char *url;            /* of one that is served by HTTP; the member's name */
    int is_toml;
} client;

static const client clients[] = {
    { "claude", "claude_desktop_config.json of Claude Desktop, or .mcp.json for Claude Code",
      "{\n  \"mcpServers\": {\n    \"snug\": {\n", "    }\n  }\n}\n",
      "      \"type\": \"http\",\n      \"url\": ", 0 },
    { "cursor", "~/.cursor/mcp.json", "{\n  \"mcpServers\": {\n    \"snug\": {\n",
      "    }\n  }\n}\n", "      \"url\": ", 0 },
    { "vscode", ".vscode/mcp.json", "{\n  \"servers\": {\n    \"snug\": {\n", "    }\n  }\n}\n",
      "      \"type\": \"http\",\n      \"url\": ", 0 },
    { "zed", "~/.config/zed/settings.json", "{\n  \"context_servers\": {\n    \"snug\": {\n",
      "    }\n  }\n}\n", "      \"url\": ", 0 },
    { "codex", "~/.codex/config.toml", "[mcp_servers.snug]\n", "", "url = ", 1 },
};

/* The options of the command line, but for those of the server itself. */
static int add_options(str *out, const options *o)
{
    static const char *const left_out[] = { "--print-config", "--http", "--token-file",
                                            "--origin" };
    int error = jsontext_quote(out, "mcp", 3);

    for (size_t i = 0; i < option_count && !error; i++) {
        const option_row *row = &option_rows[i];
        int is_left_out = 0;
        for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++)
            is_left_out |= !strcmp(row->name, left_out[k]);
        for (size_t k = 0; k < o->given[i].count && !is_left_out && !error; k++) {
            error = str_add(out, ", ");
            if (!error)
                error = jsontext_quote(out, row->name, strlen(row->name));
            if (error || !row->value)
                continue;
            error = str_add(out, ", ");
            if (!error)
                error = jsontext_quote(out, o->given[i].items[k], strlen(o->given[i].items[k]));
        }
    }
    return error;
}

static int write_stdio(str *out, const client *c, const options *o)
{
    char path[PATH_MAX];
    const ssize_t len = readlink("/proc/self/exe", path, sizeof path);
    if (len < 0)
        return SNUG_ESYSTEM;

    int error = str_add(out, c->is_toml ? "command = " : "      \"command\": ");
    if (!error)
        error = jsontext_quote(out, path, (size_t)len);
    if (!error)
        error = str_add(out, c->is_toml ? "\nargs = [" : ",\n      \"args\": [");
    if (!error)
        error = add_options(out, o);
    return error ? error : str_add(out, "]\n");
}

static int write_url(str *out, const client *c, const options *o)
{
    const char *colon = strrchr(o->mcp.http, ':');
    str url = { 0 };
    int error = str_printf(&url, "http://%s%s/mcp", colon ? "" : "127.0.0.1:", o->mcp.http);
    if (!error)
        error = str_add(out, c->url);
    if (!error)
        error = jsontext_quote(out, str_text(&url), url.len);
    str_free(&url);
    return error ? error : str_add(out, "\n");
}

int mcp_print_config(const options *o, const char *name)
{
    const client *found = NULL;
    str out = { 0 };

    for (size_t i = 0; i < sizeof clients / sizeof *clients; i++)
        if (!strcmp(clients[i].name, name))
            found = &clients[i];
    if (!found)
        return command_fail(
            EXIT_USAGE, "--print-config \"%s\": there are claude, cursor, vscode, zed and codex",
            name);

    int error = str_add(&out, found->before);
    if (!error)
        error = o->mcp.http ? write_url(&out, found, o) : write_stdio(&out, found, o);
    if (!error)
        error = str_add(&out, found->after);
    if (!error) {
        fprintf(stderr, "# For %s:\n", found->where);
        fputs(out.data, stdout);
    }
    str_free(&out);
    return error ? command_fail(EXIT_USAGE, "the path of this program cannot be read") : EXIT_FINE;
}
