"""What SARIF 2.1.0 (OASIS Standard, 27 March 2020) requires of a log, as far as genstamp writes it, as assertions."""

from collections.abc import Iterator
from typing import Any

LEVELS = {"none", "note", "warning", "error"}


def well_formed(log: dict[str, Any]) -> dict[str, Any]:
    """The only run of a log, after everything that has to be there was found (sections of the standard in brackets)."""
    assert log["version"] == "2.1.0"  # 3.13.2
    assert log["$schema"].endswith("sarif-2.1.0.json")  # 3.13.3
    [run] = log["runs"]  # 3.13.4
    assert run["columnKind"] in {"utf16CodeUnits", "unicodeCodePoints"}  # 3.14.17
    assert isinstance(run["automationDetails"]["id"], str)  # 3.17.3
    assert all(isinstance(one["executionSuccessful"], bool) for one in run["invocations"])  # 3.20.14
    for note in (one for told in run["invocations"] for one in told.get("toolExecutionNotifications", ())):  # 3.20.21
        assert note["level"] in LEVELS and note["message"]["text"]  # 3.58.5, 3.58.6
    driver = run["tool"]["driver"]  # 3.18.2
    assert driver["name"] and driver["version"]  # 3.19.8, 3.19.13
    rules = driver["rules"]  # 3.19.23
    names = [rule["id"] for rule in rules]  # 3.49.3
    assert len(names) == len(set(names))
    for rule in rules:
        assert rule["shortDescription"]["text"]  # 3.49.9, 3.12.3
        assert rule["defaultConfiguration"]["level"] in LEVELS  # 3.50.3
    for result in run["results"]:  # 3.14.23
        assert names[result["ruleIndex"]] == result["ruleId"]  # 3.27.5, 3.27.6
        # Without a kind a result is a failure, which has a level other than none (3.27.9, 3.27.10).
        assert "kind" not in result and result["level"] in LEVELS - {"none"}
        assert result["message"]["text"]  # 3.27.11
        assert all(isinstance(value, str) for value in result["partialFingerprints"].values())  # 3.27.17
        for flow in result.get("codeFlows", ()):  # 3.36.3
            for thread in flow["threadFlows"]:  # 3.37.6
                orders = [at["executionOrder"] for at in thread["locations"]]  # 3.38.11
                assert orders == list(range(1, len(orders) + 1)) and orders
        for place in places(result):
            artifact = place["artifactLocation"]
            assert not artifact["uri"].startswith("/") and "://" not in artifact["uri"]
            assert artifact["uriBaseId"] in run["originalUriBaseIds"]  # 3.4.4, 3.14.14
            assert place["region"]["startLine"] >= 1  # 3.30.5
    return dict(run)


def places(result: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every physical location of a result."""
    threads = (thread for flow in result.get("codeFlows", ()) for thread in flow["threadFlows"])
    steps = (at["location"] for thread in threads for at in thread["locations"])
    for location in (*result["locations"], *steps):
        if "physicalLocation" in location:
            yield location["physicalLocation"]
