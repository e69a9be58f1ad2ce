"""A headless Chromium that is driven by real events: the pages are used as people use them.

It is spoken to over two pipes in the DevTools protocol, messages of JSON ended by a zero byte.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from base64 import b64decode, b64encode
from contextlib import suppress
from pathlib import Path
from select import select
from typing import Any

CHROMIUM = shutil.which("chromium")
PATIENCE = 10_000
"""Longest wait for something on a page, ms: a machine may be busy."""

SILENCE = 300.0
"""Longest wait for any answer, s."""

ARROWS = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
"""Keys that lists and sliders know by number."""

Box = tuple[float, float, float, float]


class Browser:
    """One Chromium with one tab after the other.

    Args:
        profile: an empty folder for what it stores.
    """

    def __init__(self, profile: Path) -> None:
        from fcntl import F_DUPFD, fcntl  # not on Windows

        self._in, writes = os.pipe()
        reads, self._out = os.pipe()
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"]
        flags += [f"--user-data-dir={profile}", "--enable-unsafe-swiftshader"]
        # it reads from 3 and writes to 4, which may be open here for something else
        ends = [fcntl(end, F_DUPFD, 10) for end in (reads, writes)]
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{ends[0]} 4>&{ends[1]}', "bash", str(CHROMIUM), *flags],
            pass_fds=ends,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (reads, writes, *ends):
            os.close(end)
        self._number, self._rest = 0, b""
        self.events: list[dict[str, Any]] = []

    def call(self, method: str, session: str = "", **parameters: Any) -> dict[str, Any]:
        """The answer to a call of the protocol."""
        self._number += 1
        asked: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if session:
            asked["sessionId"] = session
        os.write(self._out, json.dumps(asked).encode() + b"\0")
        while True:
            message = self.next()
            if message.get("id") == self._number:
                assert "error" not in message, message["error"]
                found: dict[str, Any] = message["result"]
                return found

    def next(self) -> dict[str, Any]:
        """The next message; events are kept as well."""
        while b"\0" not in self._rest:
            assert select([self._in], [], [], SILENCE)[0], "the browser says nothing"
            read = os.read(self._in, 1 << 20)
            assert read, "the browser has ended"
            self._rest += read
        text, self._rest = self._rest.split(b"\0", 1)
        message: dict[str, Any] = json.loads(text)
        if "method" in message:
            self.events.append(message)
        return message

    def processor_time(self) -> float:
        """What all processes of the browser have taken up to now, s; on Linux."""
        ticks, parents = {}, {}
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # it has ended meanwhile
                told = (folder / "stat").read_text().rpartition(")")[2].split()
                parents[int(folder.name)] = int(told[1])
                ticks[int(folder.name)] = int(told[11]) + int(told[12])
        mine = {self._process.pid}
        while more := {p for p, parent in parents.items() if parent in mine} - mine:
            mine |= more
        return sum(ticks[p] for p in mine) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        os.write(self._out, b'{"id": 0, "method": "Browser.close"}\0')
        self._process.wait(30)
        os.close(self._in)
        os.close(self._out)


class Tab:
    """A page in a browser, `width` x `height` px."""

    def __init__(
        self, browser: Browser, file: Path, width: int = 900, height: int = 600, dark: bool = False
    ) -> None:
        self.browser, self.session = browser, ""
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.target = target
        attached = browser.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime"):
            self.call(f"{domain}.enable")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        browser.events.clear()
        self.call("Page.navigate", url=file.as_uri())
        while not any(e["method"] == "Page.loadEventFired" for e in browser.events):
            browser.next()

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self.browser.call(method, self.session, **parameters)

    def close(self) -> None:
        self.browser.call("Target.closeTarget", targetId=self.target)

    def js(self, text: str) -> Any:
        """The value of an expression on the page; of a promise, what it comes to."""
        how = {"returnByValue": True, "awaitPromise": True}
        answer = self.call("Runtime.evaluate", expression=text, **how)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def until(self, text: str) -> Any:
        """Wait until an expression is true, which is looked at before each picture."""
        return self.js(
            "new Promise((done, late) => {"
            f"setTimeout(() => late(new Error({json.dumps(text)})), {PATIENCE});"
            f"const look = () => {{ const found = {text};"
            "if (found) done(found); else requestAnimationFrame(look); }; look(); })"
        )

    @property
    def trouble(self) -> list[str]:
        """What went wrong on the page."""
        return [
            str(e["params"])
            for e in self.browser.events
            if e["method"] == "Runtime.exceptionThrown"
            or (e["method"] == "Runtime.consoleAPICalled" and e["params"]["type"] == "error")
        ]

    # ---------------------------------------------------------------- what a person does
    def box(self, selector: str) -> Box:
        """Left, top, width and height of an element, scrolled into sight, px."""
        found = self.js(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'nearest'}); const b = e.getBoundingClientRect();"
            "return [b.x, b.y, b.width, b.height]; })()"
        )
        return tuple(found)

    def middle(self, selector: str) -> tuple[float, float]:
        x, y, w, h = self.box(selector)
        return x + w / 2, y + h / 2

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self.call("Input.dispatchMouseEvent", type=f"mouse{kind}", x=x, y=y, **more)

    def click_at(self, x: float, y: float) -> None:
        self.mouse("Moved", x, y)
        for kind in ("Pressed", "Released"):
            self.mouse(kind, x, y, button="left", buttons=1, clickCount=1)

    def click(self, selector: str) -> None:
        self.click_at(*self.middle(selector))

    def drag(self, begin: tuple[float, float], end: tuple[float, float]) -> None:
        self.mouse("Moved", *begin)
        self.mouse("Pressed", *begin, button="left", buttons=1, clickCount=1)
        for k in range(1, 5):
            at = (b + (e - b) * k / 4 for b, e in zip(begin, end, strict=True))
            self.mouse("Moved", *at, button="left", buttons=1)
        self.mouse("Released", *end, button="left", clickCount=1)

    def touch(self, *moves: list[tuple[float, float]]) -> None:
        """Fingers go down at the first places, through the others, and up."""
        for k, places in enumerate(moves):
            kind = "touchStart" if k == 0 else "touchMove"
            points = [{"x": x, "y": y, "id": n} for n, (x, y) in enumerate(places)]
            self.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def press(self, key: str, text: str = "", modifiers: int = 0) -> None:
        """A key by its name; `text` is what it types, `modifiers` 8 with shift."""
        number = ARROWS.get(key, 0)
        how = {"key": key, "modifiers": modifiers, "windowsVirtualKeyCode": number}
        kind = {"type": "keyDown", "text": text} if text else {"type": "rawKeyDown"}
        self.call("Input.dispatchKeyEvent", **kind, **how)
        self.call("Input.dispatchKeyEvent", type="keyUp", **how)

    # ------------------------------------------------------------------------- what is seen
    def picture(self) -> bytes:
        """What is on the screen, as PNG, after the next picture is drawn."""
        self.js("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return b64decode(self.call("Page.captureScreenshot")["data"])

    def count(self, box: Box, kind: str) -> int:
        """How many pixels in a box of the screen are of a kind, an expression of r, g and b."""
        return self._pixels(box, kind)[0]

    def where(self, box: Box, kind: str) -> tuple[float, float]:
        """The middle one, in the order of the rows, of the pixels of a kind."""
        _, x, y = self._pixels(box, kind)
        return x, y

    def _pixels(self, box: Box, kind: str) -> tuple[int, float, float]:
        """How many pixels there are of a kind, and where the middle one is."""
        image = b64encode(self.picture()).decode()
        left, top, width, height = map(int, box)
        found = self.js(
            "(async () => { const picture = new Image();"
            f"picture.src = 'data:image/png;base64,{image}'; await picture.decode();"
            "const pen = new OffscreenCanvas(picture.width, picture.height).getContext('2d');"
            "pen.drawImage(picture, 0, 0); const places = [];"
            f"const found = pen.getImageData({left}, {top}, {width}, {height}).data;"
            "for (let k = 0; k < found.length; k += 4) { const [r, g, b] = found.slice(k, k + 3);"
            f"if ({kind}) places.push(k / 4); }}"
            "const middle = places[places.length >> 1] ?? 0;"
            f"return [places.length, {left} + middle % {width},"
            f"{top} + Math.floor(middle / {width})]; }})()"
        )
        return found[0], found[1], found[2]
