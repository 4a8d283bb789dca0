# The emptiest loop there is.
# expect: rung 1
# state: kept
# when: run
while True:
    pass
