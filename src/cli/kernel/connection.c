#include "cli/kernel/connection.h"

#include <stdio.h>
#include <string.h>

#include <snug/snug.h>

#include "base/error.h"
#include "base/file.h"
#include "wire/json.h"

enum { MOST_BYTES = 64 * 1024, MOST_PORT = 65535 };

static const char *const names[CHANNELS] = {
    [CHANNEL_SHELL] = "shell", [CHANNEL_CONTROL] = "control", [CHANNEL_STDIN] = "stdin",
    [CHANNEL_IOPUB] = "iopub", [CHANNEL_HEARTBEAT] = "hb",
};

const char *channel_name(kernel_channel channel)
{
    return names[channel];
}

/* *out NULL: it is not there. */
static int take_text(const char **out, const cJSON *root, const char *file, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, name);

    *out = cJSON_IsString(item) ? item->valuestring : NULL;
    return item && !*out ? error_set(SNUG_EINVAL, "%s: \"%s\" must be a string", file, name)
                         : SNUG_OK;
}

static int take_address(str *out, const cJSON *root, const char *file, const char *channel)
{
    const char *transport = NULL, *ip = NULL;
    char name[32];

    int error = take_text(&transport, root, file, "transport");
    if (!error)
        error = take_text(&ip, root, file, "ip");
    if (error)
        return error;
    snprintf(name, sizeof name, "%s_port", channel);
    const cJSON *port = cJSON_GetObjectItemCaseSensitive(root, name);
    if (!ip || !*ip)
        return error_set(SNUG_EINVAL, "%s: \"ip\" is missing", file);
    if (!cJSON_IsNumber(port) || port->valuedouble != port->valueint || port->valueint < 1 ||
        port->valueint > MOST_PORT)
        return error_set(SNUG_EINVAL, "%s: \"%s\" must be a port, from 1 to 65535", file, name);

    int failed;
    if (!transport || !strcmp(transport, "tcp"))
        failed =
            str_printf(out, strchr(ip, ':') ? "tcp://[%s]:%d" : "tcp://%s:%d", ip, port->valueint);
    else if (!strcmp(transport, "ipc"))
        failed = str_printf(out, "ipc://%s-%d", ip, port->valueint);
    else
        return error_set(SNUG_EINVAL, "%s: \"transport\" is \"%s\", but must be tcp or ipc", file,
                         transport);
    return failed ? error_no_memory() : SNUG_OK;
}

static int take_key(connection *out, const cJSON *root, const char *file)
{
    static const char prefix[] = "hmac-";
    const char *scheme = NULL, *key = NULL;

    int error = take_text(&scheme, root, file, "signature_scheme");
    if (!error)
        error = take_text(&key, root, file, "key");
    if (error)
        return error;
    /* Without one nobody is kept out: that has to be said. */
    if (!key)
        return error_set(SNUG_EINVAL,
                         "%s: \"key\" is missing; an empty one does without signatures", file);
    if (!scheme || !*scheme)
        scheme = "hmac-sha256";
    if (strncmp(scheme, prefix, sizeof prefix - 1) != 0)
        return error_set(SNUG_EINVAL, "%s: \"signature_scheme\" is \"%s\", but must be hmac-DIGEST",
                         file, scheme);
    if (str_add(&out->key, key) || str_add(&out->digest, scheme + sizeof prefix - 1))
        return error_no_memory();
    return SNUG_OK;
}

int connection_parse(connection *out, const char *name, const char *text, size_t len)
{
    cJSON *root;

    *out = (connection){ 0 };
    int error = json_parse(&root, text, len);
    if (error)
        return error_set(error, "%s: %s", name, error_message());

    if (!cJSON_IsObject(root))
        error = error_set(SNUG_EINVAL, "%s: a connection file is a JSON object", name);
    for (int i = 0; i < CHANNELS && !error; i++)
        error = take_address(&out->addresses[i], root, name, names[i]);
    if (!error)
        error = take_key(out, root, name);

    cJSON_Delete(root);
    return error;
}

int connection_read(connection *out, const char *path)
{
    str text = { 0 };

    *out = (connection){ 0 };
    int error = file_read(&text, path, MOST_BYTES);
    if (!error)
        error = connection_parse(out, path, str_text(&text), text.len);
    if (text.data)
        explicit_bzero(text.data, text.len);
    str_free(&text);
    return error;
}

void connection_free(connection *c)
{
    if (c->key.data)
        explicit_bzero(c->key.data, c->key.len);
    str_free(&c->key);
    str_free(&c->digest);
    for (int i = 0; i < CHANNELS; i++)
        str_free(&c->addresses[i]);
}
