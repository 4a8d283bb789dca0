# tempfile keeps the process id beside its generator of names.
# breach: setting pid
import tempfile
names = tempfile._RandomNameSequence()
names.rng
names._rng_pid
