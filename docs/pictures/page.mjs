// Takes page.png, the picture of the web page in README and guides: node docs/pictures/page.mjs (after `make web-packages`).

import path from "node:path";
import { fileURLToPath } from "node:url";
import { withPage } from "../../benchmarks/chromium.mjs";

const at = (name) => fileURLToPath(new URL(name, import.meta.url));

await withPage(at("../../saved_models/tatoeba-en-es-litert"), async (page) => {
  await page.setViewportSize({ width: 800, height: 700 });
  await page.fill("#source", "I bought a red car for my sister.");
  await page.click("#translate");
  await page.locator("#attention svg, #attention table, #attention canvas").first().waitFor();
  await page.waitForFunction(() => /second|ms/.test(document.getElementById("status").textContent));
  await page.screenshot({ path: path.resolve(at("page.png")), clip: await box(page) });
});

/** From the top of the page to the end of the attention. */
async function box(page) {
  const end = await page.locator("#attention").boundingBox();
  await page.setViewportSize({ width: 800, height: Math.ceil(end.y + end.height + 16) });
  return { x: 0, y: 0, width: 800, height: Math.ceil(end.y + end.height + 8) };
}
