/* Whatever a requirements file has, pip gets lines that begin with a name, and no option but
 * --hash, no path, no address and no variable. */
#include "fuzz.h"

#include <stdarg.h>

#define input cli_input /* fuzz.h has one of its own */
#include "cli/packages/requirements.h"
#include "cli/program/command.h"
#undef input

/* In the place of the program's: a sentence on one line. */
int command_fail(int status, const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    HOLDS(len > 0 && !strchr(text, '\n'));
    return status;
}

static size_t check_lines(const str *lines)
{
    size_t count = 0;
    for (const char *line = str_text(lines), *end; *line; line = end + 1, count++) {
        end = strchr(line, '\n');
        HOLDS(end && requirements_name(line) > 0);
        for (const char *c = line; c < end; c++) {
            const int is_option = *c == '-' && strchr(" \t", c[-1]);
            HOLDS((unsigned char)*c >= ' ' || *c == '\t');
            HOLDS((unsigned char)*c < 0x7f && !strchr("/\\$@#", *c));
            HOLDS(!is_option || !strncmp(c, "--hash=sha", strlen("--hash=sha")));
        }
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = input_of(data, size);
    requirements r = { 0 };
    char *text = copy_of(in.at, strnlen(in.at, in.left));
    int status = requirements_add_text(&r, "r.txt", text);
    HOLDS(status == EXIT_FINE || status == EXIT_USAGE);
    if (!status) {
        HOLDS(check_lines(&r.lines) == r.count);
        check_lines(&r.constraints);
    }
    requirements_free(&r);
    free(text);
    return 0;
}
