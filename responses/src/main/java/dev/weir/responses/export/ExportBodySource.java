package dev.weir.responses.export;

import dev.weir.model.BodySource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.BytesRefIterator;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.bytes.BytesReference;

/**
 * The parts of a response that are written but not yet sent. Confined to the request's event loop.
 */
final class ExportBodySource implements BodySource {
  private final Runnable onDrained;
  private final Consumer<Boolean> onComplete;
  private final ArrayDeque<Part> pendingParts = new ArrayDeque<>();
  private @Nullable Sink consumer;
  private @Nullable Consumer<Sink> endSignal;
  private int pendingCount;
  private long sentCount;
  private boolean isComplete;

  private record Part(List<ByteBuffer> bytes, Runnable onReleased) {}

  /**
   * Creates an empty body.
   *
   * @param onDrained runs after a part was sent; on the event loop, but outside of the request's
   *     context
   * @param onEnd receives, once, whether the whole body was sent
   */
  ExportBodySource(Runnable onDrained, Consumer<Boolean> onEnd) {
    this.onDrained = onDrained;
    this.onComplete = onEnd;
  }

  /** Returns the number of parts not yet sent. */
  int pendingCount() {
    return pendingCount;
  }

  /** Returns the number of parts that were sent. */
  long sentCount() {
    return sentCount;
  }

  /** Adds a part; {@code onReleased} runs once, when nothing reads the part any longer. */
  void addPart(List<BytesReference> part, Runnable onReleased) {
    if (isComplete) {
      onReleased.run();
      return;
    }
    pendingCount++;
    pendingParts.add(new Part(toByteBuffers(part), onReleased));
    sendPending();
  }

  /** Completes the body after the parts added so far. */
  void end(List<Map.Entry<String, String>> trailers) {
    endSignal = to -> to.complete(trailers);
    sendPending();
  }

  /** Aborts the body after the parts added so far. */
  void abort() {
    endSignal = Sink::abort;
    sendPending();
  }

  /** Aborts the body at once; parts that were not handed over are released. */
  void discard() {
    for (Part part = pendingParts.poll(); part != null; part = pendingParts.poll()) {
      pendingCount--;
      part.onReleased.run();
    }
    abort();
  }

  private void sendPending() {
    Sink to = consumer;
    if (to == null || isComplete) {
      return;
    }
    while (!pendingParts.isEmpty() && to.isWritable()) {
      Part part = pendingParts.remove();
      to.write(part.bytes, () -> onPartReleased(part));
    }
    Consumer<Sink> last = endSignal;
    if (pendingParts.isEmpty() && last != null) {
      endSignal = null;
      last.accept(to);
    }
  }

  private void onPartReleased(Part part) {
    pendingCount--;
    sentCount++;
    part.onReleased.run();
    onDrained.run();
  }

  @Override
  public void onStart(Sink by) {
    consumer = by;
    sendPending();
  }

  @Override
  public void onWritable() {
    sendPending();
  }

  @Override
  public void onClosed(boolean complete) {
    isComplete = true;
    for (Part part = pendingParts.poll(); part != null; part = pendingParts.poll()) {
      pendingCount--;
      part.onReleased.run();
    }
    onComplete.accept(complete);
  }

  private static List<ByteBuffer> toByteBuffers(List<BytesReference> part) {
    List<ByteBuffer> slices = new ArrayList<>();
    try {
      for (BytesReference reference : part) {
        BytesRefIterator parts = reference.iterator();
        for (BytesRef ref = parts.next(); ref != null; ref = parts.next()) {
          slices.add(ByteBuffer.wrap(ref.bytes, ref.offset, ref.length).slice());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return slices;
  }
}
