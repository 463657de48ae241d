// Keeps the page, and the models that were used, for reading without a network.
//
// BUILD, a checksum, and PAGE, the page's own files, are put in by the build. Models are kept when first used.

const OURS = `keras-attn ${self.registration.scope} `; // other pages of the same origin have caches of their own
const CACHE = OURS + BUILD;

self.addEventListener("install", (event) => {
  const fresh = PAGE.map((url) => new Request(url, { cache: "no-cache" })); // asks whether the browser's copy is still right
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(fresh)));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(Promise.all([deleteEarlier(), self.clients.claim()]));
});

self.addEventListener("fetch", (event) => {
  if (event.request.method === "GET") event.respondWith(kept(event.request));
});

async function deleteEarlier() {
  const earlier = (await caches.keys()).filter((name) => name.startsWith(OURS) && name !== CACHE);
  await Promise.all(earlier.map((name) => caches.delete(name)));
}

async function kept(request) {
  const cache = await caches.open(CACHE);
  const found = await cache.match(request, { ignoreSearch: true });
  if (found) return found;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone()).catch(notKept);
  return response;
}

/** The browser's quota is full, mostly: what was fetched is used, and has to be fetched again the next time. */
function notKept(error) {
  console.warn("Not kept for offline use:", error);
}
