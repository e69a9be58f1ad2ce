/** The numbers that are packed in base 64, little-endian: 32-bit floats, or counts. */
function bytes(text) {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) out[k] = raw.charCodeAt(k);
  return out.buffer;
}

export const floats = (text) => new Float32Array(bytes(text));
export const counts = (text) => new Uint32Array(bytes(text));
