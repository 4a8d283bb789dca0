# itertools.product copies its endless input before the first answer.
# expect: memory
import itertools
itertools.product(itertools.count())
