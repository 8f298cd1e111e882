package dev.weir.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A coded body as it came, kept beside its decoded form while it is small, so that a node can get
 * it unchanged if it has to go there. Owned by its body; paid for out of the same budget.
 */
final class KeptOriginal {
  private final int most;
  private final String coding;
  private final @Nullable String announced;
  private final PaidArray kept;
  private boolean whole = true;

  private KeptOriginal(BodyBudget budget, int most, String coding, @Nullable String announced) {
    this.kept = new PaidArray(budget);
    this.most = most;
    this.coding = coding;
    this.announced = announced;
  }

  /**
   * Starts to keep a body, before its headers are changed to describe the decoded one.
   *
   * @param most bytes that are kept at most
   * @return null when it has no coding, or none that every node decodes
   */
  static @Nullable KeptOriginal of(HttpHeaders headers, BodyBudget budget, int most) {
    String coding = headers.get(HttpHeaderNames.CONTENT_ENCODING);
    if (coding == null) {
      return null;
    }
    return switch (coding.trim().toLowerCase(Locale.ROOT)) {
      case "gzip", "x-gzip", "deflate", "x-deflate" ->
          new KeptOriginal(budget, most, coding, headers.get(HttpHeaderNames.CONTENT_LENGTH));
      default -> null;
    };
  }

  /** Keeps a piece; all is forgotten when it becomes too much. */
  void add(ByteBuf piece) {
    if (whole && !kept.tryAppend(piece, most)) {
      free();
    }
  }

  /** Whether all that came is still there. */
  boolean whole() {
    return whole;
  }

  /** Lets the headers describe the body as it came. */
  void restore(HttpHeaders headers) {
    headers.set(HttpHeaderNames.CONTENT_ENCODING, coding);
    if (announced != null) {
      headers.set(HttpHeaderNames.CONTENT_LENGTH, announced);
    }
  }

  /** What came, for whoever asks. */
  PaidArray take() {
    return kept.handOver();
  }

  /** Forgets it. */
  void free() {
    whole = false;
    kept.free();
  }
}
