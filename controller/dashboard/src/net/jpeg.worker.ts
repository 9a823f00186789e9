/** Encodes images as JPEG. Here, since a busy page delays `convertToBlob` by seconds: it waits for idle time there. */

interface Host {
  onmessage: ((event: MessageEvent<ImageBitmap>) => void) | null;
  postMessage(jpeg: Blob): void;
}
const host = self as unknown as Host;

host.onmessage = ({ data: image }) => {
  const canvas = new OffscreenCanvas(image.width, image.height);
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  image.close();
  void canvas
    .convertToBlob({ type: 'image/jpeg', quality: 0.7 })
    .then((jpeg) => host.postMessage(jpeg));
};
