// Models run here, off the page's own thread, so that typing and scrolling never wait for them.

import { loadLiteRt } from "@litertjs/core";
import { Translator, type Translation } from "./translator";

/** What the page asks for. Requests are served one after the other, replies bear the request's number. */
export type Request =
  | { number: number; load: string } // the folder of a model
  | { number: number; translate: string }; // one sentence

export type Reply = { number: number } & (
  | { loaded: true }
  | { text: string } // so far
  | { translation: Translation; milliseconds: number }
  | { error: string }
);

// LiteRT's C++ tells everything, errors or not, to standard error, and looks for its WASM beside this file.
Object.assign(self, { Module: { printErr: console.debug, locateFile: (name: string) => `wasm/${name}` } });
// One thread, and no relaxed SIMD: its integer products are rounded as each processor likes, so that an int8 model chose other
// words than in Python for 4 of 100 sentences, and it was not seen to be faster.
const ready = loadLiteRt("wasm/litert_wasm_compat_internal.js");
let translator: Translator | undefined;
let queue: Promise<void> = Promise.resolve();

self.onmessage = ({ data }: MessageEvent<Request>) => {
  const failed = (error: unknown) => reply({ number: data.number, error: error instanceof Error ? error.message : String(error) });
  queue = queue.then(() => serve(data)).catch(failed);
};

async function serve(request: Request): Promise<void> {
  const { number } = request;
  if ("load" in request) {
    await ready;
    translator?.delete();
    translator = undefined;
    translator = await Translator.load(request.load);
    reply({ number, loaded: true });
  } else {
    if (!translator) throw new Error("No model has been loaded.");
    const start = performance.now();
    const translation = await translator.translate(request.translate, (text) => reply({ number, text }));
    reply({ number, translation, milliseconds: performance.now() - start });
  }
}

function reply(message: Reply): void {
  postMessage(message);
}
