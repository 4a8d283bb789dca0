# 10**10**8.
# expect: rung 1
# state: kept
# when: run
10**10**8
