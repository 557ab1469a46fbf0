// Uses the page of `ompls report --html` in a real browser: node report_page.mjs PAGE EXTENSION BROWSER [PICTURE],
// or `nearest` for PICTURE: as near as it goes, at the last event.  Prints what was seen as JSON.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [, , page, extension, executablePath, picture] = process.argv;
const { chromium } = createRequire(`${extension}/`)("playwright-core");

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const tab = await browser.newPage({ viewport: { width: 1320, height: 1000 } });
const seen = { requests: [], problems: [] };
tab.on("request", (request) => seen.requests.push(request.url().split(":")[0]));
tab.on("pageerror", (error) => seen.problems.push(error.message));
tab.on("console", (message) => message.type() === "error" && seen.problems.push(message.text()));
await tab.goto(pathToFileURL(page).href);
await tab.waitForSelector("#chart .at", { state: "attached" });

const text = (selector) => tab.locator(selector).allInnerTexts();
const state = () =>
  tab.evaluate(() => ({
    titles: [...document.querySelectorAll("#chart text.title")].map((t) => t.textContent),
    bars: Object.fromEntries(["host", "to", "kernels", "back"].map((kind) => [kind, document.querySelectorAll(`#chart rect.${kind}`).length])),
    width: Math.round(document.querySelector("#chart rect.picked")?.getBoundingClientRect().width ?? 0),
    line: document.querySelector("#source .here")?.dataset.line ?? "",
    event: document.getElementById("event").innerText,
    rows: [...document.querySelectorAll("#tables tr")].slice(1).map((row) => [...row.cells].slice(0, 3).map((cell) => cell.innerText)),
    values: [...document.querySelectorAll("#tables .values")].map((value) => value.innerText),
  }));
const settled = async (does) => {
  await does();
  await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return state();
};

if (picture === "nearest") {
  await tab.focus("#axis");
  for (let i = 0; i < 4; i++) await tab.keyboard.press("ArrowRight");
  for (let i = 0; i < 70; i++) await settled(() => tab.keyboard.press("+"));
  seen.event = (await state()).event;
  seen.ticks = await tab.locator("#chart line.tick").count();
  seen.lost = await tab.evaluate(() => /NaN|Infinity/.test(document.getElementById("chart").outerHTML));
  await browser.close();
  console.log(JSON.stringify(seen));
  process.exit();
}

seen.first = await state();
if (picture) await tab.screenshot({ path: picture, fullPage: true });
const box = await tab.locator("#chart rect.picked").boundingBox();
await tab.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
seen.tip = await text("#tip");
await tab.keyboard.down("Control");
seen.nearer = await settled(() => tab.mouse.wheel(0, -200));
await tab.keyboard.up("Control");
seen.whole = await settled(() => tab.click("#whole"));
await tab.click("#work");
await tab.focus("#axis");
seen.next = await settled(() => tab.keyboard.press("ArrowRight"));
seen.clicked = await settled(() => tab.click("#source .region >> nth=0"));
await tab.click("#whole");
seen.empty = await settled(() => tab.click("#chart rect.track >> nth=-1", { position: { x: 1060, y: 5 } }));
await tab.emulateMedia({ media: "print" });
seen.print = { controls: await tab.isVisible(".controls"), far: await tab.isVisible("#source .far"), lines: (await text("#source .region")).length };
seen.text = await text("h2");
await browser.close();
console.log(JSON.stringify(seen));
