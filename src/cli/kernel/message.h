/*
 * message.h - a message of Jupyter's protocol as it arrives: frames, of which the first ones say
 * who is to have the answer, then a mark, the signature and the four parts that it signs.
 * https://jupyter-client.readthedocs.io/en/stable/messaging.html
 */
#ifndef SNUG_CLI_MESSAGE_H
#define SNUG_CLI_MESSAGE_H

#include <stddef.h>

#include "base/jsontext.h"
#include "base/str.h"
#include "cli/kernel/signature.h"

#define MESSAGE_MARK "<IDS|MSG>"

/* Of those that messages have, a cell's request has most: seven. */
enum { MOST_MEMBERS = 16 };

/* The members of an object, found in one go: a cell may be long. */
typedef struct kernel_members {
    struct {
        jsontext_span name; /* without its quotes, as it came */
        jsontext_span value;
    } all[MOST_MEMBERS];
    size_t count;
} kernel_members;

typedef struct kernel_message {
    const kernel_part *identities; /* within the frames */
    size_t identity_count;
    jsontext_span header;   /* an object, as it came */
    jsontext_span parent;   /* the same: the header of what it answers, or empty */
    jsontext_span content;  /* the same */
    kernel_members members; /* of the content */
    str type;               /* of the header */
} kernel_message;

/* Reads frames, which must live as long as the message. SNUG_OK, or an error with what is wrong, as
 * the end of a sentence. Free in both cases. */
int kernel_message_read(kernel_message *out, signer *s, const kernel_part *frames, size_t count);
void kernel_message_free(kernel_message *m);

/* ---- members of the content ---- */

/* The last one of that name; no text: there is none. */
jsontext_span kernel_message_member(const kernel_message *m, const char *name);

/* Appends the text of a member that must be one: SNUG_OK, SNUG_ENOMEM, or SNUG_EINVAL with a
 * sentence. */
int kernel_message_text(str *out, const kernel_message *m, const char *name);
/* A truth value; otherwise where it is not there, or is none. */
int kernel_message_flag(const kernel_message *m, const char *name, int otherwise);
/* A whole number; otherwise where it is not there, or is none. */
long kernel_message_number(const kernel_message *m, const char *name, long otherwise);

#endif
