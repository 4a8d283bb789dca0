#include "cli/editor/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/utf8.h"

enum { IN_TEXT, IN_ESCAPE, IN_CSI, IN_SS3, IN_STRING, IN_STRING_ESCAPE, IN_PASTE };

static const char paste_end[] = "\x1b[201~";
static const key none = { .code = KEY_NONE };

static key plain_key(key_code code, unsigned modifiers)
{
    return (key){ .code = code, .modifiers = modifiers };
}

/* ---- one byte ---- */

static key control_key(unsigned char byte, unsigned modifiers)
{
    key k = { .code = KEY_CHARACTER, .modifiers = modifiers | KEY_CTRL };

    switch (byte) {
    case '\r':
    case '\n':
        return plain_key(KEY_ENTER, modifiers);
    case '\t':
        return plain_key(KEY_TAB, modifiers);
    case 0x7f:
    case 0x08:
        return plain_key(KEY_BACKSPACE, modifiers);
    default:
        k.text[0] = to_lower((char)(byte | 0x40));
        return k;
    }
}

static key character_key(const char *text, size_t len, unsigned modifiers)
{
    static const char unknown[] = "\xef\xbf\xbd";
    key k = { .code = KEY_CHARACTER, .modifiers = modifiers };
    size_t fault;

    if (utf8_check(text, len, &fault) == UTF8_FINE)
        memcpy(k.text, text, len);
    else
        memcpy(k.text, unknown, sizeof unknown - 1);
    return k;
}

static key text_byte(keys *k, unsigned char byte, unsigned modifiers)
{
    if (byte < ' ' || byte == 0x7f)
        return control_key(byte, modifiers);
    if (byte < 0x80)
        return character_key((const char *)&byte, 1, modifiers);

    k->want = utf8_width(byte);
    if (k->want == 0)
        return character_key((const char *)&byte, 1, modifiers);
    k->character[0] = (char)byte;
    k->have = 1;
    return none;
}

/* What has begun is not a character, and this byte is one of its own. */
static key begin_again(keys *k, unsigned char byte)
{
    static const char unknown[] = "\xef\xbf\xbd";

    k->have = k->want = 0;
    if (byte < ' ' || byte == 0x7f)
        return control_key(byte, 0);

    key out = character_key(unknown, sizeof unknown - 1, 0);
    if (byte < 0x80)
        out.text[sizeof unknown - 1] = (char)byte; /* both, in one key */
    else
        text_byte(k, byte, 0);
    return out;
}

/* The key of a byte within a character. */
static key continue_character(keys *k, unsigned char byte)
{
    if ((byte & 0xc0) != 0x80)
        return begin_again(k, byte);

    k->character[k->have++] = (char)byte;
    if (k->have < k->want)
        return none;
    key out = character_key(k->character, k->have, 0);
    k->have = k->want = 0;
    return out;
}

/* ---- sequences ---- */

static const struct {
    char final;
    int number; /* the first parameter, where final is '~' */
    key_code code;
} sequence_keys[] = {
    { 'A', 0, KEY_UP },          { 'B', 0, KEY_DOWN }, { 'C', 0, KEY_RIGHT },
    { 'D', 0, KEY_LEFT },        { 'H', 0, KEY_HOME }, { 'F', 0, KEY_END },
    { 'Z', 0, KEY_TAB },         { '~', 1, KEY_HOME }, { '~', 2, KEY_INSERT },
    { '~', 3, KEY_DELETE },      { '~', 4, KEY_END },  { '~', 5, KEY_PAGE_UP },
    { '~', 6, KEY_PAGE_DOWN },   { '~', 7, KEY_HOME }, { '~', 8, KEY_END },
    { 'u', 13, KEY_ENTER },      { 'u', 9, KEY_TAB },  { 'u', 27, KEY_ESCAPE },
    { 'u', 127, KEY_BACKSPACE },
};

/* xterm writes 1 and the sum of shift 1, alt 2, ctrl 4. */
static unsigned modifiers_of(int parameter)
{
    if (parameter < 2)
        return 0;
    unsigned bits = (unsigned)parameter - 1;
    return (bits & 1 ? KEY_SHIFT : 0U) | (bits & (2 | 8) ? KEY_ALT : 0U) |
           (bits & 4 ? KEY_CTRL : 0U);
}

/* A letter with modifiers, as kitty and xterm's modifyOtherKeys write it. */
static key letter_key(int code, unsigned modifiers)
{
    if (code <= ' ' || code > '~' || (modifiers & (KEY_CTRL | KEY_ALT)) == 0)
        return plain_key(KEY_UNKNOWN, 0);
    key k = { .code = KEY_CHARACTER, .modifiers = modifiers & (KEY_CTRL | KEY_ALT) };
    k.text[0] = modifiers & KEY_CTRL ? to_lower((char)code) : (char)code;
    return k;
}

static key csi_key(keys *k, char final)
{
    const char *at = str_text(&k->sequence);
    int numbers[3] = { 0 }, count = 0;

    k->state = IN_TEXT;
    /* An answer to a question; a function key of the Linux console; a click. */
    if ((*at && strchr("?>[<", *at)) || (final == 'R' && strchr(at, ';')))
        return plain_key(KEY_UNKNOWN, 0);
    for (char *end; count < 3 && is_digit(*at); at = *end == ';' ? end + 1 : end)
        numbers[count++] = (int)(strtol(at, &end, 10) & 0xfffff);

    if (final == '~' && numbers[0] == 200) {
        k->state = IN_PASTE;
        str_clear(&k->pasted);
        k->pasted_bytes = k->end_seen = 0;
        return none;
    }

    unsigned modifiers = modifiers_of(numbers[1]);
    if (final == '~' && numbers[0] == 27)
        return numbers[2] == 13 ? plain_key(KEY_ENTER, modifiers)
                                : letter_key(numbers[2], modifiers);
    if (final == 'Z')
        modifiers |= KEY_SHIFT;
    for (size_t i = 0; i < sizeof sequence_keys / sizeof *sequence_keys; i++)
        if (sequence_keys[i].final == final &&
            (sequence_keys[i].number == 0 || sequence_keys[i].number == numbers[0]))
            return plain_key(sequence_keys[i].code, modifiers);
    return final == 'u' ? letter_key(numbers[0], modifiers) : plain_key(KEY_UNKNOWN, 0);
}

static key csi_byte(keys *k, unsigned char byte)
{
    char c = (char)byte;

    if (byte < ' ' || byte >= 0x7f) { /* it was none, and a control is one of its own */
        k->state = IN_TEXT;
        if (byte == 0x1b)
            return keys_take(k, byte);
        return byte < ' ' ? control_key(byte, 0) : plain_key(KEY_UNKNOWN, 0);
    }

    int is_final = byte >= 0x40 && !(c == '[' && k->sequence.len == 0);
    if (is_final)
        return csi_key(k, c);
    if (k->sequence.len < KEYS_SEQUENCE_BYTES)
        str_append(&k->sequence, &c, 1);
    return none;
}

static key ss3_byte(keys *k, unsigned char byte)
{
    k->state = IN_TEXT;
    if (byte == 'M')
        return plain_key(KEY_ENTER, 0);
    for (size_t i = 0; i < sizeof sequence_keys / sizeof *sequence_keys; i++)
        if (sequence_keys[i].number == 0 && (unsigned char)sequence_keys[i].final == byte &&
            byte < 'Z')
            return plain_key(sequence_keys[i].code, 0);
    return byte < ' ' ? text_byte(k, byte, 0) : plain_key(KEY_UNKNOWN, 0);
}

static key escape_byte(keys *k, unsigned char byte)
{
    int is_string = byte == ']' || byte == 'P' || byte == '_' || byte == '^';

    str_clear(&k->sequence);
    if (byte == '[' || byte == 'O' || is_string) {
        k->state = byte == '[' ? IN_CSI : byte == 'O' ? IN_SS3 : IN_STRING;
        return none;
    }

    if (byte == 0x1b) /* the second one begins a sequence, with Alt where rxvt has it */
        return none;
    k->state = IN_TEXT;
    /* Who leaves a menu by Escape and the text by Ctrl-C may do so at once. */
    return text_byte(k, byte, byte == 0x03 ? 0 : KEY_ALT);
}

/* OSC, DCS, APC, PM: up to BEL or ESC \. */
static key string_byte(keys *k, unsigned char byte)
{
    char c = (char)byte;

    if (byte == 0x07 || (k->state == IN_STRING_ESCAPE && c == '\\')) {
        k->state = IN_TEXT;
        return plain_key(KEY_UNKNOWN, 0);
    }

    if (k->state == IN_STRING_ESCAPE) { /* another sequence begins, and this one has no end */
        k->state = IN_ESCAPE;
        return escape_byte(k, byte);
    }

    if (byte == 0x03 || byte == 0x18) {
        k->state = IN_TEXT;
        return control_key(byte, 0);
    }

    k->state = byte == 0x1b ? IN_STRING_ESCAPE : IN_STRING;
    if (byte >= ' ' && k->sequence.len < KEYS_SEQUENCE_BYTES)
        str_append(&k->sequence, &c, 1);
    return none;
}

/* ---- pastes ---- */

static void keep_pasted(keys *k, const char *bytes, size_t len)
{
    k->pasted_bytes += len;
    if (k->pasted.len + len <= KEYS_PASTE_BYTES)
        str_append(&k->pasted, bytes, len);
}

static key paste_byte(keys *k, unsigned char byte)
{
    if (byte == (unsigned char)paste_end[k->end_seen]) {
        if (paste_end[++k->end_seen])
            return none;
        k->state = IN_TEXT;
        return plain_key(KEY_PASTE, 0);
    }

    /* It was not the mark after all. */
    size_t seen = k->end_seen;
    keep_pasted(k, paste_end, seen);
    k->end_seen = byte == 0x1b;
    char c = (char)byte;
    if (!k->end_seen)
        keep_pasted(k, &c, 1);
    return none;
}

/* ---- all ---- */

key keys_take(keys *k, unsigned char byte)
{
    switch (k->state) {
    case IN_ESCAPE:
        return escape_byte(k, byte);
    case IN_CSI:
        return csi_byte(k, byte);
    case IN_SS3:
        return ss3_byte(k, byte);
    case IN_STRING:
    case IN_STRING_ESCAPE:
        return string_byte(k, byte);
    case IN_PASTE:
        return paste_byte(k, byte);
    default:
        break;
    }

    if (byte == 0x1b) {
        k->state = IN_ESCAPE;
        k->have = k->want = 0;
        return none;
    }
    return k->want > 0 ? continue_character(k, byte) : text_byte(k, byte, 0);
}

int keys_waits(const keys *k)
{
    return k->state == IN_TEXT ? 0 : k->state == IN_ESCAPE ? 1 : 2;
}

key keys_give_up(keys *k)
{
    int state = k->state;

    k->state = IN_TEXT;
    k->have = k->want = 0;
    if (state == IN_ESCAPE)
        return plain_key(KEY_ESCAPE, 0);
    if (state == IN_PASTE)
        return plain_key(KEY_PASTE, 0);
    return state == IN_TEXT ? none : plain_key(KEY_UNKNOWN, 0);
}

void keys_free(keys *k)
{
    str_free(&k->sequence);
    str_free(&k->pasted);
}
