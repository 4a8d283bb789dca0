# Makes files with names that take many bytes as JSON, which the answer lists.
# limit: disk_files answer
# forms: local worker full bash
# options: --disk-files 900
for i in range(800):
    try:
        open("\x01" * 240 + str(i), "w").close()
    except OSError:
        break
# %% send {"session": session, "op": "files"}
