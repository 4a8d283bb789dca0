#include "test.h"

#include "base/ascii.h"

#include <ctype.h>
#include <limits.h>

/* Each byte as a char, which is negative from 0x80 on where char is signed. */
#define FOR_EACH_BYTE(c) for (int byte = 0, c = 0; byte < 256; c = (char)++byte)

/* The test runs in the C locale, where <ctype.h> says the same of ASCII. */
TEST(classes_are_those_of_the_c_locale)
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

TEST(a_name_may_have_any_character_beyond_ascii)
{
    FOR_EACH_BYTE(c)
    {
        int is_beyond = byte >= 0x80;
        assert_int_equal(!!is_word(c), isalnum(byte) || byte == '_');
        assert_int_equal(!!is_name((char)c), isalnum(byte) || byte == '_' || is_beyond);
        assert_int_equal(!!is_name_start((char)c), isalpha(byte) || byte == '_' || is_beyond);
    }
}

TEST(a_hexadecimal_digit_has_its_value)
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
    return run_all_tests(NULL, NULL);
}
