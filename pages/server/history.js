// One entry of the browser's history for each page, and one for each change of the parameters in data.steps; none for anything else.
// Streamlit itself replaces the entry where a widget changes the address, and adds one for each value that the app sets, and several for
// a change of page, so that Back would lead to addresses that nobody has seen. Of a page that Back returns to it drops what is bound to
// widgets that the page before has too: that address is put back, and Streamlit told.
const PAUSE_MS = 300;
export default function ({ data }) {
  const own = (window.oneEntry ??= (() => {
    const push = history.pushState.bind(history), replace = history.replaceState.bind(history), own = { steps: [], busy: false };
    let path = location.pathname, timer = 0;
    let before = null;  // the address of the page that is left, before the change of page emptied it
    let moved = false;  // whether the page has just changed
    let wanted = null;  // the address that Back or Forward led to
    const running = () => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "running";
    function settle() {
      clearTimeout(timer);
      own.busy = true;
      timer = setTimeout(() => {
        if (running()) return settle();
        const again = wanted !== null && wanted !== location.href ? wanted : null;
        before = wanted = null;
        moved = own.busy = false;
        if (again === null) return;
        replace(history.state, "", again);
        window.dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
      }, PAUSE_MS);
    }
    const isStep = next => own.steps.some(name => next.searchParams.get(name) !== new URL(location.href).searchParams.get(name));
    history.pushState = (state, title, url) => {
      const next = new URL(url, location.href);
      settle();
      if (next.pathname !== path) {
        if (before) replace(history.state, title, before);
        [path, moved, before] = [next.pathname, true, null];
        return push(state, title, url);
      }
      const isLeft = [...next.searchParams].length === 0;  // a change of page first empties the address
      if (!moved && !isLeft && isStep(next)) return push(state, title, url);
      if (!moved) before ??= location.href;
      return replace(state, title, url);
    };
    history.replaceState = (state, title, url) => {
      const next = new URL(url ?? location.href, location.href);
      if (moved) return replace(state, title, url);
      before = null;
      return (next.pathname === path && isStep(next) ? push : replace)(state, title, url);
    };
    window.addEventListener("popstate", () => {
      before = null;
      if (location.pathname === path) return;
      [path, moved, wanted] = [location.pathname, true, location.href];
      settle();
    }, true);
    return own;
  })());
  own.steps = data.steps;
}
