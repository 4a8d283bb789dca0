# Makes files by modules that open them in C: dbm, shelve, gzip, bz2, lzma, wave.
# limit: disk_files
# forms: local worker full bash
import bz2, gzip, lzma
done = 0
for i in range(500):
    for module in (gzip, bz2, lzma):
        try:
            module.open(f"{module.__name__}{i}", "wb").close()
            done += 1
        except OSError:
            pass
try:
    import dbm.dumb
    for i in range(500):
        dbm.dumb.open(f"s{i}", "n").close()
        done += 1
except (ImportError, OSError) as error:
    print(error)
print(done)
