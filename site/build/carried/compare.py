# Does this run have the bits of the saved run? These are the saved run's settings and digests.
import json

saved = json.loads("""
SAVED_RUN
""")


def flat(value, name=""):
    """Nested digests as one level: {"figure_data": {"a": x}} to {"figure_data a": x}."""
    if not isinstance(value, dict):
        return {name: value}
    return {k: v for key in value for k, v in flat(value[key], f"{name} {key}".strip()).items()}


def differences(part, here):
    """One line for each entry of this part that is not as saved."""
    then, now = flat(saved[part]), flat(here[part])
    return [
        f"  {name}: saved {then.get(name)}, here {now.get(name)}"
        for name in {**then, **now}
        if then.get(name) != now.get(name)
    ]


here = json.loads(results.to_json())
edited, changed = differences("config", here), differences("digests", here)
if edited:
    print("Settings edited, so there is no saved run to compare with:", *edited, sep="\n")
elif changed:
    print("Other bits than saved:", *changed, sep="\n")
else:
    print("Same bits as saved:", *(f"  {k}: {v}" for k, v in flat(saved["digests"]).items()), sep="\n")
