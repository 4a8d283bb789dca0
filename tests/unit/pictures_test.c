#include "test.h"

#include <string.h>

#include "cli/display/pictures.h"

static void a_picture_is_sent_in_chunks(void **state)
{
    str base64 = { 0 }, out = { 0 };

    (void)state;
    for (int i = 0; i < 5000; i++)
        str_add(&base64, "A");
    assert_int_equal(pictures_put_kitty(&out, base64.data, base64.len), 0);
    assert_int_equal(strncmp(out.data, "\x1b_Ga=T,f=100,q=2,m=1;AAAA", 25), 0);
    assert_non_null(strstr(out.data, "A\x1b\\\x1b_Gm=0;A"));
    str_clear(&out);
    assert_int_equal(pictures_put_iterm(&out, "QUJD", 4), 0);
    assert_string_equal(out.data, "\x1b]1337;File=inline=1;preserveAspectRatio=1:QUJD\x07");
    str_free(&base64);
    str_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_is_sent_in_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
