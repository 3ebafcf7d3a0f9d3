"""A headless Chromium that walks through the explorer's page as a reader does: by keys."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium.webdriver import Chrome
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

PROGRAM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")


class Browser:
    """One window, and what it asked for."""

    def __init__(self, driver: Chrome) -> None:
        self.driver = driver
        self._scheme = "light"

    def prefer(self, scheme: str) -> None:
        """Show pages that are opened from now on in a scheme of colours, light or dark."""
        self._scheme = scheme

    def open(self, address: str, width: int = 1440, height: int = 1100) -> None:
        """Open an address in a new window, and wait until the page has begun."""
        self.driver.switch_to.new_window("window")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        media = {"features": [{"name": "prefers-color-scheme", "value": self._scheme}]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        self.driver.get(address)
        self.wait_for("#run [aria-current]")

    def press(self, *keys: str) -> None:
        """Press keys, wherever the focus is."""
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def text(self, selector: str) -> str:
        """The text of the first element that fits, as it is shown."""
        return self.texts(selector)[0]

    def texts(self, selector: str) -> list[str]:
        """The texts of all elements that fit."""
        return self._run("return [...document.querySelectorAll(arguments[0])].map(one => one.innerText)", selector)

    def focused(self, attribute: str) -> str:
        """An attribute of the element that has the focus."""
        return str(self.driver.switch_to.active_element.get_attribute(attribute))

    def wait_for(self, selector: str, text: str = "") -> None:
        """Wait until an element is there, with a text in it."""
        WebDriverWait(self.driver, 60, poll_frequency=0.02).until(
            lambda _: any(text in one for one in self.texts(selector)), f"no {selector} with {text!r}"
        )

    def take(self, call: str) -> None:
        """Take a step by the keyboard: down the list to it, and Enter."""
        before = len(self.texts("#run li"))
        calls = self._run("return [...document.querySelectorAll('#listed .choice')].map(one => one.dataset.call)")
        # After a step by the keyboard the first one in the list has the focus.
        self.press("j" * (calls.index(call) + (self.focused("class") not in ("choice", "choice next"))))
        assert self.focused("data-call") == call
        self.press(Keys.ENTER)
        self.wait_for("#run li:last-child [aria-current] .number", str(before))

    def spills(self) -> list[str]:
        """The texts that are wider than their boxes."""
        return self._run(
            "return [...document.querySelectorAll('body *:not(svg *)')].filter(one => one.clientWidth"
            " && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX === 'visible')"
            ".map(one => one.textContent)"
        )

    def _run(self, script: str, *arguments: str) -> list[str]:
        found: list[str] = self.driver.execute_script(script, *arguments)
        return found

    def asked(self) -> list[str]:
        """Every address that was asked for since the last time."""
        entries = (json.loads(one["message"])["message"] for one in self.driver.get_log("performance"))  # type: ignore[no-untyped-call]
        return [one["params"]["request"]["url"] for one in entries if one["method"] == "Network.requestWillBeSent"]

    def complaints(self) -> list[str]:
        """What the browser says of the page: errors of scripts, and what its policy blocks; no refusals."""
        entries = self.driver.get_log("browser")  # type: ignore[no-untyped-call]
        return [one["message"] for one in entries if one["source"] != "network"]


@contextmanager
def browsing(profile: Path) -> Iterator[Browser]:
    """A browser with an empty profile in a directory.

    Args:
        profile: the directory.
    """
    assert PROGRAM is not None and DRIVER is not None, "chromium and chromedriver are not there"
    options = Options()
    options.binary_location = PROGRAM
    # A container's root has no sandbox, and only our own page is opened.
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        f"--user-data-dir={profile}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = Chrome(options=options, service=Service(DRIVER))
    try:
        yield Browser(driver)
    finally:
        driver.quit()
