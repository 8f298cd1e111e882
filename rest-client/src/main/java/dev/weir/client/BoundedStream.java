package dev.weir.client;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpTimeoutException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A body that fails at a moment, and after a number of bytes: a server that stops within a response
 * keeps no reader waiting, and no response fills the heap. For one reader at a time.
 */
final class BoundedStream extends FilterInputStream {
  private final RestConnections.Limits limits;

  /** Completes exceptionally at the end of the time, and otherwise when the stream is closed. */
  private final CompletableFuture<Boolean> closed = new CompletableFuture<>();

  private long leftBytes;

  BoundedStream(InputStream body, RestConnections.Limits limits, long leftNanos) {
    super(body);
    this.limits = limits;
    this.leftBytes = limits.maxResponseBytes();
    closed
        .orTimeout(leftNanos, TimeUnit.NANOSECONDS)
        .whenComplete((done, late) -> {
          if (late != null) {
            closeQuietly(body);
          }
        });
  }

  private static void closeQuietly(InputStream body) {
    try {
      body.close(); // wakes its reader
    } catch (IOException unread) {
      // its reader fails anyway
    }
  }

  @Override
  public int read() throws IOException {
    int read;
    try {
      read = super.read();
    } catch (IOException e) {
      throw isLate() ? late(e) : e;
    }
    count(read < 0 ? 0 : 1);
    return read;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    int read;
    try {
      read = super.read(target, offset, length);
    } catch (IOException e) {
      throw isLate() ? late(e) : e;
    }
    count(Math.max(0, read));
    return read;
  }

  private void count(int bytes) throws IOException {
    if (isLate()) {
      throw late(null);
    }
    leftBytes -= bytes;
    if (leftBytes < 0) {
      throw new OversizedResponseException(limits.maxResponseBytes());
    }
  }

  private boolean isLate() {
    return closed.isCompletedExceptionally();
  }

  private HttpTimeoutException late(@Nullable IOException cause) {
    HttpTimeoutException late =
        new HttpTimeoutException(
            "no whole response after " + limits.responseTimeout().toMillis() / 1000.0 + " s");
    if (cause != null) {
      late.initCause(cause);
    }
    return late;
  }

  @Override
  public void close() throws IOException {
    closed.complete(true);
    super.close();
  }
}
