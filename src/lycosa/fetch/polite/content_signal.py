"""Content-Signal of robots.txt (contentsignals.org): what may be done with what was fetched. In: a robots.txt. Out: its line for us."""

from __future__ import annotations

from lycosa.fetch.polite.robots_groups import TOKEN


def content_signal(text: str) -> str:
    """The signal under our name, else the one for everybody; '' where there is none.

    >>> content_signal("User-agent: *\\nContent-Signal: search=yes, ai-train=no\\nDisallow: /x")
    'search=yes, ai-train=no'
    """
    agents: set[str] = set()
    in_names = False
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, _, value = (part.strip() for part in line.partition("#")[0].partition(":"))
        if name.lower() == "user-agent":
            agents = {*agents, value.lower()} if in_names else {value.lower()}
        elif name.lower() == "content-signal":
            for agent in agents or {"*"}:
                found.setdefault(agent.partition("/")[0].strip(), value[:500])
        in_names = name.lower() == "user-agent" or (in_names and not name)
    return found.get(TOKEN) or found.get("*", "")
