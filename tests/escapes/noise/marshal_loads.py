# marshal.loads of bytes that are not code, through the module that importlib holds.
# expect: denied or error or crash
# state: any
import inspect, sys
marshal = sys.modules.get("marshal") or inspect.importlib._bootstrap_external.marshal
marshal.loads(b"\xe3" + b"\xff" * 60)
