package dev.weir.rest;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.LongConsumer;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.BytesRefIterator;
import org.opensearch.core.common.bytes.BytesReference;

/**
 * Pays for the items of one bulk once, whoever reads them in the end: {@link FastBulkParser} as it
 * goes, and beyond that by action lines what it gave up. Used by one thread.
 */
final class BulkItemAccounting implements LongConsumer {
  private static final byte[] DELETE = "{\"delete\"".getBytes(StandardCharsets.US_ASCII);

  private final LongConsumer memoryReserver;
  private long reservedBytes;

  /**
   * Starts with nothing paid.
   *
   * @param payer throws when there is no room
   */
  BulkItemAccounting(LongConsumer payer) {
    this.memoryReserver = payer;
  }

  @Override
  public void accept(long bytes) {
    memoryReserver.accept(bytes);
    reservedBytes += bytes;
  }

  /** Pays for what was not paid for yet of a body that somebody else reads. */
  void reserveRemaining(BytesReference body) throws IOException {
    long more = new ActionLineCounter().count(body) * FastBulkParser.ITEM_BYTES - reservedBytes;
    if (more > 0) {
      accept(more);
    }
  }

  /** Counts action lines: each but that of a delete has a document's line after it. */
  private static final class ActionLineCounter {
    private long actions;
    private boolean expectsSource;
    private boolean empty = true;

    /** Bytes of {@link #DELETE} that the line began with; negative when it did with others. */
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
