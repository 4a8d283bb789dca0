# itertools.product copies its endless input before the first answer.
# expect: memory
# state: kept
# when: run
import itertools
itertools.product(itertools.count())
