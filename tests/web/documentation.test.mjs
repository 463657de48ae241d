// The documentation site in Chromium. `test_documentation.py` builds it and runs this file.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";

const require = createRequire(new URL("../../export/web/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const { SITE, PYTHON, BROWSER } = process.env;
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage"];
const PHONE = { viewport: { width: 360, height: 740 }, colorScheme: "dark" };
const PAGES = ["index.html", "docs/start.html", "docs/how/luong.html", "docs/reference/layers.html", "docs/results.html"];

const elsewhere = [];
let server, address, browser;

before(async () => {
  server = spawn(PYTHON, ["-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", SITE, "0"]);
  const [port] = await new Promise((resolve) => server.stdout.once("data", (text) => resolve(/(?<=port )\d+/.exec(text))));
  address = `http://127.0.0.1:${port}/`;
  browser = await chromium.launch({ executablePath: BROWSER, args: FLAGS });
});

after(async () => {
  await browser?.close();
  server?.kill();
});

/** A page whose requests to other places are refused and written down. */
async function open(path, options) {
  const context = await browser.newContext(options);
  await context.route(
    (url) => !url.href.startsWith(address) && /^https?:/.test(url.protocol),
    (route) => {
      elsewhere.push(route.request().url());
      return route.abort();
    },
  );
  const page = await context.newPage();
  page.setDefaultTimeout(120_000); // against hanging
  await page.goto(address + path);
  return page;
}

test("the search finds a page by a word in it", async () => {
  const page = await open("index.html");
  await page.waitForLoadState("networkidle"); // the search has read its index
  await page.keyboard.press("Control+k");
  await page.keyboard.type("grow-diag-final-and", { delay: 20 });
  await page.locator("a[role=option][href*='alignment.html?h=']").first().waitFor();
  await page.context().close();
});

for (const path of PAGES) {
  test(`${path} fits a phone, and is dark where the reader wants it dark`, async () => {
    const page = await open(path, PHONE);
    const { wide, there, background } = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth,
      there: window.innerWidth,
      background: getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g).map(Number),
    }));
    assert.ok(wide <= there, `${wide} pixels wide on a screen of ${there}`);
    assert.ok(background.slice(0, 3).every((value) => value < 80), `background ${background}`);
    assert.ok(await page.evaluate(() => [...document.images].every((image) => image.complete && image.naturalWidth > 0)));
    await page.context().close();
  });
}

test("nothing was asked of another server", () => {
  assert.deepEqual(elsewhere, []);
});
