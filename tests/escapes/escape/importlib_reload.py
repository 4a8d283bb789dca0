# A module's spec is given another loader, and reload executes that.
# breach: secret
import inspect, keyword
keyword.__spec__.loader = inspect.importlib.machinery.SourceFileLoader(
    "keyword", OUTSIDE + "/outside.py")
inspect.importlib._bootstrap._exec(keyword.__spec__, keyword)
keyword.value
