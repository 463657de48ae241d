// The page's tokenizer in node: `node encode.mjs VOCABULARY LINES`, LINES a JSON file of strings; prints what it makes of each.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

const web = new URL("../../export/web/", import.meta.url);
const { build } = createRequire(new URL("package.json", web))("esbuild");
const [vocabulary, lines] = process.argv.slice(2);
const bundle = `${lines}.mjs`;
const entryPoints = [fileURLToPath(new URL("src/tokenizer.ts", web))];
await build({ entryPoints, bundle: true, format: "esm", outfile: bundle, logLevel: "error" });
const { Tokenizer } = await import(pathToFileURL(bundle));

const tokenizer = new Tokenizer(readFileSync(vocabulary));
const made = JSON.parse(readFileSync(lines, "utf8")).map((line) => {
  const { ids, words } = tokenizer.encode(line);
  return { ids, words, text: tokenizer.decode(ids) };
});
process.stdout.write(JSON.stringify(made));
