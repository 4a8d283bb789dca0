# Makes files in finalizers when the session is reset and closed.
# limit: disk_files
class Maker:
    def __del__(self, open=open, range=range):
        for i in range(2000):
            try:
                open(f"z{i}", "w").close()
            except OSError:
                pass
keep = [Maker() for _ in range(3)]
# %% reset
# %% cell
1
# %% close
