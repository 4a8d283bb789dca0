# sysconfig's folder of the user.
# breach: secret
import sys, zoneinfo
zoneinfo._tzpath.sysconfig.get_config_vars("userbase")
