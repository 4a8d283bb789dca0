# Characters that JSON writes in six bytes, and are one each, longer than a cell may be.
# limit: source
# forms: local worker full bash
# options: --source 64KB
# %% send {"session": session, "code": "#" + "\x7f\u2028" * 60_000}
