package dev.weir.responses.export;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.BodySource;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.bytes.CompositeBytesReference;

final class ExportBodySourceTest {
  private final List<String> events = new ArrayList<>();
  private final List<Runnable> unsent = new ArrayList<>();
  private final ExportBodySource body =
      new ExportBodySource(
          () -> events.add("drained"), complete -> events.add("closed " + complete));
  private boolean isWritable = true;

  private final BodySource.Sink sink =
      new BodySource.Sink() {
        @Override
        public boolean isWritable() {
          return isWritable;
        }

        @Override
        public void write(List<ByteBuffer> part, Runnable onReleased) {
          StringBuilder text = new StringBuilder("write ");
          part.forEach(bytes -> text.append(UTF_8.decode(bytes.duplicate())));
          events.add(text.toString());
          unsent.add(onReleased);
        }

        @Override
        public void complete(List<Map.Entry<String, String>> trailers) {
          events.add("complete " + trailers);
        }

        @Override
        public void abort() {
          events.add("abort");
        }
      };

  private void add(String text) {
    body.addPart(List.of(new BytesArray(text)), () -> events.add("released " + text));
  }

  @Test
  void keepsPartsUntilTheResponseStarts() {
    add("a");
    body.end(List.of(Map.entry("X", "1")));
    assertThat(events).isEmpty();
    assertThat(body.pendingCount()).isOne();
    body.onStart(sink);
    assertThat(events).containsExactly("write a", "complete [X=1]");
    unsent.forEach(Runnable::run);
    assertThat(events).endsWith("released a", "drained");
    assertThat(body.pendingCount()).isZero();
  }

  @Test
  void writesNothingWhileTheClientReadsNothing() {
    body.onStart(sink);
    isWritable = false;
    add("a");
    add("b");
    body.abort();
    assertThat(events).isEmpty();
    assertThat(body.pendingCount()).isEqualTo(2);
    isWritable = true;
    body.onWritable();
    assertThat(events).containsExactly("write a", "write b", "abort");
    body.onWritable();
    assertThat(events).hasSize(3);
  }

  @Test
  void writesAPartOfSeveralPieces() {
    BytesReference whole =
        CompositeBytesReference.of(
            new BytesArray("one "), new BytesArray("xtwoy".getBytes(UTF_8), 1, 3));
    body.onStart(sink);
    body.addPart(List.of(whole, new BytesArray(" three")), () -> {});
    assertThat(events).containsExactly("write one two three");
  }

  @Test
  void releasesEveryPartOnceAfterTheEnd() {
    body.onStart(sink);
    add("sent");
    isWritable = false;
    add("waits");
    body.onClosed(false);
    assertThat(events).containsExactly("write sent", "released waits", "closed false");
    add("late");
    assertThat(events).endsWith("released late");
    unsent.forEach(Runnable::run);
    assertThat(events).endsWith("released sent", "drained");
    assertThat(body.pendingCount()).isZero();
    body.onWritable();
    assertThat(events.stream().filter(event -> event.startsWith("write"))).hasSize(1);
  }

  @Test
  void closesWithoutAStart() {
    add("a");
    body.onClosed(false);
    assertThat(events).containsExactly("released a", "closed false");
  }
}
