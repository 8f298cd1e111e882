package dev.weir.gateway.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A coded body as it came, kept beside its decoded form while it is small, so that a node can get
 * it unchanged if it has to go there. Owned by its body; paid for out of the same budget.
 */
final class KeptOriginal {
  private static final byte[] NOTHING = {};
  private static final int FIRST = 1 << 10;

  private final BodyBudget budget;
  private final int most;
  private final String coding;
  private final @Nullable String announced;
  private byte[] array = NOTHING;
  private int length;
  private long charged;
  private boolean whole = true;

  private KeptOriginal(BodyBudget budget, int most, String coding, @Nullable String announced) {
    this.budget = budget;
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
    int size = piece.readableBytes();
    if (whole && (size <= array.length - length || grow(size))) {
      piece.getBytes(piece.readerIndex(), array, length, size);
      length += size;
    }
  }

  private boolean grow(int more) {
    long needed = (long) length + more;
    int wanted = (int) Math.min(most, Math.max(Math.max(FIRST, needed), 2L * array.length));
    int rounded = ByteArrays.lengthFor(wanted);
    if (needed > most || !budget.tryCharge(rounded)) {
      free();
      return false;
    }
    byte[] larger = ByteArrays.current().take(wanted);
    System.arraycopy(array, 0, larger, 0, length);
    ByteArrays.current().give(array);
    array = larger;
    budget.release(charged);
    charged = rounded;
    return true;
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

  /** What came; shares the array, which is from then on left to the garbage collector. */
  ByteBuf take() {
    ByteBuf taken = Unpooled.wrappedBuffer(array, 0, length);
    array = NOTHING;
    return taken;
  }

  /** Bytes that are paid for; whoever asks pays them back. */
  long takeCharge() {
    long taken = charged;
    charged = 0;
    return taken;
  }

  /** Forgets it. */
  void free() {
    whole = false;
    ByteArrays.current().give(array);
    array = NOTHING;
    length = 0;
    budget.release(charged);
    charged = 0;
  }
}
