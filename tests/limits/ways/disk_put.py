# Has the host put files, one over the other and beside each other.
# limit: disk_bytes disk_files
# forms: local worker full bash
# %% send [{"session": session, "op": "put", "path": f"p{i}", "data": "x" * 1_000_000} for i in range(60)]
# %% send [{"session": session, "op": "put", "path": f"many/{i}/f", "data": "x"} for i in range(300)]
