#include "cli/program/secrets.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>

#include "base/base64.h"
#include "base/concealed.h"
#include "base/error.h"
#include "base/file.h"
#include "base/secret_env.h"
#include "cli/program/command.h"

/* As KEY_MOST_BYTES of agent/model/key.h has it. */
enum { MOST_BYTES = 4096 };

/* Shorter than any secret: hiding one needs no memory. */
static const char mark[] = "[key]";
enum { MARK_BYTES = sizeof mark - 1 };

/* The process's, as the environment is, because messages are written everywhere. */
static concealed secrets;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER; /* of them */

/* ---- learning ---- */

static void forget_text(str *text)
{
    if (text->data)
        explicit_bzero(text->data, text->cap);
    str_free(text);
}

/* The first line of text, without white space around it. */
static int add_secret(const char *text)
{
    text += strspn(text, " \t\r");
    size_t len = strcspn(text, "\n");
    while (len > 0 && strchr(" \t\r", text[len - 1]))
        len--;
    return concealed_add(&secrets, text, len, 0);
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
    forget_text(&text);
    return error;
}

/* "Basic dXNlcjpwYXNzd29yZA==": who it says that asks, too. */
static int add_basic(const char *word)
{
    str text = { 0 };
    int error = base64_decode(&text, word, strlen(word));
    const char *colon = strchr(str_text(&text), ':');

    if (!error && colon && strlen(text.data) == text.len)
        error = add_secret(text.data);
    if (!error && colon && strlen(text.data) == text.len)
        error = add_secret(colon + 1);
    forget_text(&text);
    return error == SNUG_EINVAL ? SNUG_OK : error;
}

static int add_value(const char *value)
{
    const char *blank = strrchr(value, ' ');
    int error = add_secret(value);
    if (!error && blank)
        error = add_secret(blank + 1);
    if (!error && strncasecmp(value, "basic ", 6) == 0)
        error = add_basic(blank + 1);
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

/* "NAME=HOST:VARIABLE". */
static int add_fetch_secret(const char *text)
{
    const char *colon = strrchr(text, ':');
    const char *value = colon ? getenv(colon + 1) : NULL;

    return value ? add_secret(value) : SNUG_OK;
}

/* From here on they are there by secret_env alone. */
static int take_variables(const options *o)
{
    const char *variable;
    int error = SNUG_OK;

    for (size_t i = 0; !error && (variable = snug_agent_key_variable(i)); i++)
        error = secret_env_take(variable);
    for (size_t i = 0; !error && i < o->headers.count; i++)
        if ((variable = strchr(o->headers.items[i], '$')))
            error = secret_env_take(variable + 1);
    for (size_t i = 0; !error && i < o->fetch_secrets.count; i++)
        if ((variable = strrchr(o->fetch_secrets.items[i], ':')))
            error = secret_env_take(variable + 1);
    return error;
}

int secrets_learn(const options *o, int asks_model)
{
    const struct rlimit none = { 0, 0 };
    int error = add_variables();

    if (!error)
        error = add_key_file(o->agent.key_file);
    for (size_t i = 0; i < o->headers.count && !error; i++)
        error = add_header(o->headers.items[i]);
    for (size_t i = 0; i < o->fetch_secrets.count && !error; i++)
        error = add_fetch_secret(o->fetch_secrets.items[i]);
    if (!error && asks_model)
        error = take_variables(o);
    if (secrets.count > 0)
        setrlimit(RLIMIT_CORE, &none); /* a dump of this memory would have them */
    return error ? command_fail_memory() : EXIT_FINE;
}

void secrets_forget(void)
{
    secret_env_forget();
    pthread_rwlock_wrlock(&lock);
    concealed_free(&secrets);
    pthread_rwlock_unlock(&lock);
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
    while (most >= CONCEALED_LEAST && memcmp(text + end - most, secret->data, most) != 0)
        most--;
    return most >= CONCEALED_LEAST ? put_mark(text, len, end - most, most) : len;
}

/* The same behind one. */
static size_t hide_ended(char *text, size_t len, size_t begin, const str *secret)
{
    size_t most = len - begin < secret->len ? len - begin : secret->len;
    while (most >= CONCEALED_LEAST &&
           memcmp(text + begin, secret->data + secret->len - most, most) != 0)
        most--;
    return most >= CONCEALED_LEAST ? put_mark(text, len, begin, most) : len;
}

/* Of a text that was cut, at its end or in its middle. */
static size_t hide_pieces(char *text, size_t len, const str *secret)
{
    static const char gap[] = "..."; /* of utf8_format */
    enum { GAP_BYTES = sizeof gap - 1 };
    const char *found;
    size_t at = 0;

    while ((found = memmem(text + at, len - at, gap, GAP_BYTES))) {
        const size_t from = (size_t)(found - text);
        len = hide_ended(text, len, from + GAP_BYTES, secret);
        const size_t before = len;
        len = hide_begun(text, len, from, secret);
        at = from + GAP_BYTES - (before - len);
    }

    return hide_begun(text, len, len, secret);
}

/* The lock is held, as for what follows. */
static size_t hide_whole(char *text, size_t len, int is_json)
{
    concealed_scan s;
    size_t from, used, owner, read = 0, written = 0;

    concealed_scan_init(&s, &secrets, text, len, is_json);
    while (concealed_next(&s, &from, &used, &owner)) {
        memmove(text + written, text + read, from - read);
        written += from - read;
        memcpy(text + written, mark, MARK_BYTES);
        written += MARK_BYTES;
        read = from + used;
    }
    if (read == 0)
        return len;
    memmove(text + written, text + read, len - read);
    return written + len - read;
}

static size_t hide_cut(char *text, size_t len)
{
    for (size_t i = 0; i < secrets.count; i++)
        if (secrets.forms[i].uses & CONCEALED_ITSELF)
            len = hide_pieces(text, len, &secrets.forms[i].text);
    return len;
}

size_t secrets_hide(char *text, size_t len)
{
    const size_t before = len;

    pthread_rwlock_rdlock(&lock);
    len = hide_cut(text, hide_whole(text, len, 0));
    pthread_rwlock_unlock(&lock);
    if (len < before)
        text[len] = '\0';
    return len;
}

size_t secrets_hide_json(char *text, size_t len)
{
    const size_t before = len;

    pthread_rwlock_rdlock(&lock);
    len = hide_whole(text, len, 1);
    pthread_rwlock_unlock(&lock);
    if (len < before)
        text[len] = '\0';
    return len;
}

int secrets_are_in_json(const char *text, size_t len)
{
    concealed_scan s;
    size_t from, used, owner;

    pthread_rwlock_rdlock(&lock);
    concealed_scan_init(&s, &secrets, text, len, 1);
    const int found = concealed_next(&s, &from, &used, &owner);
    pthread_rwlock_unlock(&lock);
    return found;
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
