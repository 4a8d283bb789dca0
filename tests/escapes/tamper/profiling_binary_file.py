# The sampling profiler's file is written by C code, which opens it by itself.
# breach: marker
# only: 3.15+
from profiling.sampling.binary_collector import BinaryCollector
BinaryCollector(MARKER_FILE, 100)
