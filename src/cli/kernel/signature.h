/*
 * signature.h - what proves that a message is of somebody who has read the connection file: an HMAC
 * of its four parts, by libnettle, which takes less memory than libcrypto and as much time.
 *
 * A signer is used by one thread at a time.
 */
#ifndef SNUG_CLI_SIGNATURE_H
#define SNUG_CLI_SIGNATURE_H

#include <stddef.h>

#include "base/str.h"

enum { SIGNATURE_BYTES = 128 /* of the longest one, as hexadecimal digits */, SIGNED_PARTS = 4 };

/* Bytes of somebody else's. */
typedef struct kernel_part {
    const char *data;
    size_t len;
} kernel_part;

typedef struct signer signer;

/* key empty: nothing is signed, and every message is right. SNUG_OK, or SNUG_EINVAL for a digest
 * that libnettle has not, with a sentence. */
int signer_open(signer **out, const str *key, const str *digest);
void signer_close(signer *s);
/* The signature of the parts in out, which is not terminated: its length; 0 without a key. */
size_t signer_sign(signer *s, char out[SIGNATURE_BYTES], const kernel_part parts[SIGNED_PARTS]);
/* Whether that is their signature. Takes the same time wherever the two differ. */
int signer_check(signer *s, kernel_part signature, const kernel_part parts[SIGNED_PARTS]);

#endif
