# compression.zstd opens a file of the host.
# breach: secret
# state: kept
# only: 3.14+
# profile: data
import compression.zstd as zstd
zstd.open("/proc/self/environ", "rb").read()
