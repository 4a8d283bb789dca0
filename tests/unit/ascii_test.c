#include "test.h"

#include "base/ascii.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

/* Each byte as a char, which is negative from 0x80 on where char is signed. */
#define FOR_EACH_BYTE(c) for (int byte = 0, c = 0; byte < 256; c = (char)++byte)

/* The test runs in the C locale, where <ctype.h> says the same of ASCII. */
static void classes_are_those_of_the_c_locale(void **state)
{
    FOR_EACH_BYTE(c)
    {
        assert_int_equal(!!is_digit(c), !!isdigit(byte));
        assert_int_equal(!!is_letter(c), !!isalpha(byte));
        assert_int_equal(!!is_alnum(c), !!isalnum(byte));
        assert_int_equal(!!is_space(c), !!isspace(byte));
        assert_int_equal(!!is_blank(c), !!isblank(byte));
        assert_int_equal(hex_value(c) >= 0, !!isxdigit(byte));
        assert_int_equal((unsigned char)to_lower((char)c), tolower(byte));
    }
}

static void a_name_may_have_any_character_beyond_ascii(void **state)
{
    FOR_EACH_BYTE(c)
    {
        int is_beyond = byte >= 0x80;
        assert_int_equal(!!is_word(c), isalnum(byte) || byte == '_');
        assert_int_equal(!!is_name((char)c), isalnum(byte) || byte == '_' || is_beyond);
        assert_int_equal(!!is_name_start((char)c), isalpha(byte) || byte == '_' || is_beyond);
    }
}

static void a_hexadecimal_digit_has_its_value(void **state)
{
    static const char digits[] = "0123456789abcdef", capitals[] = "0123456789ABCDEF";
    for (int i = 0; i < 16; i++) {
        assert_int_equal(hex_value(digits[i]), i);
        assert_int_equal(hex_value(capitals[i]), i);
    }
    assert_int_equal(hex_value('g'), -1);
    assert_int_equal(hex_value('\0'), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_are_those_of_the_c_locale),
        cmocka_unit_test(a_name_may_have_any_character_beyond_ascii),
        cmocka_unit_test(a_hexadecimal_digit_has_its_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
