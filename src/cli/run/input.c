#include "cli/run/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/run/ipynb.h"

enum { CHUNK_BYTES = 64 * 1024, MOST_BYTES = 256 * 1024 * 1024 };

static int is_stdin(const input *in)
{
    return !in->is_code && !strcmp(in->text, "-");
}

const char *input_name(const input *in)
{
    if (in->is_code)
        return "-c";
    return is_stdin(in) ? "<stdin>" : in->text;
}

int input_is_notebook(const input *in)
{
    size_t len = strlen(in->text);
    return !in->is_code && len >= 6 && !strcasecmp(in->text + len - 6, ".ipynb");
}

static int read_descriptor(str *out, int fd, const char *name)
{
    for (;;) {
        if (str_reserve(out, CHUNK_BYTES))
            return error_no_memory();
        ssize_t got = read(fd, out->data + out->len, CHUNK_BYTES);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_system("%s", name);
        out->len += (size_t)got;
        out->data[out->len] = '\0';
        if (got == 0)
            return SNUG_OK;
        if (out->len > MOST_BYTES)
            return error_set(SNUG_EINVAL, "%s: more than 256 MiB", name);
    }
}

int input_read(str *out, const input *in)
{
    if (in->is_code) {
        if (str_add(out, in->text))
            return error_no_memory();
        return SNUG_OK;
    }

    if (is_stdin(in))
        return read_descriptor(out, STDIN_FILENO, input_name(in));

    int fd = open(in->text, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_system("%s", in->text);

    int error = read_descriptor(out, fd, in->text);
    close(fd);
    return error;
}

int input_check_stdin(void)
{
    if (read(STDIN_FILENO, NULL, 0) < 0)
        return error_system("<stdin>");
    return SNUG_OK;
}

/* Messages of ipynb_cells do not name the file. */
static int read_notebook(cell_list *list, const str *text, const char *path)
{
    int error = ipynb_cells(list, str_text(text), text->len);
    if (!error)
        return SNUG_OK;

    char why[ERROR_MESSAGE_BYTES];
    snprintf(why, sizeof why, "%s", error_message());
    return error_set(error, "%s: %s", path, why);
}

int input_split_cells(cell_list *list, const input *in, const str *text)
{
    if (in->is_code)
        return cell_list_add(list, str_text(text), text->len);
    if (input_is_notebook(in))
        return read_notebook(list, text, in->text);
    return split_cells(list, str_text(text), text->len);
}

int input_read_cells(cell_list *list, const input *in)
{
    str text = { 0 };
    int error = input_read(&text, in);

    if (!error)
        error = input_split_cells(list, in, &text);
    str_free(&text);
    return error;
}
