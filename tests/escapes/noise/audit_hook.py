# Adds an audit hook that raises at everything.
# expect: ok or denied or error
import sys
def hook(*a):
    raise BaseException("audited")
sys.addaudithook(hook)
