# An integer of eighty thousand million bits at once.
# expect: memory
# state: kept
# when: run
1 << 80_000_000_000
