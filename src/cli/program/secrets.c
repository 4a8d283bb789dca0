#include "cli/program/secrets.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsontext.h"
#include "cli/program/command.h"

/* As KEY_LEAST_HIDDEN and KEY_MOST_BYTES of agent/model/key.h have it. */
enum { LEAST_HIDDEN = 8, MOST_BYTES = 4096 };

/* Shorter than any secret: hiding one needs no memory. */
static const char mark[] = "[key]";
enum { MARK_BYTES = sizeof mark - 1 };

/* The process's, as the environment is, because messages are written everywhere. */
static struct {
    str *items;
    size_t count, cap;
} secrets;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER; /* of them */

/* ---- learning ---- */

static int add_form(const char *text, size_t len)
{
    if (array_reserve(&secrets.items, &secrets.cap, secrets.count + 1, sizeof *secrets.items))
        return SNUG_ENOMEM;
    str *added = &secrets.items[secrets.count++];
    *added = (str){ 0 };
    return str_append(added, text, len);
}

static void forget_text(str *text)
{
    if (text->data)
        explicit_bzero(text->data, text->cap);
    str_free(text);
}

/* As it stands between the quotes of JSON, of a writer who has "\/" for a slash, or not. */
static int write_json_form(str *out, const char *text, size_t len, int escapes_slashes)
{
    str quoted = { 0 };
    int error = jsontext_quote(&quoted, text, len);

    for (size_t i = 1; !error && i + 1 < quoted.len; i++) {
        if (quoted.data[i] == '/' && escapes_slashes)
            error = str_add(out, "\\");
        if (!error)
            error = str_append(out, &quoted.data[i], 1);
    }
    forget_text(&quoted);
    return error;
}

/* Where it is another than the one before it. */
static int add_json_form(const char *text, size_t len, int escapes_slashes)
{
    str form = { 0 };
    int error = write_json_form(&form, text, len, escapes_slashes);

    if (!error && form.len != secrets.items[secrets.count - 1].len)
        error = add_form(str_text(&form), form.len);
    forget_text(&form);
    return error;
}

/* The first line of text, without white space around it. */
static int add_secret(const char *text)
{
    text += strspn(text, " \t\r");
    size_t len = strcspn(text, "\n");
    while (len > 0 && strchr(" \t\r", text[len - 1]))
        len--;
    if (len < LEAST_HIDDEN)
        return SNUG_OK;

    int error = add_form(text, len);
    if (!error)
        error = add_json_form(text, len, 0);
    return error ? error : add_json_form(text, len, 1);
}

/* "OPENAI_API_KEY=..." of each provider, also of those that are not asked. */
static int add_variables(void)
{
    extern char **environ;
    static const char end[] = "_API_KEY";
    int error = SNUG_OK;

    for (char **item = environ; *item && !error; item++) {
        const char *sign = strchr(*item, '=');
        const size_t len = sign ? (size_t)(sign - *item) : 0;
        if (len >= sizeof end - 1 && !memcmp(sign - (sizeof end - 1), end, sizeof end - 1))
            error = add_secret(sign + 1);
    }

    return error;
}

/* A file that cannot be read is the agent's to complain of. */
static int add_key_file(const char *path)
{
    str text = { 0 };
    int error = SNUG_OK;

    if (path && file_read(&text, path, MOST_BYTES) == SNUG_OK)
        error = add_secret(str_text(&text));
    if (text.data)
        explicit_bzero(text.data, text.cap);
    str_free(&text);
    return error;
}

static int add_value(const char *value)
{
    const char *blank = strrchr(value, ' ');
    int error = add_secret(value);
    if (!error && blank)
        error = add_secret(blank + 1);
    return error;
}

/* "X-Key: VALUE", "X-Key: $VARIABLE" or "Authorization: Bearer VALUE". */
static int add_header(const char *line)
{
    const char *colon = strchr(line, ':');
    const char *value = colon ? colon + 1 + strspn(colon + 1, " \t") : "";
    const char *named = *value == '$' ? getenv(value + 1) : NULL;

    return add_value(named ? named : value);
}

int secrets_add_value(const char *value)
{
    pthread_rwlock_wrlock(&lock);
    const int error = add_value(value);
    pthread_rwlock_unlock(&lock);
    return error;
}

int secrets_learn(const options *o)
{
    int error = add_variables();

    if (!error)
        error = add_key_file(o->agent.key_file);
    for (size_t i = 0; i < o->headers.count && !error; i++)
        error = add_header(o->headers.items[i]);
    return error ? command_fail_memory() : EXIT_FINE;
}

void secrets_forget(void)
{
    for (size_t i = 0; i < secrets.count; i++) {
        explicit_bzero(secrets.items[i].data, secrets.items[i].cap);
        str_free(&secrets.items[i]);
    }

    free(secrets.items);
    secrets.items = NULL;
    secrets.count = secrets.cap = 0;
}

/* ---- hiding ---- */

/* Puts the mark in the place of count bytes. Answers the length that is left. */
static size_t put_mark(char *text, size_t len, size_t at, size_t count)
{
    memcpy(text + at, mark, MARK_BYTES);
    memmove(text + at + MARK_BYTES, text + at + count, len - at - count);
    return len - count + MARK_BYTES;
}

/* What of the secret stands before an offset where text was cut; fewer bytes than are hidden count
 * as none. */
static size_t hide_begun(char *text, size_t len, size_t end, const str *secret)
{
    size_t most = end < secret->len ? end : secret->len;
    while (most >= LEAST_HIDDEN && memcmp(text + end - most, secret->data, most) != 0)
        most--;
    return most >= LEAST_HIDDEN ? put_mark(text, len, end - most, most) : len;
}

/* The same behind one. */
static size_t hide_ended(char *text, size_t len, size_t begin, const str *secret)
{
    size_t most = len - begin < secret->len ? len - begin : secret->len;
    while (most >= LEAST_HIDDEN &&
           memcmp(text + begin, secret->data + secret->len - most, most) != 0)
        most--;
    return most >= LEAST_HIDDEN ? put_mark(text, len, begin, most) : len;
}

static size_t hide_one(char *text, size_t len, const str *secret)
{
    static const char gap[] = "..."; /* of utf8_format */
    enum { GAP_BYTES = sizeof gap - 1 };
    const char *found;
    size_t at = 0;

    while ((found = memmem(text, len, secret->data, secret->len)))
        len = put_mark(text, len, (size_t)(found - text), secret->len);

    while ((found = memmem(text + at, len - at, gap, GAP_BYTES))) {
        const size_t from = (size_t)(found - text);
        len = hide_ended(text, len, from + GAP_BYTES, secret);
        const size_t before = len;
        len = hide_begun(text, len, from, secret);
        at = from + GAP_BYTES - (before - len);
    }

    return hide_begun(text, len, len, secret);
}

size_t secrets_hide(char *text, size_t len)
{
    const size_t before = len;

    pthread_rwlock_rdlock(&lock);
    for (size_t i = 0; i < secrets.count; i++)
        len = hide_one(text, len, &secrets.items[i]);
    pthread_rwlock_unlock(&lock);
    if (len < before)
        text[len] = '\0';
    return len;
}

void secrets_hide_str(str *text)
{
    if (text->len > 0)
        text->len = secrets_hide(text->data, text->len);
}

const char *secrets_error_message(void)
{
    char text[ERROR_MESSAGE_BYTES] = "";

    strncat(text, snug_error_message(), sizeof text - 1);
    secrets_hide(text, strlen(text));
    error_keep(text);
    return error_message();
}
