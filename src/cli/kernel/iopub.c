#include "cli/kernel/iopub.h"

#include <inttypes.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/utf8.h"

enum {
    GATHER_MS = 20,
    GATHERED_BYTES = 64 * 1024 /* that go at once */
};

int publisher_open(publisher *p, channels *c, const connection *where)
{
    *p = (publisher){ .lock = PTHREAD_MUTEX_INITIALIZER, .channels = c };
    p->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (p->timer_fd < 0)
        return error_system("timerfd_create");
    return signer_open(&p->signer, &where->key, &where->digest);
}

void publisher_close(publisher *p)
{
    if (p->timer_fd >= 0)
        close(p->timer_fd);
    signer_close(p->signer);
    str_free(&p->text);
    content_free(&p->scratch);
    p->timer_fd = -1;
    p->signer = NULL;
}

/* ---- with the lock held ---- */

static void send_content(publisher *p, const kernel_message *parent, const char *type,
                         const content *c)
{
    const outgoing o = {
        .type = type, .parent = parent, .content = str_text(&c->text), .content_len = c->text.len
    };

    if (c->has_failed)
        kernel_log("out of memory for a message %s", type);
    else
        channels_publish(p->channels, p->signer, &o);
}

/* With wait, a front end keeps what there is until something new comes, and does not flicker. */
static void send_clear(publisher *p, int is_followed)
{
    if (!p->clears)
        return;
    p->clears = 0;
    content_clear(&p->scratch);
    content_add(&p->scratch, is_followed ? "{\"wait\":true}" : "{\"wait\":false}");
    send_content(p, p->cell, "clear_output", &p->scratch);
}

/* is_followed: by something that is shown. */
static void flush_text(publisher *p, int is_followed)
{
    send_clear(p, is_followed || p->text.len > 0);
    if (p->text.len == 0)
        return;
    content_clear(&p->scratch);
    content_add(&p->scratch, p->stream == SNUG_STREAM_STDERR ? "{\"name\":\"stderr\",\"text\":"
                                                             : "{\"name\":\"stdout\",\"text\":");
    content_quote(&p->scratch, p->text.data, p->text.len);
    content_add(&p->scratch, "}");
    send_content(p, p->cell, "stream", &p->scratch);
    str_clear(&p->text);
}

static void set_timer(publisher *p)
{
    const struct itimerspec time = { .it_value = { .tv_nsec = GATHER_MS * (long)NS_PER_MS } };
    timerfd_settime(p->timer_fd, 0, &time, NULL);
}

/* ---- */

void iopub_status(publisher *p, const kernel_message *parent, const char *state)
{
    pthread_mutex_lock(&p->lock);
    flush_text(p, 0);
    content_clear(&p->scratch);
    content_add(&p->scratch, "{");
    content_text(&p->scratch, "execution_state", state);
    content_add(&p->scratch, "}");
    send_content(p, parent, "status", &p->scratch);
    pthread_mutex_unlock(&p->lock);
}

/* What a front end that waits with clearing waits for. */
static int is_shown(const char *type)
{
    return !strcmp(type, "display_data") || !strcmp(type, "execute_result") ||
           !strcmp(type, "error");
}

void iopub_send(publisher *p, const kernel_message *parent, const char *type, const content *c)
{
    pthread_mutex_lock(&p->lock);
    flush_text(p, is_shown(type));
    send_content(p, parent, type, c);
    pthread_mutex_unlock(&p->lock);
}

void iopub_begin(publisher *p, const kernel_message *cell)
{
    pthread_mutex_lock(&p->lock);
    p->cell = cell;
    p->most_bytes = UINT64_MAX;
    memset(p->told_bytes, 0, sizeof p->told_bytes);
    memset(p->left_out_bytes, 0, sizeof p->left_out_bytes);
    pthread_mutex_unlock(&p->lock);
}

void iopub_bound(publisher *p, uint64_t most_bytes)
{
    pthread_mutex_lock(&p->lock);
    p->most_bytes = most_bytes;
    pthread_mutex_unlock(&p->lock);
}

void iopub_text(publisher *p, snug_stream stream, const char *text, size_t len)
{
    int which = stream == SNUG_STREAM_STDERR;

    pthread_mutex_lock(&p->lock);
    uint64_t told_before = p->told_bytes[which];
    uint64_t room = p->most_bytes > told_before ? p->most_bytes - told_before : 0;
    size_t told = len <= room ? len : utf8_floor(text, len, (size_t)room);
    p->left_out_bytes[which] += len - told;
    /* What comes behind a gap is not told either. */
    p->told_bytes[which] = told < len ? p->most_bytes : p->told_bytes[which] + told;

    if (p->text.len > 0 && p->stream != stream)
        flush_text(p, 0);
    if (p->text.len == 0 && told > 0)
        set_timer(p);
    p->stream = stream;
    if (str_append(&p->text, text, told))
        p->left_out_bytes[which] += told;
    if (p->text.len >= GATHERED_BYTES)
        flush_text(p, 0);
    pthread_mutex_unlock(&p->lock);
}

void iopub_left_out(publisher *p, uint64_t left_out[2])
{
    pthread_mutex_lock(&p->lock);
    memcpy(left_out, p->left_out_bytes, sizeof p->left_out_bytes);
    p->most_bytes = UINT64_MAX;
    pthread_mutex_unlock(&p->lock);
}

void iopub_clear(publisher *p)
{
    pthread_mutex_lock(&p->lock);
    flush_text(p, 0);
    p->clears = 1;
    set_timer(p);
    pthread_mutex_unlock(&p->lock);
}

void iopub_end(publisher *p)
{
    pthread_mutex_lock(&p->lock);
    flush_text(p, 0);
    p->cell = NULL;
    pthread_mutex_unlock(&p->lock);
}

void iopub_flush(publisher *p)
{
    pthread_mutex_lock(&p->lock);
    flush_text(p, 0);
    pthread_mutex_unlock(&p->lock);
}

void iopub_late(publisher *p)
{
    uint64_t count;
    ssize_t taken = read(p->timer_fd, &count, sizeof count);

    (void)taken;
    iopub_flush(p);
}
