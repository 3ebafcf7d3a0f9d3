"""Makes the pictures of docs/explore.md anew:

.venv/bin/python -m tests.conformance.explorer.pictures
"""

import tempfile
from pathlib import Path
from typing import Final

from selenium.webdriver.common.keys import Keys
from tests.conformance.explorer.browser import Browser, browsing
from tests.conformance.explorer.served import served
from tests.conformance.explorer.small_png import screenshot

from genstamp.explorer import Explored
from genstamp.systems import system_named

DOCS: Final = Path(__file__).resolve().parents[3] / "docs"
BUG: Final = "HDFS-10240"
STEPS: Final = (
    "create(client client1, file file1)",
    "add_block(client client1, file file1)",
    "recover_lease_starts(client client1, file file1, primary datanode1)",
    "last_packet(client client1, file file1)",
    "complete_under_recovery(client client1, file file1)",
)
"""The shortest run to the violation of the bug in hdfs.lease."""


def link(*steps: str) -> str:
    """The fragment of a link to a run of the bug."""
    return "#system=hdfs.lease&" + "&".join([f"bug={BUG}", *(f"step={step}" for step in steps)])


def main() -> None:
    """Write both pictures."""
    with (
        tempfile.TemporaryDirectory() as profile,
        served(Explored(system_named("hdfs.lease"), {}), BUG) as explorer,
        browsing(Path(profile)) as browser,
    ):
        browser.open(explorer.address + link(*STEPS), width=1360, height=960)
        browser.wait_for(".violation")
        _keep(browser, "explore-violated.png")
        browser.prefer("dark")
        browser.open(explorer.address + link(*STEPS), width=1360, height=860)
        browser.wait_for(".violation")
        browser.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT, "c")
        _keep(browser, "explore-refused.png")


def _keep(browser: Browser, name: str) -> None:
    (DOCS / name).write_bytes(screenshot(browser))


if __name__ == "__main__":
    main()
