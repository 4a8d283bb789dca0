# Completion of the arguments of a function with thousands.
# limit: lists answer
exec('def f(' + ','.join(f'{"a" * 300}{i}=1' for i in range(3000)) + '): pass')
# %% complete f(a
# %% inspect f(
