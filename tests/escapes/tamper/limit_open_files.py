# resource.setrlimit of descriptors.
# breach: setting
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (500, 500))
