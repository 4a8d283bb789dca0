/*
 * program.c - a price rule that is prepared once: called for one row, mapped over columns, and in a
 * session that begins with what another has loaded.
 */
#include <snug/program.h>
#include <stdio.h>
#include <string.h>

/* Names other than the inputs are the session's. */
static const char prelude[] = "RATES = {'book': 0.07, 'toy': 0.19}";
static const char rule[] = "rate = RATES.get(kind, 0.19)\n"
                           "round(net * (1 + rate), 2)";

static int prepare(snug_program **program, snug_host *host)
{
    const snug_input inputs[2] = { { "kind", SNUG_TYPE_TEXT }, { "net", SNUG_TYPE_DOUBLE } };
    snug_program_options options = SNUG_PROGRAM_OPTIONS_INIT;

    options.name = "gross";
    options.inputs = inputs;
    options.input_count = 2;
    options.output = SNUG_TYPE_DOUBLE;
    return snug_program_prepare(program, NULL, host, rule, strlen(rule), &options);
}

static int call(snug_session *session, snug_program *program, const char *kind, double net)
{
    snug_answer answer = SNUG_ANSWER_INIT;
    snug_value arguments[2];
    int error;

    memset(arguments, 0, sizeof arguments);
    arguments[0].type = SNUG_TYPE_TEXT;
    arguments[0].data = kind;
    arguments[0].len = strlen(kind);
    arguments[1].type = SNUG_TYPE_DOUBLE;
    arguments[1].number = net;
    error = snug_program_call(&answer, session, program, arguments, 2, NULL);
    if (!error && answer.status == SNUG_STATUS_OK)
        printf("call    %s %.2f\n", kind, answer.value.number);
    else if (!error)
        printf("error   %s\n", snug_result_error_value(answer.result));
    snug_answer_free(&answer);
    return error;
}

static int map(snug_session *session, snug_program *program)
{
    static const char kinds[] = "booktoybook";
    static const uint64_t ends[] = { 4, 7, 11 };
    static const double nets[] = { 10, 20, 30 };
    const snug_column columns[2] = { { SNUG_TYPE_TEXT, kinds, ends, NULL },
                                     { SNUG_TYPE_DOUBLE, nets, NULL, NULL } };
    snug_mapped mapped = SNUG_MAPPED_INIT;
    uint64_t row;
    int error = snug_program_map(&mapped, session, program, columns, 2, 3, NULL);

    for (row = 0; row < mapped.row_count; row++)
        printf("row     %.2f\n", ((const double *)mapped.column.data)[row]);
    snug_mapped_free(&mapped);
    return error;
}

static int load(snug_template **template_, snug_session *session)
{
    snug_result *result;
    int error = snug_session_run(&result, session, prelude, strlen(prelude), NULL);

    if (error)
        return error;
    snug_result_free(result);
    return snug_template_make(template_, NULL, session);
}

int main(void)
{
    snug_host *host = NULL;
    snug_session *first = NULL, *second = NULL;
    snug_template *template_ = NULL;
    snug_program *program = NULL;
    int error;

    if (!(error = snug_host_open(&host, NULL)) && !(error = prepare(&program, host)) &&
        !(error = snug_session_open(&first, host, NULL)) && !(error = load(&template_, first)) &&
        !(error = call(first, program, "book", 19.99)) && !(error = map(first, program)) &&
        !(error = snug_session_open_from(&second, NULL, host, template_, NULL)))
        error = call(second, program, "toy", 5);
    if (error)
        fprintf(stderr, "%s\n", snug_error_message());
    snug_program_free(program);
    snug_template_free(template_);
    snug_session_close(first);
    snug_session_close(second);
    snug_host_close(host);
    return error != SNUG_OK;
}
