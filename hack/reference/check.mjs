// Opens pages of an API reference in headless Chromium, and checks what users do with them. Arguments: Chromium, the folder of pages,
// a folder for pictures, and the script of axe.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [, , executablePath, site, pictures, axe] = process.argv;
const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const browser = await chromium.launch({ executablePath, args });
let failed = 0;
const check = (what, is, shown = "") => {
  console.log(`${is ? "ok  " : "FAIL"} ${what}${shown === "" ? "" : `: ${shown}`}`);
  if (!is) failed += 1;
};
const address = (file, hash = "") => pathToFileURL(`${site}/${file}`).href + hash;
const script = readFileSync(axe, "utf8");

// Opens a page, and fails if it logs an error or asks for anything but itself.
const open = async (file, hash, { colorScheme = "light", width = 1280, javaScriptEnabled = true } = {}) => {
  const context = await browser.newContext({ colorScheme, javaScriptEnabled, bypassCSP: true, viewport: { width, height: 900 } });
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => request.url().startsWith("file:") || faults.push(request.url()));
  await page.goto(address(file, hash));
  return { page, faults, close: () => context.close() };
};
const rules = async (page) => {
  await page.evaluate(script);
  const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"] }));
  return violations.map((it) => `${it.id} (${it.nodes[0].html.slice(0, 120)})`);
};

{
  const { page, faults, close } = await open("index.html", "");
  const links = await page.locator("main a").evaluateAll((all) => all.map((it) => it.getAttribute("href")));
  check("the index leads to every version", links.includes("cloudnative.czs.html#VirtualMachine.v1alpha1"), links.length);
  check("axe finds nothing on the index", (await rules(page)).length === 0, await rules(page));
  check("the index logs no error", faults.length === 0, faults);
  await close();
}
for (const colorScheme of ["light", "dark"]) {
  const { page, faults, close } = await open("cloudnative.czs.html", "#spec.resource.cpu", { colorScheme });
  const target = page.locator(".target");
  check(`${colorScheme}: a link to a field opens and marks it`, (await target.getAttribute("id")) === "VirtualMachine.v1alpha1.spec.resource.cpu" && (await target.isVisible()));
  const box = await target.boundingBox();
  check(`${colorScheme}: and shows it`, box && box.y > 0 && box.y < 900, box?.y);
  const back = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  check(`${colorScheme}: the page follows the system`, (back === "rgb(255, 255, 255)") === (colorScheme === "light"), back);
  await page.click("#theme");
  const other = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  check(`${colorScheme}: the button changes it`, other !== back, other);
  await page.click("#theme");
  await page.evaluate(() => document.querySelectorAll("details").forEach((it) => { it.open = true; }));
  const found = await rules(page);
  check(`${colorScheme}: axe finds nothing with everything open`, found.length === 0, found);
  check(`${colorScheme}: no error`, faults.length === 0, faults);
  await page.screenshot({ path: `${pictures}/${colorScheme}.png` });
  await close();
}
{
  const { page, faults, close } = await open("cloudnative.czs.html", "");
  await page.keyboard.press("/");
  await page.keyboard.type("rootdisk");
  const hit = await page.locator("#found a").first().textContent();
  check("search finds a field by its name", hit.startsWith("VirtualMachine.v1alpha1.spec.resource.rootDisk"), hit);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  check("and leads there by keyboard", (await page.locator(".target .name").first().textContent()) === "rootDisk");
  await page.fill("#search", "number of processors");
  check("search finds words of a description", (await page.locator("#found a").count()) > 0, await page.locator("#count").textContent());
  const sample = page.locator(".sample").first();
  await sample.locator("summary").click();
  await sample.locator("button").click();
  const answered = sample.locator("button", { hasText: /Copied|Selected/ }).waitFor({ timeout: 5000 });
  check("a sample can be copied", await answered.then(() => true, () => false));
  check("no error", faults.length === 0, faults);
  await close();
}
{
  const { page, close } = await open("shop.example.com.html", "");
  await page.locator(".versions summary").first().click();
  check("versions stand side by side", (await page.locator(".versions").first().locator("tbody tr").count()) > 0);
  await page.screenshot({ path: `${pictures}/versions.png` });
  await close();
}
{
  const { page, close } = await open("cloudnative.czs.html", "", { javaScriptEnabled: false });
  check("fields are there without the script", (await page.locator(".fields li").count()) > 20);
  check("and the search is not", !(await page.locator("#search").isVisible()));
  await close();
}
{
  const { page, close } = await open("cloudnative.czs.html", "", { width: 390 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  const tooWide = () => [...document.querySelectorAll("body *")].filter((it) => it.getBoundingClientRect().right > innerWidth + 1).map((it) => it.outerHTML.slice(0, 80));
  check("a narrow page is not scrolled sideways", wide <= 390, wide <= 390 ? wide : (await page.evaluate(tooWide))[0]);
  await page.screenshot({ path: `${pictures}/narrow.png` });
  await close();
}
{
  const { page, faults, close } = await open("kubevirt.io.html", "#VirtualMachine.spec.template");
  const fields = await page.locator(".fields li").count();
  const loaded = await page.evaluate(() => performance.getEntriesByType("navigation")[0].loadEventEnd);
  console.log(`     ${fields} fields are loaded in ${Math.round(loaded)} ms`);
  check("a large page shows what its address names", await page.locator(".target").isVisible());
  check("no error", faults.length === 0, faults);
  await page.screenshot({ path: `${pictures}/large.png` });
  await close();
}
await browser.close();
process.exit(failed > 0 ? 1 : 0);
