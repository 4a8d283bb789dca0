# Fills its memory, is stopped at its time, and is reset, round after round.
# limit: memory
# forms: local worker full bash
# options: --timeout 0.5s
# rounds: 8
keep = [bytes([i]) * (1 << 20) for i in range(40)]
while True:
    pass
# %% reset
