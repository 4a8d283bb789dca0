# _posixshmem makes shared memory and leaves its descriptor.
# breach: setting
import inspect, os
module = inspect.importlib.import_module("_posixshmem")
module.shm_open("/escapes", os.O_CREAT | os.O_RDWR, 0o600)
module.shm_unlink("/escapes")
