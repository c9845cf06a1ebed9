"""Browser profiles that are used again: what a visitor stored is cleared, the browser's cache of the app's
scripts is kept, because loading and compiling them is a third of what opening a page costs."""

from dataclasses import dataclass, field

from playwright.sync_api import Browser, BrowserContext, Dialog, Request

from tests.browser import driver

STILL = """(() => {
  const style = new CSSStyleSheet();
  const boxes = '[data-testid="stSkeleton"], [data-testid="stSkeleton"] *';
  style.replaceSync(boxes + '{ animation: none !important; }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, style];
})()"""
"""Keeps the grey boxes of a loading page from pulsing: without a graphics card, the processor draws every
frame of that, which took half of what opening a page costs."""
STORED = "cookies,local_storage,indexeddb,websql,service_workers,cache_storage"


@dataclass
class Profile:
    """A browser profile and what happened in it since it was taken. left: requests that left the machine."""

    context: BrowserContext
    key: tuple
    left: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.context.set_default_timeout(driver.PATIENCE)
        self.context.add_init_script(STILL)
        self.context.on("request", self._request)
        self.context.on("dialog", self._dialog)

    def _request(self, request: Request) -> None:
        if driver.leaves(request):
            self.left.append(request.url)

    def _dialog(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def clear(self) -> None:
        """Forget everything but the cache."""
        for page in self.context.pages:
            if page.url.startswith("http"):
                origin = "/".join(page.url.split("/")[:3])
                session = self.context.new_cdp_session(page)
                session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": STORED})
            page.close()
        self.context.clear_cookies()
        self.context.clear_permissions()
        self.left.clear()
        self.dialogs.clear()


class Profiles:
    """Profiles by theme and window; one is in use by one visitor at a time."""

    def __init__(self, browser: Browser):
        self._browser = browser
        self._idle: dict[tuple, list[Profile]] = {}

    def take(self, theme: str, viewport: dict[str, int]) -> Profile:
        """An idle profile, or a new one."""
        key = (theme, *viewport.values())
        idle = self._idle.setdefault(key, [])
        if idle:
            return idle.pop()
        return Profile(
            self._browser.new_context(color_scheme=theme, viewport=viewport, accept_downloads=True), key
        )

    def give_back(self, profile: Profile) -> None:
        """Clear a profile for the next visitor."""
        profile.clear()
        self._idle[profile.key].append(profile)

    def close(self) -> None:
        """Close what is idle."""
        for profiles in self._idle.values():
            for profile in profiles:
                profile.context.close()
