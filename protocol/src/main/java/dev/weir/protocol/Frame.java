package dev.weir.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.util.IllegalReferenceCountException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A reference-counted received frame, owned by the channel that read it until the reply's handler
 * has returned; whoever retains it owns a share. Holds everything after the fixed head: variable
 * header, then payload, in one array. References may be taken and given on any thread.
 */
final class Frame implements ReplyFrame {
  private static final VarHandle COUNT;

  static {
    try {
      COUNT = MethodHandles.lookup().findVarHandle(Frame.class, "count", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final long requestId;
  final int status;
  final int versionId;
  final int variableLength;
  private final int wireBytes;
  private final Charge charge;
  private final @Nullable Exception rejection;
  private ByteBuf content;
  private Map<String, Set<String>> responseHeaders = Map.of();

  /** Set in tests: a slice that is read after its frame was released shows as nonsense. */
  private static final boolean POISON = Boolean.getBoolean("dev.weir.protocol.poison");

  @SuppressWarnings("unused") // through COUNT
  private volatile int count = 1;

  Frame(FrameHeader head, ByteBuf content, Charge charge) {
    this(head, content, charge, null);
  }

  /** The beginning of a frame that there is no room for: as much as {@code content} takes. */
  Frame(FrameHeader head, ByteBuf content, Charge charge, @Nullable Exception refused) {
    this.rejection = refused;
    this.requestId = head.requestId;
    this.status = head.status;
    this.versionId = head.versionId;
    this.variableLength = head.variableLength;
    this.wireBytes = FrameLayout.PREFIX_BYTES + head.length;
    this.content = content;
    this.charge = charge;
  }

  /** What follows the fixed head, with an array behind it. */
  ByteBuf content() {
    return content;
  }

  /** Why there is no room for the frame, of which only the beginning is there; null if there is. */
  @Nullable Exception rejection() {
    return rejection;
  }

  boolean hasFlag(int flag) {
    return (status & flag) != 0;
  }

  /** Swaps the content for what it inflated to; takes that buffer over. */
  void replaceContent(ByteBuf inflated) {
    content.release();
    content = inflated;
  }

  /** What is charged for the frame; more may be charged while it is held. */
  Charge charge() {
    return charge;
  }

  void responseHeaders(Map<String, Set<String>> headers) {
    responseHeaders = headers;
  }

  @Override
  public Map<String, Set<String>> responseHeaders() {
    return responseHeaders;
  }

  @Override
  public int wireBytes() {
    return wireBytes;
  }

  @Override
  public void retain() {
    int before = (int) COUNT.getAndAdd(this, 1);
    if (before <= 0) {
      COUNT.getAndAdd(this, -1);
      throw new IllegalReferenceCountException(before, 1);
    }
  }

  @Override
  public void release() {
    int before = (int) COUNT.getAndAdd(this, -1);
    if (before == 1) {
      if (POISON) {
        Arrays.fill(
            content.array(),
            content.arrayOffset(),
            content.arrayOffset() + content.capacity(),
            (byte) 0xDD);
      }
      content.release();
      charge.release();
    } else if (before <= 0) {
      COUNT.getAndAdd(this, 1);
      throw new IllegalReferenceCountException(before, -1);
    }
  }

  /** What one frame's memory was charged to. Charged on the channel's loop, released once. */
  static final class Charge {
    private final CountingFrameBudget shared;
    private final @Nullable FrameBudget own;
    private long bytes;
    private boolean held;

    Charge(CountingFrameBudget shared, @Nullable FrameBudget own) {
      this.shared = shared;
      this.own = own;
    }

    /** Charges {@code more} to all that pay, or to none; says why not. */
    @Nullable Exception reserve(long more) {
      Exception refused =
          own != null && own.includesClientBudget() ? reserveFrom(own, more) : reserveFromAll(more);
      if (refused == null) {
        if (!held) {
          held = true;
          shared.onFrameOpened();
        }
        bytes += more;
      }
      return refused;
    }

    private @Nullable Exception reserveFrom(FrameBudget payer, long more) {
      Exception refused = payer.reserve(more);
      if (refused == null) {
        shared.countExternal(more);
      }
      return refused;
    }

    private @Nullable Exception reserveFromAll(long more) {
      Exception refused = shared.reserve(more);
      if (refused == null && own != null) {
        refused = own.reserve(more);
        if (refused != null) {
          shared.release(more);
        }
      }
      return refused;
    }

    void release() {
      if (!held) {
        return; // nothing was charged
      }
      shared.onFrameClosed();
      if (own != null && own.includesClientBudget()) {
        shared.countExternal(-bytes);
      } else {
        shared.release(bytes);
      }
      if (own != null) {
        own.release(bytes);
      }
    }
  }
}
