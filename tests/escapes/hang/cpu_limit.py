# A loop that swallows meets the limit of processor time.
# expect: rung 1
# when: cpu
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
