// Opens a page in Chromium as a person would, and says as JSON what was seen. Arguments: node_modules, Chromium, address of the page.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [modules, executablePath, address] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const args = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"];
const browser = await chromium.launch({ executablePath, args });

async function opened(options) {
  const page = await browser.newPage(options);
  const said = { requests: [], messages: [] };
  page.on("request", (request) => { if (!/^(file|data):/.test(request.url())) said.requests.push(request.url()); });
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) said.messages.push(message.text()); });
  page.on("pageerror", (error) => said.messages.push(error.message));
  await page.goto(address);
  return [page, said];
}

async function accessible(colorScheme, width) {
  const [page] = await opened({ colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
  await page.addStyleTag({ content: ".chunk, .outline li { content-visibility: visible !important; }" });
  await page.evaluate(() => document.querySelectorAll("details").forEach((details) => { details.open = true; }));
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run());
  await page.close();
  return found.violations.map((rule) => `${rule.impact} ${rule.id}: ${rule.nodes.slice(0, 3).map((node) => `${node.html} (${node.any.map((check) => check.message)})`).join(" | ")}`);
}

async function used() {
  const [page, said] = await opened({ viewport: { width: 1300, height: 900 } });
  const focus = () => page.evaluate(() => document.activeElement.id || document.activeElement.className);
  const shown = () => page.locator(".chunk:visible").count();
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const steps = { all: await shown() };
  await page.keyboard.press("Tab");
  steps.skip = await focus();
  await page.keyboard.press("Enter");
  steps.skipped = await focus();
  for (const key of ["n", "j", "k"]) { await page.keyboard.press(key); steps[key] = await focus(); }
  steps.inView = await page.evaluate(() => { const box = document.activeElement.getBoundingClientRect(); return box.top >= 0 && box.top < innerHeight / 2; });
  await page.keyboard.press("/");
  steps.slash = await focus();
  await page.keyboard.type("gravel");
  await page.keyboard.press("Enter");
  steps.found = await shown();
  steps.count = await page.textContent("#count");
  steps.highlighted = await page.evaluate(() => CSS.highlights.get("found").size);
  steps.hit = await page.evaluate(() => document.activeElement.textContent.toLowerCase().includes("gravel"));
  await page.keyboard.press("Escape");
  steps.ended = await shown();
  await page.selectOption("#kind", "small");
  steps.small = await shown();
  await page.selectOption("#kind", "");
  steps.light = await ground();
  await page.selectOption("#theme", "dark");
  steps.dark = await ground();
  if (await page.locator("input[name=set]").count()) {
    await page.locator("input[name=set]").nth(1).uncheck();
    steps.one = await shown();
  }
  steps.wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  await page.setViewportSize({ width: 340, height: 800 });
  steps.overflow = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  return { ...steps, ...said };
}

const result = { light: await accessible("light", 1300), dark: await accessible("dark", 1300), phone: await accessible("light", 360), used: await used() };
await browser.close();
console.log(JSON.stringify(result));
