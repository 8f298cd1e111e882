package dev.weir.protocol;

import dev.weir.protocol.outbound.FrameFlusher;
import dev.weir.protocol.outbound.UnsentBytesLimiter;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes frames to a channel, and counts their bytes as unsent until they are written. Confined to
 * the channel's event loop.
 */
final class FrameWriter {
  private final UnsentBytesLimiter unsentBytes;
  private final Consumer<Throwable> onFailure;
  private final FrameFlusher flusher;
  private final Consumer<ByteBuf> part = this::write;
  private @Nullable Channel channel;

  /**
   * Starts without a channel.
   *
   * @param onFailure hears why a frame could not be written
   */
  FrameWriter(LoopContext context, Consumer<Throwable> onFailure) {
    this.unsentBytes = context.shared.unsentBytes();
    this.onFailure = onFailure;
    this.flusher = new FrameFlusher(context.loop, this::flush);
  }

  /** Writes to this channel from now on. */
  void open(Channel opened) {
    channel = opened;
  }

  /**
   * Reserves a frame's bytes until they are written.
   *
   * @return null after a successful reservation; otherwise the bound that is reached
   */
  @Nullable UnsentBytesLimiter reserve(int frameBytes) {
    return unsentBytes.reserve(frameBytes);
  }

  /**
   * Writes a frame whose bytes are reserved.
   *
   * @param isDeferrable whether it may wait for another frame
   */
  void write(FrameStreamOutput frame, int frameBytes, boolean isDeferrable) {
    frame.drainTo(part, last -> writeLast(last, frameBytes));
    if (isDeferrable) {
      flusher.flushWithNext();
    } else {
      flusher.flushSoon();
    }
  }

  /** Writes a message that counts as no frame. */
  void writeUncounted(ByteBuf bytes) {
    write(bytes);
    flusher.flushSoon();
  }

  private void write(ByteBuf bytes) {
    Channel open = channel;
    if (open == null) {
      bytes.release();
    } else {
      open.write(bytes, open.voidPromise());
    }
  }

  /**
   * Writes the last buffer of a frame; its unsent bytes are released after the write or its
   * failure.
   */
  private void writeLast(ByteBuf bytes, int frameBytes) {
    Channel open = channel;
    if (open == null) {
      unsentBytes.release(frameBytes);
      bytes.release();
    } else {
      open.write(bytes)
          .addListener(written -> {
            unsentBytes.release(frameBytes);
            if (!written.isSuccess()) {
              onFailure.accept(written.cause());
            }
          });
    }
  }

  private void flush() {
    Channel open = channel;
    if (open != null) {
      open.flush();
    }
  }

  /** Closes the channel; frames that wait for another one leave before. */
  void close() {
    Channel open = channel;
    if (open != null) {
      flusher.flushDeferred();
      open.close();
    }
  }
}
