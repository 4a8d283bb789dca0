# Makes many small files in the work directory.
# expect: ok or error
# state: kept
# when: run
for n in range(500):
    with open(f"file{n}.txt", "w") as file:
        file.write("x" * n)
