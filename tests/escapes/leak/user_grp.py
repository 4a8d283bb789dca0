# The module grp.
# breach: setting groups
import inspect
group = inspect.importlib.import_module("grp").getgrall()[0]
f"{group.gr_name}:{group.gr_passwd}:{group.gr_gid}:{','.join(group.gr_mem)}"
