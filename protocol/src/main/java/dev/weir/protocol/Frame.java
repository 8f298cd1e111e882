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
 * A reference-counted received frame. The channel that read it owns it until the reply's handler
 * returns; each {@link #retain} adds an owner. It contains everything after the fixed header, which
 * is the variable header and the payload, in one array. Reference counting is safe on any thread.
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
  private @Nullable NodeLoadReport loadReport;
  private int zstdSize;

  /** Set in tests: a slice that is read after the release of its frame contains garbage. */
  private static final boolean POISON = Boolean.getBoolean("dev.weir.protocol.poison");

  @SuppressWarnings("unused") // accessed through COUNT
  private volatile int count = 1;

  Frame(FrameHeader head, ByteBuf content, Charge charge) {
    this(head, content, charge, null);
  }

  /** Creates the start of a frame over the memory limit, as long as {@code content}. */
  Frame(FrameHeader head, ByteBuf content, Charge charge, @Nullable Exception rejection) {
    this.rejection = rejection;
    this.requestId = head.requestId;
    this.status = head.status;
    this.versionId = head.versionId;
    this.variableLength = head.variableLength;
    this.wireBytes = FrameLayout.PREFIX_BYTES + head.length;
    this.content = content;
    this.charge = charge;
  }

  /** Returns the bytes after the fixed header, in an array. */
  ByteBuf content() {
    return content;
  }

  /**
   * Returns why the frame is over the memory limit, so that only its start is present; null if it
   * is complete.
   */
  @Nullable Exception rejection() {
    return rejection;
  }

  boolean hasFlag(int flag) {
    return (status & flag) != 0;
  }

  /** Replaces the content by its inflated bytes, which are reserved; takes over that buffer. */
  void replaceContent(ByteBuf inflated) {
    content.release();
    content = inflated;
    charge.shrinkTo(inflated.capacity());
  }

  /** Returns the memory reservation of the frame; it may grow while the frame is held. */
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

  void loadReport(@Nullable NodeLoadReport report) {
    loadReport = report;
  }

  @Override
  public @Nullable NodeLoadReport loadReport() {
    return loadReport;
  }

  /** Sets the size of a payload that is compressed by zstd, in bytes. */
  void zstdSize(int bytes) {
    zstdSize = bytes;
  }

  /** Returns the size of a payload that is compressed by zstd, in bytes; 0 for any other. */
  int zstdSize() {
    return zstdSize;
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

  /** The memory reservation of one frame. Reserved on the channel's event loop, released once. */
  static final class Charge {
    private final CountingFrameBudget shared;
    private final @Nullable FrameBudget own;
    private long bytes;
    private boolean held;

    Charge(CountingFrameBudget shared, @Nullable FrameBudget own) {
      this.shared = shared;
      this.own = own;
    }

    /**
     * Reserves {@code more} bytes from all budgets or from none; returns the reason of a rejection.
     */
    @Nullable Exception reserve(long more) {
      return reserve(more, false);
    }

    /** Reserves the same; if that is optional, since less would do, no rejection is counted. */
    @Nullable Exception reserve(long more, boolean isOptional) {
      Exception rejection =
          own != null && own.includesClientBudget()
              ? reserveFromOwn(own, more, isOptional)
              : reserveFromAll(more, isOptional);
      if (rejection == null) {
        if (!held) {
          held = true;
          shared.onFrameOpened();
        }
        bytes += more;
      }
      return rejection;
    }

    private @Nullable Exception reserveFromOwn(FrameBudget payer, long more, boolean isOptional) {
      Exception rejection = reserve(payer, more, isOptional);
      if (rejection == null) {
        shared.countExternal(more);
      }
      return rejection;
    }

    private @Nullable Exception reserveFromAll(long more, boolean isOptional) {
      Exception rejection = reserve(shared, more, isOptional);
      if (rejection == null && own != null) {
        rejection = reserve(own, more, isOptional);
        if (rejection != null) {
          shared.release(more);
        }
      }
      return rejection;
    }

    private static @Nullable Exception reserve(FrameBudget payer, long more, boolean isOptional) {
      return isOptional ? payer.tryReserve(more) : payer.reserve(more);
    }

    /** Gives back what was reserved beyond {@code most} bytes. */
    void shrinkTo(long most) {
      if (bytes > most) {
        giveBack(bytes - most);
      }
    }

    void release() {
      if (!held) {
        return; // nothing was reserved
      }
      shared.onFrameClosed();
      giveBack(bytes);
    }

    private void giveBack(long less) {
      bytes -= less;
      if (own != null && own.includesClientBudget()) {
        shared.countExternal(-less);
      } else {
        shared.release(less);
      }
      if (own != null) {
        own.release(less);
      }
    }
  }
}
