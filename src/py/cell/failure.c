#include "py/cell/failure.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "py/cell/program.h"
#include "py/core/alloc.h"
#include "py/core/raised.h"
#include "py/core/stopping.h"
#include "py/core/trust.h"
#include "py/core/valuetext.h"
#include "py/hints/hints.h"
#include "py/report/shortage.h"
#include "py/report/traceback.h"
#include "py/surface/patch_py.h"

enum { TRACEBACK_BYTES = 64 * 1024 };

/* ---- source lines ---- */

typedef struct lines_payload {
    interp *in;
    PyObject *filename; /* whose text is in file; owned */
    str file;
} lines_payload;

/* The number in "<cell 12>", or 0. */
static uint64_t read_cell_number(PyObject *filename)
{
    unsigned long long number = 0;
    const char *text = PyUnicode_AsUTF8(filename);
    int end = 0;
    if (!text) {
        PyErr_Clear();
        return 0;
    }

    int is_read = sscanf(text, "<cell %llu>%n", &number, &end) == 1;
    if (!is_read || end == 0 || text[end])
        return 0;
    return number;
}

static int is_cell(void *payload, PyObject *filename)
{
    const lines_payload *lines = payload;
    size_t len;
    return read_cell_number(filename) != 0 || program_source(lines->in, filename, &len) != NULL;
}

enum { SOURCE_FILE_BYTES = 4 * 1024 * 1024 };

static int read_source_file(str *out, const char *path)
{
    FILE *file = fopen(path, "re");
    char buffer[16384];
    size_t n;

    if (!file)
        return 0;
    while ((n = fread(buffer, 1, sizeof buffer, file)) > 0 && out->len < SOURCE_FILE_BYTES)
        if (str_append(out, buffer, n) != SNUG_OK)
            break;

    fclose(file);
    return out->len > 0;
}

static const char *utf8_of(PyObject *source, size_t *len)
{
    Py_ssize_t size = 0;
    const char *text = source ? PyUnicode_AsUTF8AndSize(source, &size) : NULL;

    PyErr_Clear();
    *len = (size_t)size;
    return text;
}

/* Of a module of the work directory; borrowed. */
static PyObject *source_of_file(const interp *in, PyObject *filename)
{
    if (!in->file_sources || !PyUnicode_CheckExact(filename))
        return NULL;
    return PyDict_GetItemWithError(in->file_sources, filename);
}

/* Cells, and files of the standard library. No other file, whatever name the guest
 * gave to compile: a traceback must not print /etc/passwd. */
static const char *source_text_of(void *payload, PyObject *filename, size_t *len)
{
    lines_payload *lines = payload;
    interp *in = lines->in;
    uint64_t number = read_cell_number(filename);
    if (number > 0)
        return utf8_of(number <= in->source_count ? in->sources[number - 1] : NULL, len);

    const char *program = program_source(in, filename, len);
    if (program)
        return program;

    PyObject *source = source_of_file(in, filename);
    if (source)
        return utf8_of(source, len);
    if (!interp_trusts(in, filename))
        return NULL;

    const char *path = PyUnicode_AsUTF8(filename);
    if (!path || path[0] != '/')
        return NULL;
    if (!lines->filename || PyUnicode_Compare(lines->filename, filename) != 0) {
        str_clear(&lines->file);
        Py_XSETREF(lines->filename, Py_NewRef(filename));
        if (!read_source_file(&lines->file, path))
            return NULL;
    }

    if (lines->file.len == 0)
        return NULL;
    *len = lines->file.len;
    return lines->file.data;
}

/* ---- categories ---- */

typedef struct category {
    PyObject **type;
    const char *name, *group;
} category;

/* The first row whose type matches. */
static void categorise(outcome *out, interp *in, PyObject *exc)
{
    const category table[] = {
        { &in->policy_error, "policy", "environment" },
        { &in->import_denied, "policy", "import" },
        { &in->tool_error, "tool", "environment" },
        { &PyExc_SyntaxError, "syntax", "syntax" },
        { &PyExc_NameError, "name", "runtime" },
        { &PyExc_ImportError, "import", "import" },
        { &PyExc_AttributeError, "attribute", "runtime" },
        { &PyExc_TypeError, "type", "runtime" },
        { &PyExc_RecursionError, "recursion", "runtime" },
        { &PyExc_ValueError, "value", "runtime" },
        { &PyExc_LookupError, "index", "runtime" },
        { &PyExc_ArithmeticError, "arithmetic", "runtime" },
        { &PyExc_AssertionError, "assertion", "runtime" },
        { &PyExc_MemoryError, "memory", "environment" },
        { &PyExc_TimeoutError, "runtime", "runtime" },
        { &PyExc_OSError, "io", "environment" },
        { &PyExc_EOFError, "io", "environment" },
        { &PyExc_BaseException, "runtime", "runtime" },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (PyErr_GivenExceptionMatches(exc, *table[i].type)) {
            out->category = table[i].name;
            out->error_class = table[i].group;
            return;
        }
    }
}

/* ---- stops ---- */

typedef struct stop_text {
    snug_status status;
    const char *category, *group, *name;
    const char *message; /* with the limit in place of %s */
    const char *hint;
} stop_text;

#define LONGER_LIMIT_HINT                                                        \
    "The cell was stopped and its names are kept: do less work in one cell, or " \
    "ask for a longer limit."

static const stop_text stop_texts[] = {
    [STOP_NONE] = { SNUG_STATUS_CRASHED, "internal", "runtime", "SystemError", "the cell was lost",
                    "" },
    [STOP_TIMEOUT] = { SNUG_STATUS_TIMEOUT, "timeout", "environment", "TimeoutError",
                       "the cell ran longer than its limit of %s", LONGER_LIMIT_HINT },
    [STOP_CPU] = { SNUG_STATUS_TIMEOUT, "timeout", "environment", "TimeoutError",
                   "the cell used more processor time than its limit of %s", LONGER_LIMIT_HINT },
    [STOP_SESSION_CPU] = { SNUG_STATUS_TIMEOUT, "timeout", "environment", "TimeoutError",
                           "the session has used up its processor time of %s",
                           "No further cell of this session can compute." },
    [STOP_MEMORY] = { SNUG_STATUS_MEMORY, "memory", "environment", "MemoryError",
                      "the session went on past its memory limit of %s",
                      "Keep less in memory: work in parts, and delete what is done with." },
    [STOP_STALLED] = { SNUG_STATUS_STALLED, "stalled", "environment", "StalledError",
                       "the cell waited for Python's lock (GIL), which another session held",
                       OUTCOME_STALLED_HINT },
    [STOP_INTERRUPT] = { SNUG_STATUS_INTERRUPTED, "runtime", "runtime", "KeyboardInterrupt", "",
                         "" },
};

static const char threads_hint[] = "The code had ended, but threads that it had started still ran: "
                                   "join them, and shut a pool down (use `with`).";

static void format_limit(char *text, size_t size, stop_reason reason, uint64_t limit)
{
    if (reason == STOP_MEMORY)
        snprintf(text, size, "%.4g MiB", (double)limit / (1 << 20));
    else
        snprintf(text, size, "%g s", (double)limit / 1000.0);
}

/* Everything but traceback and frames. */
static int fill_stop(outcome *out, const interp *in, stop_reason reason)
{
    char limit_text[32];
    const stop_text *text = &stop_texts[reason];
    int is_over_time = text->status == SNUG_STATUS_TIMEOUT && reason != STOP_SESSION_CPU;

    format_limit(limit_text, sizeof limit_text, reason, in->stop.limit);
    out->status = text->status;
    out->category = text->category;
    out->error_class = text->group;
    const char *hint = text->hint;
    if (in->threads.was_stopped && is_over_time)
        hint = threads_hint;

    int error;
    const char *hole = strstr(text->message, "%s");
    if (hole)
        error = str_printf(&out->error_value, "%.*s%s%s", (int)(hole - text->message),
                           text->message, limit_text, hole + 2);
    else
        error = str_add(&out->error_value, text->message);

    if (!error)
        error = str_add(&out->error_name, text->name);
    if (!error)
        error = str_add(&out->hint, hint);
    return error;
}

/* A stop that hit the event loop's wait has only frames of the host. */
static int shows_a_cell(interp *in, PyObject *traceback)
{
    lines_payload payload = { .in = in };
    int answer = 0;
    for (PyTracebackObject *t = (PyTracebackObject *)traceback; t && !answer; t = t->tb_next) {
        PyCodeObject *code = PyFrame_GetCode(t->tb_frame);
        answer = is_cell(&payload, code->co_filename);
        Py_DECREF(code);
    }
    return answer;
}

static PyObject *type_of_stop(stop_reason reason)
{
    if (reason == STOP_INTERRUPT)
        return PyExc_KeyboardInterrupt;
    if (reason == STOP_MEMORY)
        return PyExc_MemoryError;
    return PyExc_TimeoutError;
}

/* What the model reads in place of the exception that ended the cell: the limit, or
 * the interrupt, at the place where it hit. New reference. */
static PyObject *explain_stop(outcome *out, interp *in, PyObject *exc)
{
    stop_reason reason = (stop_reason)atomic_load(&in->stop.reason);

    interp_settle(in);
    if (fill_stop(out, in, reason) != SNUG_OK)
        return NULL;

    PyObject *type = type_of_stop(reason), *shown;
    if (out->error_value.len > 0)
        shown = PyObject_CallFunction(type, "s", out->error_value.data);
    else
        shown = PyObject_CallNoArgs(type);

    PyObject *traceback = PyException_GetTraceback(exc);
    if (shown && traceback && shows_a_cell(in, traceback))
        PyException_SetTraceback(shown, traceback);

    /* The cell had failed already when the stop came. */
    if (shown && in->threads.was_stopped)
        PyException_SetContext(shown, PyException_GetContext(exc));
    Py_XDECREF(traceback);
    PyErr_Clear();
    str_clear(&out->error_name);
    str_clear(&out->error_value);
    return shown;
}

/* The traceback of what was not raised where anybody could see it. */
static int add_last_line(outcome *out)
{
    return str_printf(&out->traceback, "%s: %s\n", str_text(&out->error_name),
                      str_text(&out->error_value));
}

int failure_of_late_stop(outcome *out, const interp *in)
{
    stop_reason reason = (stop_reason)atomic_load(&in->stop.reason);
    if (!stopping_is_asked(in) || out->status == stop_texts[reason].status)
        return SNUG_OK;

    outcome_free(out);
    *out = (outcome){ 0 };
    if (fill_stop(out, in, reason) != SNUG_OK || add_last_line(out) != SNUG_OK)
        return error_no_memory();
    return SNUG_OK;
}

static int fill_crash(outcome *out, guard_end end, int number)
{
    out->status = SNUG_STATUS_CRASHED;
    out->category = "internal";
    out->error_class = "runtime";
    int error = str_add(&out->error_name, "SystemError");
    if (error)
        return error;
    if (end == GUARD_EXIT)
        return str_printf(&out->error_value, "the code tried to end the process (status %d)",
                          number);

    return str_printf(&out->error_value, "the interpreter crashed: %s", strsignal(number));
}

int failure_of_loss(outcome *out, const interp *in, guard_end end, int number)
{
    stop_reason reason = (stop_reason)atomic_load(&in->stop.reason);
    int error;

    if (end == GUARD_JUMPED)
        error = fill_stop(out, in, reason);
    else
        error = fill_crash(out, end, number);

    str_clear(&out->hint);
    if (!error)
        error = str_add(&out->hint, end == GUARD_JUMPED && reason == STOP_INTERRUPT
                                        ? outcome_stopped_hint
                                        : outcome_lost_hint);
    if (!error)
        error = add_last_line(out);
    return error ? error_no_memory() : SNUG_OK;
}

int interp_explain_loss(outcome *out, const interp *in)
{
    *out = (outcome){ 0 };
    /* One of several threads may have been torn out by a fault before. */
    if (atomic_load(&in->threads.is_lost))
        return failure_of_loss(out, in, in->threads.end, in->threads.number);
    return failure_of_loss(out, in, GUARD_JUMPED, 0);
}

static int copy_frames(outcome *out, PyObject *exc, const source_lines *lines)
{
    traceback_frames frames = { 0 };
    int error = traceback_collect(&frames, exc, lines);

    if (error == SNUG_OK && frames.count > 0) {
        out->frames = calloc(frames.count, sizeof *out->frames);
        if (!out->frames)
            error = SNUG_ENOMEM;
    }

    for (size_t i = 0; error == SNUG_OK && i < frames.count; i++) {
        traceback_frame *from = &frames.items[i];
        out->frames[i] = (outcome_frame){ from->file, from->function, from->code, from->line };
        *from = (traceback_frame){ 0 };
        out->frame_count++;
    }

    traceback_frames_free(&frames);
    return error;
}

/* The message of a SyntaxError without the place that its str() adds. Borrowed. */
static PyObject *syntax_message(PyObject *exc)
{
    if (!PyErr_GivenExceptionMatches(exc, PyExc_SyntaxError))
        return NULL;
    PyObject *message = ((PySyntaxErrorObject *)exc)->msg;
    if (!message || !PyUnicode_CheckExact(message))
        return NULL;
    return message;
}

static int describe_value(outcome *out, PyObject *exc)
{
    Py_ssize_t len;
    PyObject *message = syntax_message(exc);
    const char *text = NULL;

    if (message)
        text = PyUnicode_AsUTF8AndSize(message, &len);
    PyErr_Clear();
    if (text)
        return str_append(&out->error_value, text, (size_t)len);
    return traceback_value(&out->error_value, exc);
}

static int describe_exception(outcome *out, interp *in, PyObject *exc)
{
    lines_payload payload = { .in = in };
    const source_lines lines = { source_text_of, is_cell, &payload };
    int error;

    if ((error = value_type(&out->error_name, exc)) || (error = describe_value(out, exc)) ||
        (error = traceback_format(&out->traceback, exc, &lines, TRACEBACK_BYTES)) ||
        (error = copy_frames(out, exc, &lines)))
        error = SNUG_ENOMEM;

    Py_XDECREF(payload.filename);
    str_free(&payload.file);
    return error;
}

/* quit(), exit() and sys.exit(): with 0, False or None the cell has ended well. */
static int is_clean_exit(PyObject *exc)
{
    if (!PyErr_GivenExceptionMatches(exc, PyExc_SystemExit))
        return 0;
    PyObject *code = ((PySystemExitObject *)exc)->code;
    return !code || code == Py_None ||
           (PyLong_Check(code) && PyLong_AsLong(code) == 0 && !PyErr_Occurred());
}

/* For a file that the work directory's own limits have no room for. */
static int is_of_disk(PyObject *exc)
{
    if (!PyErr_GivenExceptionMatches(exc, PyExc_OSError))
        return 0;
    PyObject *number = ((PyOSErrorObject *)exc)->myerrno;
    if (!number || !PyLong_CheckExact(number))
        return 0;

    int is_full = PyLong_AsLong(number) == EDQUOT;
    PyErr_Clear();
    return is_full;
}

static int add_bytes(str *out, uint64_t bytes)
{
    static const struct {
        uint64_t bytes;
        const char *name;
    } units[] = { { 1 << 20, "MiB" }, { 1 << 10, "KiB" }, { 1, "bytes" } };
    size_t i = 0;

    while (bytes % units[i].bytes != 0)
        i++;
    return str_printf(out, " of %" PRIu64 " %s", bytes / units[i].bytes, units[i].name);
}

/* The figures that there are: without any it is a quota of the machine's own. */
static int add_disk_hint(str *out, const disk_account *disk)
{
    const uint64_t bytes = disk ? disk->limit.bytes : UINT64_MAX;
    const uint64_t files = disk ? disk->limit.files : UINT64_MAX;
    int error;

    if (bytes == UINT64_MAX && files == UINT64_MAX)
        return str_add(out, "The disk has no more room for this user: write less.");

    error = str_add(out, "The work directory has reached the session's limit");
    if (!error && bytes != UINT64_MAX)
        error = add_bytes(out, bytes);
    if (!error && files != UINT64_MAX)
        error = str_printf(out, "%s of %" PRIu64 " files", bytes != UINT64_MAX ? " or" : "", files);
    if (!error)
        error = str_add(out, ": write less, or delete what is no longer needed.");
    return error;
}

static int add_hint(outcome *out, interp *in, PyObject *exc)
{
    if (exc == in->notes.hinted)
        return str_add(&out->hint, str_text(&in->notes.hint));
    if (is_of_disk(exc))
        return add_disk_hint(&out->hint, in->options.disk);

    lines_payload payload = { .in = in };
    const source_lines lines = { source_text_of, is_cell, &payload };
    int error = hints_add(&out->hint, in, exc, &lines);
    Py_XDECREF(payload.filename);
    str_free(&payload.file);
    return error;
}

/* The report needs some memory, whatever the cell has left. */
static void free_memory_for_report(interp *in)
{
    if (in->options.memory)
        memory_begin(in->options.memory);
    if (in->options.is_full)
        alloc_drop_ballast(ALLOC_FOR_REPORT);
}

static snug_status status_of(const interp *in, PyObject *exc, int is_memory)
{
    PyObject *type = (PyObject *)Py_TYPE(exc);

    if (type == in->policy_error || type == in->import_denied)
        return SNUG_STATUS_DENIED;
    if (is_memory)
        return SNUG_STATUS_MEMORY;
    return SNUG_STATUS_ERROR;
}

/* The handler of an interrupt may fail by itself. Where allocations are refused because of the
 * stop, it has not. */
static int ends_by_stop(const interp *in, PyObject *exc)
{
    if (stopping_is_asked(in))
        return 1;
    if (atomic_load(&in->stop.reason) == STOP_NONE)
        return 0;
    return Py_IS_TYPE(exc, (PyTypeObject *)in->stopped) ||
           (atomic_load(&in->stop.is_starving) &&
            PyErr_GivenExceptionMatches(exc, PyExc_MemoryError));
}

int failure_take(outcome *out, interp *in)
{
    if (!PyErr_Occurred() && interp_check_stop(in) == 0)
        PyErr_SetString(PyExc_SystemError, SHORTAGE_UNSET);

    PyObject *exc = raised_take();
    int error = SNUG_OK;
    if (!exc)
        return error_set(SNUG_EPYTHON, "a cell failed without an exception");

    int is_memory = shortage_made(in, &exc);
    free_memory_for_report(in);
    PyObject *raised = Py_NewRef(exc);
    if (ends_by_stop(in, exc)) {
        Py_SETREF(exc, explain_stop(out, in, exc));
    } else if (is_clean_exit(exc)) {
        goto done;
    } else {
        out->status = status_of(in, exc, is_memory);
        categorise(out, in, exc);
        error = add_hint(out, in, exc);
    }

    if (!exc)
        error = SNUG_ENOMEM;
    if (!error)
        error = describe_exception(out, in, exc);

done:
    PyErr_Clear();

    /* Their frames hold the guest's objects, and what those do at their end is stopped
     * as any other code of the guest's. */
    interp_unsettle(in);
    Py_XDECREF(exc);
    Py_DECREF(raised);
    return error ? error_no_memory() : SNUG_OK;
}

/* The line that the fault is in, for people; only where it is text. */
static void add_fault_line(str *out, const source_fault *fault, const char *source, size_t len)
{
    size_t line_len;

    if (fault->line == 0)
        return;
    const char *line = source_line(source, len, fault->line, &line_len);
    if (!line || line_len > 1000)
        return;

    PyObject *text = PyUnicode_DecodeUTF8(line, (Py_ssize_t)line_len, "replace");
    const char *utf8 = NULL;
    if (text)
        utf8 = PyUnicode_AsUTF8(text);
    if (utf8) {
        utf8 += strspn(utf8, " \t\f");
        str_printf(out, "    %.*s\n", (int)strcspn(utf8, "\r\n"), utf8);
    }

    PyErr_Clear();
    Py_XDECREF(text);
}

int failure_of_source(outcome *out, interp *in, const source_fault *fault, const char *source,
                      size_t len, int is_aside)
{
    int error;

    out->status = SNUG_STATUS_ERROR;
    out->category = "syntax";
    out->error_class = "syntax";

    /* In[n] stays the source of cell n. */
    if (!is_aside) {
        PyObject *empty = PyUnicode_FromString("");
        if (!empty || PyList_Append(in->in_list, empty) != 0)
            PyErr_Clear();
        Py_XDECREF(empty);
    }

    if ((error = str_add(&out->error_name, "SyntaxError")) ||
        (error = str_add(&out->error_value, fault->message)))
        return error_no_memory();

    if (fault->line > 0) {
        str_printf(&out->traceback, "  File \"<cell %llu>\", line %u\n",
                   (unsigned long long)in->number, fault->line);
        add_fault_line(&out->traceback, fault, source, len);
    }

    if (fault->is_length)
        str_add(&out->hint,
                "Split the cell in two, or keep large data in a file of the work directory.");

    if (str_printf(&out->traceback, "SyntaxError: %s\n", fault->message) != SNUG_OK)
        return error_no_memory();
    return SNUG_OK;
}
