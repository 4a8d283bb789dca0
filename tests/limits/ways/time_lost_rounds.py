# Hangs in libcrypto and in SQLite, round after round: threads that go on are counted by their work.
# limit: cpu
# options: --timeout 0.5s
# rounds: 4
# after: 3
import hashlib
hashlib.pbkdf2_hmac("sha256", b"x", b"y", 10 ** 9)
# %% reset
