// The translator as the page sees it: the worker's messages as promises.

import type { Reply, Request } from "./worker";
import type { Translation } from "./translator";

export interface Timed {
  translation: Translation;
  milliseconds: number;
}

interface Pending {
  resolve: (value: Timed | undefined) => void;
  reject: (error: Error) => void;
  onText?: (text: string) => void;
}

export class RemoteTranslator {
  private readonly worker = new Worker("worker.js");
  private readonly pending = new Map<number, Pending>();
  private number = 0;

  constructor() {
    this.worker.onmessage = ({ data }: MessageEvent<Reply>) => this.receive(data);
    this.worker.onerror = ({ message }) => {
      this.pending.forEach(({ reject }) => reject(new Error(message || "The translator could not be started.")));
      this.pending.clear();
    };
  }

  /** Makes the model of a folder the one that translates. */
  async load(folder: string): Promise<void> {
    await this.send({ number: ++this.number, load: folder });
  }

  /** Translates one sentence; `onText` is told the text so far whenever it has grown. */
  async translate(sentence: string, onText: (text: string) => void): Promise<Timed> {
    return (await this.send({ number: ++this.number, translate: sentence }, onText))!;
  }

  private send(request: Request, onText?: (text: string) => void): Promise<Timed | undefined> {
    return new Promise((resolve, reject) => {
      this.pending.set(request.number, { resolve, reject, onText });
      this.worker.postMessage(request);
    });
  }

  private receive(reply: Reply): void {
    const { resolve, reject, onText } = this.pending.get(reply.number)!;
    if ("text" in reply) return onText?.(reply.text);
    this.pending.delete(reply.number);
    if ("error" in reply) reject(new Error(reply.error));
    else resolve("translation" in reply ? reply : undefined);
  }
}
