// `ArrayBuffer.prototype.transfer`, which Fedify expects and Node has since version 22.

ArrayBuffer.prototype.transfer ??= function transfer(length = this.byteLength) {
  const moved = new ArrayBuffer(length);
  new Uint8Array(moved).set(new Uint8Array(this, 0, Math.min(length, this.byteLength)));
  structuredClone(this, { transfer: [this] });
  return moved;
};
