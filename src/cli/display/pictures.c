#include "cli/display/pictures.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/file.h"

enum { KITTY_CHUNK_BYTES = 4096, MOST_SHOWN_BYTES = 16 << 20 };

/* ---- where ---- */

static int has(const char *variable, const char *part)
{
    const char *value = getenv(variable);
    return value && strstr(value, part);
}

/* Within tmux and screen the terminal outside is not reached. */
static picture_mode mode_of_terminal(void)
{
    if (!isatty(STDOUT_FILENO))
        return PICTURES_NONE;
    if (has("TERM", "screen") || has("TERM", "tmux") || getenv("TMUX"))
        return PICTURES_SAVED;
    if (has("TERM", "kitty") || has("TERM", "ghostty") || has("TERM_PROGRAM", "ghostty"))
        return PICTURES_KITTY;
    if (has("TERM_PROGRAM", "iTerm") || has("TERM_PROGRAM", "WezTerm") ||
        has("LC_TERMINAL", "iTerm"))
        return PICTURES_ITERM;
    return PICTURES_SAVED;
}

void pictures_open(pictures *p, picture_mode wanted)
{
    *p = (pictures){ .mode = wanted == PICTURES_AUTO ? mode_of_terminal() : wanted };
}

void pictures_close(pictures *p)
{
    str_free(&p->folder);
}

/* ---- protocols ---- */

/* Each appends what shows a picture in PNG, whose base64 has no other bytes. */

/* https://sw.kovidgoyal.net/kitty/graphics-protocol/: chunks of 4,096 bytes, m=0 for the last. */
static int put_kitty(str *out, const char *base64, size_t len)
{
    int error = 0;

    for (size_t at = 0, some; at < len && !error; at += some) {
        some = len - at < KITTY_CHUNK_BYTES ? len - at : KITTY_CHUNK_BYTES;
        error = str_printf(out, "\x1b_G%sm=%d;", at == 0 ? "a=T,f=100,q=2," : "", at + some < len);
        if (!error)
            error = str_append(out, base64 + at, some);
        if (!error)
            error = str_add(out, "\x1b\\");
    }
    return error;
}

/* https://iterm2.com/documentation-images.html */
static int put_iterm(str *out, const char *base64, size_t len)
{
    int error = str_add(out, "\x1b]1337;File=inline=1;preserveAspectRatio=1:");
    if (!error)
        error = str_append(out, base64, len);
    return error ? error : str_add(out, "\x07");
}

/* ---- files ---- */

static const struct {
    const char *type, *suffix;
    int is_text;
} kinds[] = {
    { "image/png", "png", 0 },
    { "image/jpeg", "jpg", 0 },
    { "image/gif", "gif", 0 },
    { "image/svg+xml", "svg", 1 },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static int make_folder(pictures *p)
{
    const char *base = getenv("TMPDIR");

    if (p->folder.len > 0)
        return 0;
    if (str_printf(&p->folder, "%s/snug-pictures-XXXXXX", base && *base == '/' ? base : "/tmp") ||
        !mkdtemp(p->folder.data)) {
        str_free(&p->folder);
        return -1;
    }
    return 0;
}

static void save_picture(pictures *p, const char *suffix, const str *bytes)
{
    str path = { 0 };

    int failed =
        make_folder(p) || str_printf(&path, "%s/%u.%s", p->folder.data, ++p->count, suffix);
    int fd = failed ? -1 : open(path.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    failed = fd < 0 || file_write_all(fd, str_text(bytes), bytes->len);
    if (fd >= 0)
        failed |= close(fd);
    if (failed && fd >= 0)
        unlink(path.data);
    if (failed)
        printf("<picture of %zu bytes, which cannot be saved>", bytes->len);
    else
        printf("<picture: %s, %zu bytes>", path.data, bytes->len);
    str_free(&path);
}

/* ---- showing ---- */

static int is_png(const str *bytes)
{
    static const char magic[] = "\x89PNG\r\n\x1a\n";
    return bytes->len > sizeof magic && memcmp(bytes->data, magic, sizeof magic - 1) == 0;
}

/* Its base64 is written again, so that nothing else is in it. */
static int put_base64(str *out, const str *bytes,
                      int (*put)(str *out, const char *text, size_t len))
{
    str base64 = { 0 };

    int error = base64_append(&base64, bytes->data, bytes->len);
    if (!error)
        error = put(out, base64.data, base64.len);
    str_free(&base64);
    return error;
}

int pictures_show_png(const pictures *p, const str *bytes)
{
    str out = { 0 };
    int error = -1;

    if (!is_png(bytes) || bytes->len > MOST_SHOWN_BYTES)
        return 0;
    if (p->mode == PICTURES_KITTY)
        error = put_base64(&out, bytes, put_kitty);
    else if (p->mode == PICTURES_ITERM)
        error = put_base64(&out, bytes, put_iterm);
    if (!error)
        fwrite(out.data, 1, out.len, stdout);
    str_free(&out);
    return !error;
}

const snug_mime *form_find(const snug_display *display, const char *type)
{
    for (size_t i = 0; i < display->part_count; i++)
        if (strcmp(display->parts[i].type, type) == 0)
            return &display->parts[i];
    return NULL;
}

/* NULL: there is none. */
static const snug_mime *find_picture(size_t *kind, const snug_display *display)
{
    const snug_mime *found = NULL;

    for (size_t k = 0; k < KINDS && !found; k++) {
        found = form_find(display, kinds[k].type);
        *kind = k;
    }
    return found;
}

int pictures_has_one(const pictures *p, const snug_display *display)
{
    size_t kind;
    return p && p->mode != PICTURES_NONE && find_picture(&kind, display);
}

int pictures_show(pictures *p, const snug_display *display)
{
    size_t kind = 0;
    str bytes = { 0 };

    if (!pictures_has_one(p, display))
        return 0;
    const snug_mime *found = find_picture(&kind, display);
    int error = kinds[kind].is_text ? str_append(&bytes, found->data, found->len)
                                    : base64_decode(&bytes, found->data, found->len);
    if (!error && !pictures_show_png(p, &bytes))
        save_picture(p, kinds[kind].suffix, &bytes);
    str_free(&bytes);
    return !error;
}
