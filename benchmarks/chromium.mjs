// The built page of one exported model, open in headless Chromium, and a worker of it to talk to.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const WEB = fileURLToPath(new URL("../export/web/", import.meta.url));
export const require = createRequire(path.join(WEB, "package.json"));
const { chromium } = require("playwright-core");
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage", "--disable-background-networking"];

/**
 * Calls `use(page, model, seconds)` when the page is ready: `model` is the model's folder on the server, `seconds` the time from an
 * empty profile to "Ready". CHROMIUM names the browser's program.
 */
export async function withPage(exportFolder, use) {
  const scratch = mkdtempSync(path.join(tmpdir(), "web-page-"));
  const site = path.join(scratch, "site");
  execFileSync("node", [path.join(WEB, "build.mjs"), site, exportFolder]);
  const server = spawn("python3", ["-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", site, "0"]);
  const [port] = await new Promise((resolve) => server.stdout.once("data", (text) => resolve(/(?<=port )\d+/.exec(text))));
  const context = await chromium.launchPersistentContext(path.join(scratch, "profile"), {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    bypassCSP: true, // for scripts that a benchmark adds
    args: FLAGS,
  });
  try {
    const page = await context.newPage();
    const start = performance.now();
    await page.goto(`http://127.0.0.1:${port}`);
    await page.waitForFunction(() => document.getElementById("status").textContent.startsWith("Ready"));
    const seconds = (performance.now() - start) / 1000;
    await use(page, `models/${path.basename(path.resolve(exportFolder))}`, seconds);
  } finally {
    await context.close();
    server.kill();
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** In the page: starts a worker with the model; `globalThis.ask(line)` then gives `{translation, milliseconds}` or `{error}`. */
export async function startWorker(page, model) {
  await page.evaluate(async (model) => {
    const worker = new Worker("worker.js");
    const send = (request) =>
      new Promise((resolve) => {
        worker.onmessage = ({ data }) => "text" in data || resolve(data);
        worker.postMessage({ number: 0, ...request });
      });
    globalThis.ask = (translate) => send({ translate });
    await send({ load: model });
  }, model);
}
