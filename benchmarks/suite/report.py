"""What a run has found, as one object: --json writes it, the tables and plots are made of it, and
--from reads it. Figures are in it by round, so that other ways to look at them stay open."""
from suite import memory
from suite.programs import TITLES

SCHEMA = "snug.benchmarks/1"
SHARED_GIL = "sessions share one GIL in {}: more of them do not more turns"


def row_object(row, results):
    key = row.group, row.name
    return {"name": row.name, "unit": row.unit, "x": row.x,
            "figures": results.figures.get(key, {}), "notes": results.notes.get(key, {})}


def one_gil(group, results):
    """Why more sessions do not more, where they do not."""
    if group.key != "cores":
        return []
    return [f"{TITLES[name]}: " + SHARED_GIL.format(f"Python {about['python']}")
            for name, about in results.about.items()
            if name in group.programs and name != "own"
            and about.get("gil", "").startswith("shared")]


def group_object(group, rows, results):
    if group.key in ("memory", "used"):
        rows = memory.rows_of(group.key)
    rows = [row_object(row, results) for row in rows if row.group == group.key]
    return {"key": group.key, "title": group.title, "note": group.note, "plot": group.plot,
            "programs": list(group.programs), "remarks": one_gil(group, results),
            "rows": [row for row in rows if row["figures"] or row["notes"]]}


def make(groups, rows, results, missing, **how):
    left_out = missing + [f"{TITLES[name]}: {why}" for name, why in results.failed.items()]
    return {"schema": SCHEMA, **how, "left_out": left_out,
            "programs": {name: {"title": TITLES[name],
                                **{key: about[key] for key in ("version", "python", "linked", "gil")
                                   if about.get(key)}}
                         for name, about in results.about.items()},
            "groups": [group_object(group, rows, results) for group in groups]}


def part(report, groups, names):
    """The report with those groups and programs alone."""
    kept = [{**group, "programs": [name for name in group["programs"] if name in names]}
            for group in report["groups"] if group["key"] in groups]
    for group in kept:
        group["rows"] = [{**row, **{key: {name: row[key][name] for name in row[key] if name in names}
                                    for key in ("figures", "notes")}} for row in group["rows"]]
    programs = {name: about for name, about in report["programs"].items() if name in names}
    return {**report, "groups": kept, "programs": programs}


def title_of(report, name):
    return report["programs"].get(name, {}).get("title") or TITLES.get(name, name)


def programs_in(group):
    """Those that have a figure in the group, in its order."""
    return [name for name in group["programs"]
            if any(any(value is not None for value in row["figures"].get(name, ()))
                   for row in group["rows"])]
