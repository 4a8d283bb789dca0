# Has numpy take scratch memory: sort, fft, broadcasting and text.
# limit: memory
# forms: full
import numpy
a = numpy.arange(500_000.0)
for make in (lambda: a[:, None] * a[None, :], lambda: numpy.fft.fft(numpy.tile(a, 40)),
             lambda: numpy.array(["x" * 4000] * 300_000), lambda: numpy.zeros(1 << 40),
             lambda: numpy.empty(200 << 20, "u1").fill(1), lambda: numpy.sort(numpy.tile(a, 60), kind="stable")):
    try:
        make()
    except (MemoryError, ValueError):
        pass
