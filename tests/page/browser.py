"""A headless Chromium, driven over the WebDriver protocol by the standard library alone."""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the protocol's name of a reference to an element
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "Down": "\ue015", "Up": "\ue013", "Home": "\ue011",
        "End": "\ue010", "Right": "\ue014", "Left": "\ue012", "Space": " "}


def skip_without_browser():
    """To be called first: without Chromium the test counts as skipped."""
    if not shutil.which("chromedriver"):
        print("chromedriver is not installed")
        sys.exit(77)


class Browser:
    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="otseq2set_browser_")
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True,
                                       start_new_session=True)
        try:
            self.session = ""
            self.address = f"http://127.0.0.1:{self._port()}"
            self.session = "/session/" + self._call("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome",
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
                "goog:chromeOptions": {"args": self._arguments()},
            }}})["sessionId"]
        except BaseException:
            self.close()
            raise

    def _arguments(self):
        arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
                     "--no-first-run", "--force-color-profile=srgb", f"--user-data-dir={self.profile}"]
        # Chromium's sandbox refuses to run as root.
        return arguments + (["--no-sandbox"] if os.geteuid() == 0 else [])

    def _port(self):
        for line in self.driver.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                return found.group(1)
        raise RuntimeError("chromedriver did not start")

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + self.session + path, data, {"Content-Type": "application/json"},
                                         method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def close(self):
        try:
            if self.session:
                self._call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()
            shutil.rmtree(self.profile, ignore_errors=True)

    # Looking.

    def open(self, address):
        self.console()
        self.requests()
        self._call("POST", "/url", {"url": address})

    def script(self, text, *arguments):
        """The value of a function's body in the page; a promise is waited for."""
        return self._call("POST", "/execute/sync", {"script": text, "args": list(arguments)})

    def wait(self, text, *arguments, seconds=20):
        """Waits until the expression holds; returns its value."""
        end = time.monotonic() + seconds
        while True:
            value = self.script(f"return {text}", *arguments)
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError(f"in vain for {seconds} s: {text}\n{self.console()}")
            time.sleep(0.03)

    def texts(self, selector):
        return self.script("return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", selector)

    def console(self):
        """What has come on the console since it was last asked, warnings and errors alone."""
        return [entry["message"] for entry in self._call("POST", "/se/log", {"type": "browser"})
                if entry["level"] in ("WARNING", "SEVERE")]

    def requests(self):
        """Addresses that pages have asked for since this was last asked."""
        messages = [json.loads(entry["message"])["message"]
                    for entry in self._call("POST", "/se/log", {"type": "performance"})]
        return [message["params"]["request"]["url"] for message in messages
                if message["method"] == "Network.requestWillBeSent"]

    # Acting as a user does.

    def element(self, selector):
        return self._call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self._call("POST", f"/element/{self.element(selector)}/click", {})

    def tap(self, selector):
        """With a finger."""
        x, y = self.script("const element = document.querySelector(arguments[0]); element.scrollIntoView({block: 'end'});"
                           "const box = element.getBoundingClientRect();"
                           "return [box.x + box.width / 2, box.y + box.height / 2]", selector)
        self.devtools("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.devtools("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def type(self, selector, text):
        self._call("POST", f"/element/{self.element(selector)}/value", {"text": text})

    def press(self, *keys):
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self._call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def point(self, selector):
        self._point({ELEMENT: self.element(selector)}, 0)

    def point_away(self):
        self._point("viewport", 2)

    def _point(self, origin, at):
        move = {"type": "pointerMove", "duration": 0, "origin": origin, "x": at, "y": at}
        self._call("POST", "/actions", {"actions": [
            {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [move]}]})

    def devtools(self, command, **parameters):
        return self._call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    # The device.

    def window(self, width, height, phone=False):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height,
                      deviceScaleFactor=2 if phone else 1, mobile=phone)
        self.devtools("Emulation.setTouchEmulationEnabled", enabled=phone)

    def colours(self, scheme, media=""):
        self.devtools("Emulation.setEmulatedMedia", media=media,
                      features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._call("GET", "/screenshot")))
