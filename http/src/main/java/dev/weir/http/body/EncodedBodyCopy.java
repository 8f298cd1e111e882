package dev.weir.http.body;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a small encoded body as received beside its decoded form, so that a node can receive it
 * unchanged. Owned by its body, and charged to the same budget.
 */
public final class EncodedBodyCopy {
  private final int maxBytes;
  private final String coding;
  private final @Nullable String contentLength;
  private final AccountedBuffer buffer;
  private boolean isComplete = true;

  private EncodedBodyCopy(
      BodyBudget budget, int maxBytes, String coding, @Nullable String announced) {
    this.buffer = new AccountedBuffer(budget);
    this.maxBytes = maxBytes;
    this.coding = coding;
    this.contentLength = announced;
  }

  /**
   * Starts a copy. Call before the headers are changed to describe the decoded body.
   *
   * @param maxBytes the limit of the copy in bytes
   * @return null when the body has no coding, or one that not every node decodes
   */
  public static @Nullable EncodedBodyCopy of(HttpHeaders headers, BodyBudget budget, int maxBytes) {
    String coding = headers.get(HttpHeaderNames.CONTENT_ENCODING);
    if (coding == null) {
      return null;
    }
    return switch (coding.trim().toLowerCase(Locale.ROOT)) {
      case "gzip", "x-gzip", "deflate", "x-deflate" ->
          new EncodedBodyCopy(
              budget, maxBytes, coding, headers.get(HttpHeaderNames.CONTENT_LENGTH));
      default -> null;
    };
  }

  /** Copies a chunk. Drops the whole copy when it exceeds its limit or the budget. */
  void add(ByteBuf piece) {
    if (isComplete && !buffer.tryAppend(piece, maxBytes)) {
      release();
    }
  }

  /** Returns whether the copy holds everything received so far. */
  boolean isComplete() {
    return isComplete;
  }

  /** Changes the headers back to describe the encoded body. */
  void restore(HttpHeaders headers) {
    headers.set(HttpHeaderNames.CONTENT_ENCODING, coding);
    if (contentLength != null) {
      headers.set(HttpHeaderNames.CONTENT_LENGTH, contentLength);
    }
  }

  AccountedBuffer takeBuffer() {
    return buffer.transfer();
  }

  /** Drops the copy. */
  void release() {
    isComplete = false;
    buffer.release();
  }
}
