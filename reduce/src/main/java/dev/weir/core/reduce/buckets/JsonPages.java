package dev.weir.core.reduce.buckets;

import dev.weir.core.reduce.memory.ReductionWorkspace;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Bytes in pages of equal size; their memory is reserved before it is allocated. */
final class JsonPages extends OutputStream {
  static final int PAGE_BITS = 13;
  static final int PAGE_BYTES = 1 << PAGE_BITS;

  private final ReductionWorkspace workspace;
  private final List<byte[]> pages = new ArrayList<>();
  private int length;

  JsonPages(ReductionWorkspace workspace) {
    this.workspace = workspace;
  }

  /** Returns the number of bytes written. */
  int length() {
    return length;
  }

  @Override
  public void write(int b) throws IOException {
    pageForWrite()[length++ & (PAGE_BYTES - 1)] = (byte) b;
  }

  @Override
  public void write(byte[] from, int offset, int count) throws IOException {
    int done = 0;
    while (done < count) {
      byte[] page = pageForWrite();
      int at = length & (PAGE_BYTES - 1);
      int part = Math.min(count - done, PAGE_BYTES - at);
      System.arraycopy(from, offset + done, page, at, part);
      length += part;
      done += part;
    }
  }

  private byte[] pageForWrite() throws IOException {
    if (length < 0 || length > Integer.MAX_VALUE - PAGE_BYTES) {
      throw new IOException("got 2 GB of buckets (expected: less)");
    }
    if (length >>> PAGE_BITS == pages.size()) {
      workspace.reserve(PAGE_BYTES);
      pages.add(new byte[PAGE_BYTES]);
    }
    return pages.getLast();
  }

  /** Gives back what is free of the last page; nothing is written after that. */
  void trim() {
    int used = length & (PAGE_BYTES - 1);
    if (used > 0) {
      pages.set(pages.size() - 1, Arrays.copyOf(pages.getLast(), used));
      workspace.release((long) PAGE_BYTES - used);
    }
  }

  /**
   * Copies bytes that lie in one page.
   *
   * @return how many; at least one unless {@code most} is zero
   */
  int copy(int at, byte[] into, int offset, int most) {
    int start = at & (PAGE_BYTES - 1);
    int count = Math.min(most, PAGE_BYTES - start);
    System.arraycopy(pages.get(at >>> PAGE_BITS), start, into, offset, count);
    return count;
  }
}
