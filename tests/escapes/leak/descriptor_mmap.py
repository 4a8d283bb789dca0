# mmap.mmap of a descriptor.
# breach: secret
import mmap
mmap.mmap(SECRET_FD, 0, prot=mmap.PROT_READ)[:]
