# Makes many small files in the work directory.
# expect: ok or error
for n in range(500):
    with open(f"file{n}.txt", "w") as file:
        file.write("x" * n)
