package dev.weir.protocol.compression;

import java.nio.ByteBuffer;

/**
 * Compresses one payload after the other, from arrays into memory outside of the heap. Confined to
 * its event loop.
 *
 * <pre>
 *   for each part of a payload:  setInput, then compress until isDone
 *   at its end:                  finish, then compress until isDone, then reset
 * </pre>
 */
public sealed interface PayloadCompressor extends AutoCloseable
    permits DeflateCompressor, ZstdCompressor {
  /** Sets the next bytes; the array must not change before {@link #isDone}. */
  void setInput(byte[] from, int offset, int length);

  /** Ends the payload: there is no more input. */
  void finish();

  /**
   * Compresses into direct memory, from its position to its limit.
   *
   * @return the number of bytes written
   */
  int compress(ByteBuffer into);

  /** Returns whether the input has been taken and, after {@link #finish}, all has been written. */
  boolean isDone();

  /** Prepares for the next payload, also after one that did not end. */
  void reset();

  /** Frees the memory outside of the heap. */
  @Override
  void close();
}
