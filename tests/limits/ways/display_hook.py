# A display hook of the cell's own, and the module's private functions.
# limit: displays
import sys
sys.displayhook("x" * 3_000_000) if hasattr(sys, "displayhook") else None
found = [m for name, m in sys.modules.items() if "_snug" in name or "display" in name]
for module in found:
    for name in dir(module):
        if "display" in name or "show" in name:
            for arguments in (({"text/plain": "p" * 900_000}, {}), ({"text/plain": "p" * 900_000}, {}, None, 0)):
                try:
                    getattr(module, name)(*arguments)
                except BaseException:
                    pass
