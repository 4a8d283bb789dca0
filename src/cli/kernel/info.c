/* What a kernel is: the content of a kernel_info_reply. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <snug/snug.h>

#include "cli/kernel/kernel.h"

/* What front ends do by the language: highlight, name files, export. */
typedef struct language {
    const char *name, *mimetype, *extension, *lexer, *mode, *exporter;
} language;

static const language in_python = {
    "python", "text/x-python", ".py", "ipython3", "{\"name\":\"ipython\",\"version\":3}", "python",
};
static const language in_bash = {
    "bash", "text/x-sh", ".sh", "bash", "\"shell\"", "script",
};

static void add_language(content *c, const language *l, const char *version)
{
    content_text(c, "name", l->name);
    content_text(c, "version", version);
    content_text(c, "mimetype", l->mimetype);
    content_text(c, "file_extension", l->extension);
    content_text(c, "pygments_lexer", l->lexer);
    content_member(c, "codemirror_mode", l->mode);
    content_text(c, "nbconvert_exporter", l->exporter);
}

/* What the front end's menu of help leads to. */
static void add_help(content *c, const char *text, const char *url)
{
    content_member(c, "help_links", "[{");
    content_text(c, "text", text);
    content_text(c, "url", url);
    content_add(c, "}]");
}

static void add_python_help(content *c, const char *version)
{
    size_t len = strcspn(version, ".");
    char url[80];

    if (version[len])
        len += 1 + strcspn(version + len + 1, "."); /* 3.13 of 3.13.5 */
    snprintf(url, sizeof url, "https://docs.python.org/%.*s/", (int)len, version);
    add_help(c, "Python Reference", url);
}

void kernel_describe(content *out, kernel *k)
{
    int is_bash = k->options->session.kind == SNUG_KIND_BASH;
    const char *python = atomic_load(&k->python);

    content_add(out, "{\"status\":\"ok\",\"protocol_version\":\"5.3\"");
    content_text(out, "implementation", "snug");
    content_text(out, "implementation_version", snug_version());
    content_member(out, "language_info", "{");
    if (is_bash)
        add_language(out, &in_bash, "5");
    else
        add_language(out, &in_python, python);
    content_add(out, "},\"banner\":\"snug ");
    content_add(out, snug_version());
    if (!is_bash)
        content_printf(out, ", Python %s", python);
    content_add(out, "\"");
    if (is_bash)
        add_help(out, "Bash Reference", "https://www.gnu.org/software/bash/manual/bash.html");
    else
        add_python_help(out, python);
    content_add(out, ",\"supported_features\":[],\"debugger\":false}");
}
