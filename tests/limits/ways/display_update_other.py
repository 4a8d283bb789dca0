# Updates a display of an earlier cell, larger each time.
# limit: displays
h = display({'text/plain': 'x'}, raw=True, display_id='other')
# %% cell
for i in range(60):
    display({'text/plain': 'u' * (i * 5000)}, raw=True, display_id='other', update=True)
# %% cell
for i in range(60):
    display({'text/html': 'u' * 100_000, 'text/plain': 'v' * 100_000}, raw=True, display_id='other', update=True)
