# Interns ever new long names: a table that belongs to the process on 3.11.
# expect: memory
import sys
kept = []
while True:
    kept.append(sys.intern("name_" * 200 + str(len(kept))))
