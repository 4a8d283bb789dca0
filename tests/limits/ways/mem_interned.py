# Makes names that are interned and names of attributes.
# limit: memory
# forms: local worker full bash
import sys
class A:
    pass
keep = []
i = 0
while True:
    keep.append(sys.intern("n%050d" % i))
    setattr(A, "a%050d" % i, i)
    i += 1
