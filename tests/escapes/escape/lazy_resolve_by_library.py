# Code of the library calls the method that resolves a lazy import.
# breach: secret
# only: 3.15+
import functools, types
resolve = functools.singledispatch(types.LazyImportType.resolve)
held = [__lazy_import__("posix")]
resolve(held[0]).pread(SECRET_FD, 100, 0)
