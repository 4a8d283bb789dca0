# Artifacts with names that grow as JSON, as many as may be.
# limit: answer
# forms: local worker full bash
# options: --disk-files 900
import os
folder = "."
for i in range(3):
    folder += "/" + "\x01" * 200
    os.mkdir(folder)
for i in range(800):
    try:
        open(folder + "/" + "\x02" * 200 + str(i), "w").close()
    except OSError:
        break
# %% send {"session": session, "op": "files"}
