# Completion of names of files.
# limit: lists answer
# options: --disk-files 900
for i in range(800):
    open('f' * 200 + str(i), 'w').close()
# %% complete open('f
# %% complete %run f
