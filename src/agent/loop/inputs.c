/*
 * inputs.c - data that comes with a question: put into the session, told to the model in short.
 */
#include "agent/loop/loop.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/text/line.h"
#include "base/base64.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsontext.h"
#include "base/mime.h"
#include "base/utf8.h"

enum { MOST_INPUT_BYTES = 256 * 1024 * 1024, SAMPLE_BYTES = 600, SAMPLE_LINES = 6 };

/* As snug_session_set_variable will have it, but for names beyond ASCII and keywords. */
static int is_identifier(const char *name)
{
    if (isdigit((unsigned char)*name))
        return 0;
    for (const char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '_' && (unsigned char)*at < 0x80)
            return 0;
    return *name != '\0';
}

/* The first lines, within SAMPLE_BYTES. */
static int add_sample(str *out, const char *text, size_t len)
{
    const char *title = "  It is:\n";
    size_t end = 0;

    for (int lines = 0; lines < SAMPLE_LINES && end < len && end < SAMPLE_BYTES; lines++)
        end = line_at(text, len, end).next;
    if (end > SAMPLE_BYTES)
        end = utf8_floor(text, len, SAMPLE_BYTES);
    if (end < len)
        title = "  It begins:\n";

    str_add(out, title);
    str_append(out, text, end);
    str_add(out, end > 0 && text[end - 1] != '\n' ? "\n" : "");
    return str_add(out, end < len ? "  ...\n" : "") ? error_no_memory() : SNUG_OK;
}

static const char *json_type(const char *text)
{
    switch (text[strspn(text, " \t\r\n")]) {
    case '[':
        return "list";
    case '{':
        return "dict";
    case '"':
        return "str";
    case 't':
    case 'f':
        return "bool";
    case 'n':
        return "NoneType";
    default:
        return text[strcspn(text, ".eE")] ? "float" : "int";
    }
}

/* Whether the data is meant as JSON: by the file's name, or because it is an object or a list. */
static int is_json(const snug_agent_input *input, const char *text, size_t len)
{
    const char *ending = input->path ? strrchr(input->path, '.') : NULL;
    const size_t first = strspn(text, " \t\r\n");
    size_t at;

    if (ending)
        return strcasecmp(ending, ".json") == 0;
    if (first >= len || !strchr("{[", text[first]))
        return 0;
    return !jsontext_check(text, len, &at);
}

static int set_text_variable(snug_session *session, const char *name, const str *text)
{
    str quoted = { 0 };
    int error;

    if (jsontext_quote(&quoted, str_text(text), text->len))
        error = error_no_memory();
    else
        error = snug_session_set_variable(session, name, quoted.data, quoted.len);

    str_free(&quoted);
    return error;
}

static int describe_variable(str *out, const char *name, const str *data, int has_json)
{
    const char *type = "str";

    if (has_json)
        type = json_type(str_text(data));
    if (str_printf(out, "- the variable %s, a %s", name, type))
        return SNUG_ENOMEM;
    if (has_json)
        return str_printf(out, " (from %zu bytes of JSON)\n", data->len);
    return str_printf(out, " of %zu characters\n", utf8_length(str_text(data), data->len));
}

static int set_variable(run *r, const snug_agent_input *input, const str *data)
{
    snug_session *session = r->agent->session;
    const char *text = str_text(data);
    const char *fault = NULL;
    size_t at;
    int error;

    if (utf8_check(text, data->len, &at) != UTF8_FINE)
        return error_set(
            SNUG_EINVAL,
            "input %s is not text (byte %zu is not UTF-8): give it the name of a file, "
            "as %s.bin",
            input->name, at + 1, input->name);

    const int has_json = is_json(input, text, data->len);
    if (has_json)
        fault = jsontext_check(text, data->len, &at);
    if (fault)
        return error_set(SNUG_EINVAL, "input %s: %s is not JSON: %s at byte %zu", input->name,
                         input->path ? input->path : "the data", fault, at + 1);

    if (has_json)
        error = snug_session_set_variable(session, input->name, text, data->len);
    else
        error = set_text_variable(session, input->name, data);

    if (error)
        return error;

    if (describe_variable(&r->inputs, input->name, data, has_json))
        return error_no_memory();
    return add_sample(&r->inputs, text, data->len);
}

/* The question may call it otherwise: by a path that cells do not have. */
static const char *other_name(const run *r, const snug_agent_input *input)
{
    if (!input->path || strcmp(input->path, input->name) == 0)
        return NULL;
    return strstr(r->question, input->path) ? input->path : NULL;
}

/* head: its first bytes, or all of it. */
static int describe_file(run *r, const snug_agent_input *input, const str *head, uint64_t bytes)
{
    const char *text = str_text(head);
    const char *mime = mime_of_name(input->name), *other = other_name(r, input);
    const size_t whole = head->len < bytes ? utf8_whole(text, head->len) : head->len;
    size_t at;

    if (!mime)
        mime = mime_of_bytes(text, head->len < MIME_BYTES ? head->len : MIME_BYTES);
    str_printf(&r->inputs, "- the file %s, %s, %llu bytes", input->name, mime,
               (unsigned long long)bytes);
    if (other)
        str_printf(&r->inputs, ", which the question calls %s", other);
    if (str_add(&r->inputs, "\n"))
        return error_no_memory();

    const int is_text = utf8_check(text, whole, &at) == UTF8_FINE && !memchr(text, '\0', whole);
    if (whole > 0 && is_text)
        return add_sample(&r->inputs, text, whole);
    return SNUG_OK;
}

/* ---- what is mounted ---- */

static int is_mounted(const snug_agent *agent, const snug_agent_input *input)
{
    for (size_t i = 0; input->path && agent->mounts && agent->mounts[i]; i++)
        if (strcmp(agent->mounts[i], input->name) == 0)
            return 1;
    return 0;
}

/* Cells have it already, whatever its size. */
static int describe_mounted(run *r, const snug_agent_input *input)
{
    char bytes[4 * SAMPLE_BYTES];
    struct stat facts;
    str head = { 0 };
    int fd = open(input->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return error_system("%s", input->path);

    const ssize_t got = fstat(fd, &facts) == 0 ? read(fd, bytes, sizeof bytes) : -1;
    int error;
    if (got < 0)
        error = error_system("%s", input->path);
    else if (str_append(&head, bytes, (size_t)got))
        error = error_no_memory();
    else
        error = describe_file(r, input, &head, (uint64_t)facts.st_size);

    close(fd);
    str_free(&head);
    r->is_not_reusable = 1;
    return error;
}

static int bind_input(run *r, const snug_agent_input *input)
{
    str data = { 0 };
    int error = SNUG_OK;

    if (!input->name || !*input->name)
        return error_set(SNUG_EINVAL, "an input has no name");
    if (is_mounted(r->agent, input))
        return describe_mounted(r, input);

    if (input->path)
        error = file_read(&data, input->path, MOST_INPUT_BYTES);
    else if (input->data && str_append(&data, input->data, input->len))
        error = error_no_memory();

    if (!error && reuse_add_input(r, input->name, &data))
        error = error_no_memory();
    if (!error && is_identifier(input->name))
        error = set_variable(r, input, &data);
    else if (!error && !(error = snug_session_put_file(r->agent->session, input->name,
                                                       str_text(&data), data.len)))
        error = describe_file(r, input, &data, data.len);

    str_free(&data);
    return error;
}

int inputs_bind(run *r)
{
    int error = SNUG_OK;
    for (size_t i = 0; !error && i < r->options->input_count; i++)
        error = bind_input(r, &r->options->inputs[i]);
    return error;
}

/* ---- images ---- */

/* The limits of the provider that allows least. */
enum { MOST_IMAGE_BYTES = 5000000, MOST_IMAGES = 20 };

/* By the first bytes; NULL: it is none that models take. */
static const char *type_of(const char *data, size_t len)
{
    if (len >= 12 && memcmp(data, "RIFF", 4) == 0 && memcmp(data + 8, "WEBP", 4) == 0)
        return "image/webp";
    const char *type = mime_of_bytes(data, len);
    return strncmp(type, "image/", strlen("image/")) == 0 ? type : NULL;
}

static int add_image(run *r, const char *name, const char *data, size_t len)
{
    const char *type = type_of(data, len);

    if (len > MOST_IMAGE_BYTES)
        return error_set(SNUG_EINVAL, "image %s has %zu bytes, more than the %d that models take",
                         name, len, MOST_IMAGE_BYTES);
    if (!type)
        return error_set(SNUG_EINVAL, "image %s is not a PNG, JPEG, GIF or WebP", name);

    model_image *image = &r->images[r->image_count++];
    image->type = type;
    return base64_append(&image->base64, data, len) ? error_no_memory() : SNUG_OK;
}

static int read_image(run *r, size_t at)
{
    const snug_agent_image *given = &r->options->images[at];
    char number[32];
    str data = { 0 };

    if (!given->path) {
        snprintf(number, sizeof number, "%zu", at + 1);
        return add_image(r, number, given->data, given->len);
    }

    int error = file_read(&data, given->path, MOST_IMAGE_BYTES);
    if (!error)
        error = add_image(r, given->path, str_text(&data), data.len);
    str_free(&data);
    return error;
}

int images_read(run *r)
{
    const size_t count = r->options->image_count;
    int error = SNUG_OK;

    if (count == 0)
        return SNUG_OK;
    if (count > MOST_IMAGES)
        return error_set(SNUG_EINVAL, "%zu images are more than the %d of a question", count,
                         MOST_IMAGES);

    r->images = calloc(count, sizeof *r->images);
    if (!r->images)
        return error_no_memory();
    for (size_t i = 0; !error && i < count; i++)
        error = read_image(r, i);
    return error;
}
