/* One request to a server by HTTP. */
#include "cli/upstream/web_inside.h"

#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

enum { MOST_HOPS = 3 };

void web_remove_post(post *p)
{
    post **place = &p->web->first;

    while (*place && *place != p)
        place = &(*place)->next;
    if (*place)
        *place = p->next;
    sse_free(&p->events);
    str_free(&p->reply);
    str_free(&p->url);
    if (p->headers.data)
        explicit_bzero(p->headers.data, p->headers.cap);
    str_free(&p->headers);
    str_free(&p->body);
    str_free(&p->session);
    free(p);
}

static int add_line(str *lines, size_t *count, const char *name, const char *value)
{
    return str_printf(&lines[(*count)++], "%s: %s", name, value);
}

enum { MOST_LINES = 8 };

static int write_lines(str *lines, size_t *count, const post *p)
{
    int error =
        p->body.len > 0 ? add_line(lines, count, "Content-Type", "application/json") : SNUG_OK;
    if (!error)
        error =
            add_line(lines, count, "Accept",
                     p->body.len > 0 ? "application/json, text/event-stream" : "text/event-stream");
    if (!error && *p->version)
        error = add_line(lines, count, "MCP-Protocol-Version", p->version);
    if (!error && p->session.len > 0)
        error = add_line(lines, count, "Mcp-Session-Id", p->session.data);
    return error;
}

static int count_lines(const str *headers)
{
    int count = 0;
    for (size_t i = 0; i < headers->len; i++)
        count += headers->data[i] == '\n';
    return count;
}

static void free_lines(str *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (lines[i].data)
            explicit_bzero(lines[i].data, lines[i].cap);
        str_free(&lines[i]);
    }
    free(lines);
}

int web_begin_post(post *p)
{
    web *w = p->web;
    size_t count = 0;
    str *lines =
        calloc(MOST_LINES + w->header_count + (size_t)count_lines(&p->headers), sizeof *lines);
    if (!lines)
        return SNUG_ENOMEM;

    int error = write_lines(lines, &count, p);
    for (size_t i = 0; i < w->header_count && !error; i++)
        error = str_add_str(&lines[count++], &w->headers[i]);
    for (const char *at = str_text(&p->headers); *at && !error;) {
        const size_t len = strcspn(at, "\n");
        error = str_append(&lines[count++], at, len);
        at += len + (at[len] == '\n');
    }
    const exchange_request request = { .method = p->method,
                                       .url = str_text(&p->url),
                                       .lines = lines,
                                       .line_count = count,
                                       .body = p->body.len > 0 ? p->body.data : NULL,
                                       .body_len = p->body.len };
    if (!error)
        error = exchanges_begin(w->exchanges, &request, p);
    free_lines(lines, count);
    return error;
}

int web_follow(post *p, const exchange_head *head)
{
    const fetch_url *from = &p->web->url;
    fetch_url to;
    str why = { 0 };

    if ((head->status != 307 && head->status != 308) || p->hops >= MOST_HOPS)
        return 0;
    int is_ours = !fetch_url_read(&to, &why, str_text(&head->location), str_text(&p->url)) &&
                  !strcmp(str_text(&to.scheme), str_text(&from->scheme)) &&
                  !strcmp(str_text(&to.host), str_text(&from->host)) && to.port == from->port;
    if (is_ours) {
        p->hops++;
        str_clear(&p->url);
        is_ours = !str_add_str(&p->url, &to.whole) && !web_begin_post(p);
    }
    fetch_url_free(&to);
    str_free(&why);
    return is_ours;
}
