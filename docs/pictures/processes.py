"""How it works: processes, sessions, threads, and what the kernel holds; local, worker, supervisor."""
from svg import Page

TOP, HIGH = 84, 262


def column(page, x, wide, title, about):
    page.text(x, 56, title, 15, bold=True)
    page.text(x, 73, about, 11.5, "soft")
    return page, x, wide


def process(page, x, y, w, h, name, sealed=False):
    page.rect(x, y, w, h, "tint" if sealed else "tint2", "good" if sealed else "soft", 8,
              "5 3" if sealed else None)
    page.text(x + 12, y + 20, name, 12, bold=True)


def sessions(page, x, y, w, labels, high=34, gap=8):
    wide = (w - gap * (len(labels) - 1)) / len(labels)
    for i, words in enumerate(labels):
        page.box(x + i * (wide + gap), y, wide, high, [words], "card", "good", 11.5, 5)


def local(page):
    x, w = 20, 252
    column(page, x, w, "local", "in your process; guards only")
    process(page, x, TOP, w, HIGH, "your process")
    page.box(x + 12, TOP + 34, w - 24, 34, ["your threads"], "card", "edge", 12)
    page.path(f"M{x + w / 2} {TOP + 70}V{TOP + 100}", "snug", 2, arrow=True)
    page.text(x + w / 2 + 8, TOP + 90, "snug_session_run", 11, "snug")
    page.rect(x + 12, TOP + 104, w - 24, 84, "tint", "edge", 6)
    page.text(x + 22, TOP + 122, "CPython, one interpreter a session", 11.5, "soft")
    sessions(page, x + 22, TOP + 134, w - 44, ["session", "session"])
    page.text(x + 22, TOP + 181, "a thread each", 10.5, "soft")
    page.text(x + 12, TOP + 210, "kernel, on these threads only:", 11, "good")
    page.text(x + 12, TOP + 226, "Landlock, seccomp, own descriptors", 11, "good")
    page.text(x + 12, TOP + 249, "watchdog: deadlines, stop ladder", 11, "soft")


def worker(page):
    x, w = 296, 292
    column(page, x, w, "worker", "in another process, which is the boundary")
    process(page, x, TOP, w, 96, "your process: no Python in it")
    page.box(x + 12, TOP + 34, 120, 34, ["your threads"], "card", "edge", 12)
    page.box(x + w - 122, TOP + 34, 110, 34, ["zygote"], "card", "soft", 12, dash="4 3")
    page.text(x + w - 67, TOP + 84, "a process; forks", 10.5, "soft", "middle")
    page.path(f"M{x + 72} {TOP + 70}V{TOP + 124}", "snug", 2, arrow=True)
    page.text(x + 80, TOP + 114, "one stream", 11, "snug")
    page.path(f"M{x + w - 67} {TOP + 96}V{TOP + 124}", "soft", 1.5, "4 3", arrow=True)
    process(page, x, TOP + 128, w, HIGH - 128, "snug-worker, as long as its host", True)
    sessions(page, x + 12, TOP + 158, w - 24, ["session", "session", "session"])
    page.text(x + 12, TOP + 212, "kernel, on the whole process: namespaces,", 11, "good")
    page.text(x + 12, TOP + 228, "Landlock, seccomp, cgroup, no capabilities,", 11, "good")
    page.text(x + 12, TOP + 244, "a user of its own", 11, "good")


def supervisor(page):
    x, w = 612, 288
    column(page, x, w, "supervisor", "for servers: a worker for each tenant")
    process(page, x, TOP, w, 96, "your server")
    page.box(x + 12, TOP + 34, w - 24, 44, ["supervisor", "queue, leases, saves what is idle"], "card", "edge", 12)
    for i, (name, left) in enumerate((("tenant A", x), ("tenant B", x + 98), ("tenant C", x + 196))):
        page.path(f"M{left + 46} {TOP + 96}V{TOP + 124}", "snug", 2, arrow=True)
        process(page, left, TOP + 128, 92, 76, name, True)
        sessions(page, left + 10, TOP + 158, 72, ["1", "2", "3"][:3 - i] if i < 2 else ["1"], 34, 4)
    page.rect(x, TOP + 220, w, 42, "tint2", "soft", 6, "2 3")
    page.text(x + w / 2, TOP + 238, "state folder: sessions that are saved,", 11, "soft", "middle")
    page.text(x + w / 2, TOP + 254, "restored at their next call", 11, "soft", "middle")


def draw(root):
    page = Page(920, 366, "How it works",
                "Local: sessions are threads of your process, each with an interpreter. Worker: they are in another "
                "process, forked by a zygote, which the kernel holds. Supervisor: a worker for each tenant.")
    page.text(20, 30, "Where sessions are", 16, bold=True)
    page.text(900, 30, "green, dashed: held by the kernel as a whole", 11, "good", "end")
    local(page)
    worker(page)
    supervisor(page)
    return page
