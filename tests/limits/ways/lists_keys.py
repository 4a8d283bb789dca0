# Completion of keys: long ones.
# limit: lists answer
d = {'k' * 1000 + str(i): 1 for i in range(3000)}
# %% complete d['k
