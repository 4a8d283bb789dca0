#include "cli/packages/pip.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/file.h"
#include "base/process/child.h"
#include "cli/program/command.h"
#include "cli/program/secrets.h"
#include "wire/json.h"

enum {
    MOST_WORDS = 40,
    MOST_REPORT_BYTES = 64 << 20,
    MOST_OUTPUT_BYTES = 16 << 20, /* of a stream; its head is dropped then */
    PATIENCE_MS = 2000            /* between asking a child to end and ending it */
};

/* ---- a list of words ---- */

typedef struct words {
    char *items[MOST_WORDS + 1];
    size_t count;
    int failed;
} words;

__attribute__((format(printf, 2, 3))) static void add_word(words *w, const char *format, ...)
{
    va_list args;
    char *text = NULL;

    va_start(args, format);
    if (w->count == MOST_WORDS || vasprintf(&text, format, args) < 0)
        w->failed = 1;
    else
        w->items[w->count++] = text;
    va_end(args);
}

static void drop_words(words *w)
{
    for (size_t i = 0; i < w->count; i++)
        free(w->items[i]);
    *w = (words){ 0 };
}

/* ---- its environment ---- */

/* Where packages come from, and how to get there. By the environment and not by options, because
 * every user sees those, and addresses may have passwords. */
static const char *const passed[] = {
    "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_TRUSTED_HOST", "PIP_CERT",  "PIP_CLIENT_CERT",
    "PIP_PROXY",     "http_proxy",          "https_proxy",      "all_proxy", "no_proxy",
    "HTTP_PROXY",    "HTTPS_PROXY",         "ALL_PROXY",        "NO_PROXY",  "SSL_CERT_FILE",
    "SSL_CERT_DIR",  "REQUESTS_CA_BUNDLE",  "CURL_CA_BUNDLE",   "HOME",      "XDG_CACHE_HOME",
    "NETRC",
};

static void fill_environment(words *env, const pip *p, const char *path)
{
    add_word(env, "PATH=%s", path);
    add_word(env, "LANG=C.UTF-8");
    add_word(env, "TMPDIR=%s", p->folder);
    add_word(env, "PIP_CONFIG_FILE=/dev/null"); /* and none of the others is read */
    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++) {
        const char *value = getenv(passed[i]);
        if (value && *value)
            add_word(env, "%s=%s", passed[i], value);
    }
}

/* ---- a child and its end ---- */

typedef struct outcome {
    str out, err;
    int status; /* as waitpid has it */
} outcome;

static void free_outcome(outcome *o)
{
    str_free(&o->out);
    str_free(&o->err);
}

/* Reads until both streams are closed. 0, or the signal that asks snug to end. */
static int listen_to(child *c, outcome *o, signals *s)
{
    size_t at = 0;

    child_write(c, "", 0, &at, 1);
    while (c->out >= 0 || c->err >= 0) {
        struct pollfd waited[] = { { c->out, POLLIN, 0 },
                                   { c->err, POLLIN, 0 },
                                   { signals_fd(s), POLLIN, 0 } };
        if (signals_taken(s))
            return signals_taken(s);
        poll(waited, 3, -1);
        while (signals_next(s))
            ;
        child_read(&c->out, &o->out, MOST_OUTPUT_BYTES);
        child_read(&c->err, &o->err, MOST_OUTPUT_BYTES);
    }

    return signals_taken(s);
}

static int run_child(outcome *o, const pip *p, const words *arguments, const words *env)
{
    child c;

    *o = (outcome){ 0 };
    if (arguments->failed || env->failed)
        return command_fail_memory();
    if (child_start_program(&c, arguments->items, env->items))
        return command_fail(EXIT_USAGE, "%s", error_message());

    int taken = listen_to(&c, o, p->signals);
    if (taken) {
        kill(-c.pid, SIGTERM);
        child_end(&c, PATIENCE_MS);
    }

    child_wait(&c);
    child_free(&c);
    secrets_hide_str(&o->err); /* which is quoted, cut */
    o->status = c.status;
    return taken ? 128 + taken : EXIT_FINE;
}

/* ---- what pip says when it fails ---- */

/* The last line that begins with mark, other than the one that begins with not, and the lines
 * behind it that are indented. NULL: there is none. */
static const char *last_marked(size_t *size, const char *text, const char *mark, const char * not )
{
    const char *found = NULL;

    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const size_t len = strcspn(line, "\n");
        const int is_marked = !strncmp(line, mark, strlen(mark));
        if (is_marked && (!not || strncmp(line + strlen(mark), not, strlen(not )) != 0)) {
            found = line + strlen(mark);
            *size = len - strlen(mark);
        } else if (found && found + *size + 1 == line && *line == ' ') {
            *size += len + 1;
        }
    }

    return found;
}

/* On one line, without what controls a terminal, and without which line of our own file a
 * requirement is from. */
static void tidy_error(char *out, size_t size, const char *text, size_t len)
{
    static const char ours[] = " (from -r ";
    size_t at = 0;

    for (size_t i = 0; i < len && at + 1 < size; i++) {
        if (!strncmp(text + i, ours, strlen(ours))) {
            const char *end = strstr(text + i, "))");
            if (end && end < text + len) {
                i = (size_t)(end + 1 - text);
                continue;
            }
        }

        int is_gap = (unsigned char)text[i] <= ' ' || text[i] == 0x7f;
        if (!is_gap)
            out[at++] = text[i];
        else if (at > 0 && out[at - 1] != ' ')
            out[at++] = ' ';
    }
    out[at] = '\0';
}

static int fail_pip(const outcome *o, const char *python)
{
    char error[600];
    size_t len = 0;
    const char *text = str_text(&o->err);
    const char *line = last_marked(&len, text, "ERROR: ", "ResolutionImpossible");

    if (strstr(text, "No module named pip"))
        return command_fail(EXIT_USAGE,
                            "%s has no pip: install it, as the Debian package python3-pip", python);

    if (!line)
        len = child_last_line(&line, text, strlen(text));
    tidy_error(error, sizeof error, line, len);
    if (strstr(text, "WARNING: Retrying "))
        return command_fail(EXIT_FAILED, "the package index cannot be reached; pip: %s", error);
    if (WIFSIGNALED(o->status))
        return command_fail(EXIT_FAILED, "pip was ended by signal %d", WTERMSIG(o->status));
    return command_fail(EXIT_FAILED, "pip: %s", *error ? error : "it failed without a word");
}

static int run_pip(const pip *p, const words *arguments)
{
    words env = { 0 };
    outcome o;

    fill_environment(&env, p, "/usr/local/bin:/usr/bin:/bin");
    int status = run_child(&o, p, arguments, &env);
    if (p->is_verbose)
        term_put(stderr, str_text(&o.err), o.err.len);
    if (!status && o.status != 0)
        status = fail_pip(&o, arguments->items[0]);
    free_outcome(&o);
    drop_words(&env);
    return status;
}

/* -I: no module of the current folder or of the user. */
static void begin_pip_command(words *w, const pip *p, const char *into)
{
    static const char *const fixed[] = {
        SNUG_PYTHON_PROGRAM,
        "-I",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-input",
        "--no-color",
        "--disable-pip-version-check",
        "--root-user-action=ignore",
        "--retries=2",
        "--timeout=15",
    };

    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        add_word(w, "%s", fixed[i]);
    add_word(w, "--target=%s", into);
    if (!p->builds)
        add_word(w, "--only-binary=:all:");
    if (p->wheels) {
        add_word(w, "--no-index");
        add_word(w, "--find-links=%s", p->wheels);
    }
}

static int write_list(const char *path, const str *text)
{
    const struct iovec piece = { text->data, text->len };
    if (file_replace(path, &piece, 1))
        return command_fail(EXIT_USAGE, "%s", error_message());
    return EXIT_FINE;
}

/* ---- the plan ---- */

static const char *member_word(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(item) ? item->valuestring : NULL;
}

/* In place: "%20" is a space. */
static void unquote_url(char *text)
{
    char *to = text;

    for (const char *c = text; *c; c++) {
        int high = *c == '%' ? hex_value(c[1]) : -1;
        int low = high >= 0 ? hex_value(c[2]) : -1;
        if (low < 0) {
            *to++ = *c;
            continue;
        }

        /* A NUL would end the path. */
        *to++ = high + low > 0 ? (char)(high * 16 + low) : *c;
        c += 2;
    }
    *to = '\0';
}

/* A file's folder; *bytes is the size of the file. Takes path. */
static char *folder_of(char *path, uint64_t *bytes)
{
    struct stat facts;

    unquote_url(path);
    if (!stat(path, &facts) && S_ISREG(facts.st_mode))
        *bytes = (uint64_t)facts.st_size;

    char *slash = strrchr(path, '/');
    if (slash && slash > path)
        *slash = '\0';
    return path;
}

/* A file has its folder and its size, an address its host, without a password. */
static char *describe_source(const char *url, uint64_t *bytes)
{
    static const char file[] = "file://";
    const char *scheme_end = strstr(url, "://");

    if (!scheme_end)
        return strdup(url);

    if (!strncmp(url, file, strlen(file))) {
        char *path = strdup(url + strlen(file));
        if (!path)
            return NULL;
        return folder_of(path, bytes);
    }

    const char *host = scheme_end + 3;
    size_t len = strcspn(host, "/?#");
    const char *sign = memrchr(host, '@', len);
    if (sign) {
        len -= (size_t)(sign + 1 - host);
        host = sign + 1;
    }

    return strndup(host, len);
}

/* "sha256:DIGITS" of {"hashes": {"sha256": DIGITS}} or {"hash": "sha256=DIGITS"}. */
static char *hash_of(const cJSON *archive)
{
    const char *told = member_word(archive, "hash");
    const char *digits = member_word(cJSON_GetObjectItemCaseSensitive(archive, "hashes"), "sha256");
    char *out = NULL;

    if (!digits && told && !strncmp(told, "sha256=", 7))
        digits = told + 7;
    if (!digits || strlen(digits) != 64 || strspn(digits, "0123456789abcdef") != 64)
        return NULL;
    return asprintf(&out, "sha256:%s", digits) < 0 ? NULL : out;
}

static int read_plan_item(pip_package *out, const cJSON *item)
{
    const cJSON *metadata = cJSON_GetObjectItemCaseSensitive(item, "metadata");
    const cJSON *download = cJSON_GetObjectItemCaseSensitive(item, "download_info");
    const cJSON *archive = cJSON_GetObjectItemCaseSensitive(download, "archive_info");
    const char *name = member_word(metadata, "name"), *version = member_word(metadata, "version");
    const char *url = member_word(download, "url");
    if (!name || !version || !url || requirements_name(name) != strlen(name) ||
        !requirements_is_version(version))
        return command_fail(EXIT_FAILED, "pip's plan has a package without a name or a version");

    const char *end = url + strcspn(url, "#?");
    *out = (pip_package){ .name = strdup(name), .version = strdup(version) };
    out->hash = hash_of(archive);
    out->is_source = end - url < 4 || strncmp(end - 4, ".whl", 4) != 0;
    out->source = describe_source(url, &out->bytes);
    out->is_wanted = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(item, "requested"));
    if (!out->name || !out->version || !out->source)
        return command_fail_memory();
    return EXIT_FINE;
}

static int read_plan(pip_plan *out, const char *path)
{
    str text = { 0 };
    cJSON *report = NULL;
    const cJSON *item;
    int status = EXIT_FINE;

    if (file_read(&text, path, MOST_REPORT_BYTES) || json_parse(&report, text.data, text.len)) {
        status = command_fail(EXIT_FAILED, "pip's plan cannot be read: %s", error_message());
        goto done;
    }

    const cJSON *items = cJSON_GetObjectItemCaseSensitive(report, "install");
    out->items = calloc((size_t)cJSON_GetArraySize(items) + 1, sizeof *out->items);
    if (!out->items) {
        status = command_fail_memory();
        goto done;
    }

    cJSON_ArrayForEach(item, items)
    {
        status = read_plan_item(&out->items[out->count++], item);
        if (status)
            break;
    }

done:
    str_free(&text);
    cJSON_Delete(report);
    return status;
}

int pip_make_plan(pip_plan *out, const pip *p, const requirements *wanted)
{
    words w = { 0 };
    str report = { 0 }, lines = { 0 }, constraints = { 0 };
    int status, failed;

    *out = (pip_plan){ 0 };
    failed = str_printf(&report, "%s/plan.json", p->folder);
    failed |= str_printf(&lines, "%s/requirements.txt", p->folder);
    failed |= str_printf(&constraints, "%s/constraints.txt", p->folder);
    if (failed) {
        status = command_fail_memory();
        goto done;
    }

    begin_pip_command(&w, p, p->folder);
    add_word(&w, "--dry-run");
    add_word(&w, "--report=%s", report.data);
    add_word(&w, "--requirement=%s", lines.data);
    if (wanted->constraints.len > 0)
        add_word(&w, "--constraint=%s", constraints.data);
    if (p->requires_hashes || wanted->has_hashes)
        add_word(&w, "--require-hashes");

    status = write_list(lines.data, &wanted->lines);
    if (!status && wanted->constraints.len > 0)
        status = write_list(constraints.data, &wanted->constraints);
    if (!status)
        status = run_pip(p, &w);
    if (!status)
        status = read_plan(out, report.data);

done:
    drop_words(&w);
    str_free(&report);
    str_free(&lines);
    str_free(&constraints);
    return status;
}

void pip_plan_free(pip_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        free(plan->items[i].name);
        free(plan->items[i].version);
        free(plan->items[i].hash);
        free(plan->items[i].source);
    }

    free(plan->items);
    *plan = (pip_plan){ 0 };
}

/* ---- installing ---- */

/* By version and hash, so that nothing comes that was not told. pip wants hashes of all or of
 * none. */
static int pin_packages(str *out, const pip_plan *plan, int *has_hashes)
{
    int error = SNUG_OK;

    *has_hashes = 1;
    for (size_t i = 0; i < plan->count; i++)
        if (!plan->items[i].hash)
            *has_hashes = 0;

    for (size_t i = 0; i < plan->count && !error; i++) {
        const pip_package *item = &plan->items[i];
        error = str_printf(out, "%s==%s", item->name, item->version);
        if (!error && *has_hashes)
            error = str_printf(out, " --hash=%s", item->hash);
        if (!error)
            error = str_add(out, "\n");
    }

    if (error)
        return command_fail_memory();
    return EXIT_FINE;
}

int pip_install(const pip *p, const pip_plan *plan, const char *into)
{
    words w = { 0 };
    str lines = { 0 }, path = { 0 };
    int has_hashes;
    int status = pin_packages(&lines, plan, &has_hashes);

    if (!status && str_printf(&path, "%s/pinned.txt", p->folder))
        status = command_fail_memory();
    begin_pip_command(&w, p, into);
    add_word(&w, "--no-deps");
    add_word(&w, "--requirement=%s", str_text(&path));
    if (has_hashes)
        add_word(&w, "--require-hashes");
    if (!status)
        status = write_list(path.data, &lines);
    if (!status)
        status = run_pip(p, &w);
    drop_words(&w);
    str_free(&lines);
    str_free(&path);
    return status;
}

/* ---- pip-audit ---- */

static const char *path_variable(void)
{
    const char *path = getenv("PATH");
    return path && *path ? path : "/usr/local/bin:/usr/bin:/bin";
}

/* Of absolute folders only. */
char *pip_find_audit(void)
{
    for (const char *at = path_variable(); *at; at += strcspn(at, ":"), at += *at == ':') {
        char *path = NULL;
        struct stat facts;
        if (*at != '/' || asprintf(&path, "%.*s/pip-audit", (int)strcspn(at, ":"), at) < 0)
            continue;
        if (!stat(path, &facts) && S_ISREG(facts.st_mode) && !access(path, X_OK))
            return path;
        free(path);
    }
    return NULL;
}

static const char *word_or(const cJSON *object, const char *name, const char *otherwise)
{
    const char *word = member_word(object, name);
    return word ? word : otherwise;
}

static void print_vulnerability(const cJSON *package, const cJSON *finding)
{
    const cJSON *fixes = cJSON_GetObjectItemCaseSensitive(finding, "fix_versions"), *fix;
    const char *before = ", fixed in ";
    str line = { 0 };

    (void)str_printf(&line, "pip-audit: %s %s: %s", word_or(package, "name", "?"),
                     word_or(package, "version", "?"), word_or(finding, "id", "?"));
    cJSON_ArrayForEach(fix, fixes)
    {
        (void)str_printf(&line, "%s%s", before, cJSON_IsString(fix) ? fix->valuestring : "?");
        before = " and ";
    }

    term_put(stdout, str_text(&line), line.len);
    putchar('\n');
    str_free(&line);
}

/* It exits with 1 when it has found something, and when it has failed: then it prints no JSON. */
static int read_audit(size_t *found, const outcome *o)
{
    cJSON *report = NULL;
    const cJSON *package, *finding;

    if (!o->out.len || json_parse(&report, o->out.data, o->out.len)) {
        const char *line, *text = str_text(&o->err);
        int len = (int)child_last_line(&line, text, strlen(text));
        return command_fail(EXIT_FAILED, "pip-audit failed: %.*s", len, line);
    }

    cJSON_ArrayForEach(package, cJSON_GetObjectItemCaseSensitive(report, "dependencies"))
    {
        cJSON_ArrayForEach(finding, cJSON_GetObjectItemCaseSensitive(package, "vulns"))
        {
            print_vulnerability(package, finding);
            ++*found;
        }
    }
    cJSON_Delete(report);
    return EXIT_FINE;
}

int pip_audit(size_t *found, const pip *p, const char *program, const char *folder)
{
    words w = { 0 }, env = { 0 };
    outcome o;

    *found = 0;
    add_word(&w, "%s", program);
    add_word(&w, "--path=%s", folder);
    add_word(&w, "--format=json");
    add_word(&w, "--progress-spinner=off");
    fill_environment(&env, p, path_variable());
    int status = run_child(&o, p, &w, &env);
    if (!status)
        status = read_audit(found, &o);
    free_outcome(&o);
    drop_words(&w);
    drop_words(&env);
    return status;
}
