# Has numpy's libraries start their threads, with the number set high.
# limit: tasks cpu
# forms: full
import os
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "200"
import numpy, ctypes
a = numpy.ones((400, 400))
for i in range(20):
    a = a @ a * 1e-3
for path in ("libopenblas.so.0", "libblas.so.3"):
    try:
        ctypes.CDLL(path).openblas_set_num_threads(200)
        a @ a
    except (OSError, AttributeError) as error:
        print(error)
