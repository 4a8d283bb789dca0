# resource.setrlimit of descriptors.
# breach: setting
# state: kept
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (500, 500))
