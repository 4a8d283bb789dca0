#include "py/core/fixed.h"

#include <string.h>

#include <snug/snug.h>

#include "base/clock.h"
#include "base/u64.h"
#include "py/core/state.h"

/* The exception to "no file-level state": in a full session threads of packages have no interpreter
 * of ours, and the process has one session. */
static interp *of_process;

enum { TICK_NS = 1000 };

void fixed_begin(interp *in)
{
    fixed_state *f = &in->fixed;

    if (f->has_begun)
        return;
    f->has_begun = 1;
    f->drawn = in->options.fixed.seed;
    if (in->options.is_full)
        of_process = in;
}

void fixed_end(const interp *in)
{
    if (of_process == in)
        of_process = NULL;
}

static interp *find_here(void)
{
    interp *in = interp_current ? interp_current : of_process;
    return in && in->fixed.has_begun ? in : NULL;
}

interp *fixed_clock_here(void)
{
    interp *in = find_here();
    return in && in->options.fixed.clock_ms ? in : NULL;
}

interp *fixed_seed_here(void)
{
    interp *in = find_here();
    return in && in->options.fixed.has_seed ? in : NULL;
}

/* ---- the clock ---- */

uint64_t fixed_elapsed_ns(interp *in)
{
    uint64_t now = in->fixed.elapsed_ns;
    in->fixed.elapsed_ns = u64_sum(now, TICK_NS);
    return now;
}

uint64_t fixed_standing_ns(const interp *in)
{
    return in->fixed.elapsed_ns;
}

uint64_t fixed_now_ns(interp *in)
{
    return u64_sum(in->options.fixed.clock_ms * NS_PER_MS, fixed_elapsed_ns(in));
}

void fixed_advance(uint64_t ns)
{
    interp *in = fixed_clock_here();
    if (in && ns != UINT64_MAX)
        in->fixed.elapsed_ns = u64_sum(in->fixed.elapsed_ns, ns);
}

/* ---- the numbers ---- */

/* SplitMix64. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static uint64_t next_number(fixed_state *f)
{
    f->drawn += UINT64_C(0x9e3779b97f4a7c15);
    return mix(f->drawn);
}

void fixed_draw(interp *in, void *out, size_t len)
{
    unsigned char *at = out;

    while (len > 0) {
        uint64_t number = next_number(&in->fixed);
        size_t piece = len < sizeof number ? len : sizeof number;
        memcpy(at, &number, piece);
        at += piece;
        len -= piece;
    }
}

uint64_t fixed_number(const interp *in, uint64_t purpose)
{
    return mix(mix(in->options.fixed.seed) + purpose);
}

/* ---- addresses ---- */

static const char before[] = " at 0x";
enum { BEFORE = sizeof before - 1, LEAST_DIGITS = 6, MOST_DIGITS = 16 };

/* How many digits an address has that begins there; 0: there is none. */
static size_t digits_at(const char *text, size_t len)
{
    size_t count = 0;
    while (count < len && ((text[count] >= '0' && text[count] <= '9') ||
                           (text[count] >= 'a' && text[count] <= 'f')))
        count++;
    return count >= LEAST_DIGITS && count <= MOST_DIGITS ? count : 0;
}

int fixed_rewrite(str *out, const interp *in, const char *text, size_t len)
{
    const char *at = text, *end = text + len, *done = text;
    int error = SNUG_OK;

    if (!in->options.fixed.has_seed)
        return 0;
    while (!error && (at = memmem(at, (size_t)(end - at), before, BEFORE))) {
        at += BEFORE;
        size_t digits = digits_at(at, (size_t)(end - at));
        if (digits == 0)
            continue;
        error = str_append(out, done, (size_t)(at - done));
        if (!error)
            error = str_add(out, "...");
        at += digits;
        done = at;
    }

    if (done == text)
        return 0;
    if (!error)
        error = str_append(out, done, (size_t)(end - done));
    return error ? -1 : 1;
}

int fixed_settle(const interp *in, str *text)
{
    str other = { 0 };

    if (!in->options.fixed.has_seed || text->len == 0)
        return SNUG_OK;
    int answer = fixed_rewrite(&other, in, text->data, text->len);
    if (answer > 0) {
        str_free(text);
        *text = other;
        return SNUG_OK;
    }

    str_free(&other);
    return answer < 0 ? SNUG_ENOMEM : SNUG_OK;
}
