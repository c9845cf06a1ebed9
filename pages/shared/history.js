// One entry of the browser's history for each page, and one for each change of the parameters in data.steps; none for anything else.
// Streamlit itself replaces the entry where a widget changes the address, and adds one for each value that the app sets, and several for
// a change of page, so that Back would lead to addresses that nobody has seen.
export default function ({ data }) {
  const own = (window.oneEntry ??= (() => {
    const push = history.pushState.bind(history), replace = history.replaceState.bind(history), own = { steps: [] };
    let before = null, timer = 0;
    const running = () => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "running";
    const settle = () => { clearTimeout(timer); timer = setTimeout(() => running() ? settle() : (before = null), 1500); };
    const step = (a, b) => own.steps.some(name => a.searchParams.get(name) !== b.searchParams.get(name));
    const here = () => new URL(location.href);
    history.pushState = (state, title, url) => {
      const next = new URL(url, location.href);
      if (next.pathname === location.pathname) {
        const isStep = [...next.searchParams].length > 0 && step(next, here());  // a change of page first empties the address
        if (!isStep) { before ??= location.href; settle(); }
        return (isStep ? push : replace)(state, title, url);
      }
      if (before) { replace(history.state, title, before); before = null; }  // what the change of page did to the address that is left
      return push(state, title, url);
    };
    history.replaceState = (state, title, url) => {
      const next = new URL(url, location.href);
      before = null;
      return (next.pathname === location.pathname && step(next, here()) ? push : replace)(state, title, url);
    };
    window.addEventListener("popstate", () => { before = null; }, true);
    return own;
  })());
  own.steps = data.steps;
}
