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

/** What was made of an answer and has not left. Confined to the request's home. */
final class Backlog implements BodySource {
  private final Runnable onRoom;
  private final Consumer<Boolean> onOver;
  private final ArrayDeque<Part> waiting = new ArrayDeque<>();
  private @Nullable Taker taker;
  private @Nullable Consumer<Taker> end;
  private int unsent;
  private boolean over;

  private record Part(List<ByteBuffer> bytes, Runnable onReleased) {}

  /**
   * Makes an empty one.
   *
   * @param onRoom a part has left; on the home, but not in the request's context
   * @param onOver hears once whether all of it left
   */
  Backlog(Runnable onRoom, Consumer<Boolean> onOver) {
    this.onRoom = onRoom;
    this.onOver = onOver;
  }

  /** How many parts have not left. */
  int unsent() {
    return unsent;
  }

  /** Adds a part; {@code onReleased} runs once when it is not read any more. */
  void add(List<BytesReference> part, Runnable onReleased) {
    if (over) {
      onReleased.run();
      return;
    }
    unsent++;
    waiting.add(new Part(slices(part), onReleased));
    send();
  }

  /** Behind all that was added, it is complete. */
  void end(List<Map.Entry<String, String>> trailers) {
    end = to -> to.end(trailers);
    send();
  }

  /** Behind all that was added, it is broken off. */
  void breakOff() {
    end = Taker::breakOff;
    send();
  }

  private void send() {
    Taker to = taker;
    if (to == null || over) {
      return;
    }
    while (!waiting.isEmpty() && to.ready()) {
      Part part = waiting.remove();
      to.write(part.bytes, () -> left(part));
    }
    Consumer<Taker> last = end;
    if (waiting.isEmpty() && last != null) {
      end = null;
      last.accept(to);
    }
  }

  private void left(Part part) {
    unsent--;
    part.onReleased.run();
    onRoom.run();
  }

  @Override
  public void begin(Taker by) {
    taker = by;
    send();
  }

  @Override
  public void resume() {
    send();
  }

  @Override
  public void over(boolean complete) {
    over = true;
    for (Part part = waiting.poll(); part != null; part = waiting.poll()) {
      unsent--;
      part.onReleased.run();
    }
    onOver.accept(complete);
  }

  private static List<ByteBuffer> slices(List<BytesReference> part) {
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
