#include "cli/kernel/signature.h"

#include <stdlib.h>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <snug/snug.h>

#include "base/error.h"

struct signer {
    EVP_MAC_CTX *mac; /* with the key; NULL: there is none */
};

int signer_open(signer **out, const str *key, const str *digest)
{
    signer *s = calloc(1, sizeof *s);
    if (!s)
        return error_no_memory();
    *out = s;
    if (key->len == 0)
        return SNUG_OK;

    EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest->data, 0),
        OSSL_PARAM_construct_end(),
    };
    s->mac = hmac ? EVP_MAC_CTX_new(hmac) : NULL;
    EVP_MAC_free(hmac);
    if (s->mac && EVP_MAC_init(s->mac, (const unsigned char *)key->data, key->len, parameters) &&
        EVP_MAC_CTX_get_mac_size(s->mac) <= SIGNATURE_BYTES / 2)
        return SNUG_OK;

    signer_close(s);
    *out = NULL;
    return error_set(SNUG_EINVAL, "the signature_scheme hmac-%s is not known here; use hmac-sha256",
                     str_text(digest));
}

void signer_close(signer *s)
{
    if (s)
        EVP_MAC_CTX_free(s->mac);
    free(s);
}

size_t signer_sign(signer *s, char out[SIGNATURE_BYTES], const kernel_part parts[SIGNED_PARTS])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[SIGNATURE_BYTES / 2];
    size_t len = 0;

    /* With the key that it has. */
    int is_fine = s->mac && EVP_MAC_init(s->mac, NULL, 0, NULL);
    for (int i = 0; i < SIGNED_PARTS && is_fine; i++)
        is_fine = EVP_MAC_update(s->mac, (const unsigned char *)parts[i].data, parts[i].len);
    if (!is_fine || !EVP_MAC_final(s->mac, bytes, &len, sizeof bytes))
        return 0;

    for (size_t i = 0; i < len; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    return 2 * len;
}

int signer_check(signer *s, kernel_part signature, const kernel_part parts[SIGNED_PARTS])
{
    char right[SIGNATURE_BYTES];

    if (!s->mac)
        return 1;
    size_t len = signer_sign(s, right, parts);
    return len > 0 && len == signature.len && CRYPTO_memcmp(right, signature.data, len) == 0;
}
