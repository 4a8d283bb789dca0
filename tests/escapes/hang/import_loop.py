# Imports modules again for ever, so that the stop comes in the midst of an import.
# expect: rung 1
# when: import
import sys
names = ("re", "json", "textwrap", "statistics", "fractions", "unittest", "html", "string", "random")
while True:
    try:
        while True:
            for name in [name for name in sys.modules if name.partition(".")[0] in names]:
                del sys.modules[name]
            import re, json, textwrap, statistics, fractions, html.parser, string, unittest, random
    except ValueError:
        pass
# %%
import re, json, textwrap, statistics, fractions, html.parser, string, unittest, random
(re.findall("a", "banana"), json.loads("[1]"), statistics.mean([1, 2]), fractions.Fraction(1, 2))
