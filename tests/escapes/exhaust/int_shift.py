# An integer of eighty thousand million bits at once.
# expect: memory
1 << 80_000_000_000
