"""Rows of the table: what was measured, and whether it is good enough."""


def row(measure, ours, peer=None, peer_name=None, **more):
    """A row. `limit` is for our number, `ratio_limit` for ours/peer; `more_is_better` turns both around."""
    return {"measure": measure, "ours": ours, "peer": peer, "peer_name": peer_name, "limit": None, **more}


def ratio(row_):
    if row_["ours"] is None or not row_["peer"]:
        return None
    return row_["ours"] / row_["peer"]


def is_met(row_):
    """True or false, or None when there is nothing to judge."""
    is_better = (lambda a, b: a >= b) if row_.get("more_is_better") else (lambda a, b: a <= b)
    verdicts = []
    for value, limit in ((row_["ours"], row_["limit"]), (ratio(row_), row_.get("ratio_limit"))):
        if value is not None and limit is not None:
            verdicts.append(is_better(value, limit))
    return all(verdicts) if verdicts else None


def goal(row_):
    sign = "≥" if row_.get("more_is_better") else "≤"
    parts = []
    if row_["limit"] is not None:
        parts.append(f"{sign} {show(row_['limit'])}")
    if row_.get("ratio_limit") is not None:
        parts.append(f"{sign} {row_['ratio_limit']:g}x")
    return ", ".join(parts) or "-"


def show(value):
    if value is None:
        return "-"
    if value == int(value):
        return f"{value:.0f}"
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"


def peer_text(row_):
    if row_["peer_name"] is None:
        return "-"
    return f"{show(row_['peer']) if row_['peer'] is not None else 'missing'} ({row_['peer_name']})"


def print_table(rows):
    print(f"\n{'measure':<62} {'ours':>10} {'peer':>22} {'ours/peer':>9} {'goal':>16}  met")
    for row_ in rows:
        of_peer = ratio(row_)
        cells = [f"{row_['measure']:<62}", f"{show(row_['ours']):>10}", f"{peer_text(row_):>22}"]
        cells += [f"{f'{of_peer:.2f}' if of_peer is not None else '-':>9}", f"{goal(row_):>16}"]
        print(*cells, {True: " yes", False: " NO", None: " -"}[is_met(row_)])
