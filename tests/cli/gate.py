"""A call in C that no stop reaches, and that ends when a test says so: a barrier of POSIX in a file of the work
directory. The session needs OPTIONS and --workdir FOLDER."""
import ctypes
import mmap
import os
import time

BYTES = 4096
OPTIONS = ("--full", "--allow", "ctypes", "--allow", "mmap")
CELL = f"""import ctypes, mmap
file = open("gate", "r+b")
shared = mmap.mmap(file.fileno(), {BYTES})
barrier = (ctypes.c_char * {BYTES}).from_buffer(shared)
print("there", flush=True)
ctypes.CDLL(None).pthread_barrier_wait(barrier)
for i in range(10**9):
    pass
"""


class Gate:
    def __init__(self, folder):
        self.libc, attributes = ctypes.CDLL(None), ctypes.create_string_buffer(64)
        with open(os.path.join(folder, "gate"), "w+b") as file:
            file.truncate(BYTES)
            self.barrier = (ctypes.c_char * BYTES).from_buffer(mmap.mmap(file.fileno(), BYTES))
        self.libc.pthread_barrierattr_init(attributes)
        self.libc.pthread_barrierattr_setpshared(attributes, 1)
        self.libc.pthread_barrier_init(self.barrier, attributes, 2)

    def wait(self):
        """Until the cell is in its call. glibc's barrier begins with the number of threads that have entered it."""
        while not ctypes.c_uint.from_buffer(self.barrier).value:
            time.sleep(0.01)

    def open(self):
        """Once the cell is in its call."""
        self.libc.pthread_barrier_wait(self.barrier)
