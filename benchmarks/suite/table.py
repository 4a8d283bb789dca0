"""A report as markdown: a table for each group, a program a column. In a cell stand the median of
the rounds, below it the least and the greatest of them, and how many times that of the group's
first program it is, as the median of the rounds' ratios."""
from suite import aims, figures
from suite.report import programs_in, title_of


def times(number):
    return f"x {figures.digits(number)}" if number < 10000 else "-"


def cell(row, name, base):
    samples = row["figures"].get(name)
    if figures.middle(samples) is None:
        return "-"
    parts = [figures.quantity(figures.middle(samples), row["unit"])]
    if len(figures.known(samples)) > 1:
        parts.append(figures.span(*figures.spread(samples), row["unit"]))
    ratio = figures.ratio(samples, row["figures"].get(base)) if name != base else None
    if ratio:
        parts.append(times(ratio))
    return "<br>".join(parts)


def line(cells):
    return "| " + " | ".join(cells) + " |"


def table_lines(report, group, names):
    lines = [line(["", *(title_of(report, name) for name in names)]),
             line(["---"] + ["---:"] * len(names))]
    for row in group["rows"]:
        cells = [cell(row, name, names[0]) for name in names]
        if any(text != "-" for text in cells):
            lines.append(line([row["name"], *cells]))
    return lines + [""]


def group_lines(report, group):
    names = programs_in(group)
    if not names:
        return [f"## {group['title']}", "", "No program that is there has figures.", ""]
    lines = [f"## {group['title']}", "", group["note"], "", *table_lines(report, group, names)]
    notes = [f"{title_of(report, name)}, {row['name']}: {why}"
             for row in group["rows"] for name, why in row["notes"].items()]
    lines += [f"- {note}" for note in dict.fromkeys(notes + group["remarks"])]
    return lines + [""] if notes or group["remarks"] else lines


def about_lines(report):
    machine = report["machine"]
    yield (f"{machine['processor']}, {machine['processors']} processors, "
           f"{machine['memory_gib']} GiB; {machine['system']}, Linux {machine['kernel']}; load "
           f"{machine['load']} before, {report['load_after']} after.")
    yield ""
    yield (f"{report['rounds']} rounds, {report['ms']} ms a row and program"
           + (f"; snug at {report['commit']}" if report["commit"] else "") + ".")
    yield ""
    for about in report["programs"].values():
        python = f"Python {about['python']}" if about.get("python") else None
        facts = [about.get("version"), python, about.get("linked")]
        yield f"- {about['title']}: {', '.join(fact for fact in facts if fact)}"
    for why in report["left_out"]:
        yield f"- left out: {why}"
    yield ""
    yield ("In a cell: the median of the rounds' medians; the least and the greatest of them; how "
           "many times that of the first column (the median of the rounds' ratios).")
    yield ""


def markdown(report):
    lines = ["# Benchmarks of snug", "", *about_lines(report)]
    for group in report["groups"]:
        lines += group_lines(report, group)
    lines += aims.lines(report)
    return "\n".join(lines).rstrip() + "\n"


def tables(report):
    lines = []
    for group in report["groups"]:
        lines += table_lines(report, group, programs_in(group)) if programs_in(group) else []
    return "\n".join(lines).rstrip() + "\n"
