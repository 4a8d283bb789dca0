# Joins endlessly many texts.
# expect: memory
# state: kept
# when: run
import itertools
"".join(itertools.repeat("spam"))
