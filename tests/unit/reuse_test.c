#include "test.h"

#include <string.h>

#include "agent/loop/loop.h"

static void programs_that_depend_on_their_data_only_are_pure(void **state)
{
    static const char *const pure[] = {
        "6 * 7",
        "import math\nmath.factorial(5)",
        "import math, re as r\nr.sub('a', 'b', 'a')",
        "from collections import Counter, OrderedDict\nCounter('abba')",
        "from fractions import (\n    Fraction)\nFraction(1, 3)",
        "# the time, at random\nx = 1",
        "timeout = 3\nidentity = 4",
        "def f():\n    import json\n    return json.dumps([1])\nf()",
        "print(f'{3:.2f}')",
        "from json import dumps  # at a time\nif __name__ == '__main__':\n    dumps({'_id': 1})",
        "class C:\n    def __init__(self):\n        self.n = 1\nfor _ in range(2): C()",
        "x = '你好，世界 €'\nx",
    };
    for (size_t i = 0; i < sizeof pure / sizeof *pure; i++)
        if (!reuse_is_pure(pure[i], strlen(pure[i])))
            fail_msg("is not pure: %s", pure[i]);
}

static void programs_that_may_depend_on_more_are_not(void **state)
{
    static const char *const impure[] = {
        "import time\ntime.time()",
        "import math, uuid",
        "import datetime as math",
        "from random import random\nrandom()",
        "from os.path import join",
        "import math; import os",
        "if 1: import datetime",
        "import math, \\\n    os",
        "from statistics import NormalDist\nNormalDist().samples(3)",
        "open('f')",
        "x = [open]\nx[0]('f')",
        "f\"{open('f').read()}\"",
        "getattr(__builtins__, 'op' + 'en')('f')",
        "id(3)",
        "hash('x')",
        "input()",
        "print(set('abc'))",
        "eval('1')",
        "exec('import ' + 'os')",
        "().__class__.__base__.__subclasses__()",
        "%pwd",
        "x = 1\n  !ls",
        "__import__('math')",
        "import importlib",
        "from . import x",
        "import",
        "from statistics import NormalDist as N\nN().samples(3)",
        "from collections import _sys as s",
        "import pprint\npprint._sys.modules['ti' + 'me'].ctime()",
        "import collections\n(collections\n . _sys)",
        "import collections\nf'{collections. _sys}'",
        "import typing\ntyping.sys",
        "'abc'.__hash__()",
        "import operator\noperator.methodcaller('__ha' + 'sh__')('abc')",
        "import operator\noperator.attrgetter('ha' + 'sh')(len.__self__)('abc')",
        "import string\nstring.Formatter().get_field('0.x', (len,), {})",
        "(x for x in ()).gi_frame.f_builtins['ha' + 'sh']('abc')",
        "ｈａｓｈ('abc')",
        "𝓱ash('abc')",
        "(lambda: x()).__code__.replace(co_names=('ha' + 'sh',))",
    };
    for (size_t i = 0; i < sizeof impure / sizeof *impure; i++)
        if (reuse_is_pure(impure[i], strlen(impure[i])))
            fail_msg("is taken for pure: %s", impure[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_that_depend_on_their_data_only_are_pure),
        cmocka_unit_test(programs_that_may_depend_on_more_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
