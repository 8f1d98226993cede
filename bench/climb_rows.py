"""What the benches that climb share: what `hone optimize` reports, and rows that stay in a file between runs."""
import json
import os

from shipped_calls import run  # of imports/, which the benches have on their path


def optimize(hone, folder, budget, work):
    """The result as `hone optimize --json` prints it, or None; status and text of the command."""
    command = [str(hone), "optimize", str(folder), "--budget", str(budget), "--no-baselines", "--json", "--quiet"]
    status, text = run(command, 5 * budget + 300, cwd=work)
    begin = text.find("{\n")
    try:
        return json.loads(text[begin:text.rfind("}") + 1]), status, text
    except json.JSONDecodeError:
        return None, status, text


def stored_rows(path, build, key):
    """Rows that an earlier run of the same program with the same build wrote, by their `key`."""
    if not path or not path.exists():
        return {}
    try:
        stored = json.loads(path.read_text())
    except json.JSONDecodeError:
        return {}
    return {row[key]: row for row in stored["rows"]} if stored.get("build") == build else {}


def store(path, build, rows):
    if path:
        partial = path.with_name(path.name + ".part")
        partial.write_text(json.dumps({"build": build, "rows": list(rows.values())}, indent=1) + "\n")
        os.replace(partial, path)


def other_commits(rows, build, key):
    """A sentence for each earlier commit that measured rows which later changes do not concern."""
    by_commit = {}
    for row in rows:
        if row.get("commit", build["commit"]) != build["commit"]:
            by_commit.setdefault(row["commit"], []).append(f"`{row[key]}`")
    return "".join(f"\nMeasured at commit {commit}: {', '.join(names)}.\n" for commit, names in by_commit.items())
