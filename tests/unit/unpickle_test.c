#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "policy/unpickle.h"

#define PICKLE(operations) "\x80\x05" operations "."

typedef struct sample {
    const char *what, *data;
    size_t len;
    int is_fine;
} sample;

#define FINE(what, operations)                                      \
    {                                                               \
        what, PICKLE(operations), sizeof(PICKLE(operations)) - 1, 1 \
    }
#define BAD(what, operations)                                       \
    {                                                               \
        what, PICKLE(operations), sizeof(PICKLE(operations)) - 1, 0 \
    }

static const sample samples[] = {
    FINE("a number", "K\x01"),
    FINE("a tuple under a mark", "(K\x01NNNt"),
    FINE("a list with itself in it", "]\x94h\0a"),
    FINE("a constructor that is called", "\x8c\x08"
                                         "builtins\x8c\x07"
                                         "complex\x93K\x01K\x02\x86R"),
    FINE("a constructor from the memo", "\x8c\x08"
                                        "builtins\x8c\x07"
                                        "complex\x93\x94"
                                        "0h\0K\x01\x85R"),
    FINE("an object that is filled", "\x8c\x08"
                                     "builtins\x8c\x06object\x93)\x81}b"),
    FINE("a function that is referred to", "]\x8c\x04math\x8c\x04sqrt\x93"
                                           "a"),
    FINE("a class of a cell, called and filled", "\x8c\x05"
                                                 "classQK\x01}\x86R\x94}b0h\0)\x81}b"),
    FINE("a function of a cell, filled by a call", "\x8c\x0d"
                                                   "fill_functionQ\x8c\x08"
                                                   "functionQK\x01)\x86R}\x86R"),
    FINE("a lazy import", "\x8c\x04lazyQ\x8c\x02os\x89)\x87R"),
    BAD("a function that is called", "\x8c\x04math\x8c\x04sqrt\x93K\x04\x85R"),
    BAD("a function that is filled", "\x8c\x04math\x8c\x04sqrt\x93}b"),
    BAD("a constructor that is filled", "\x8c\x08"
                                        "builtins\x8c\x07"
                                        "complex\x93}b"),
    BAD("a function of a cell that is called", "\x8c\x08"
                                               "functionQK\x01)\x86R)R"),
    BAD("a module that is filled", "\x8c\x06moduleQ\x8c\x02os\x85R}b"),
    BAD("a lazy import that is filled", "\x8c\x04lazyQ\x8c\x02os\x89)\x87R}b"),
    BAD("a helper that is not a name of one", "\x8c\x04"
                                              "evalQ)R"),
    BAD("a helper that is filled", "\x8c\x04"
                                   "cellQ}b"),
    BAD("a name with an underscore", "\x8c\x08"
                                     "builtins\x8c\x0a__import__\x93"),
    BAD("a name of a private module", "\x8c\x05_snug\x8c\x01x\x93"),
    BAD("a name with one behind a dot", "\x8c\x08"
                                        "builtins\x8c\x0fobject.__init__\x93"),
    BAD("a name that ends in a dot", "\x8c\x01"
                                     "a\x8c\x02"
                                     "b.\x93"),
    BAD("an empty name", "\x8c\0\x8c\0\x93"),
    BAD("a value that is called", "NN\x85R"),
    BAD("arguments from below a mark", "\x8c\x08"
                                       "builtins\x8c\x07"
                                       "complex\x93(R"),
    BAD("no value at the end", ""),
    BAD("two values at the end", "NN"),
    BAD("a recall of nothing", "h\0"),
    BAD("a text that is cut", "\x8c\x7f"
                              "a"),
    BAD("an old operation", "I1\n"),
};

static void what_may_be_built_is_judged(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        char why[UNPICKLE_WHY_BYTES] = "";
        const sample *s = &samples[i];
        int is_fine = unpickle_check(s->data, s->len, 1, NULL, why);
        if (is_fine != s->is_fine)
            fail_msg("%s: %s", s->what, is_fine ? "is fine" : why);
        assert_int_equal(is_fine, !*why);
    }
}

/* At no length is a byte behind the end read; the sanitizers see to that. */
static void a_pickle_that_is_cut_is_none(void **state)
{
    (void)state;
    char why[UNPICKLE_WHY_BYTES];
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        for (size_t len = 0; len < samples[i].len; len++) {
            char *copy = malloc(len + 1);
            memcpy(copy, samples[i].data, len);
            assert_false(unpickle_check(copy, len, 1, NULL, why));
            free(copy);
        }
}

static void pickles_one_behind_the_other_share_a_memo(void **state)
{
    (void)state;
    static const char two[] = PICKLE("]\x94") PICKLE("h\0");
    char why[UNPICKLE_WHY_BYTES];
    assert_true(unpickle_check(two, sizeof two - 1, 2, NULL, why));
    assert_false(unpickle_check(two, sizeof two - 1, 1, NULL, why));
    assert_false(unpickle_check(two, sizeof two - 1, 3, NULL, why));
    assert_true(unpickle_check("", 0, 0, NULL, why));
}

static void names_are_for_calls_or_for_values(void **state)
{
    (void)state;
    static const struct {
        const char *module, *name;
        unpickle_use use;
    } names[] = {
        { "collections", "OrderedDict", UNPICKLE_CALL },
        { "_io", "StringIO", UNPICKLE_CALL },
        { "builtins", "ValueError", UNPICKLE_CALL },
        { "builtins", "eval", UNPICKLE_VALUE },
        { "builtins", "x.Error", UNPICKLE_VALUE },
        { "os", "system", UNPICKLE_VALUE },
        { "os", "error", UNPICKLE_VALUE },
        { "_io", "open", UNPICKLE_NEVER },
        { "a..b", "c", UNPICKLE_NEVER },
        { "a b", "c", UNPICKLE_NEVER },
        { "__main__", "f", UNPICKLE_NEVER },
        { "__future__", "annotations", UNPICKLE_VALUE },
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(unpickle_judge(names[i].module, strlen(names[i].module), names[i].name,
                                        strlen(names[i].name)),
                         names[i].use);
}

static void a_long_check_can_be_stopped(void **state)
{
    (void)state;
    enum { LEN = 100000 };
    static char data[LEN];
    static const _Atomic int is_stopping = 1;
    char why[UNPICKLE_WHY_BYTES];
    memset(data, '0', sizeof data);
    for (size_t i = 2; i < LEN - 1; i += 2)
        data[i] = 'N';
    memcpy(data, "\x80\x05", 2);
    memcpy(data + LEN - 2, "N.", 2);
    assert_true(unpickle_check(data, LEN, 1, NULL, why));
    assert_false(unpickle_check(data, LEN, 1, &is_stopping, why));
}

static int is_of_numpy(const void *payload, const char *module, size_t len)
{
    return payload && len >= 5 && memcmp(module, "numpy", 5) == 0;
}

static void more_modules_have_what_may_be_called(void **state)
{
    (void)state;
    static const unpickle_more numpy = { is_of_numpy, "" };
    static const struct {
        const char *data;
        size_t len;
        int is_fine;
    } calls[] = {
#define CALL(data, is_fine) { PICKLE(data), sizeof(PICKLE(data)) - 1, is_fine }
        CALL("\x8c\x05numpy\x8c\x05"
             "array\x93)R",
             1),
        CALL("\x8c\x0anumpy.core\x8c\x05_make\x93)R", 1),
        CALL("\x8c\x05numpy\x8c\x09os.system\x93)R", 0),
        CALL("\x8c\x05numpy\x8c\x05"
             "array\x93}b",
             0),
        CALL("\x8c\x05other\x8c\x05"
             "array\x93)R",
             0),
#undef CALL
    };
    char why[UNPICKLE_WHY_BYTES];
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        assert_false(unpickle_check(calls[i].data, calls[i].len, 1, NULL, why));
        if (unpickle_check_more(calls[i].data, calls[i].len, 1, NULL, &numpy, why) !=
            calls[i].is_fine)
            fail_msg("row %zu", i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_may_be_built_is_judged),
        cmocka_unit_test(a_pickle_that_is_cut_is_none),
        cmocka_unit_test(pickles_one_behind_the_other_share_a_memo),
        cmocka_unit_test(names_are_for_calls_or_for_values),
        cmocka_unit_test(a_long_check_can_be_stopped),
        cmocka_unit_test(more_modules_have_what_may_be_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
