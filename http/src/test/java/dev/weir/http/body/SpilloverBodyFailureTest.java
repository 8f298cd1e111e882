package dev.weir.http.body;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.error.BodyTransformException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bodies whose transfer to a node fails midway: they release everything and report it once. */
class SpilloverBodyFailureTest {
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final FixedBodyBudget budget = new FixedBodyBudget(1 << 20);
  private final List<String> events = new ArrayList<>();

  private final BodyFailureListener listener =
      new BodyFailureListener() {
        @Override
        public void onCorrupt(DecompressionException failure) {
          events.add("corrupt: " + failure.getMessage());
        }

        @Override
        public void onProcessingFailure(Throwable failure) {
          events.add("failed: " + failure.getMessage());
        }
      };

  private final BodySink node =
      new BodySink() {
        @Override
        public void acceptContent(ByteBuf piece) {
          events.add("node: " + piece.toString(UTF_8));
        }

        @Override
        public void complete() {
          events.add("complete");
        }
      };

  @AfterEach
  void holdNothing() {
    assertThat(budget.used()).isZero();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
    assertThat(allocator.metric().usedHeapMemory()).isZero();
  }

  /** Copies chunks; the given action runs before each of them, or at the end. */
  private record FailingTransformer(Consumer<String> onPiece, Runnable onFinish)
      implements BodyTransformer {
    @Override
    public void transform(ByteBuf from, ByteBuf to) {
      onPiece.accept(from.toString(UTF_8));
      to.writeBytes(from, from.readerIndex(), from.readableBytes());
    }

    @Override
    public void finish(ByteBuf to) {
      to.writeByte('.');
      onFinish.run();
    }
  }

  private SpilloverBody body(BodyTransformer transformer) {
    return SpilloverBody.ofTransformed(
        new DefaultHttpHeaders(), allocator, budget, transformer, listener);
  }

  private void send(SpilloverBody body, String text) {
    ByteBuf piece = allocator.buffer();
    piece.writeBytes(text.getBytes(UTF_8));
    body.acceptContent(piece);
    piece.release();
  }

  private static void failOn(String text, String piece, Throwable failure) {
    if (piece.equals(text)) {
      throwAny(failure);
    }
  }

  private static void throwAny(Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) failure;
  }

  @Test
  void sendTheTransformedBodyWithItsEnd() {
    SpilloverBody body = body(new FailingTransformer(piece -> {}, () -> {}));
    body.attach(node);
    send(body, "one");
    body.complete();

    assertThat(events).containsExactly("node: one", "node: .", "complete");
  }

  @Test
  void releaseTheLastBufferWhenTheTransformationFailsAtTheEnd() {
    SpilloverBody body =
        body(
            new FailingTransformer(
                piece -> {}, () -> throwAny(new BodyTransformException("got half an item"))));
    body.attach(node);
    send(body, "one");
    body.complete();

    assertThat(events).containsExactly("node: one", "corrupt: got half an item");
  }

  @Test
  void reportOnceThatMemoryRanOutInTheMiddle() {
    SpilloverBody body =
        body(
            new FailingTransformer(
                piece -> failOn("two", piece, new OutOfMemoryError("no direct memory")), () -> {}));
    body.attach(node);
    send(body, "one");
    send(body, "two");
    send(body, "three");
    body.complete();

    assertThat(events).containsExactly("node: one", "failed: no direct memory");
  }

  @Test
  void reportABugOfTheTransformation() {
    SpilloverBody body =
        body(
            new FailingTransformer(
                piece -> failOn("one", piece, new IllegalStateException("bug")), () -> {}));
    send(body, "one");
    body.complete();
    assertThat(events).isEmpty();

    body.attach(node);
    assertThat(events).containsExactly("failed: bug");
  }

  @Test
  void reportThatTheNodesConnectionTakesNothing() {
    SpilloverBody body = body(new FailingTransformer(piece -> {}, () -> {}));
    body.attach(
        new BodySink() {
          @Override
          public void acceptContent(ByteBuf piece) {
            throw new OutOfMemoryError("no memory to write");
          }

          @Override
          public void complete() {
            events.add("complete");
          }
        });
    send(body, "one");
    body.complete();

    assertThat(events).containsExactly("failed: no memory to write");
  }
}
