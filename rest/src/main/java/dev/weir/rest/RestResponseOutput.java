package dev.weir.rest;

import dev.weir.model.ResponseBody;
import dev.weir.model.SpliceableOutput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.BytesRefIterator;
import org.opensearch.common.io.stream.ReleasableBytesStreamOutput;
import org.opensearch.common.util.BigArrays;
import org.opensearch.common.util.PageCacheRecycler;
import org.opensearch.core.common.bytes.AbstractBytesReference;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;

/**
 * The recycled pages of a response, with parts in between that are read only when the client
 * receives them. Used by the thread that writes the response.
 */
class RestResponseOutput extends ReleasableBytesStreamOutput {
  private final List<Splice> splices = new ArrayList<>(1);
  private boolean closed;

  /** A part, after the first {@code offset} bytes of the pages. */
  private record Splice(int offset, ResponseBody body) {}

  RestResponseOutput(BigArrays pages) {
    super(pages);
  }

  /**
   * Writes a byte.
   *
   * @throws IllegalStateException if this is closed: the pages may belong to another response
   */
  @Override
  public void writeByte(byte value) {
    ensureOpen();
    super.writeByte(value);
  }

  /**
   * Writes bytes.
   *
   * @throws IllegalStateException if this is closed: the pages may belong to another response
   */
  @Override
  public void writeBytes(byte[] source, int offset, int length) {
    ensureOpen();
    super.writeBytes(source, offset, length);
  }

  private void ensureOpen() {
    if (closed) {
      throw new IllegalStateException(
          "got more of a response after its end (expected: nothing, its pages are released)");
    }
  }

  final boolean isClosed() {
    return closed;
  }

  /**
   * Releases the pages, once, and drops the parts in between. These are as large as the replies of
   * nodes; timers and callbacks that still refer to the request must not keep them in memory.
   */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      splices.clear();
      super.close();
    }
  }

  @Override
  public void reset() {
    splices.clear();
    super.reset();
  }

  /** Returns what is written so far; further parts can be added after it. */
  @Override
  public BytesReference bytes() {
    return new Content();
  }

  /** Discards what was written after the first bytes, and releases the pages behind them. */
  void truncate(int offset) {
    splices.removeIf(splice -> splice.offset() > offset);
    seek(offset);
    bytes = bigArrays.resize(bytes, Math.max(offset, PageCacheRecycler.BYTE_PAGE_SIZE));
  }

  /** Returns the body between two offsets of the pages, with the parts in between. */
  ResponseBody body(int from, int to) {
    BytesReference pages = pages();
    List<ResponseBody> parts = new ArrayList<>();
    int next = from;
    for (Splice splice : splices) {
      if (splice.offset() >= from && splice.offset() <= to) {
        parts.add(ResponseBody.of(slices(pages.slice(next, splice.offset() - next))));
        parts.add(splice.body());
        next = splice.offset();
      }
    }
    parts.add(ResponseBody.of(slices(pages.slice(next, to - next))));
    return ResponseBody.of(parts.toArray(new ResponseBody[0]));
  }

  final BytesReference pages() {
    return super.bytes();
  }

  /** Returns the response body with this content. */
  static ResponseBody body(BytesReference content) {
    return content instanceof Content own ? own.body() : ResponseBody.of(slices(content));
  }

  private static List<ByteBuffer> slices(BytesReference content) {
    List<ByteBuffer> slices = new ArrayList<>(1 + content.length() / (16 * 1024));
    BytesRefIterator iterator = content.iterator();
    try {
      for (BytesRef ref = iterator.next(); ref != null; ref = iterator.next()) {
        slices.add(ByteBuffer.wrap(ref.bytes, ref.offset, ref.length).slice());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return slices;
  }

  /** The written content; without parts in between these are the pages. */
  private final class Content extends AbstractBytesReference implements SpliceableOutput {
    @Override
    public void splice(ResponseBody part) {
      splices.add(new Splice(size(), part));
    }

    private ResponseBody body() {
      BytesReference pages = pages();
      if (splices.isEmpty()) {
        return ResponseBody.of(slices(pages));
      }
      return RestResponseOutput.this.body(0, pages.length());
    }

    private BytesReference whole() {
      return splices.isEmpty() ? pages() : new BytesArray(body().toByteArray());
    }

    @Override
    public int length() {
      return Math.toIntExact(body().length());
    }

    @Override
    public byte get(int index) {
      return whole().get(index);
    }

    @Override
    public BytesReference slice(int from, int length) {
      return whole().slice(from, length);
    }

    @Override
    public BytesRefIterator iterator() {
      return whole().iterator();
    }

    @Override
    public BytesRef toBytesRef() {
      return whole().toBytesRef();
    }

    @Override
    public long ramBytesUsed() {
      return pages().ramBytesUsed();
    }
  }
}
