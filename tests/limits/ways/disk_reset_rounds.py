# Fills the disk and is reset, round after round.
# limit: disk_bytes disk_files
# forms: local worker full bash
# rounds: 6
for i in range(80):
    with open(f"r{i}", "wb") as f:
        f.write(b"x" * 180_000)
# %% reset
