#include "test.h"

#include <snug/snug.h>

#include "base/array.h"

#include <stdint.h>

typedef struct list {
    uint32_t *items;
    size_t count, cap;
} list;

static int add(list *l, uint32_t item)
{
    if (array_reserve(&l->items, &l->cap, l->count + 1, sizeof *l->items))
        return SNUG_ENOMEM;
    l->items[l->count++] = item;
    return SNUG_OK;
}

TEST(items_stay_while_the_array_grows)
{
    list l = { 0 };
    for (uint32_t i = 0; i < 10000; i++) {
        assert_int_equal(add(&l, i * 7), SNUG_OK);
        assert_true(l.cap >= l.count);
    }
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(l.items[i], i * 7);
    free(l.items);
}

TEST(room_doubles)
{
    list l = { 0 };
    size_t moves = 0;
    for (uint32_t i = 0; i < 100000; i++) {
        size_t before = l.cap;
        add(&l, i);
        moves += l.cap != before;
    }
    assert_in_range(moves, 1, 17);
    free(l.items);
}

TEST(a_size_that_overflows_is_refused_and_nothing_changes)
{
    list l = { 0 };
    add(&l, 42);
    list before = l;
    static const size_t wanted[] = { SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / sizeof(uint32_t) + 1,
                                     SIZE_MAX / sizeof(uint32_t) };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        assert_int_equal(array_reserve(&l.items, &l.cap, wanted[i], sizeof *l.items), SNUG_ENOMEM);
        assert_ptr_equal(l.items, before.items);
        assert_int_equal(l.cap, before.cap);
        assert_int_equal(l.items[0], 42);
    }
    free(l.items);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
