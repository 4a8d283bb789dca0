/* Where a program departs from the style guides. */
#include "test.h"

#include <string.h>

#include "agent/reply/style.h"

static const struct {
    const char *code, *found;
} rows[] = {
    { "", "" },
    { "x = 1\n", "" },
    { "s = 'a; b == None, import *' # ; == None\n", "" },
    { "x = 1; y = 2\n", "line 1: two statements in a line\n" },
    { "x = 1 \n", "line 1: blanks at its end\n" },
    { "if x == None:\n    x = 1\n", "line 1: compared with None by ==: is None\n" },
    { "if x != True:\n    x = 1\n", "line 1: compared with True or False: the value itself\n" },
    { "if x:\n\tx = 1\n", "line 2: a tab in the indentation: four spaces\n" },
    { "try:\n    f()\nexcept:\n    pass\n", "line 3: a bare except: name the exceptions\n" },
    { "try:\n    f()\nexcept ValueError:\n    pass\n", "" },
    { "from math import *\n", "line 1: import *: name what is used\n" },
    { "import math, json\nmath.pi, json.loads\n",
      "line 1: several modules in one import: a line each\n" },
    { "from math import pi, tau\npi, tau\n", "" },
    { "def f(a=[]):\n    'Doc.'\n",
      "line 1: a default that all calls share: None, and a new one inside\n" },
    { "f = lambda x: x\n", "line 1: a lambda with a name: def\n" },
    { "xs.sort(key=lambda x: x)\n", "" },
    { "if type(x) == int:\n    x = 1\n", "line 1: types compared: isinstance\n" },
    { "def Big():\n    'Doc.'\n",
      "line 1: a name that is neither lower_case, of a function, nor CapWords, of a class\n" },
    { "class big_one:\n    'Doc.'\n",
      "line 1: a name that is neither lower_case, of a function, nor CapWords, of a class\n" },
    { "class Big(Base):\n    \"\"\"Doc.\"\"\"\n", "" },
    { "def f():\n    return 1\n", "line 1: no docstring\n" },
    { "async def f():  # why\n\n    # what\n    return 1\n", "line 1: no docstring\n" },
    { "def _f():\n    return 1\n", "" },
    { "def f(\n        a):\n    return 1\n", "" },
    { "def f(x): return x\n", "line 1: no docstring\n"
                              "line 1: a block on the line of its head: a line of its own\n" },
    { "def f(x): 'Doc.'\n", "line 1: a block on the line of its head: a line of its own\n" },
    { "def f(x): ...\nclass Gone(Exception): ...  # why\n", "" },
    { "if x: y()\nelse: z()\n", "line 1: a block on the line of its head: a line of its own\n"
                                "line 2: a block on the line of its head: a line of its own\n" },
    { "if n := f({1: 2}, x[1:2]):  # why\n    y()\nelse:\n    z()\n", "" },
    { "xs = [x\n      for x in y\n      if x[1:2]]\nx: int = 1\n", "" },
    { "f(1,2)\n", "line 1: no blank behind a comma\n" },
    { "f('a','b')\n", "line 1: no blank behind a comma\n" },
    { "f('a,b', (1,), x[:, 0], [1,\n  2,], 'c,d')  # a,b\n", "" },
    { "x=1\n", "line 1: no blanks around =, a comparison or ->\n" },
    { "x ='a'\n", "line 1: no blanks around =, a comparison or ->\n" },
    { "x: int=1\n", "line 1: no blanks around =, a comparison or ->\n" },
    { "x+=1\n", "line 1: no blanks around =, a comparison or ->\n" },
    { "f(a==1)\n", "line 1: no blanks around =, a comparison or ->\n" },
    { "if a<b:\n    x = 1\n", "line 1: no blanks around =, a comparison or ->\n" },
    { "if 'a'!='b':\n    x = 1\n", "line 1: no blanks around =, a comparison or ->\n" },
    { "def f()->int:\n    'Doc.'\n", "line 1: no blanks around =, a comparison or ->\n" },
    { "f(a=1, *b, **c)\ng(\n    a=1,\n    **c)\n", "" },
    { "def f(a=1, /, *b, c: int = 2, **d) -> int:\n    'Doc.'\n", "" },
    { "x = -1\ny = x[-1:-2] + -x*2 - x**-2 + (x >> 1) + (x<<2)\n", "" },
    { "k = f(lambda a, b=1: a)\nxs.sort(key=lambda a, b=1: a)\n", "" },
    { "x = y = 1\nif (n:=2) <= 3 < 4:\n    x = \\\n        1\n", "" },
    { "s = 'a=b,c<d'  # a=b,c<d\nt = f'{s=}{s:>9}'\nu = \"\"\"\na=b,c\n\"\"\"\n", "" },
    { "%timeit a<b\n!sort <a >b\n", "" },
    { "l = 1\n", "line 1: a name that looks like a digit: l, O or I\n" },
    { "a, O = 1, 2\n", "line 1: a name that looks like a digit: l, O or I\n" },
    { "def f(l, b):\n    'Doc.'\n", "line 1: a name that looks like a digit: l, O or I\n" },
    { "def f(b, *I):\n    'Doc.'\n", "line 1: a name that looks like a digit: l, O or I\n" },
    { "for l in xs:\n    f()\n", "line 1: a name that looks like a digit: l, O or I\n" },
    { "x = f(l=1) + l\nx.l = l\nx[l] = 'l = 1'\nif l == 1:\n    y = l\nll = 1\n", "" },
    { "def f(a=l, b=2):\n    'Doc.'\n", "" },
    { "import math\nx = 1\n", "line 1: an import that nothing uses\n" },
    { "import numpy as np\nnumpy = 1\n", "line 1: an import that nothing uses\n" },
    { "from math import pi, tau\nx = tau\n", "line 1: an import that nothing uses\n" },
    { "import os.path\nx = os.path.join('a')\n", "" },
    { "import math\nx = f'{math.pi}'\n", "" },
    { "from math import pi\n__all__ = ['pi']\n", "" },
    { "from __future__ import annotations\n", "" },
    { "from math import (pi,\n                  tau)\n", "" },
};

static void each_departure_is_named_with_its_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        str out = { 0 };
        size_t count, lines = 0;
        assert_int_equal(style_read(&out, &count, rows[i].code, strlen(rows[i].code)), 0);
        for (const char *at = rows[i].found; *at; at++)
            lines += *at == '\n';
        if (strcmp(str_text(&out), rows[i].found) != 0)
            fail_msg("%s\ngives %s", rows[i].code, str_text(&out));
        assert_int_equal(count, lines);
        str_free(&out);
    }
}

static void a_long_line_is_counted_in_characters(void **state)
{
    char code[400] = "";
    size_t count;
    (void)state;
    for (int i = 0; i < 100; i++)
        strcat(code, "\xc3\xa9");
    style_read(NULL, &count, code, strlen(code));
    assert_int_equal(count, 0);
    strcat(code, "e");
    style_read(NULL, &count, code, strlen(code));
    assert_int_equal(count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_departure_is_named_with_its_line),
        cmocka_unit_test(a_long_line_is_counted_in_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
