// Shows a target over the whole page while files are dragged, and hands what is dropped to an uploader of the page as if it had been
// chosen there. The page's uploaders are its zones; the nearest to the pointer takes the drop. An uploader's label is "name: what it takes".
const LASTS_MS = 1200;  // a drag speaks every 350 ms, or it is over: a cancelled one does not say so
const uploaders = () => [...document.querySelectorAll("[data-testid=stFileUploader]")]
  .filter(uploader => uploader.querySelector("input[type=file]:not(:disabled)"));
const labelOf = uploader => uploader.querySelector("section")?.getAttribute("aria-label") ?? "";

async function filesOf(transfer) {  // entries are gone after the first await
  const entries = [...transfer.items].filter(item => item.kind === "file").map(item => item.webkitGetAsEntry?.() ?? item.getAsFile());
  const found = [];
  async function walk(entry) {
    if (entry instanceof File) return found.push(entry);
    if (entry.isFile) {
      const file = await new Promise((done, fail) => entry.file(done, fail)), path = entry.fullPath.replace(/^\//, "");
      return found.push(path.includes("/") ? new File([file], path, { type: file.type }) : file);  // the bytes are not copied
    }
    const reader = entry.createReader();
    for (let batch; (batch = await new Promise((done, fail) => reader.readEntries(done, fail))).length;)
      for (const inner of batch) await walk(inner);
  }
  for (const entry of entries) if (entry) await walk(entry);
  return found.filter(file => !/(^|\/)(\.|__MACOSX)/.test(file.name));  // what operating systems leave behind
}

function hand(uploader, files) {
  const input = uploader.querySelector("input[type=file]"), transfer = new DataTransfer();
  for (const file of files) transfer.items.add(file);
  input.files = transfer.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

function distance(zone, event) {
  const box = zone.getBoundingClientRect();
  return Math.hypot(Math.max(box.left - event.clientX, 0, event.clientX - box.right),
    Math.max(box.top - event.clientY, 0, event.clientY - box.bottom));
}

function element(tag, words) {
  const made = document.createElement(tag);
  made.textContent = words;
  return made;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const overlay = parentElement.querySelector(".overlay"), zones = parentElement.querySelector(".zones");
  if (overlay.dataset.listens) return;
  overlay.dataset.listens = "yes";
  const live = parentElement.querySelector("[role=status]"), title = parentElement.querySelector("h2");
  const off = new AbortController(), on = { capture: true, signal: off.signal };
  const targets = new Map();
  let watchdog = 0, chosen = null;

  function draw() {
    targets.clear();
    for (const uploader of uploaders()) {
      const [name, ...takes] = labelOf(uploader).split(": "), zone = element("div", "");
      zone.className = "zone";
      zone.append(element("b", name), element("span", takes.join(": ")));
      targets.set(zone, uploader);
    }
    title.textContent = targets.size ? "Drop the file or folder" : "This page takes no file now";
    zones.replaceChildren(...targets.keys());
  }
  function show(wanted) {
    clearTimeout(watchdog);
    if (wanted) watchdog = setTimeout(() => show(false), LASTS_MS);
    if (wanted === overlay.matches(":popover-open")) return;
    if (wanted) { draw(); overlay.showPopover(); } else overlay.hidePopover();
  }
  function nearest(event) {
    let best = null;
    for (const zone of targets.keys()) if (!best || distance(zone, event) < distance(best, event)) best = zone;
    return best;
  }
  function listen(type, answer) {
    document.addEventListener(type, event => {
      if (!event.dataTransfer?.types.includes("Files")) return;  // a drag of text is not ours
      event.preventDefault();
      event.stopPropagation();  // else the uploader below the pointer takes the drop as well
      answer(event);
    }, on);
  }
  function point(event) {
    show(true);
    chosen = nearest(event);
    event.dataTransfer.dropEffect = chosen ? "copy" : "none";
    for (const zone of targets.keys()) zone.classList.toggle("over", zone === chosen);
  }
  listen("dragenter", point);
  listen("dragover", point);
  listen("dragleave", event => { if (!event.relatedTarget) show(false); });
  listen("drop", async event => {
    const zone = overlay.matches(":popover-open") ? nearest(event) : chosen, uploader = targets.get(zone);
    show(false);
    const [folder] = [...event.dataTransfer.items].map(item => item.webkitGetAsEntry?.()).filter(entry => entry?.isDirectory);
    const files = await filesOf(event.dataTransfer);
    if (!uploader) return;
    if (!files.length) return setTriggerValue("empty", folder?.name ?? "");
    if (files.length > data.most) return setTriggerValue("many", files.length);
    live.textContent = `${files.length} file${files.length === 1 ? "" : "s"} for ${zone.querySelector("b").textContent}`;
    hand(uploader, files);
  });
  document.addEventListener("paste", event => {  // a picture from the clipboard, where the page takes images
    const files = [...event.clipboardData?.files ?? []], taker = uploaders().find(one => /image/i.test(labelOf(one)));
    if (!files.length || !taker) return;
    event.preventDefault();
    hand(taker, files);
  }, on);
  document.addEventListener("keydown", event => { if (event.key === "Escape") show(false); }, on);
  return () => { clearTimeout(watchdog); off.abort(); delete overlay.dataset.listens; if (overlay.matches(":popover-open")) overlay.hidePopover(); };
}
