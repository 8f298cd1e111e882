package dev.weir.http.body;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A coded body as it came, kept beside its decoded form while it is small, so that a node can get
 * it unchanged if it has to go there. Owned by its body; paid for out of the same budget.
 */
public final class EncodedBodyCopy {
  private final int maxBytes;
  private final String coding;
  private final @Nullable String contentLength;
  private final AccountedBuffer buffer;
  private boolean isComplete = true;

  private EncodedBodyCopy(BodyBudget budget, int most, String coding, @Nullable String announced) {
    this.buffer = new AccountedBuffer(budget);
    this.maxBytes = most;
    this.coding = coding;
    this.contentLength = announced;
  }

  /**
   * Starts to keep a body, before its headers are changed to describe the decoded one.
   *
   * @param most bytes that are kept at most
   * @return null when it has no coding, or none that every node decodes
   */
  public static @Nullable EncodedBodyCopy of(HttpHeaders headers, BodyBudget budget, int most) {
    String coding = headers.get(HttpHeaderNames.CONTENT_ENCODING);
    if (coding == null) {
      return null;
    }
    return switch (coding.trim().toLowerCase(Locale.ROOT)) {
      case "gzip", "x-gzip", "deflate", "x-deflate" ->
          new EncodedBodyCopy(budget, most, coding, headers.get(HttpHeaderNames.CONTENT_LENGTH));
      default -> null;
    };
  }

  /** Keeps a piece; all is forgotten when it becomes too much. */
  void add(ByteBuf piece) {
    if (isComplete && !buffer.tryAppend(piece, maxBytes)) {
      release();
    }
  }

  /** Whether all that came is still there. */
  boolean isComplete() {
    return isComplete;
  }

  /** Lets the headers describe the body as it came. */
  void restore(HttpHeaders headers) {
    headers.set(HttpHeaderNames.CONTENT_ENCODING, coding);
    if (contentLength != null) {
      headers.set(HttpHeaderNames.CONTENT_LENGTH, contentLength);
    }
  }

  /** The encoded bytes as received. */
  AccountedBuffer takeBuffer() {
    return buffer.transfer();
  }

  /** Forgets it. */
  void release() {
    isComplete = false;
    buffer.release();
  }
}
