# Prints a GiB without a pause.
# limit: memory output disk_bytes answer
# forms: local worker full bash
line = "x" * (1 << 20)
for i in range(1000):
    print(line)
