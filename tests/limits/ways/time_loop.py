# A loop.
# limit: wall cpu
# forms: local worker full bash
# quick:
while True:
    pass
