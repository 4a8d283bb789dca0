# The emptiest loop there is.
# expect: rung 1
while True:
    pass
