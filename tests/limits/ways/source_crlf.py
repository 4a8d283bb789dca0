# Lines that end as on other systems, longer than a cell may be.
# limit: source
# options: --source 64KB
# %% send {"session": session, "code": "1\r\n" * 50_000}
