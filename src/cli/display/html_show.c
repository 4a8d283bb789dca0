#include "cli/display/html_show.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/display/html_text.h"
#include "cli/terminal/term.h"

int html_show(const snug_mime *html, int has_text)
{
    struct winsize size = { 0 };
    str out = { 0 };

    if (!html || !isatty(STDOUT_FILENO) || (has_text && !html_has_table(html->data, html->len)))
        return 0;
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    int error = html_text(&out, html->data, html->len, size.ws_col ? size.ws_col : 80);
    int is_put = !error && out.len > 0;
    if (is_put)
        term_show(stdout, NULL, out.data, out.len - 1, 0);
    str_free(&out);
    return is_put;
}
