# A match that keeps five million states on the engine's own stack.
# expect: ok or memory or error
import re
re.match(r"(?:(a)|b)*", "a" * 20_000_000)
