// Draws the time axis, and shows the source and the present tables at the instant that was picked.
//
// The data are of timeline.py: { span, work: [from, to], bucket, lanes: [{ title, kind, label, bars }], regions, rows,
// sources, directory, shares, command }.  A bar is [start, length, region, text, row, count, busy], in nanoseconds; the bars of a lane are in the
// order of their starts.  Nothing of the data becomes markup: text is set as text.

const data = JSON.parse(document.getElementById("data").textContent);
const [chart, overview, axis, tip] = ["chart", "overview", "axis", "tip"].map((id) => document.getElementById(id));

const LEFT = 156; // of the drawing: names
const ROW = 18, GAP = 4, HEAD = 24;
const MOST_TICKS = 100;
const NEAREST = Math.max(100, data.span * 2 ** -40); // ns in sight, at least: nearer, sums of long times do not change any more

const view = { from: data.work[0], to: data.work[1] };
let picked = null; // { lane, bar }
let instant = data.work[0];
let width = 1000;

// --- text --------------------------------------------------------------------------------------------------------------

function time(ns, step = 0) {
  const [unit, scale] = [["s", 1e9], ["ms", 1e6], ["µs", 1e3]].find(([, s]) => ns >= s) ?? ["ns", 1];
  const digits = step ? Math.max(0, Math.min(6, Math.ceil(-Math.log10(step / scale)))) : scale === 1 ? 0 : ns / scale < 10 ? 2 : 1;
  return `${(ns / scale).toFixed(digits)} ${unit}`;
}

const short = (path) => (path.startsWith(data.directory) ? path.slice(data.directory.length) : path);

const exactly = (ns) => `${Math.max(0, ns / 1e6).toFixed(3)}ms`;

function element(name, attributes = {}, text = "") {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

function shape(name, attributes, text = "") {
  const made = document.createElementNS(chart.namespaceURI, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

function said(lane, bar) {
  const [start, length, region, text, , count, busy] = bar;
  const what = lane.kind === "host" ? "construct" : lane.kind === "kernels" ? `kernel on ${lane.title}` : lane.kind === "to" ? `copy to ${lane.title}` : `copy back from ${lane.title}`;
  const place = short(data.regions[region]);
  if (count > 1 || data.bucket) return `${count} × ${what}\n${time(busy)} of ${time(length)}, from ${time(start)} on`;
  return `${what}${text ? `: ${text}` : ""}\n${place}\n${time(length)}, from ${time(start)} on`;
}

// --- drawing -----------------------------------------------------------------------------------------------------------

const place = (t) => LEFT + ((t - view.from) / (view.to - view.from)) * (width - LEFT);
const under = (x) => view.from + ((x - LEFT) / (width - LEFT)) * (view.to - view.from);
const rowsOf = (lane) => 1 + lane.bars.reduce((most, bar) => Math.max(most, bar[4]), 0);
const isLong = (title) => title.length > 10; // it has no room beside the name of a lane
const longest = new Map(data.lanes.map((lane) => [lane, lane.bars.reduce((most, bar) => Math.max(most, bar[1]), 0)]));

function firstFrom(bars, start) {
  let low = 0, high = bars.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (bars[middle][0] < start) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The bars of a lane that are in sight; what is too close to be told apart is one, with how often.
function* inSight(lane) {
  const closest = (view.to - view.from) / (width - LEFT);
  const open = new Map();
  for (let i = firstFrom(lane.bars, view.from - longest.get(lane)); i < lane.bars.length; i++) {
    const bar = lane.bars[i], end = bar[0] + bar[1], before = open.get(bar[4]);
    if (bar[0] > view.to) break;
    if (end < view.from) continue;
    if (before && !data.bucket && bar[0] + Math.max(bar[1], closest) - before[0] < 4 * closest) {
      open.set(bar[4], [before[0], Math.max(end, before[0] + before[1]) - before[0], bar[2], bar[3], bar[4], before[5] + bar[5], before[6] + bar[6]]);
      continue;
    }
    if (before) yield before;
    open.set(bar[4], bar);
  }
  yield* open.values();
}

function steps() {
  const rough = (view.to - view.from) / Math.max(2, (width - LEFT) / 110), ten = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5].map((n) => n * ten).find((step) => step >= rough) ?? 10 * ten;
}

function drawBar(lane, bar, y) {
  const x = Math.max(place(bar[0]), LEFT), end = Math.min(place(bar[0] + bar[1]), width);
  const full = data.bucket ? Math.max(0.12, Math.min(1, bar[6] / bar[1])) : 1;
  const made = shape("rect", { class: lane.kind, x: x.toFixed(1), width: Math.max(end - x, 1.5).toFixed(1), y: (y + ROW * (1 - full)).toFixed(1), height: (ROW * full).toFixed(1), rx: end - x > 6 && !data.bucket ? 2 : 0 });
  if (picked && picked.bar === bar) made.classList.add("picked");
  made.bar = bar;
  made.lane = lane;
  chart.append(made);
  const name = lane.kind === "host" || lane.kind === "kernels" ? short(data.regions[bar[2]]) : bar[3];
  if (bar[5] === 1 && !data.bucket && end - x > 7 * name.length + 12) chart.append(shape("text", { class: "inside", x: x + 6, y: y + 13 }, name));
}

function draw() {
  width = Math.max(chart.clientWidth || chart.parentElement.clientWidth, 400);
  chart.replaceChildren();
  const titles = [...new Set(data.lanes.map((lane) => lane.title))];
  const height = HEAD + data.lanes.reduce((sum, lane) => sum + rowsOf(lane) * (ROW + 2) + GAP, 0) + titles.length * 10 + titles.filter(isLong).length * (ROW + 2);
  chart.setAttribute("height", height);
  chart.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const step = steps();
  for (let n = Math.ceil(view.from / step), last = Math.min(Math.floor(view.to / step), n + MOST_TICKS); n <= last; n++) {
    const t = n * step;
    chart.append(shape("line", { class: "tick", x1: place(t), x2: place(t), y1: HEAD - 6, y2: height }));
    if (place(t) < width - 60) chart.append(shape("text", { x: place(t) + 4, y: 12 }, t === 0 ? "0" : time(t, step)));
  }
  let y = HEAD, title = "";
  for (const lane of data.lanes) {
    if (title !== lane.title) {
      if (title) y += 10;
      chart.append(shape("text", { class: "title", x: 0, y: y + 13 }, lane.title));
      if (isLong(lane.title)) y += ROW + 2;
    }
    title = lane.title;
    chart.append(shape("text", { x: LEFT - 8, y: y + 13, "text-anchor": "end" }, lane.kind === "host" ? "" : lane.label));
    const rows = rowsOf(lane);
    for (let row = 0; row < rows; row++) chart.append(shape("rect", { class: "track", x: LEFT, width: width - LEFT, y: y + row * (ROW + 2), height: ROW }));
    for (const bar of inSight(lane)) drawBar(lane, bar, y + bar[4] * (ROW + 2));
    y += rows * (ROW + 2) + GAP;
  }
  if (instant >= view.from && instant <= view.to) chart.append(shape("line", { class: "at", x1: place(instant), x2: place(instant), y1: 4, y2: height }));
  const part = document.getElementById("part");
  if (part) part.textContent = `${data.command} --between ${exactly(view.from)} ${exactly(view.to)} --html part.html`;
  drawOverview();
}

// The whole run in a strip, with the part that is in sight.
function drawOverview() {
  overview.replaceChildren(shape("rect", { class: "track", x: LEFT, width: width - LEFT, y: 0, height: 22 }));
  overview.append(shape("text", { x: 0, y: 15 }, "whole run"));
  const x = (t) => LEFT + (t / data.span) * (width - LEFT);
  for (const lane of data.lanes.filter((each) => each.kind !== "host")) {
    let drawn = -1;
    const y = { to: 2, kernels: 8, back: 14 }[lane.kind];
    for (const bar of lane.bars) {
      const from = Math.max(x(bar[0]), drawn), to = Math.max(x(bar[0] + bar[1]), x(bar[0]) + 1);
      if (to - from < 0.5) continue;
      overview.append(shape("rect", { class: lane.kind, x: from.toFixed(1), width: (to - from).toFixed(1), y, height: 5 }));
      drawn = to;
    }
  }
  const from = Math.max(x(view.from), LEFT), to = Math.min(x(view.to), width);
  overview.append(shape("rect", { class: "shade", x: LEFT, width: Math.max(0, from - LEFT), y: 0, height: 22 }));
  overview.append(shape("rect", { class: "shade", x: to, width: Math.max(0, width - to), y: 0, height: 22 }));
  overview.append(shape("rect", { class: "part", x: from + 0.75, width: Math.max(to - from - 1.5, 2), y: 0.75, height: 20.5, rx: 3 }));
}

let waiting = false;
function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    draw();
  });
}

function show(from, to) {
  const length = Math.min(Math.max(to - from, NEAREST), data.span);
  view.from = Math.min(Math.max(from - Math.max(0, length - (to - from)) / 2, 0), data.span - length);
  view.to = view.from + length;
  redraw();
}

function zoom(factor, t = instant >= view.from && instant <= view.to ? instant : (view.from + view.to) / 2) {
  show(t - (t - view.from) * factor, t + (view.to - t) * factor);
}

// --- the instant -------------------------------------------------------------------------------------------------------

const all = data.lanes.flatMap((lane) => lane.bars.map((bar) => ({ lane, bar }))).sort((a, b) => a.bar[0] - b.bar[0]);

function pick(found) {
  picked = found;
  const [start, length] = found.bar;
  if (start < view.from || start > view.to) show(start - (view.to - view.from) / 4, start + ((view.to - view.from) * 3) / 4);
  setInstant(start + (found.lane.kind === "host" || data.bucket ? 0 : length / 2), found);
}

function setInstant(t, found) {
  instant = Math.min(Math.max(t, 0), data.span);
  document.getElementById("instant").textContent = `at ${time(instant, (view.to - view.from) / 1000)}`;
  const event = document.getElementById("event");
  event.hidden = !found;
  event.textContent = found ? said(found.lane, found.bar).replaceAll("\n", ", ") : "";
  showTables();
  showSource((found && data.regions[found.bar[2]]) || at(instant));
  redraw();
}

// The region that the host is in.
function at(t) {
  const host = data.lanes.find((lane) => lane.kind === "host");
  const bar = host?.bars.filter((each) => each[0] <= t).at(-1);
  return bar && !data.bucket && t <= bar[0] + bar[1] ? data.regions[bar[2]] : null;
}

function showTables() {
  const place = document.getElementById("tables"), there = data.rows.filter((row) => row.from <= instant && !(row.to <= instant));
  place.replaceChildren();
  for (const device of new Set(there.map((row) => row.device))) {
    const table = element("table"), head = element("tr");
    for (const name of ["item", "bytes", "references", "mapped at", "last copy"]) head.append(element("th", {}, name));
    table.append(head);
    for (const row of there.filter((each) => each.device === device)) {
      const line = element("tr"), item = element("td");
      item.append(element("code", {}, row.section));
      line.append(item, element("td", {}, row.bytes), element("td", {}, row.references), element("td", {}, short(row.region)));
      const copied = row.copied === undefined ? element("td", {}, "none") : element("td", { title: `${time(row.copied)}` }, row.way);
      if (row.values) copied.append(element("div", { class: "values" }, bytes(row.values)));
      line.append(copied);
      table.append(line);
    }
    place.append(element("h4", {}, device), table);
  }
  const none = data.bucket && !data.rows.length ? "The tables of a long trace are not on the page." : data.leftOut ? "None of the entries on the page was there." : "Nothing is on a device.";
  if (!there.length) place.append(element("p", { class: "note" }, none));
}

const bytes = (text) => (text.match(/../g) ?? []).slice(0, 8).join(" ") + (text.length > 16 ? " …" : "");

// --- the source --------------------------------------------------------------------------------------------------------

const parts = (region) => [region.replace(/:\d+$/, ""), Number(region.slice(region.lastIndexOf(":") + 1))];
let file = null;

function showSource(region) {
  const [name, number] = region ? parts(region) : [file ?? Object.keys(data.sources)[0] ?? "", 0];
  const place = document.getElementById("source");
  if (name !== file) openFile(name);
  for (const line of place.querySelectorAll(".here")) line.classList.remove("here");
  const line = region ? place.querySelector(`[data-line="${number}"]`) : null;
  if (!line) return;
  line.classList.add("here");
  const top = line.offsetTop - place.offsetTop;
  if (top < place.scrollTop + 20 || top > place.scrollTop + place.clientHeight - 40) place.scrollTop = top - place.clientHeight / 3;
}

function openFile(name) {
  const place = document.getElementById("source"), source = data.sources[name] ?? { lines: {}, note: "not shown" };
  const directives = new Set(Object.keys(data.shares).concat(data.regions).map(parts).filter(([of]) => of === name).map(([, n]) => n));
  file = name;
  document.getElementById("file").textContent = short(name) + (source.note ? ` (${source.note})` : "");
  place.hidden = !Object.keys(source.lines).length;
  place.replaceChildren();
  let before = 0;
  for (const [key, text] of Object.entries(source.lines)) {
    const number = Number(key), line = element("div", { "data-line": number });
    if (number > before + 1) place.append(gap());
    before = number;
    const share = data.shares[`${name}:${number}`];
    line.append(element("i", {}, number), element("u", {}, share === undefined ? "" : `${share} %`), element("span", /^\s*#\s*pragma/.test(text) ? { class: "pragma" } : {}, text));
    if (directives.has(number)) {
      line.className = "region";
      if (!data.bucket) line.title = "show the next time that this runs";
      line.addEventListener("click", () => next(`${name}:${number}`));
    } else if (![...directives].some((n) => Math.abs(n - number) < 4)) line.className = "far";
    place.append(line);
  }
}

function gap() {
  const made = element("div", { class: "gap" });
  made.append(element("i"));
  return made;
}

// The next bar of a region after the one that is picked, from the first again behind the last.
function next(region) {
  const own = all.filter(({ lane, bar }) => data.regions[bar[2]] === region && lane.kind !== "host");
  const those = own.length ? own : all.filter(({ bar }) => data.regions[bar[2]] === region);
  if (those.length) pick(those[(those.findIndex(({ bar }) => picked && bar === picked.bar) + 1) % those.length]);
}

// --- hands -------------------------------------------------------------------------------------------------------------

const x = (event) => event.clientX - chart.getBoundingClientRect().left;

chart.addEventListener("wheel", (event) => {
  if (!event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  zoom(Math.exp(Math.max(-200, Math.min(200, event.deltaY)) / 300), under(Math.max(x(event), LEFT)));
}, { passive: false });

let held = null;
chart.addEventListener("pointerdown", (event) => {
  if (event.button === 0) held = { x: x(event), from: view.from, to: view.to, moved: false, target: event.target };
});
window.addEventListener("pointermove", (event) => {
  if (!held) return hover(event);
  tip.hidden = true;
  const moved = x(event) - held.x;
  if (Math.abs(moved) > 3) held.moved = true;
  if (!held.moved) return;
  chart.classList.add("moving");
  const by = (moved / (width - LEFT)) * (held.to - held.from);
  show(held.from - by, held.to - by);
});
window.addEventListener("pointerup", (event) => {
  const done = held;
  held = null;
  chart.classList.remove("moving");
  if (!done || done.moved) return;
  axis.focus({ preventScroll: true });
  const { lane, bar } = done.target;
  if (bar && bar[5] > 1 && !data.bucket) {
    show(bar[0] - bar[1] * 0.1, bar[0] + bar[1] * 1.1); // several that are too close: nearer
  } else if (bar) {
    pick({ lane, bar });
  } else if (x(event) >= LEFT) {
    picked = null;
    setInstant(under(x(event)));
  }
});
chart.addEventListener("dblclick", (event) => {
  const { bar } = event.target;
  if (bar) show(bar[0] - bar[1] * 0.2, bar[0] + bar[1] * 1.2);
});
overview.addEventListener("pointerdown", (event) => {
  const middle = ((x(event) - LEFT) / (width - LEFT)) * data.span, half = (view.to - view.from) / 2;
  show(middle - half, middle + half);
});

function hover(event) {
  const { bar, lane } = event.target;
  tip.hidden = !bar;
  if (!bar) return;
  tip.textContent = said(lane, bar);
  tip.style.left = `${Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 10)}px`;
  tip.style.top = `${Math.min(event.clientY + 16, window.innerHeight - tip.offsetHeight - 10)}px`;
}

function step(by) {
  const current = picked ? all.findIndex(({ bar }) => bar === picked.bar) : firstFrom(all.map(({ bar }) => bar), instant) - (by > 0 ? 1 : 0);
  const found = all[Math.min(Math.max(current + by, 0), all.length - 1)];
  if (found) pick(found);
}

const keys = {
  ArrowRight: () => step(1),
  ArrowLeft: () => step(-1),
  "+": () => zoom(0.5),
  "=": () => zoom(0.5),
  "-": () => zoom(2),
  0: () => show(...data.work),
  w: () => show(0, data.span),
};
axis.addEventListener("keydown", (event) => {
  const does = event.ctrlKey || event.metaKey || event.altKey ? null : keys[event.key];
  if (!does) return;
  event.preventDefault();
  does();
});
for (const [id, does] of Object.entries({ in: keys["+"], out: keys["-"], work: keys[0], whole: keys.w })) document.getElementById(id).addEventListener("click", does);
window.addEventListener("resize", redraw);
window.addEventListener("beforeprint", draw);

for (const hidden of document.querySelectorAll(".controls, .beside")) hidden.hidden = false;
const first = all.find(({ lane }) => lane.kind === "kernels") ?? all[0];
pick(first);
show(view.from - (view.to - view.from) * 0.02, view.to + (view.to - view.from) * 0.02);
