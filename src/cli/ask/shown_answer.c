#include "cli/ask/shown_answer.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "cli/display/form.h"
#include "cli/display/html_show.h"
#include "cli/display/html_text.h"
#include "cli/editor/console.h"

enum { MOST_PICTURES = 8, MOST_PICTURE_BYTES = 16 << 20 };

void shown_open(shown_answer *s, const options *o, signals *taken)
{
    *s = (shown_answer){ .signals = taken };
    pictures_open(&s->pictures, (picture_mode)o->pictures);
}

void shown_close(shown_answer *s)
{
    pictures_close(&s->pictures);
}

/* ---- tables ---- */

/* NULL: the value has none. */
static const snug_mime *find_table(const snug_reply *reply)
{
    const snug_result *result = snug_reply_result(reply);
    const snug_display *display;

    for (size_t i = 0; result && (display = snug_result_display(result, i)); i++) {
        const snug_mime *html = form_find(display, "text/html");
        if (display->is_main_result && html && html_has_table(html->data, html->len))
            return html;
    }
    return NULL;
}

int shown_has_table(const snug_reply *reply)
{
    return isatty(STDOUT_FILENO) && snug_reply_status(reply) == SNUG_AGENT_STATUS_ANSWERED &&
           find_table(reply);
}

int shown_is_value(const snug_reply *reply, const char *text)
{
    const snug_result *result = snug_reply_result(reply);
    return result && strcmp(text, snug_result_text(result, SNUG_STREAM_VALUE, NULL)) == 0;
}

void shown_put_table(const snug_reply *reply)
{
    if (html_show(find_table(reply), 1))
        putchar('\n');
}

/* ---- pictures ---- */

/* Where a terminal has to be asked; not in the background, where that would stop the program, and
 * not where somebody has typed already, which would be lost. */
static void ask_terminal(shown_answer *s)
{
    console terminal;

    if (!s->pictures.is_asked || !isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) != getpgrp())
        return;
    fflush(stdout);
    console_open(&terminal, s->signals);
    if (console_is_idle(&terminal)) {
        console_ask(&terminal, 0);
        pictures_note_sixel(&s->pictures, terminal.has_sixel);
        s->pictures.is_asked = 0;
    }
    console_close(&terminal);
}

/* Appends its bytes, if it is one in PNG. 1: it is. */
static int read_picture(str *out, const snug_agent_output *output, snug_session *session)
{
    const snug_mime *form = output->display ? form_find(output->display, "image/png") : NULL;
    snug_file *file;
    size_t len;

    if (form)
        return base64_decode(out, form->data, form->len) == SNUG_OK;
    if (output->display || strcmp(output->mime, "image/png") != 0 ||
        snug_session_get_file(&file, session, output->path, MOST_PICTURE_BYTES))
        return 0;
    const char *data = snug_file_data(file, &len);
    const int error = str_append(out, data, len);
    snug_file_free(file);
    return error == SNUG_OK;
}

void shown_put_pictures(shown_answer *s, const snug_reply *reply, snug_session *session)
{
    const snug_agent_output *output;
    int count = 0;

    for (size_t i = 0; count < MOST_PICTURES && (output = snug_reply_output(reply, i)); i++) {
        str bytes = { 0 };
        if (s->pictures.mode == PICTURES_NONE)
            return;
        if (read_picture(&bytes, output, session)) {
            ask_terminal(s);
            if (pictures_show_png(&s->pictures, &bytes)) {
                putchar('\n');
                count++;
            }
        }
        str_free(&bytes);
    }
    fflush(stdout);
}
