package dev.weir.rest;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.LongConsumer;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.BytesRefIterator;
import org.opensearch.core.common.bytes.BytesReference;

/**
 * Reserves memory for the items of one bulk exactly once: {@link FastBulkParser} reserves while it
 * parses; if it gives up, this class counts the remaining action lines. Used by one thread.
 */
final class BulkItemAccounting implements LongConsumer {
  private static final byte[] DELETE = "{\"delete\"".getBytes(StandardCharsets.US_ASCII);

  private final LongConsumer memoryReserver;
  private long reservedBytes;

  /**
   * Starts without a reservation.
   *
   * @param reserver throws if the limit is reached
   */
  BulkItemAccounting(LongConsumer reserver) {
    this.memoryReserver = reserver;
  }

  @Override
  public void accept(long bytes) {
    memoryReserver.accept(bytes);
    reservedBytes += bytes;
  }

  /** Reserves memory for the rest of a body that OpenSearch's parser reads. */
  void reserveRemaining(BytesReference body) throws IOException {
    long more = new ActionLineCounter().count(body) * FastBulkParser.ITEM_BYTES - reservedBytes;
    if (more > 0) {
      accept(more);
    }
  }

  /** Counts action lines; a source line follows each of them except a delete. */
  private static final class ActionLineCounter {
    private long actions;
    private boolean expectsSource;
    private boolean empty = true;

    /** The bytes of {@link #DELETE} that the line starts with; negative after a mismatch. */
    private int matchedDeleteBytes;

    long count(BytesReference body) throws IOException {
      BytesRefIterator parts = body.iterator();
      for (BytesRef part = parts.next(); part != null; part = parts.next()) {
        for (int i = part.offset; i < part.offset + part.length; i++) {
          read(part.bytes[i]);
        }
      }
      onNewline();
      return actions;
    }

    private void read(byte b) {
      if (b == '\n') {
        onNewline();
      } else if (!expectsSource && b != ' ' && b != '\t' && b != '\r') {
        empty = false;
        if (matchedDeleteBytes >= 0 && matchedDeleteBytes < DELETE.length) {
          matchedDeleteBytes = b == DELETE[matchedDeleteBytes] ? matchedDeleteBytes + 1 : -1;
        }
      }
    }

    private void onNewline() {
      if (expectsSource) {
        expectsSource = false;
      } else if (!empty) {
        actions++;
        expectsSource = matchedDeleteBytes < DELETE.length;
      }
      empty = true;
      matchedDeleteBytes = 0;
    }
  }
}
