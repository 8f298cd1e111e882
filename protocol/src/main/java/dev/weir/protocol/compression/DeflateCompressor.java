package dev.weir.protocol.compression;

import java.nio.ByteBuffer;
import java.util.zip.Deflater;

/** Compresses by raw DEFLATE at level 3, as nodes do. */
public final class DeflateCompressor implements PayloadCompressor {
  private static final int LEVEL = 3;

  private final Deflater deflater = new Deflater(LEVEL, true);
  private int last;

  /** Allocates about 260 KB outside of the heap. */
  public DeflateCompressor() {}

  @Override
  public void setInput(byte[] from, int offset, int length) {
    deflater.setInput(from, offset, length);
  }

  @Override
  public void finish() {
    deflater.finish();
  }

  @Override
  public int compress(ByteBuffer into) {
    last = deflater.deflate(into);
    return last;
  }

  @Override
  public boolean isDone() {
    return deflater.finished() || (last == 0 && deflater.needsInput());
  }

  @Override
  public void reset() {
    deflater.reset();
  }

  @Override
  public void close() {
    deflater.end();
  }
}
