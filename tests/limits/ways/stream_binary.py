# Wraps the streams again, with other encodings and sizes of buffers.
# limit: output
# forms: local worker full bash
import io, sys
for name in ('utf-16', 'utf-32', 'latin-1'):
    try:
        out = io.TextIOWrapper(sys.stdout.buffer, encoding=name, errors='replace')
        out.write('w' * 300_000)
        out.flush()
        out.detach()
    except Exception as error:
        print(type(error))
