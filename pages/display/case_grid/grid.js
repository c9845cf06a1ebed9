// Grid of cases. Cells outside of sight do not exist; a scroll moves those that left to where new ones come in.

const LEAST = 150, GAP = 6, ROW = 186, HEIGHT = 518, REST = 90; // px of a cell's width, between cells, of a row; ms that a scroll rests before pictures are asked for
const KEPT = 40; // blocks of pictures that are kept, those that were seen last
const MARK = { right: "✓ ", wrong: "✗ ", "": "" };
/** Key -> grid: pictures come by a second mount of this component. */
const GRIDS = new Map();

class Grid {
  constructor(view) {
    Object.assign(this, { view, room: view.querySelector(".room"), cells: new Map(), spare: [] });
    view.onscroll = () => { this.frame ||= requestAnimationFrame(() => this.draw()); };
    this.watch = new ResizeObserver(() => this.draw());
    this.watch.observe(view);
  }

  update(data, tell, open) {
    Object.assign(this, { tell, open });
    if (data.id === this.data?.id) return;
    Object.assign(this, { data, pictures: new Map(), asked: new Set([0]) }); // the first block comes unasked
    for (const number of [...this.cells.keys()]) this.drop(number);
    this.view.scrollTop = 0;
    this.view.dataset.id = data.id;
    this.draw();
  }

  draw() {
    this.frame = 0;
    const { view, data } = this, width = view.clientWidth - GAP;
    if (!data || width <= 0) return;
    const count = data.names.length, across = Math.max(1, Math.floor(width / (LEAST + GAP))), step = width / across;
    const first = Math.max(0, Math.floor(view.scrollTop / ROW) - 1) * across;
    const last = Math.min(count, (Math.ceil((view.scrollTop + view.clientHeight) / ROW) + 1) * across);
    const high = Math.ceil(count / across) * ROW + GAP;
    this.room.style.height = `${high}px`;
    view.style.height = `${Math.min(HEIGHT, high + 2)}px`;
    for (const number of [...this.cells.keys()]) if (number < first || number >= last) this.drop(number);
    for (let number = first; number < last; number++) {
      const cell = this.cells.get(number) ?? this.take(number), row = Math.floor(number / across);
      cell.style.cssText = `width:${step - GAP}px;height:${ROW - GAP}px;transform:translate(${GAP + (number % across) * step}px,${GAP + row * ROW}px)`;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(first, last), REST);
  }

  /** Put a cell in the room: one that was dropped, or a new one. */
  take(number) {
    const cell = this.spare.pop() ?? this.make(), [mark, call, numbers] = this.data.captions[number], name = this.data.names[number];
    const [image, ...lines] = cell.children;
    [MARK[mark] + call, numbers, name].forEach((text, i) => { lines[i].textContent = text; });
    cell.className = `case ${mark}`;
    cell.dataset.number = number;
    cell.title = [name, call, mark, numbers].filter(Boolean).join(", ");
    cell.ariaLabel = `${cell.title}. ${this.data.opens}`;
    this.cells.set(number, cell);
    this.paint(number, image);
    this.room.append(cell);
    return cell;
  }

  make() {
    const cell = document.createElement("button");
    cell.type = "button";
    const image = document.createElement("img");
    image.alt = "";
    image.decoding = "async";
    cell.append(image, ...["call", "numbers", "name"].map((kind) => Object.assign(document.createElement("span"), { className: kind })));
    cell.onclick = () => this.open(+cell.dataset.number);
    return cell;
  }

  drop(number) {
    const cell = this.cells.get(number);
    cell.remove();
    this.cells.delete(number);
    this.spare.push(cell);
  }

  paint(number, image) {
    const { block } = this.data, address = this.pictures.get(Math.floor(number / block))?.[number % block];
    if (address) image.src = address;
    else image.removeAttribute("src");
  }

  ask(first, last) {
    const { block, id } = this.data, blocks = [];
    for (let n = Math.floor(first / block); n * block < last; n++) if (!this.asked.has(n)) blocks.push(n);
    for (const n of blocks.slice(0, 3)) this.asked.add(n);
    if (blocks.length) this.tell({ id, blocks: blocks.slice(0, 3) });
  }

  /** blocks: number -> addresses of its pictures. */
  receive(id, blocks) {
    if (id !== this.data?.id) return;
    for (const [n, addresses] of Object.entries(blocks)) {
      this.pictures.delete(+n); // seen last: at the end
      this.pictures.set(+n, addresses);
    }
    for (const n of [...this.pictures.keys()].slice(0, -KEPT)) {
      this.pictures.delete(n);
      this.asked.delete(n);
    }
    for (const [number, cell] of this.cells) this.paint(number, cell.firstChild);
    this.draw(); // asks for what is in sight and still lacks
  }

  destroy() {
    clearTimeout(this.timer);
    this.watch.disconnect();
  }
}

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  if (!data) return undefined;
  const view = parentElement.querySelector(".cases");
  if (data.blocks) {
    view.hidden = true;
    const hand = (left) => { // the grid may be mounted a moment later
      if (GRIDS.has(data.key)) GRIDS.get(data.key).receive(data.id, data.blocks);
      else if (left) setTimeout(() => hand(left - 1), 50);
    };
    hand(100);
    return undefined;
  }
  if (GRIDS.get(data.key)?.view !== view) {
    GRIDS.get(data.key)?.destroy();
    GRIDS.set(data.key, new Grid(view));
  }
  GRIDS.get(data.key).update(data, (value) => setStateValue("wanted", value), (number) => setTriggerValue("opened", number));
  return undefined;
}
