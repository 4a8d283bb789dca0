#include "cli/mcp/request_state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <nettle/sha2.h>

#include <snug/snug.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/jsontext.h"
#include "cli/kernel/signature.h"

enum { KEY_BYTES = 32, STATE_BYTES = 4096 };

int request_state_start(signer **out)
{
    char key[KEY_BYTES], name[] = "SHA256";
    const str bytes = { key, sizeof key, 0 }, digest = { name, sizeof name - 1, 0 };

    if (getrandom(key, sizeof key, 0) != sizeof key)
        return error_system("getrandom");
    const int error = signer_open(out, &bytes, &digest);
    explicit_bzero(key, sizeof key);
    return error;
}

int request_state_digest(char out[REQUEST_DIGEST_BYTES], const cJSON *params)
{
    static const char digits[] = "0123456789abcdef";
    const cJSON *arguments = rpc_object(params, "arguments");
    const char *name = rpc_text(params, "name");
    char *given = arguments ? json_text(arguments) : strdup("{}");
    uint8_t bytes[SHA256_DIGEST_SIZE];
    struct sha256_ctx context;
    str text = { 0 };

    int error = given ? str_printf(&text, "%s\n%s", name ? name : "", given) : SNUG_ENOMEM;
    sha256_init(&context);
    sha256_update(&context, text.len, (const uint8_t *)str_text(&text));
    sha256_digest(&context, sizeof bytes, bytes);
    for (size_t i = 0; i < sizeof bytes; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[2 * sizeof bytes] = '\0';
    str_free(&text);
    free(given);
    return error;
}

static void set_parts(kernel_part parts[SIGNED_PARTS], const char *payload, size_t len,
                      const char *principal, const char *digest)
{
    static const char what[] = "snug.request_state/1";
    parts[0] = (kernel_part){ what, sizeof what };
    parts[1] = (kernel_part){ digest, strlen(digest) + 1 };
    parts[2] = (kernel_part){ principal, strlen(principal) + 1 };
    parts[3] = (kernel_part){ payload, len };
}

int request_state_write(str *out, signer *s, const char *principal, const char *digest,
                        const char *session, const char *cell, uint64_t asked, int64_t until_s)
{
    char signature[SIGNATURE_BYTES];
    kernel_part parts[SIGNED_PARTS];
    str payload = { 0 };
    int error =
        str_printf(&payload, "{\"session\":\"%s\",\"cell\":\"%s\",\"asked\":%llu,\"until\":%lld}",
                   session, cell, (unsigned long long)asked, (long long)until_s);

    if (!error) {
        set_parts(parts, payload.data, payload.len, principal, digest);
        const size_t len = signer_sign(s, signature, parts);
        error = len > 0 ? base64_append(out, payload.data, payload.len) : SNUG_ENOMEM;
        if (!error)
            error = str_printf(out, ".%.*s", (int)len, signature);
    }
    str_free(&payload);
    return error;
}

static int read_payload(char cell[STATE_CELL_BYTES], uint64_t *asked, const str *payload,
                        int64_t now_s)
{
    cJSON *root = NULL;
    int is_fine = json_parse(&root, str_text(payload), payload->len) == SNUG_OK;
    const char *name = is_fine ? rpc_text(root, "cell") : NULL;
    const cJSON *until = is_fine ? cJSON_GetObjectItemCaseSensitive(root, "until") : NULL;

    const cJSON *last = is_fine ? cJSON_GetObjectItemCaseSensitive(root, "asked") : NULL;

    is_fine = name && strlen(name) < STATE_CELL_BYTES && cJSON_IsNumber(last) &&
              cJSON_IsNumber(until) && (double)now_s <= until->valuedouble;
    if (is_fine) {
        memcpy(cell, name, strlen(name) + 1);
        *asked = (uint64_t)last->valuedouble;
    }
    cJSON_Delete(root);
    return is_fine;
}

int request_state_read(char cell[STATE_CELL_BYTES], uint64_t *asked, signer *s,
                       const char *principal, const char *digest, const char *state, int64_t now_s)
{
    kernel_part parts[SIGNED_PARTS];
    str payload = { 0 };
    const char *dot = strchr(state, '.');

    if (!dot || strlen(state) > STATE_BYTES ||
        base64_decode(&payload, state, (size_t)(dot - state)) || payload.len == 0) {
        str_free(&payload);
        return 0;
    }
    set_parts(parts, payload.data, payload.len, principal, digest);
    const kernel_part signature = { dot + 1, strlen(dot + 1) };
    const int is_fine =
        signer_check(s, signature, parts) && read_payload(cell, asked, &payload, now_s);
    str_free(&payload);
    return is_fine;
}
