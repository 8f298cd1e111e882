package dev.weir.rest;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.LongConsumer;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.BytesRefIterator;
import org.opensearch.core.common.bytes.BytesReference;

/**
 * Pays for the items of one bulk once, whoever reads them in the end: {@link BulkLines} as it goes,
 * and beyond that by action lines what it gave up. Used by one thread.
 */
final class BulkPrice implements LongConsumer {
  private static final byte[] DELETE = "{\"delete\"".getBytes(StandardCharsets.US_ASCII);

  private final LongConsumer payer;
  private long paid;

  /**
   * Starts with nothing paid.
   *
   * @param payer throws when there is no room
   */
  BulkPrice(LongConsumer payer) {
    this.payer = payer;
  }

  @Override
  public void accept(long bytes) {
    payer.accept(bytes);
    paid += bytes;
  }

  /** Pays for what was not paid for yet of a body that somebody else reads. */
  void rest(BytesReference body) throws IOException {
    long more = new ActionLines().of(body) * BulkLines.ITEM_BYTES - paid;
    if (more > 0) {
      accept(more);
    }
  }

  /** Counts action lines: each but that of a delete has a document's line after it. */
  private static final class ActionLines {
    private long actions;
    private boolean document;
    private boolean empty = true;

    /** Bytes of {@link #DELETE} that the line began with; negative when it did with others. */
    private int like;

    long of(BytesReference body) throws IOException {
      BytesRefIterator parts = body.iterator();
      for (BytesRef part = parts.next(); part != null; part = parts.next()) {
        for (int i = part.offset; i < part.offset + part.length; i++) {
          read(part.bytes[i]);
        }
      }
      newline();
      return actions;
    }

    private void read(byte b) {
      if (b == '\n') {
        newline();
      } else if (!document && b != ' ' && b != '\t' && b != '\r') {
        empty = false;
        if (like >= 0 && like < DELETE.length) {
          like = b == DELETE[like] ? like + 1 : -1;
        }
      }
    }

    private void newline() {
      if (document) {
        document = false;
      } else if (!empty) {
        actions++;
        document = like < DELETE.length;
      }
      empty = true;
      like = 0;
    }
  }
}
