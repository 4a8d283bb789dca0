# Makes files whose names begin with a dot, or are odd.
# limit: disk_files
# forms: local worker full bash
for i in range(1000):
    for name in (f'.{i}', f'-{i}', f' {i}', f'\n{i}', f'~{i}', f'.snug-{i}', f'out-{i}.txt'):
        try:
            open(name, 'x').close()
        except OSError:
            pass
