# Joins endlessly many texts.
# expect: memory
import itertools
"".join(itertools.repeat("spam"))
