// The built page in Chromium. `test_page.py` exports the models, builds the site, writes what to expect, and runs this file.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";

const require = createRequire(new URL("../../export/web/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const expected = JSON.parse(readFileSync(process.env.EXPECTED, "utf8"));
const { site, python, browser, sentences, attention, otherModel, pronounced, longSentence } = expected;
const talking = sentences.filter(({ text }) => text); // a beam of an untrained model may say nothing

const SERVE = fileURLToPath(new URL("../../export/web/serve.py", import.meta.url));
const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1100, height: 800 };
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage"];
const QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];

const profile = mkdtempSync(path.join(tmpdir(), "chromium-"));
const complaints = [];
const requests = [];
let server, address, context, page;

before(async () => {
  await startServer();
  context = await chromium.launchPersistentContext(profile, {
    executablePath: browser,
    headless: true,
    args: [...FLAGS, ...QUIET],
    viewport: DESKTOP,
  });
  context.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  context.on("weberror", (error) => complaints.push(String(error.error())));
  context.on("request", (request) => requests.push(`${request.method()} ${new URL(request.url()).origin}`));
  page = await context.newPage();
  await open();
});

after(async () => {
  await context?.close();
  server?.kill();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
});

test("a hundred sentences give the ids and the text of the Python client", async () => {
  assert.equal(sentences.length, 100);
  const found = await page.evaluate(translateInWorker, sentences.map(({ source }) => source));
  assert.deepEqual(found, sentences.map(({ ids, text }) => ({ ids, text })));
});

test("the page shows one translation a line, and the time it took", async () => {
  const some = sentences.slice(0, 8);
  const start = performance.now();
  await translate(some.map(({ source }) => source).join("\n"));
  const elapsed = performance.now() - start;
  assert.deepEqual(await page.locator("#target p").allTextContents(), some.map(({ text }) => text));
  const status = await page.textContent("#status");
  const [, total, each, pieces] = status.match(/^(\d+) ms, (\d+\.\d) ms for each of (\d+) word pieces\.$/).map(Number);
  assert.equal(pieces, some.reduce((sum, { ids }) => sum + ids.length, 0));
  assert.ok(total <= elapsed + 1, `${total} ms in ${elapsed} ms`);
  assert.ok(Math.abs(each - total / pieces) < 0.06 + 0.5 / pieces, status);
});

test("words appear as they are decoded", async () => {
  const { source, text } = longest(sentences);
  await page.evaluate(() => {
    globalThis.seen = [];
    new MutationObserver(() => globalThis.seen.push(document.getElementById("target").textContent)).observe(
      document.getElementById("target"),
      { childList: true, subtree: true, characterData: true },
    );
  });
  await translate(source);
  const seen = await page.evaluate(() => globalThis.seen.filter((each, i, all) => each && each !== all[i - 1]));
  assert.ok(seen.length >= 3, `seen: ${seen}`);
  assert.equal(seen.at(-1), text);
  for (const each of seen) assert.ok(text.startsWith(each.trimEnd()), `${each} is no beginning of ${text}`);
});

test("of a text that was changed while it was translated, nothing more is shown", async () => {
  await page.fill("#source", talking.slice(0, 20).map(({ source }) => source).join("\n"));
  await page.click("#translate");
  await page.waitForFunction(() => document.querySelector("#target p")?.textContent);
  for (const { source, text } of talking.slice(20, 22)) {
    await translate(source);
    assert.deepEqual(await page.locator("#target p").allTextContents(), [text]);
  }
});

test("the heat map holds the weights that Keras gives", async () => {
  await translate(attention.source);
  const rows = await page.locator("tbody tr").evaluateAll((all) =>
    all.map((row) => [...row.cells].map((cell) => cell.textContent.replace(" %", ""))),
  );
  assert.deepEqual(rows.map(([word]) => word), attention.target);
  assert.deepEqual(await page.locator("thead th").allTextContents(), sourceWords());
  rows.forEach(([, ...shown], t) =>
    shown.forEach((value, s) => assert.ok(Math.abs(value - 100 * attention.weights[t][s]) < 0.6, `${t}, ${s}: ${value}`)),
  );
});

test("the pointer on a word of the translation lights up the source words", async () => {
  await translate(attention.source);
  const lit = () =>
    page.locator("span.word").evaluateAll((all) => all.map(({ style }) => Number(style.getPropertyValue("--weight"))));
  await page.locator("label.word").nth(1).hover();
  const seen = await lit();
  assert.equal(seen.length, attention.weights[1].length);
  seen.forEach((weight, s) => assert.ok(Math.abs(weight - attention.weights[1][s]) < 0.006));
  await page.mouse.move(0, 0);
  assert.deepEqual(new Set(await lit()), new Set([0]));
});

test("the keyboard alone writes, translates, and goes through the words", async () => {
  await page.focus("#pair");
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "swap");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Control+a");
  await page.keyboard.type(attention.source);
  await page.keyboard.press("Control+Enter");
  await done();
  assert.equal(await page.textContent("#announcement"), attention.target.join(" "));

  assert.equal(await focused(), "source");
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "translate");
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowRight");
  const word = attention.target[1];
  const looked = attention.weights[1].map((weight, s) => ({ weight, text: sourceWords()[s] })).filter(({ weight }) => weight >= 0.05);
  const told = looked.sort((a, b) => b.weight - a.weight).map(({ weight, text }) => `${text} ${Math.round(100 * weight)} %`);
  assert.equal(await page.textContent("#announcement"), `${word} looked at ${told.join(", ")}`);
  assert.equal(await page.textContent("label.chosen"), word);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "scroller");
});

test("axe finds nothing wrong, light or dark, on a phone or a desktop, and no page scrolls sideways", async () => {
  await translate([attention.source, longest(sentences).source].join("\n"));
  await page.evaluate(AXE);
  for (const viewport of [PHONE, DESKTOP]) {
    for (const colorScheme of ["light", "dark"]) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await page.locator("label.word").nth(1).click();
      const violations = await page.evaluate(async () =>
        (await globalThis.axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`),
      );
      assert.deepEqual(violations, [], `${colorScheme}, ${viewport.width} px`);
    }
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= viewport.width);
  }
});

test("text on the strongest heat can be read, light and dark", async () => {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    const [text, heat] = await page.evaluate(() => {
      const probe = document.body.appendChild(document.createElement("i"));
      probe.style.cssText = "color: var(--text); background: var(--heat)";
      const { color, backgroundColor } = getComputedStyle(probe);
      probe.remove();
      return [color, backgroundColor];
    });
    assert.ok(contrast(text, heat) >= 4.5, `${colorScheme}: ${contrast(text, heat)}`);
  }
});

test("a sentence longer than the model reads is cut, and the page says so", async () => {
  await translate(longSentence.source);
  assert.equal(await page.textContent("#target"), longSentence.text);
  assert.match(await page.textContent("#status"), /its end was not read/);
});

test("no word of a sentence that was cut holds what was not read", async () => {
  await translate(longSentence.source);
  const words = await page.locator("span.word").allTextContents();
  assert.ok(words.length > 3 && words.slice(0, 3).every((word) => longSentence.source.split(" ").includes(word)), `${words}`);
  assert.deepEqual(words.filter((word) => /\s/.test(word)), []);
});

test("a hundred thousand characters are translated as far as the model reads", async () => {
  await translate(longSentence.source.padEnd(100_000, longSentence.source));
  assert.equal(await page.textContent("#target"), longSentence.text);
  assert.match(await page.textContent("#status"), /its end was not read/);
});

test("nothing to translate gives nothing", async () => {
  await translate(" \n");
  assert.equal(await page.textContent("#target"), "");
  assert.equal(await page.textContent("#announcement"), "There is nothing to translate");
});

test("another language pair brings another model, here one without attention", async () => {
  assert.deepEqual(await languages(), ["English", "en", "French", "fr"]);
  await page.evaluate(() => {
    const status = document.getElementById("status");
    globalThis.told = [];
    new MutationObserver(() => globalThis.told.push(status.textContent)).observe(status, { childList: true });
  });
  const start = performance.now();
  await page.selectOption("#pair", { label: "French to English" });
  await ready("French to English");
  const elapsed = performance.now() - start;
  const told = await page.evaluate(() => globalThis.told);
  assert.equal(told.at(0), `Loading French to English, ${(otherModel.bytes / 1e6).toFixed(1)} MB`);
  const [, seconds] = told.at(-1).match(/^Ready to translate French to English\. Loaded in (\d+\.\d) s$/).map(Number);
  assert.ok(1000 * seconds <= elapsed + 51, `${seconds} s in ${elapsed} ms`);
  assert.deepEqual(await languages(), ["French", "fr", "English", "en"]);
  await translate(otherModel.source);
  assert.notEqual(otherModel.text, "");
  assert.equal(await page.textContent("#target"), otherModel.text);
  assert.ok(await page.isHidden("#attention"));
  await page.selectOption("#pair", { label: "English to French" });
  await ready("English to French");
});

test("one click leads to the other direction, and takes the translation along", async () => {
  await translate(talking[0].source);
  const said = await page.textContent("#target");
  await page.getByRole("button", { name: "Swap languages" }).click();
  await ready("French to English");
  assert.deepEqual(await languages(), ["French", "fr", "English", "en"]);
  assert.equal(await page.inputValue("#source"), said);
  await page.getByRole("button", { name: "Swap languages" }).click();
  await ready("English to French");
  assert.equal(await page.inputValue("#source"), said); // nothing was translated meanwhile
});

test("the packaged pronouncer, whose attention takes the memory for its keys, spells words in sounds", async () => {
  await page.selectOption("#pair", { label: "English to arpabet" });
  await ready("English to arpabet");
  assert.ok(await page.isHidden("#swap"));
  await translate("bookkeeper");
  assert.equal(await page.textContent("#target"), pronounced);
  assert.equal(await page.locator("tbody tr").count(), pronounced.split(" ").length);
  await page.selectOption("#pair", { label: "English to French" });
  await ready("English to French");
});

test("nothing was sent anywhere, and the console shows no error", () => {
  assert.deepEqual(new Set(requests), new Set([`GET ${address}`]));
  assert.deepEqual(complaints, []);
});

test("neither the page nor its worker nor the service worker can ask another server", async (test) => {
  const asked = [];
  const stranger = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(200, { "Access-Control-Allow-Origin": "*", "Content-Type": "text/javascript" }).end("");
  });
  await new Promise((resolve) => stranger.listen(0, "127.0.0.1", resolve));
  test.after(() => stranger.close());
  const elsewhere = `http://127.0.0.1:${stranger.address().port}`;
  const [worker] = page.workers();
  const [serviceWorker] = context.serviceWorkers();
  for (const [who, place] of Object.entries({ page, worker, serviceWorker })) {
    const refused = await place.evaluate(askElsewhere, `${elsewhere}/${who}`);
    assert.deepEqual(refused, { fetch: true, socket: true, script: true }, who);
  }
  assert.deepEqual(asked, []);
});

test("a browser whose quota is full translates all the same", async (test) => {
  const full = await chromium.launch({ executablePath: browser, headless: true, args: [...FLAGS, ...QUIET] });
  test.after(() => full.close());
  const visitor = await full.newPage();
  const devtools = await visitor.context().newCDPSession(visitor);
  const setQuota = (quotaSize) => devtools.send("Storage.overrideQuotaForOrigin", { origin: address, quotaSize });
  const visit = async () => {
    await visitor.goto(address);
    await ready("English to French", visitor);
  };
  await setQuota(1); // not even the page's own files can be kept: there is no service worker
  await visit();
  assert.equal(await visitor.evaluate(() => navigator.serviceWorker.controller), null);
  await setQuota(undefined); // no limit, until the service worker is there
  const earlier = `keras-attn ${address}/ an earlier build`;
  await visitor.evaluate((name) => Promise.all([caches.open(name), caches.open("another page")]), earlier);
  await visit();
  assert.equal(await visitor.evaluate((name) => caches.has(name), earlier), false);
  assert.equal(await visitor.evaluate(() => caches.has("another page")), true);
  assert.notEqual(await visitor.evaluate(() => navigator.serviceWorker.controller), null);
  await visitor.evaluate(async () => {
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) await cache.delete(request);
    }
  });
  await setQuota(1); // it can keep nothing of what it fetches
  await visit();
  await visitor.fill("#source", sentences[0].source);
  await visitor.click("#translate");
  await visitor.waitForFunction(() => document.getElementById("announcement").textContent !== "");
  assert.equal(await visitor.textContent("#target"), sentences[0].text);
  assert.equal(await visitor.evaluate(() => caches.match("worker.js")), undefined);
});

test("without the server, a reloaded page translates with the models it has used", async () => {
  server.kill();
  await new Promise((resolve) => server.on("exit", resolve));
  await open();
  await translate(sentences[0].source);
  assert.equal(await page.textContent("#target"), sentences[0].text);
  await page.selectOption("#pair", { label: "French to English" });
  await ready("French to English");
});

test("a model that cannot be had is an error the page shows", async () => {
  await page.evaluate(async () => {
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) if (request.url.endsWith("model.tflite")) await cache.delete(request);
    }
  });
  await page.reload();
  await page.waitForFunction(() => document.getElementById("error").textContent);
  assert.match(await page.textContent("#error"), /models\/.+\/model\.tflite could not be loaded/);
  assert.ok(await page.isDisabled("#translate"));
});

async function startServer() {
  server = spawn(python, [SERVE, site, "0"], { stdio: ["ignore", "pipe", "ignore"] });
  address = await new Promise((resolve) => server.stdout.once("data", (text) => resolve(String(text).trim())));
}

async function open() {
  await page.goto(address);
  await ready("English to French");
}

async function ready(pair, visitor = page) {
  const text = `Ready to translate ${pair}`;
  await visitor.waitForFunction((start) => document.getElementById("status").textContent.startsWith(start), text);
}

async function translate(text) {
  await page.fill("#source", text);
  await page.click("#translate");
  await done();
}

async function done() {
  await page.waitForFunction(() => document.getElementById("announcement").textContent !== "");
}

/** In the page: a worker of its own, asked as the page asks. */
async function translateInWorker(lines) {
  const worker = new Worker("worker.js");
  const ask = (request) =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => {
        if (data.error) reject(new Error(data.error));
        else if (!("text" in data)) resolve(data.translation);
      };
      worker.postMessage({ number: 0, ...request });
    });
  await ask({ load: "models/tiny-en-fr" });
  const found = [];
  for (const line of lines) {
    const { ids, text } = await ask({ translate: line });
    found.push({ ids, text });
  }
  worker.terminate();
  return found;
}

/** In the page or a worker: which ways to another server are barred. */
async function askElsewhere(url) {
  const fetched = await fetch(`${url}/fetch?said=text`).then(() => true, () => false);
  const opened = await new Promise((resolve) => {
    try {
      const socket = new WebSocket(url.replace("http", "ws"));
      socket.onopen = () => resolve(true);
      socket.onerror = () => resolve(false);
    } catch {
      resolve(false);
    }
  });
  let loaded = false;
  if (globalThis.importScripts) {
    try {
      importScripts(`${url}/script`);
      loaded = true;
    } catch {}
  }
  return { fetch: !fetched, socket: !opened, script: !loaded };
}

/** The words whose weights are shown, and the end. */
function sourceWords() {
  return [...attention.source.split(" "), "(end)"];
}

/** The languages' names, and the codes that their texts are marked with. */
function languages() {
  return page.evaluate(() => {
    const find = (id) => document.getElementById(id);
    return [find("source-language").textContent, find("source").lang, find("target-language").textContent, find("target").lang];
  });
}

function focused() {
  return page.evaluate(() => document.activeElement.id);
}

function longest(all) {
  return all.reduce((best, each) => (each.ids.length > best.ids.length ? each : best));
}

/** WCAG 2.2's contrast ratio of two "rgb(r, g, b)" colours. */
function contrast(...colors) {
  const [high, low] = colors.map(luminance).sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

function luminance(color) {
  const [r, g, b] = color.match(/[\d.]+/g).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
