#include "cli/kernel/signature.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <nettle/nettle-meta.h>

#include <snug/snug.h>

#include "base/error.h"

struct signer {
    const struct nettle_hash *hash; /* NULL: there is no key */
    char *outer, *inner, *state;    /* of the key; of the parts so far */
};

static const struct nettle_hash *find_hash(const char *name)
{
    const struct nettle_hash *const *all = nettle_get_hashes();
    for (size_t i = 0; all[i]; i++)
        if (strcasecmp(all[i]->name, name) == 0)
            return all[i]->digest_size <= SIGNATURE_BYTES / 2 ? all[i] : NULL;
    return NULL;
}

static int take_key(signer *s, const str *key, const str *digest)
{
    s->hash = find_hash(str_text(digest));
    if (!s->hash)
        return error_set(SNUG_EINVAL,
                         "the signature_scheme hmac-%s is not known here; use hmac-sha256",
                         str_text(digest));

    const size_t bytes = s->hash->context_size;
    s->outer = calloc(3, bytes);
    if (!s->outer)
        return error_no_memory();
    s->inner = s->outer + bytes;
    s->state = s->inner + bytes;
    hmac_set_key(s->outer, s->inner, s->state, s->hash, key->len, (const uint8_t *)key->data);
    return SNUG_OK;
}

int signer_open(signer **out, const str *key, const str *digest)
{
    signer *s = calloc(1, sizeof *s);
    int error = s ? SNUG_OK : error_no_memory();

    if (!error && key->len > 0)
        error = take_key(s, key, digest);
    if (error) {
        signer_close(s);
        s = NULL;
    }
    *out = s;
    return error;
}

void signer_close(signer *s)
{
    if (s && s->outer)
        explicit_bzero(s->outer, 3 * s->hash->context_size);
    if (s)
        free(s->outer);
    free(s);
}

size_t signer_sign(signer *s, char out[SIGNATURE_BYTES], const kernel_part parts[SIGNED_PARTS])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t bytes[SIGNATURE_BYTES / 2];

    if (!s->hash)
        return 0;
    for (int i = 0; i < SIGNED_PARTS; i++)
        hmac_update(s->state, s->hash, parts[i].len, (const uint8_t *)parts[i].data);
    /* Leaves the state as it is with the key alone. */
    hmac_digest(s->outer, s->inner, s->state, s->hash, s->hash->digest_size, bytes);

    for (size_t i = 0; i < s->hash->digest_size; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    return 2 * s->hash->digest_size;
}

int signer_check(signer *s, kernel_part signature, const kernel_part parts[SIGNED_PARTS])
{
    char right[SIGNATURE_BYTES];

    if (!s->hash)
        return 1;
    size_t len = signer_sign(s, right, parts);
    return len == signature.len && memeql_sec(right, signature.data, len);
}
