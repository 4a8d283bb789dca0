# Makes empty files until it is refused, and goes on with other names.
# limit: disk_files
# forms: local worker full bash
# quick:
done = 0
for i in range(3000):
    try:
        open(f"f{i}", "x").close()
        done += 1
    except OSError:
        pass
print(done)
