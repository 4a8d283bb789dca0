# Records cells with large outputs and writes them as a notebook.
# limit: memory answer
# %% send [{"session": session, "record": True, "code": "class M:\n  def _repr_html_(self): return 'h' * 250_000\nM()"} for i in range(30)]
# %% send {"session": session, "op": "export", "path": folder + "/export.ipynb"}
