"""What the figures were measured on."""
import os
import platform


def field(path, name):
    try:
        with open(path) as lines:
            return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(name)),
                        None)
    except OSError:
        return None


def system():
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return "an unnamed system"


def facts():
    memory = field("/proc/meminfo", "MemTotal")
    return {
        "processor": field("/proc/cpuinfo", "model name") or platform.machine(),
        "processors": len(os.sched_getaffinity(0)),
        "memory_gib": round(int(memory.split()[0]) / (1 << 20), 1) if memory else None,
        "system": system(),
        "kernel": platform.release().split("-")[0],  # behind it stands who has built it
        "load": round(os.getloadavg()[0], 2),
    }
